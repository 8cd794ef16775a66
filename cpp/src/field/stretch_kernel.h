// Kernels of the stages stretch and reference. Shapes and units of the arrays are those in ruckle/field/stretch.h and
// ruckle/field/reference.h.
#pragma once

#include <stdint.h>

namespace ruckle {

// The members of StretchSpans as pointers. Kernels skip a result whose pointer is null.
struct StretchArrays {
    float* min;
    float* max;
    float* compression;
    float* axis;
    uint8_t* degenerate;
};

struct StretchKernels {
    // Computes the edge matrices of the triangles [begin, end).
    void (*edge_matrices)(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* matrices);
    // Computes the principal stretches of the triangles [begin, end).
    void (*stretch)(const float* reference, const float* current, StretchArrays result, int64_t begin, int64_t end);
    // Writes the new reference triangles (`updated`, may share memory with `reference`) and the stretch from them
    // (`field`). relaxation: per frame.
    void (*update_reference)(const float* reference, const float* current, const uint8_t* labels, float relaxation,
                             float* updated, StretchArrays field, int64_t begin, int64_t end);

    static const StretchKernels baseline, x86_64_v3;
};

}  // namespace ruckle
