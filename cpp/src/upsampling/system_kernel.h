// A symmetric system with several right-hand sides.
#pragma once

#include <stdint.h>

namespace ruckle {

// Columns that are worked on at once, and of which the size of a system is a multiple; rows come in fours.
inline constexpr int system_columns = 8, system_rows = 4;

// A X = B, of right-hand sides that lie row after row below the matrix: whatever turns the matrix into its factor turns them along.
struct SymmetricSystem {
    int64_t size;         // S, a multiple of system_columns
    int64_t right_count;  // a multiple of system_rows
    double* rows;  // (S + right_count, S): A, of which the lower triangle counts, and B transposed, which becomes X transposed
    double* inverses;  // (S, system_columns) scratch
    double* panel;     // (S, system_columns) scratch
};

struct SystemKernels {
    // Solves a symmetric system for its right-hand sides. False if it is not positive definite; rows are then undefined.
    bool (*solve_system)(const SymmetricSystem& system);

    static const SystemKernels baseline, x86_64_v3;
};

}  // namespace ruckle
