// Multiplies the learned matrix with coarse positions.
//
// The matrix is stored in blocks of rows, each block column by column. Each lane sums one row in the order of columns,
// which does not depend on the instruction set. Registers hold the sums of all rows of a block, so that memory is read
// once and sequentially.
//
// In half precision, the entries of a row are integer multiples of a unit, and positions are integer multiples of a
// step. Integer sums are exact, so the bits are identical on all instruction sets. In single precision, fused
// multiply-add is used if available. The product in single precision is the only result of the core whose last bits
// depend on the instruction set.
#pragma once

#include <stdint.h>

namespace ruckle {

// Largest absolute entry or position in half precision, in units or steps. The sum of two products then fits into 32
// bits.
inline constexpr int largest_step = 32767;
// Largest sum of absolute entries of a row, in units. The sum of its products with positions then fits into 32 bits.
inline constexpr int largest_row_sum = 65535;

struct OperatorProduct {
    int64_t column_count;  // M, number of coarse vertices
    // single precision:
    const float* singles;   // (blocks, M, rows of a block) entries; null: half precision
    const float* relative;  // (3, M) coarse positions relative to their mean: all x, all y, all z
    // or half precision:
    const int16_t* halves;  // (blocks, ceil(M / 2), rows of a block, 2) entries, in units of each row
    const float* units;     // (blocks * rows of a block) unit of each row
    const int16_t* whole;   // (3, 2 ceil(M / 2)) coarse positions relative to their mean, in steps
    float step;             // size of a step, mesh units

    float mean[3];
    float* positions;  // (blocks * rows of a block, 3) result
};

struct OperatorKernels {
    // Rows per block, for single and for half precision.
    int single_rows, half_rows;
    // Writes the fine positions of the blocks [begin, end) of rows.
    void (*multiply)(const OperatorProduct& product, int64_t begin, int64_t end);

    static const OperatorKernels baseline, x86_64_v3, x86_64_v4;
};

}  // namespace ruckle
