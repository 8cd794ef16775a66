// Solver for a symmetric system with several right-hand sides.
#pragma once

#include <stdint.h>

namespace ruckle {

// Numbers of columns and of rows that are processed together. The size of a system must be a multiple of
// system_columns.
inline constexpr int system_columns = 8, system_rows = 4;

// The system A X = B. The right-hand sides are rows below the matrix, because the operations that factor A also
// transform them.
struct SymmetricSystem {
    int64_t size;         // S, a multiple of system_columns
    int64_t right_count;  // number of right-hand sides, a multiple of system_rows
    // (S + right_count, S): A (only the lower triangle is read), then B transposed, which is replaced by X transposed
    double* rows;
    double* inverses;  // (S, system_columns) scratch memory
    double* panel;     // (S, system_columns) scratch memory
};

struct SystemKernels {
    // Replaces B transposed by the solution. Returns false if A is not positive definite; rows are then undefined.
    bool (*solve_system)(const SymmetricSystem& system);

    static const SystemKernels baseline, x86_64_v3;
};

}  // namespace ruckle
