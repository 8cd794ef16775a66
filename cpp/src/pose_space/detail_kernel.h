// Sums details and places fine vertices. Vertices are stored in blocks of eight; the details of a block are 24 numbers:
// eight x, eight y, eight z. Positions of padding vertices are written to an extra row after the last vertex.
#pragma once

#include <stdint.h>

namespace ruckle {

inline constexpr int detail_lanes = 8, detail_block = 3 * detail_lanes;

// Details that one joint adds to consecutive blocks: Σ weights[k] rows[k], times the share of each vertex.
struct DetailTerm {
    int corner_count;        // number of samples that are interpolated, 1 to 8
    const int16_t* rows[8];  // sampled details, starting at the first of these blocks
    float weights[8];        // interpolation weights times the units of details and shares
    const int16_t* shares;   // share of the joint at each vertex, in units of 1 / largest_share
};

inline constexpr float largest_share = 32767.0f;

// Fine vertices bound to the coarse cloth. The eight vertices of a block have most of their coarse vertices in common.
// Therefore each coarse vertex is read once per block, with eight weights. This is a third of the work of three reads
// per fine vertex.
struct BoundVertices {
    const float* details;          // details in blocks of eight vertices, mesh units
    const float* rows;             // (C, 12): position, share by which details are reduced; tangent, 0; normal, 0
    const int32_t* first_entries;  // (blocks + 1) entries of block b: [first_entries[b], first_entries[b + 1]), at least one
    const int32_t* corners;        // (entries) coarse vertex of each entry
    const float* weights;          // (entries, 8) weights of the coarse vertex for the eight fine vertices
    const int32_t* vertices;       // (blocks * 8) output index of each vertex
    float strength;                // factor of all details
    float* positions;              // (V + 1, 4) result, mesh units; the fourth number is 0
};

struct DetailKernels {
    // Adds the details of one joint: writes before + term to `details`, for `count` blocks.
    void (*add_details)(const DetailTerm& term, int64_t count, const float* before, float* details);
    // Writes the positions of the fine vertices [begin, end), both multiples of detail_lanes. Returns the number of
    // vertices without a rotation.
    int64_t (*place_vertices)(const BoundVertices& vertices, int64_t begin, int64_t end);
    // Writes unit vertex normals (V, 3), weighted by face area, from positions (V, 4); 0 if all faces of a vertex are
    // degenerate. of_faces (F, 4) is scratch memory. The faces of vertex v are vertex_faces[offsets[v] .. offsets[v +
    // 1]).
    void (*area_normals)(const float* positions, const int32_t* faces, int64_t face_count, const int32_t* offsets,
                         const int32_t* vertex_faces, int64_t vertex_count, float* of_faces, float* normals);

    static const DetailKernels baseline, x86_64_v3;
};

}  // namespace ruckle
