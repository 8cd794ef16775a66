// Vertices of one path as the energy (5.2) needs them, one column per quantity.
#pragma once

#include <stdint.h>

namespace ruckle {

struct PathColumns {
    // Columns for 128 vertices (path.h). Vertex k is at first + k, with a neighbour before the first and after the last.
    static constexpr int first = 1, room = 128 + 16;

    // the mesh
    const int32_t* edges;       // (E, 2) vertices
    const int32_t* edge_faces;  // (E, 2), the second -1 at the boundary
    const int32_t* faces;       // (T, 3)
    // (V, 3), mesh units
    const float *positions, *previous;
    float unit;          // 1 / ℓ
    int32_t count;       // number of vertices in the solve, at least 2
    int32_t edge[room];  // of vertex k, at k
    float t[room];       // position of vertex k on its edge, at k

    // Results, in units of ℓ. Shape terms: products of the derivatives d residual / d t of vertex k (own), the one before and the
    // one after, with each other and with the residual.
    float before_before[room], before_own[room], before_after[room], own_own[room], own_after[room], after_after[room];
    float before_right[room], own_right[room], after_right[room];
    // Straightness terms: derivatives of s_k, and s_k; is_straight is -1 if these are finite.
    float straight_before[room], straight_own[room], straight_after[room], straight[room];
    int32_t is_straight[room];
};

struct EnergyKernels {
    // Fills the results of the columns.
    void (*measure_path)(PathColumns& path);

    static const EnergyKernels baseline, x86_64_v3;
};

}  // namespace ruckle
