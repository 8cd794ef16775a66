// Contact between layers of cloth. Points are rows as in sweeps.h. Blocks of sweep_block read elements past the last one and ignore
// them.
#pragma once

#include <stdint.h>

namespace ruckle {

// Vertices and the corners of faces that they may touch, in columns.
struct PairColumns {
    const int32_t* corners[4];  // the vertex, then the face's
    const float* side;          // side of the face's normal, 1 or -1; 0 if not known yet
};

// How touching pairs are separated.
struct PairFactors {
    float distance;  // kept by pairs, m
    float depth;     // largest depth behind a face from which a vertex is brought back, m
    float push;      // share of the missing distance that is restored at once
    float friction;  // share of the depth
    float step;      // s
};

struct ContactKernels {
    // Finds the pairs [begin, end) that are closer than the distance. Also pairs within reach over each other, if their side is not
    // known or they are on the wrong side. Writes their indices; returns their number. There must be room for all.
    int64_t (*find_touching)(const PairColumns& pairs, const float* points, float distance, float reach, int64_t begin,
                             int64_t end, int32_t* found);
    // Separates the listed pairs that are closer than the distance, and sets sides of 0 to the found ones. which: indices of pairs,
    // a whole number of blocks. No two pairs of a block may share a movable corner. Velocities and predicted points are those of
    // the substep.
    void (*part_pairs)(const PairColumns& pairs, float* sides, const PairFactors& factors, const float* predicted,
                       const float* velocities, float* points, const int32_t* which, int64_t count);
    // Finds the points [0, count) whose distance from `from`, moved by the velocities for a time, exceeds a limit. Writes their
    // indices; returns their number. There must be room for all.
    int64_t (*find_strays)(const float* points, const float* from, const float* velocities, float time, float distance,
                           int64_t count, int32_t* found);
    // Largest motion of the points [0, count) since `from`, relative to their mean motion, m.
    float (*farthest_way)(const float* points, const float* from, int64_t count);

    static const ContactKernels baseline, x86_64_v3;
};

}  // namespace ruckle
