// Contact between layers of cloth. Points are rows as in sweeps.h. Kernels read blocks of sweep_block elements and
// ignore the elements after the last one.
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
    float distance;  // m, distance that layers keep
    float depth;     // m, largest depth behind a face from which a vertex is brought back
    float push;      // share of the missing distance by which a substep separates a pair
    float friction;  // largest tangential correction, divided by the missing distance
    float step;      // s, duration of a substep
};

struct ContactKernels {
    // Finds the pairs [begin, end) that are closer than `distance`, and pairs within `reach` whose vertex is over the
    // face on the wrong or an unknown side. Writes their indices to `found`, which must have memory for all pairs;
    // returns their number.
    int64_t (*find_touching)(const PairColumns& pairs, const float* points, float distance, float reach, int64_t begin,
                             int64_t end, int32_t* found);
    // Separates the listed pairs that are closer than factors.distance, with friction, by moving their four vertices in
    // `points`: by factors.push of the missing distance, at most half of factors.distance. A vertex beside the face is
    // separated only if it is not behind the face's plane. Also sets unknown sides (0) of vertices that are over the
    // face, at most factors.depth from it. which: indices of pairs, a whole number of blocks. Two pairs of a block must
    // not share a movable vertex.
    void (*part_pairs)(const PairColumns& pairs, float* sides, const PairFactors& factors, const float* predicted,
                       const float* velocities, float* points, const int32_t* which, int64_t count);
    // Finds the points [0, count) whose distance from their predicted positions (from + velocities · time) exceeds
    // `distance`. Writes their indices to `found`, which must have memory for all points; returns their number.
    int64_t (*find_strays)(const float* points, const float* from, const float* velocities, float time, float distance,
                           int64_t count, int32_t* found);
    // Returns the largest motion of the points [0, count) since `from`, relative to their mean motion, m.
    float (*farthest_way)(const float* points, const float* from, int64_t count);

    static const ContactKernels baseline, x86_64_v3;
};

}  // namespace ruckle
