// Cholesky factorisation of a symmetric system together with its right-hand sides. It is blocked with eight columns, so
// that 99 % of the work is one loop of products. Each element is summed in column order without fused operations, so
// that the bits are identical on all instruction sets.
#include "upsampling/system_kernel.h"

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

constexpr int C = system_columns, lanes = native_lanes / 2, vectors = C / lanes;
using Wide = Doubles<lanes>;

// Subtracts the product of four rows of `left` with a panel (inner, 8) from eight columns of these rows, and multiplies
// the result by a triangular matrix (8, 8), in place.
inline void reduce_rows(double* columns, const double* left, int64_t pitch, const double* panel, int64_t inner,
                        const double* triangle) {
    Wide sums[system_rows][vectors];
    for (int r = 0; r < system_rows; ++r) {
        for (int v = 0; v < vectors; ++v) {
            sums[r][v] = load<Wide>(columns + r * pitch + v * lanes);
        }
    }
    for (int64_t i = 0; i < inner; ++i, panel += C) {
        for (int v = 0; v < vectors; ++v) {
            const Wide entries = load<Wide>(panel + v * lanes);
            for (int r = 0; r < system_rows; ++r) {
                sums[r][v] -= left[r * pitch + i] * entries;
            }
        }
    }
    for (int r = 0; r < system_rows; ++r) {
        Wide product[vectors] = {};
        for (int c = 0; c < C; ++c) {
            for (int v = 0; v < vectors; ++v) {
                product[v] += sums[r][c / lanes][c % lanes] * load<Wide>(triangle + c * C + v * lanes);
            }
        }
        for (int v = 0; v < vectors; ++v) {
            store(columns + r * pitch + v * lanes, product[v]);
        }
    }
}

// Replaces a block (8, 8) by its Cholesky factor and writes the inverse of the factor; later rows are multiplied by the
// inverse instead of divided. Returns false if the block is not positive definite.
bool factor_block(double* block, int64_t pitch, double* inverse) {
    for (int r = 0; r < C; ++r) {
        double* row = block + r * pitch;
        for (int c = 0; c <= r; ++c) {
            double sum = row[c];
            for (int k = 0; k < c; ++k) {
                sum -= row[k] * block[c * pitch + k];
            }
            if (c < r) {
                row[c] = sum / block[c * pitch + c];
            } else if (sum > 0.0) {
                row[c] = __builtin_sqrt(sum);
            } else {
                return false;
            }
        }
    }
    for (int c = 0; c < C; ++c) {
        for (int r = 0; r < C; ++r) {
            double sum = r == c ? 1.0 : 0.0;
            for (int k = c; k < r; ++k) {
                sum -= block[r * pitch + k] * inverse[k * C + c];
            }
            inverse[r * C + c] = r < c ? 0.0 : sum / block[r * pitch + r];
        }
    }
    return true;
}

bool solve_system(const SymmetricSystem& system) {
    const int64_t size = system.size, last = size + system.right_count;
    double* const rows = system.rows;
    double identity[C * C] = {}, turned[C * C];
    for (int c = 0; c < C; ++c) {
        identity[c * C + c] = 1.0;
    }
    // factorisation A = L Lᵀ with forward substitution: replaces B by B L⁻ᵀ
    for (int64_t at = 0; at < size; at += C) {
        double* const inverse = system.inverses + at * C;
        for (int64_t i = 0; i < at; ++i) {
            for (int c = 0; c < C; ++c) {
                system.panel[i * C + c] = rows[(at + c) * size + i];
            }
        }
        const auto reduce = [&](int64_t row, const double* triangle) {
            reduce_rows(rows + row * size + at, rows + row * size, size, system.panel, at, triangle);
        };
        for (int64_t row = at; row < at + C; row += system_rows) {
            reduce(row, identity);
        }
        if (!factor_block(rows + at * size + at, size, inverse)) {
            return false;
        }
        for (int c = 0; c < C; ++c) {
            for (int r = 0; r < C; ++r) {
                turned[c * C + r] = inverse[r * C + c];
            }
        }
        for (int64_t row = at + C; row < last; row += system_rows) {
            reduce(row, turned);
        }
    }
    // backward substitution: replaces B L⁻ᵀ by B L⁻ᵀ L⁻¹, the solution
    for (int64_t at = size - C; at >= 0; at -= C) {
        const int64_t right = at + C;
        for (int64_t i = right; i < size; ++i) {
            for (int c = 0; c < C; ++c) {
                system.panel[(i - right) * C + c] = rows[i * size + at + c];
            }
        }
        for (int64_t row = size; row < last; row += system_rows) {
            reduce_rows(rows + row * size + at, rows + row * size + right, size, system.panel, size - right,
                        system.inverses + at * C);
        }
    }
    return true;
}

constexpr SystemKernels kernels = {.solve_system = solve_system};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::SystemKernels ruckle::SystemKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
