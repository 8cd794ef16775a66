// What the kernels of pose space read and write: plain memory, because they must not share inline code (numeric/lanes.h).
//
// Fine vertices stand in blocks of eight, of which a detail takes 24 numbers: eight x, eight y, eight z. A block whose vertices run out
// is filled up with vertices that are written beyond the last.
#pragma once

#include <stdint.h>

namespace ruckle {

inline constexpr int detail_lanes = 8, detail_block = 3 * detail_lanes;

// What one joint adds in a run of blocks: Σ weights[k] rows[k], times the share of each vertex.
struct DetailTerm {
    int corner_count;        // 1 to 8
    const int16_t* rows[8];  // the sampled details of the run's first block
    float weights[8];        // with the steps of details and shares
    const int16_t* shares;   // in steps of 1 / largest_share
};

inline constexpr float largest_share = 32767.0f;

// Fine vertices on the coarse cloth. The eight of a block have most of their coarse vertices in common, so that each of these is
// read once for all of them, with eight weights: a third of the work of three rows for every vertex.
struct BoundVertices {
    const float* details;          // blocks
    const float* rows;             // (C, 12): position and the share of details that fades; tangent, 0; normal, 0
    const int32_t* first_entries;  // (blocks + 1) entries of block b: [first_entries[b], first_entries[b + 1]), one at least
    const int32_t* corners;        // (entries) coarse vertices
    const float* weights;          // (entries, 8)
    const int32_t* vertices;       // (blocks * 8) where each is written
    float strength;
    float* positions;  // (V + 1, 4): rows of four, the fourth 0
};

}  // namespace ruckle
