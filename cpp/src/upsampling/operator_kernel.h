// What the kernel of the operator reads and writes: plain memory, because kernels must not share inline code (numeric/lanes.h).
//
// Rows lie in blocks, and within a block column after column: all lanes of a vector belong to different rows, so that every row is
// summed in the order of its columns, whatever the instruction set. A block has the rows whose sums fill the registers, so that memory
// is read from its first byte to its last.
//
// Kept in half, entries are whole multiples of a unit of their row, and so are positions: sums of integers are exact, and the same bits
// on every instruction set. In single precision products are added by fused multiply-add where the processor has it: the only result of
// the core whose last bits depend on the instruction set.
#pragma once

#include <stdint.h>

namespace ruckle {

// Rows of a block: of entries in single precision, and of those kept in half.
struct OperatorBlocks {
    int single, half;
};

// What entries and positions that are kept in half are at most, in their units: two products fit into 32 bits.
inline constexpr int largest_step = 32767;
// What the sizes of a row's entries sum to at most, so that its products with positions fit into 32 bits.
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

// Columns of a dense product come in multiples of this.
inline constexpr int dense_columns = 32;

// (rows, inner) times (inner, columns): of the network of neural detail, whose weights are shared by all rows.
struct DenseProduct {
    const float* left;
    const float* right;
    const float* bias;  // (columns), or null
    float* result;      // (rows, columns)
    int64_t rows, inner, columns;
};

// One row of the fine grid, by axis, and what is added to it in its frames: along u, along v, the normal.
struct DetailRow {
    const float *here, *above, *below;  // (3, column_count + 2): a column before the first and after the last
    const float* detail;                // (3, detail_pitch)
    const float* mean;                  // (3, column_count)
    float gain;
    int64_t column_count, detail_pitch;
    float* positions;  // (column_count, 3) result
};

}  // namespace ruckle
