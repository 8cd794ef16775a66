// The product of the operator with coarse positions, compiled once per instruction set.
#include "upsampling/operator_kernel.h"

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

namespace {

#if defined(__AVX512F__)
constexpr int row_lanes = 16;
#else
constexpr int row_lanes = native_lanes;
#endif

template <int N>
inline Floats<N> load_entries(const float* from) {
    return load<Floats<N>>(from);
}

// Numbers of half precision, none of them infinite.
template <int N>
inline Floats<N> load_entries(const uint16_t* from) {
#if defined(__AVX512F__)
    if constexpr (N == 16) {
        // of all lanes; without a mask GCC 12 warns of what it leaves undefined
        return (Floats<16>)_mm512_maskz_cvtph_ps((__mmask16)-1, load<__m256i>(from));
    }
#endif
#if defined(__F16C__)
    if constexpr (N == 8) {
        return (Floats<8>)_mm256_cvtph_ps(load<__m128i>(from));
    }
#endif
    const Ints<N> bits = __builtin_convertvector(load<Shorts<N>>(from), Ints<N>);
    // exponents of half precision begin 112 later; the product also makes subnormal numbers what they are
    const Floats<N> magnitude = (Floats<N>)((bits & 0x7fff) << 13) * 0x1p112f;
    return copy_sign<N>(magnitude, (Floats<N>)(bits << 16));
}

template <int N>
inline void store_rows(float* to, Floats<N> x, Floats<N> y, Floats<N> z) {
    if constexpr (N == 16) {
        const auto low = [](Floats<16> a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7); };
        const auto high = [](Floats<16> a) { return __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15); };
        store_triples<8>(to, low(x), low(y), low(z));
        store_triples<8>(to + 24, high(x), high(y), high(z));
    } else {
        store_triples<N>(to, x, y, z);
    }
}

template <class Entry>
void multiply_blocks(const OperatorProduct& product, const Entry* entries, int64_t begin, int64_t end) {
    // vectors of rows side by side: with three sums each they fill the registers, and share what is loaded of the coarse cloth
    constexpr int N = row_lanes, side_by_side = 4;
    const int64_t columns = product.column_count;
    const float *x = product.relative, *y = x + columns, *z = y + columns;
    const Floats<N> mean_x = splat<N>(product.mean[0]), mean_y = splat<N>(product.mean[1]), mean_z = splat<N>(product.mean[2]);
    for (int64_t row = begin * row_block; row < end * row_block; row += side_by_side * N) {
        const Entry* column = entries + row / row_block * row_block * columns + row % row_block;
        Floats<N> sum_x[side_by_side] = {}, sum_y[side_by_side] = {}, sum_z[side_by_side] = {};
        for (int64_t c = 0; c < columns; ++c, column += row_block) {
            const Floats<N> px = splat<N>(x[c]), py = splat<N>(y[c]), pz = splat<N>(z[c]);
            for (int k = 0; k < side_by_side; ++k) {
                const Floats<N> entry = load_entries<N>(column + k * N);
                sum_x[k] += entry * px;
                sum_y[k] += entry * py;
                sum_z[k] += entry * pz;
            }
        }
        for (int k = 0; k < side_by_side; ++k) {
            store_rows<N>(product.positions + 3 * (row + k * N), sum_x[k] + mean_x, sum_y[k] + mean_y, sum_z[k] + mean_z);
        }
    }
}

// So many rows side by side, which share what is loaded of the right matrix; each is summed in order.
template <int Rows>
void multiply_rows(const DenseProduct& p, int64_t row) {
    constexpr int N = row_lanes, side_by_side = dense_columns / 16;
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
                const Floats<N> factor = splat<N>(left[r * p.inner + i]);
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

// Of three arrays, `pitch` apart.
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
    // next to nothing where the cloth has collapsed, which adds nothing there
    const Floats<N> scale = 1.0f / max(sqrt(a.x * a.x + a.y * a.y + a.z * a.z), splat<N>(1e-12f));
    return {a.x * scale, a.y * scale, a.z * scale};
}

}  // namespace

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
        const auto u = unit(along_u), n = unit(cross(along_u, along_v)), v = cross(n, u);
        const auto detail = load_coordinates<N>(row.detail + c, row.detail_pitch);
        const auto mean = load_coordinates<N>(row.mean + c, row.column_count);
        const Floats<N> gain = splat<N>(row.gain);
        const Floats<N> a = gain * (mean.x + detail.x), b = gain * (mean.y + detail.y), d = gain * (mean.z + detail.z);
        store_triples<N>(row.positions + 3 * c, here.x + (u.x * a + v.x * b + n.x * d), here.y + (u.y * a + v.y * b + n.y * d),
                         here.z + (u.z * a + v.z * b + n.z * d));
    });
}

void multiply_operator(const OperatorProduct& product, int64_t begin, int64_t end) {
    if (product.singles) {
        multiply_blocks(product, product.singles, begin, end);
    } else {
        multiply_blocks(product, product.halves, begin, end);
    }
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
