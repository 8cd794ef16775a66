// Kernels that pack table entries: numeric/packing.h for many numbers at once.
#pragma once

#include <stdint.h>

namespace ruckle {

struct TexelKernels {
    // 16-bit shares of each value times the factor, one per word.
    void (*pack_shares)(const float* values, float factor, uint32_t* shares, int64_t count);
    // Four words per vertex: its position and the direction of its normal. positions and normals are (V, 3).
    void (*pack_vertices)(const float* positions, const float* normals, uint32_t* words, int64_t count);

    static const TexelKernels baseline, x86_64_v3;
};

}  // namespace ruckle
