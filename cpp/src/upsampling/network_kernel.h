// Kernels of the neural detail network, and the plain structs with their arguments.
#pragma once

#include <stdint.h>

namespace ruckle {

// The number of columns of a matrix product must be a multiple of this.
inline constexpr int dense_columns = 32;

// A matrix product (rows, inner) times (inner, columns), plus a bias. The right matrix contains the weights of the
// network.
struct DenseProduct {
    const float* left;
    const float* right;
    const float* bias;  // (columns) added to each row of the result; null: 0
    float* result;      // (rows, columns) result
    int64_t rows, inner, columns;
};

// One row of the fine grid, stored per axis, and the detail in its local frames: along u, along v, along the normal.
struct DetailRow {
    // (3, column_count + 2) base shape in this grid row and in the rows above and below, with an extra column at both
    // ends
    const float *here, *above, *below;
    const float* detail;  // (3, detail_pitch) output of the network
    const float* mean;    // (3, column_count) constant part of the detail
    float gain;           // factor of mean + detail
    int64_t column_count, detail_pitch;
    float* positions;  // (column_count, 3) result, mesh units
};

struct NetworkKernels {
    void (*multiply_dense)(const DenseProduct& product);
    // Writes the positions of one row of the fine grid: base positions plus gain · (mean + detail), in local frames
    // from central differences of the base shape. Axes of a collapsed frame are 0, and so is the detail along them.
    void (*add_detail)(const DetailRow& row);

    static const NetworkKernels baseline, x86_64_v3;
};

}  // namespace ruckle
