// Kernels of stretch and reference, and the plain structs that they read and write. Shapes and units are those of
// ruckle/field/stretch.h and ruckle/field/reference.h.
#pragma once

#include <stdint.h>

namespace ruckle {

// Pointers to the spans of StretchSpans; the result of a null pointer is not computed.
struct StretchArrays {
    float* min;
    float* max;
    float* compression;
    float* axis;
    uint8_t* degenerate;
};

struct StretchKernels {
    void (*edge_matrices)(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* matrices);
    void (*stretch)(const float* reference, const float* current, StretchArrays result, int64_t begin, int64_t end);
    // updated may be the same memory as reference.
    void (*update_reference)(const float* reference, const float* current, const uint8_t* labels, float relaxation,
                             float* updated, StretchArrays field, int64_t begin, int64_t end);

    static const StretchKernels baseline, x86_64_v3;
};

}  // namespace ruckle
