// Matrix products of the neural detail network, and its output in local frames; see network_kernel.h.
#include "upsampling/network_kernel.h"

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Computes `Rows` rows of the product together, so that each load of the right matrix serves all of them. Each sum is
// in the order of the inner index, so that it does not depend on Rows.
template <int Rows>
void multiply_rows(const DenseProduct& p, int64_t row) {
    constexpr int N = native_lanes, side_by_side = dense_columns / 16;
    const float* left = p.left + row * p.inner;
    for (int64_t column = 0; column < p.columns; column += side_by_side * N) {
        Floats<N> sums[Rows][side_by_side];
        for (int k = 0; k < side_by_side; ++k) {
            const Floats<N> start = p.bias ? load<Floats<N>>(p.bias + column + k * N) : Floats<N>{};
            for (int r = 0; r < Rows; ++r) {
                sums[r][k] = start;
            }
        }
        const float* right = p.right + column;
        for (int64_t i = 0; i < p.inner; ++i, right += p.columns) {
            Floats<N> entries[side_by_side];
            for (int k = 0; k < side_by_side; ++k) {
                entries[k] = load<Floats<N>>(right + k * N);
            }
            for (int r = 0; r < Rows; ++r) {
                const Floats<N> factor = broadcast<N>(left + r * p.inner + i);
                for (int k = 0; k < side_by_side; ++k) {
                    sums[r][k] += factor * entries[k];
                }
            }
        }
        for (int r = 0; r < Rows; ++r) {
            for (int k = 0; k < side_by_side; ++k) {
                store(p.result + (row + r) * p.columns + column + k * N, sums[r][k]);
            }
        }
    }
}

template <int N>
struct Coordinates {
    Floats<N> x, y, z;
};

// Loads the coordinates of a vector from three arrays whose starts are `pitch` apart.
template <int N>
inline Coordinates<N> load_coordinates(const float* from, int64_t pitch) {
    return {load<Floats<N>>(from), load<Floats<N>>(from + pitch), load<Floats<N>>(from + 2 * pitch)};
}

template <int N>
inline Coordinates<N> difference(const Coordinates<N>& a, const Coordinates<N>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <int N>
inline Coordinates<N> cross(const Coordinates<N>& a, const Coordinates<N>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <int N>
inline Coordinates<N> unit(const Coordinates<N>& a) {
    // the result is nearly zero if the vector is 0 because the cloth has collapsed; the detail is then 0
    const Floats<N> scale = 1.0f / max(sqrt(a.x * a.x + a.y * a.y + a.z * a.z), splat<N>(1e-12f));
    return {a.x * scale, a.y * scale, a.z * scale};
}

void multiply_dense(const DenseProduct& product) {
    int64_t row = 0;
    for (; row + 4 <= product.rows; row += 4) {
        multiply_rows<4>(product, row);
    }
    for (; row < product.rows; ++row) {
        multiply_rows<1>(product, row);
    }
}

void add_detail(const DetailRow& row) {
    const int64_t pitch = row.column_count + 2;
    for_lanes(0, row.column_count, [&]<int N>(int64_t c) {
        const auto here = load_coordinates<N>(row.here + c + 1, pitch);
        const auto along_u = difference(load_coordinates<N>(row.here + c + 2, pitch), load_coordinates<N>(row.here + c, pitch));
        const auto along_v =
            difference(load_coordinates<N>(row.below + c + 1, pitch), load_coordinates<N>(row.above + c + 1, pitch));
        // the local frame from central differences, orthonormalised starting with u, as in training
        const auto u = unit(along_u), n = unit(cross(along_u, along_v)), v = cross(n, u);
        const auto detail = load_coordinates<N>(row.detail + c, row.detail_pitch);
        const auto mean = load_coordinates<N>(row.mean + c, row.column_count);
        const Floats<N> gain = splat<N>(row.gain);
        const Floats<N> a = gain * (mean.x + detail.x), b = gain * (mean.y + detail.y), d = gain * (mean.z + detail.z);
        store_triples<N>(row.positions + 3 * c, here.x + (u.x * a + v.x * b + n.x * d), here.y + (u.y * a + v.y * b + n.y * d),
                         here.z + (u.z * a + v.z * b + n.z * d));
    });
}

constexpr NetworkKernels kernels = {.multiply_dense = multiply_dense, .add_detail = add_detail};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::NetworkKernels ruckle::NetworkKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
