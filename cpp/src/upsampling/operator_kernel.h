// What the kernel of the operator reads and writes: plain memory, because kernels must not share inline code (numeric/lanes.h).
//
// Rows lie in blocks, and within a block column after column: all lanes of a vector belong to different rows, so that every row is
// summed in the order of its columns, whatever the instruction set.
#pragma once

#include <stdint.h>

namespace ruckle {

inline constexpr int row_block = 64;

struct OperatorProduct {
    int64_t column_count;    // M
    const float* singles;    // (blocks, M, row_block), or null
    const uint16_t* halves;  // the same in half precision, where singles is null
    const float* relative;   // (3, M) positions of the coarse cloth from their mean: all x, all y, all z
    float mean[3];
    float* positions;  // (blocks * row_block, 3) result
};

}  // namespace ruckle
