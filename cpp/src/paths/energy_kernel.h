// Computes the terms of the energy (5.2) of a path that depend on positions in space: the third and the fourth sum in
// path_energy.h. Each quantity is a column with one entry per path vertex.
#pragma once

#include <stdint.h>

namespace ruckle {

struct PathColumns {
    // Columns have room for 128 vertices (path.h), padded to whole SIMD vectors. In the columns below, vertex k is at
    // index k. The kernel's own columns also contain a neighbour before the first and after the last vertex; there,
    // vertex k is at index first + k.
    static constexpr int first = 1, room = 128 + 16;

    // the mesh
    const int32_t* edges;       // (E, 2) vertices of each edge
    const int32_t* edge_faces;  // (E, 2) faces of each edge; the second is -1 at the boundary
    const int32_t* faces;       // (T, 3) vertices of each face
    // (V, 3) positions in this frame and in the previous frame, mesh units
    const float *positions, *previous;
    float unit;          // 1 / ℓ, ℓ: the unit of length of the energy (path_energy.h)
    int32_t count;       // number of path vertices with a row in the linear system, at least 2
    int32_t edge[room];  // mesh edge of path vertex k, at index k
    float t[room];       // position t of path vertex k on its edge (path.h), at index k

    // Results, in units of ℓ. Terms of the third sum. The vector inside its norm at vertex k has derivatives with
    // respect to the t of the previous vertex (before), of vertex k (own) and of the next vertex (after). The columns
    // are the products of these derivatives with each other and with the residual (right).
    float before_before[room], before_own[room], before_after[room], own_own[room], own_after[room], after_after[room];
    float before_right[room], own_right[room], after_right[room];
    // Terms of the fourth sum: s_k, and its derivatives with respect to the same three t. is_straight is -1 if all
    // values are finite, otherwise 0.
    float straight_before[room], straight_own[room], straight_after[room], straight[room];
    int32_t is_straight[room];
};

struct EnergyKernels {
    // Computes the results of all `count` vertices. The kernel also overwrites entries after the last vertex.
    void (*measure_path)(PathColumns& path);

    static const EnergyKernels baseline, x86_64_v3;
};

}  // namespace ruckle
