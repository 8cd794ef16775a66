// Contact between layers of cloth. Points are rows as in sweeps.h. Blocks of sweep_block read elements past the last one and ignore
// them.
#pragma once

#include <stdint.h>

namespace ruckle {

// Vertices and the corners of faces that they may touch, side by side.
struct PairColumns {
    const int32_t* corners[4];  // the vertex, then the face's
    const float* side;          // of the face's normal, 1 or -1; 0 while not known
};

// How pairs that touch are parted.
struct PairFactors {
    float distance;  // that they keep, m
    float depth;     // behind each other up to which they are brought back, m
    float push;      // share of what is missing that is made up at once
    float friction;  // share of the depth
    float step;      // s
};

struct ContactKernels {
    // Writes which of the pairs [begin, end) are closer than the distance, or within reach over each other without a known side
    // or behind each other; returns how many. There must be room for all.
    int64_t (*find_touching)(const PairColumns& pairs, const float* points, float distance, float reach, int64_t begin,
                             int64_t end, int32_t* found);
    // Parts those of the pairs that are closer than the distance, and finds out sides of 0; which: their numbers, a whole number of
    // blocks. No two pairs of a block may share a corner that can be moved. Velocities and predicted points are those of the
    // substep.
    void (*part_pairs)(const PairColumns& pairs, float* sides, const PairFactors& factors, const float* predicted,
                       const float* velocities, float* points, const int32_t* which, int64_t count);
    // Writes which of the points [0, count) are farther than a distance from where others are after a time, each with its velocity;
    // returns how many. There must be room for all.
    int64_t (*find_strays)(const float* points, const float* from, const float* velocities, float time, float distance,
                           int64_t count, int32_t* found);
    // How far points [0, count) have gone from others at most, beside all of them on average, m.
    float (*farthest_way)(const float* points, const float* from, int64_t count);

    static const ContactKernels baseline, x86_64_v3;
};

}  // namespace ruckle
