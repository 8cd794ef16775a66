// A symmetric system with several right-hand sides.
#pragma once

#include <stdint.h>

namespace ruckle {

// Number of columns that are processed together; the size of a system is a multiple of it. Rows are processed in groups of four.
inline constexpr int system_columns = 8, system_rows = 4;

// A X = B. The right-hand sides are rows below the matrix: the operations that factor the matrix also transform them.
struct SymmetricSystem {
    int64_t size;         // S, a multiple of system_columns
    int64_t right_count;  // a multiple of system_rows
    double* rows;  // (S + right_count, S): A, of which the lower triangle counts, and B transposed, which becomes X transposed
    double* inverses;  // (S, system_columns) scratch
    double* panel;     // (S, system_columns) scratch
};

struct SystemKernels {
    // Solves the system. Returns false if A is not positive definite; rows are then undefined.
    bool (*solve_system)(const SymmetricSystem& system);

    static const SystemKernels baseline, x86_64_v3;
};

}  // namespace ruckle
