// Multiplies the learned matrix with coarse positions.
//
// The matrix is stored in blocks of rows, each block column by column. Each lane sums one row in the order of columns, which is
// the same for every instruction set. A block has as many rows as registers have room for sums, so that memory is read once,
// sequentially.
//
// In half precision, entries are integer multiples of a unit of their row, and positions of a step. Integer sums are exact, so
// all instruction sets give the same bits. In single precision, products are added by fused multiply-add if the processor has it:
// the only result of the core whose last bits depend on the instruction set.
#pragma once

#include <stdint.h>

namespace ruckle {

// Largest entry or position in half precision, in units: two products fit into 32 bits.
inline constexpr int largest_step = 32767;
// Largest sum of absolute entries of a row, so that its products with positions fit into 32 bits.
inline constexpr int largest_row_sum = 65535;

struct OperatorProduct {
    int64_t column_count;  // M
    // either in single precision:
    const float* singles;   // (blocks, M, rows of a block), or null
    const float* relative;  // (3, M) positions of the coarse cloth from their mean: all x, all y, all z
    // or kept in half:
    const int16_t* halves;  // (blocks, ceil(M / 2), rows of a block, 2), in units of their rows
    const float* units;     // (blocks * rows of a block)
    const int16_t* whole;   // (3, 2 ceil(M / 2)) positions as above, in steps
    float step;             // mesh units

    float mean[3];
    float* positions;  // (blocks * rows of a block, 3) result
};

struct OperatorKernels {
    // Number of rows of a block, for entries in single and in half precision.
    int single_rows, half_rows;
    // Computes the fine positions of the blocks [begin, end) of rows.
    void (*multiply)(const OperatorProduct& product, int64_t begin, int64_t end);

    static const OperatorKernels baseline, x86_64_v3, x86_64_v4;
};

}  // namespace ruckle
