// Product of the learned matrix with coarse positions; see operator_kernel.h.
#include "upsampling/operator_kernel.h"

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Number of lanes of integer vectors. Float vectors use the native lanes, at most 256 bits: 512-bit vectors were a
// fifth slower on processors that split them (Zen 4), and on other processors the caches limit the speed already with
// 256 bits.
#if defined(__AVX512F__)
constexpr int half_lanes = 16;
#else
constexpr int half_lanes = native_lanes;
#endif

// Returns a b + c: with a single rounding if N is 8 and this file is compiled for fused multiply-add, else with two.
template <int N>
inline Floats<N> multiply_add(Floats<N> a, Floats<N> b, Floats<N> c) {
#if defined(__FMA__)
    if constexpr (N == 8) {
        return (Floats<8>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    }
#endif
    return a * b + c;
}

// Returns c + a0 b0 + a1 b1 per lane, for pairs of 16-bit integers. All sums fit into 32 bits.
template <int N>
inline Ints<N> multiply_pairs(Ints<N> a, Ints<N> b, Ints<N> c) {
#if defined(__AVX512VNNI__)
    if constexpr (N == 16) {
        return (Ints<16>)_mm512_dpwssd_epi32((__m512i)c, (__m512i)a, (__m512i)b);
    }
#endif
#if defined(__AVX2__)
    if constexpr (N == 8) {
        return c + (Ints<8>)_mm256_madd_epi16((__m256i)a, (__m256i)b);
    }
#endif
#if defined(__SSE4_1__)
    if constexpr (N == 4) {
        return c + (Ints<4>)_mm_madd_epi16((__m128i)a, (__m128i)b);
    }
#endif
    return c + (a >> 16) * (b >> 16) + (a << 16 >> 16) * (b << 16 >> 16);
}

// Stores N rows of three floats (x, y, z), one row after the other.
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

// Number of vectors of rows that are processed together and share the loads of the coarse positions. Each vector needs
// three sums (x, y, z), and all sums together fill the registers.
constexpr int singles_side_by_side = 4;
#if defined(__AVX512F__)
constexpr int halves_side_by_side = 4;
#else
// only two, because the sum of a pair of products needs another register
constexpr int halves_side_by_side = 2;
#endif

void multiply_singles(const OperatorProduct& product, int64_t begin, int64_t end) {
    constexpr int N = native_lanes, count = singles_side_by_side, rows = count * N;
    const int64_t columns = product.column_count;
    const float *x = product.relative, *y = x + columns, *z = y + columns;
    const float* column = product.singles + begin * columns * rows;
    const Floats<N> mean_x = splat<N>(product.mean[0]), mean_y = splat<N>(product.mean[1]), mean_z = splat<N>(product.mean[2]);
    for (int64_t block = begin; block < end; ++block) {
        Floats<N> sum_x[count] = {}, sum_y[count] = {}, sum_z[count] = {};
        for (int64_t c = 0; c < columns; ++c, column += rows) {
            const Floats<N> px = broadcast<N>(x + c), py = broadcast<N>(y + c), pz = broadcast<N>(z + c);
            for (int k = 0; k < count; ++k) {
                const Floats<N> entry = load<Floats<N>>(column + k * N);
                sum_x[k] = multiply_add<N>(entry, px, sum_x[k]);
                sum_y[k] = multiply_add<N>(entry, py, sum_y[k]);
                sum_z[k] = multiply_add<N>(entry, pz, sum_z[k]);
            }
        }
        for (int k = 0; k < count; ++k) {
            store_rows<N>(product.positions + 3 * (block * rows + k * N), sum_x[k] + mean_x, sum_y[k] + mean_y,
                          sum_z[k] + mean_z);
        }
    }
}

// Computes the fine positions of the blocks [begin, end) from 16-bit integers. Multiplies two columns at once, whose
// entries are interleaved. The integer sums, at most 65535 * 32767 < 2^31, are exact. Rounding occurs only after the
// sums: in the product with the units, and in the sum with the mean.
void multiply_halves(const OperatorProduct& product, int64_t begin, int64_t end) {
    constexpr int N = half_lanes, count = halves_side_by_side, rows = count * N;
    const int64_t pairs = (product.column_count + 1) / 2;
    const int16_t *x = product.whole, *y = x + 2 * pairs, *z = y + 2 * pairs;
    const int16_t* column = product.halves + begin * pairs * 2 * rows;
    const auto two = [](const int16_t* from) { return Ints<N>{} + load<int32_t>(from); };
    for (int64_t block = begin; block < end; ++block) {
        Ints<N> sum_x[count] = {}, sum_y[count] = {}, sum_z[count] = {};
        for (int64_t c = 0; c < pairs; ++c, column += 2 * rows) {
            const Ints<N> px = two(x + 2 * c), py = two(y + 2 * c), pz = two(z + 2 * c);
            for (int k = 0; k < count; ++k) {
                const Ints<N> entries = load<Ints<N>>(column + 2 * k * N);
                sum_x[k] = multiply_pairs<N>(entries, px, sum_x[k]);
                sum_y[k] = multiply_pairs<N>(entries, py, sum_y[k]);
                sum_z[k] = multiply_pairs<N>(entries, pz, sum_z[k]);
            }
        }
        for (int k = 0; k < count; ++k) {
            const int64_t row = block * rows + k * N;
            const Floats<N> unit = load<Floats<N>>(product.units + row) * product.step;
            store_rows<N>(product.positions + 3 * row, to_floats<N>(sum_x[k]) * unit + product.mean[0],
                          to_floats<N>(sum_y[k]) * unit + product.mean[1], to_floats<N>(sum_z[k]) * unit + product.mean[2]);
        }
    }
}

void multiply(const OperatorProduct& product, int64_t begin, int64_t end) {
    if (product.singles) {
        multiply_singles(product, begin, end);
    } else {
        multiply_halves(product, begin, end);
    }
}

constexpr OperatorKernels kernels = {
    .single_rows = singles_side_by_side * native_lanes, .half_rows = halves_side_by_side * half_lanes, .multiply = multiply};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::OperatorKernels ruckle::OperatorKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
