// Vertices of one path as the energy (5.2) needs them, one column per quantity.
#pragma once

#include <stdint.h>

namespace ruckle {

struct PathColumns {
    // Room for 128 vertices (path.h); vertex k of a column stands at first + k: a neighbour lies before the first and behind the last.
    static constexpr int first = 1, room = 128 + 16;

    // the mesh
    const int32_t* edges;       // (E, 2) vertices
    const int32_t* edge_faces;  // (E, 2), the second -1 at the boundary
    const int32_t* faces;       // (T, 3)
    // (V, 3), mesh units
    const float *positions, *previous;
    float unit;          // 1 / ℓ
    int32_t count;       // of the vertices that take part, at least 2
    int32_t edge[room];  // of vertex k, at k
    float t[room];       // where it is on that, at k

    // Results, in units of ℓ. Of the sum of shapes: products of what vertex k wants of itself (own), the one before and the one behind,
    // d residual / d t, with each other and with the residual.
    float before_before[room], before_own[room], before_after[room], own_own[room], own_after[room], after_after[room];
    float before_right[room], own_right[room], after_right[room];
    // Of the sum of straightness: the slopes of s_k, and s_k; and whether these are numbers, -1 where they are.
    float straight_before[room], straight_own[room], straight_after[room], straight[room];
    int32_t is_straight[room];
};

struct EnergyKernels {
    // Fills the results of the columns.
    void (*measure_path)(PathColumns& path);

    static const EnergyKernels baseline, x86_64_v3;
};

}  // namespace ruckle
