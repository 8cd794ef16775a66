// Kernels that pack many table entries at once.
#pragma once

#include <stdint.h>

namespace ruckle {

struct TexelKernels {
    // Packs the product of each value and the factor, clamped to [-1, 1], into 16 bits; one product per word.
    void (*pack_shares)(const float* values, float factor, uint32_t* shares, int64_t count);
    // Packs four words per vertex: its position, and the direction of its normal. positions, normals: (V, 3).
    void (*pack_vertices)(const float* positions, const float* normals, uint32_t* words, int64_t count);
    // Packs directions: (count, 3) unit vectors; one word per direction.
    void (*pack_directions)(const float* directions, uint32_t* words, int64_t count);

    static const TexelKernels baseline, x86_64_v3;
};

}  // namespace ruckle
