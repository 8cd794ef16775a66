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
