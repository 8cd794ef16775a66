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

}  // namespace

void multiply_operator(const OperatorProduct& product, int64_t begin, int64_t end) {
    if (product.singles) {
        multiply_blocks(product, product.singles, begin, end);
    } else {
        multiply_blocks(product, product.halves, begin, end);
    }
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
