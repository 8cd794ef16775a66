// Contact between layers of cloth. Points are rows as in sweeps.h. Loops over blocks of sweep_block read elements past
// the last one and ignore them.
#pragma once

#include <stdint.h>

namespace ruckle {

// Vertex-face pairs that may touch, in columns.
struct PairColumns {
    const int32_t* corners[4];  // the vertex, then the three corners of the face
    const float* side;          // side of the vertex along the face's normal, 1 or -1; 0 if not known yet
};

// Parameters for the separation of touching pairs.
struct PairFactors {
    float distance;  // m, distance between layers
    float depth;     // m, largest depth behind a face from which a vertex is brought back
    float push;      // share of the missing distance that is restored in one substep
    float friction;  // largest tangential correction, as a share of the depth
    float step;      // s, of a substep
};

struct ContactKernels {
    // Finds the pairs [begin, end) that are closer than `distance`. Also finds pairs with the vertex over the face,
    // within `reach`, on the wrong or an unknown side. Writes their indices to `found`, which must have room for all;
    // returns their number.
    int64_t (*find_touching)(const PairColumns& pairs, const float* points, float distance, float reach, int64_t begin,
                             int64_t end, int32_t* found);
    // Separates the listed pairs that are closer than the distance, and sets unknown sides (0). which: indices of
    // pairs, a whole number of blocks. Two pairs of a block must not share a movable corner. Velocities and predicted
    // points are those of the substep.
    void (*part_pairs)(const PairColumns& pairs, float* sides, const PairFactors& factors, const float* predicted,
                       const float* velocities, float* points, const int32_t* which, int64_t count);
    // Finds the points [0, count) whose distance from their predicted position exceeds `distance`: from + velocities ·
    // time. Writes their indices to `found`, which must have room for all; returns their number.
    int64_t (*find_strays)(const float* points, const float* from, const float* velocities, float time, float distance,
                           int64_t count, int32_t* found);
    // Returns the largest motion of the points [0, count) since `from`, relative to their mean motion, m.
    float (*farthest_way)(const float* points, const float* from, int64_t count);

    static const ContactKernels baseline, x86_64_v3;
};

}  // namespace ruckle
