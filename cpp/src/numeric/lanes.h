// SIMD operations for kernels only; each lane processes one triangle, point or other element.
//
// Kernels are compiled once per instruction set and must not share an inline function with the rest of the library. The
// linker uses one copy of each inline function, possibly a copy with instructions that an older processor does not
// support. So this file includes only headers without code, and all its code is in a namespace named after the
// instruction set.
//
// Every operation is correctly rounded (IEEE 754) and works lane by lane, in an order that the compiler may not change.
// So a result does not depend on the number of lanes. The vector types are extensions of GCC and Clang.
#pragma once

#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE4_1__)
#include <smmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace ruckle::RUCKLE_INSTRUCTION_SET {

#if defined(__AVX2__)
// number of float32 lanes in a SIMD vector
inline constexpr int native_lanes = 8;
#else
inline constexpr int native_lanes = 4;
#endif

// Vector types of N lanes. N is 1 for the tail of an array.
template <int N>
struct Vectors {
    typedef float Floats __attribute__((vector_size(N * 4)));
    typedef int32_t Ints __attribute__((vector_size(N * 4)));
    typedef uint8_t Bytes __attribute__((vector_size(N)));
    typedef uint16_t Shorts __attribute__((vector_size(N * 2)));
    typedef double Doubles __attribute__((vector_size(N * 8)));
    typedef int64_t Longs __attribute__((vector_size(N * 8)));
};
template <int N>
using Floats = typename Vectors<N>::Floats;
template <int N>
using Ints = typename Vectors<N>::Ints;
template <int N>
using Bytes = typename Vectors<N>::Bytes;
template <int N>
using Shorts = typename Vectors<N>::Shorts;
template <int N>
using Doubles = typename Vectors<N>::Doubles;
template <int N>
using Longs = typename Vectors<N>::Longs;

// Calls block<N>(i) for the elements [begin, end): first blocks of native_lanes elements, then single elements.
template <class Block>
inline void for_lanes(int64_t begin, int64_t end, Block block) {
    int64_t i = begin;
    for (; i + native_lanes <= end; i += native_lanes) {
        block.template operator()<native_lanes>(i);
    }
    for (; i < end; ++i) {
        block.template operator()<1>(i);
    }
}

// Returns a vector whose lanes all contain the value.
template <int N>
inline Floats<N> splat(float value) {
    return Floats<N>{} + value;
}
// Returns a vector whose lanes all contain the value in memory, with a single instruction. splat would add the value to
// zeros.
template <int N>
inline Floats<N> broadcast(const float* from) {
#if defined(__AVX2__)
    if constexpr (N == 8) {
        return (Floats<8>)_mm256_set1_ps(*from);
    }
#endif
    return splat<N>(*from);
}

// Load and store a vector with any alignment and type. memcpy compiles to one instruction.
template <class V, class T>
inline V load(const T* from) {
    V value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}
template <class V, class T>
inline void store(T* to, V value) {
    __builtin_memcpy(to, &value, sizeof value);
}

// Return the minimum or maximum in each lane. The result is b if a or b is NaN, as for the instructions of x86.
template <class V>
inline V min(V a, V b) {
    return a < b ? a : b;
}
template <class V>
inline V max(V a, V b) {
    return a > b ? a : b;
}
#if defined(__AVX2__)
inline Floats<8> min(Floats<8> a, Floats<8> b) {
    return _mm256_min_ps(a, b);
}
inline Floats<8> max(Floats<8> a, Floats<8> b) {
    return _mm256_max_ps(a, b);
}
#endif
#if defined(__SSE4_1__)
inline Floats<4> min(Floats<4> a, Floats<4> b) {
    return _mm_min_ps(a, b);
}
inline Floats<4> max(Floats<4> a, Floats<4> b) {
    return _mm_max_ps(a, b);
}
#elif defined(__wasm_simd128__)
inline Floats<4> min(Floats<4> a, Floats<4> b) {
    return (Floats<4>)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}
inline Floats<4> max(Floats<4> a, Floats<4> b) {
    return (Floats<4>)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
}
#endif

// Returns the square roots, correctly rounded on all machines, as IEEE 754 requires.
inline Floats<1> sqrt(Floats<1> a) {
    return Floats<1>{__builtin_sqrtf(a[0])};
}
inline Floats<4> sqrt(Floats<4> a) {
#if defined(__SSE4_1__)
    return _mm_sqrt_ps(a);
#elif defined(__wasm_simd128__)
    return (Floats<4>)wasm_f32x4_sqrt((v128_t)a);
#else
    return Floats<4>{__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]), __builtin_sqrtf(a[3])};
#endif
}
#if defined(__AVX2__)
inline Floats<8> sqrt(Floats<8> a) {
    return _mm256_sqrt_ps(a);
}
#endif

// Returns the absolute value: clears the sign bit.
template <int N>
inline Floats<N> abs(Floats<N> a) {
    return (Floats<N>)((Ints<N>)a & 0x7fffffff);
}
// Returns the magnitude of a with the sign of b.
template <int N>
inline Floats<N> copy_sign(Floats<N> a, Floats<N> b) {
    return (Floats<N>)(((Ints<N>)a & 0x7fffffff) | ((Ints<N>)b & (int32_t)0x80000000));
}

template <int N>
inline Ints<N> to_ints(Floats<N> a) {
    return __builtin_convertvector(a, Ints<N>);
}
template <int N>
inline Floats<N> to_floats(Ints<N> a) {
    return __builtin_convertvector(a, Floats<N>);
}
// Loads N bytes and widens them to integers.
template <int N>
inline Ints<N> load_bytes(const uint8_t* from) {
    return __builtin_convertvector(load<Bytes<N>>(from), Ints<N>);
}
// Stores the lowest byte of each integer.
template <int N>
inline void store_bytes(uint8_t* to, Ints<N> value) {
#if defined(__AVX2__)
    if constexpr (N == 8) {
        // use two packing instructions, because the compiler would convert lane by lane
        const __m256i low = (__m256i)(value & 0xff);
        const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
        _mm_storel_epi64((__m128i*)to, _mm_packus_epi16(words, words));
        return;
    }
#endif
    store(to, __builtin_convertvector(value, Bytes<N>));
}

// Returns the nearest integers; exact halves are rounded to the even integer. Requires |a| < 2^31.
template <int N>
inline Ints<N> nearest(Floats<N> a) {
#if defined(__SSE4_1__)
    if constexpr (N == 1) {
        return Ints<1>{_mm_cvtss_si32(_mm_set_ss(a[0]))};
    } else if constexpr (N == 4) {
        return (Ints<4>)_mm_cvtps_epi32(a);
    } else {
#if defined(__AVX2__)
        return (Ints<8>)_mm256_cvtps_epi32(a);
#endif
    }
#else
#if defined(__wasm_simd128__)
    if constexpr (N == 4) {
        return (Ints<4>)wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest((v128_t)a));
    }
#endif
    Ints<N> result;
    for (int k = 0; k < N; ++k) {
        result[k] = (int32_t)__builtin_rintf(a[k]);
    }
    return result;
#endif
}

// Returns table[index] for an index from 0 to 7 in each lane.
template <int N>
inline Ints<N> look_up(const int32_t (&table)[8], Ints<N> index) {
#if defined(__AVX2__)
    if constexpr (N == 8) {
        return (Ints<8>)_mm256_permutevar8x32_epi32((__m256i)load<Ints<8>>(table), (__m256i)index);
    }
#endif
    Ints<N> result;
    for (int k = 0; k < N; ++k) {
        result[k] = table[index[k]];
    }
    return result;
}

// Returns 2^x, with x clamped to [-126, 127]; NaN counts as -126. The relative error is below 2.5e-7; 2^0 is exactly 1.
template <int N>
inline Floats<N> exp2(Floats<N> x) {
    x = min(max(x, splat<N>(-126.0f)), splat<N>(127.0f));
    // 2^x = 2^n 2^r with an integer n, which is added to the exponent bits at the end
    const Ints<N> n = nearest<N>(x);
    const Floats<N> r = x - to_floats<N>(n);
    // polynomial of degree 5 through (0, 1) with the smallest relative error for |r| <= 1/2: 9.2e-8
    Floats<N> p = splat<N>(1.3264727e-3f);
    p = p * r + 9.6715130e-3f;
    p = p * r + 5.5507336e-2f;
    p = p * r + 2.4022242e-1f;
    p = p * r + 6.9314700e-1f;
    p = p * r + 1.0f;
    return (Floats<N>)((Ints<N>)p + (n << 23));
}

// Returns the base-2 logarithm of a positive normal number. The absolute error is below 1.5e-7 near 1.
template <int N>
inline Floats<N> log2(Floats<N> x) {
    // x = m 2^e with m in [sqrt(1/2), sqrt(2))
    const Ints<N> bits = (Ints<N>)x - 0x3f3504f3;
    const Floats<N> e = to_floats<N>(bits >> 23);
    const Floats<N> m = (Floats<N>)((bits & 0x007fffff) + 0x3f3504f3);
    // ln m = 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172
    const Floats<N> s = (m - 1.0f) / (m + 1.0f);
    const Floats<N> s2 = s * s;
    Floats<N> p = splat<N>(2.0f / 9.0f);
    p = p * s2 + 2.0f / 7.0f;
    p = p * s2 + 2.0f / 5.0f;
    p = p * s2 + 2.0f / 3.0f;
    return e + (p * s2 * s + 2.0f * s) * 1.44269504f;
}

// N rows of four floats, stored as four columns: lane k of a, b, c, d is row k. load_quads and store_quads convert
// between rows in memory and columns.
template <int N>
struct Quads {
    Floats<N> a, b, c, d;
};

// Combine two elements of a with two of b within each 128 bits: the lower or upper two elements. interleave: a0 b0 a1
// b1; join: a0 a1 b0 b1.
inline Floats<8> interleave_low(Floats<8> a, Floats<8> b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}
inline Floats<8> interleave_high(Floats<8> a, Floats<8> b) {
    return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}
inline Floats<8> join_low(Floats<8> a, Floats<8> b) {
    return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
}
inline Floats<8> join_high(Floats<8> a, Floats<8> b) {
    return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

// Returns the columns of N rows.
template <int N>
inline Quads<N> transpose(const Floats<4> (&rows)[N]) {
    if constexpr (N == 1) {
        return {Floats<1>{rows[0][0]}, Floats<1>{rows[0][1]}, Floats<1>{rows[0][2]}, Floats<1>{rows[0][3]}};
    } else if constexpr (N == 4) {
        const auto ab01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
        const auto cd01 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
        const auto ab23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
        const auto cd23 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
        return {__builtin_shufflevector(ab01, ab23, 0, 1, 4, 5), __builtin_shufflevector(ab01, ab23, 2, 3, 6, 7),
                __builtin_shufflevector(cd01, cd23, 0, 1, 4, 5), __builtin_shufflevector(cd01, cd23, 2, 3, 6, 7)};
    } else {
        // put rows k and k + 4 into one vector, because shuffles within 128 bits are fast
        const auto pair = [&rows](int k) { return __builtin_shufflevector(rows[k], rows[k + 4], 0, 1, 2, 3, 4, 5, 6, 7); };
        const Floats<8> r0 = pair(0), r1 = pair(1), r2 = pair(2), r3 = pair(3);
        const auto ab01 = interleave_low(r0, r1), cd01 = interleave_high(r0, r1);
        const auto ab23 = interleave_low(r2, r3), cd23 = interleave_high(r2, r3);
        return {join_low(ab01, ab23), join_high(ab01, ab23), join_low(cd01, cd23), join_high(cd01, cd23)};
    }
}

template <int N>
inline Quads<N> load_quads(const float* from) {
    Floats<4> rows[N];
    for (int i = 0; i < N; ++i) {
        rows[i] = load<Floats<4>>(from + 4 * i);
    }
    return transpose<N>(rows);
}

// Eight rows of four floats: vector k contains the rows k and k + 4.
struct RowPairs {
    Floats<8> rows[4];
};
inline RowPairs row_pairs(Quads<8> q) {
    const auto ab01 = interleave_low(q.a, q.b), ab23 = interleave_high(q.a, q.b);
    const auto cd01 = interleave_low(q.c, q.d), cd23 = interleave_high(q.c, q.d);
    return {join_low(ab01, cd01), join_high(ab01, cd01), join_low(ab23, cd23), join_high(ab23, cd23)};
}

// Stores N rows of four floats. Consecutive rows begin `stride` floats apart.
template <int N>
inline void store_quads(float* to, Quads<N> q, int stride = 4) {
    if constexpr (N == 1) {
        to[0] = q.a[0], to[1] = q.b[0], to[2] = q.c[0], to[3] = q.d[0];
    } else if constexpr (N == 4) {
        const auto ab01 = __builtin_shufflevector(q.a, q.b, 0, 4, 1, 5), ab23 = __builtin_shufflevector(q.a, q.b, 2, 6, 3, 7);
        const auto cd01 = __builtin_shufflevector(q.c, q.d, 0, 4, 1, 5), cd23 = __builtin_shufflevector(q.c, q.d, 2, 6, 3, 7);
        store(to, __builtin_shufflevector(ab01, cd01, 0, 1, 4, 5));
        store(to + stride, __builtin_shufflevector(ab01, cd01, 2, 3, 6, 7));
        store(to + 2 * stride, __builtin_shufflevector(ab23, cd23, 0, 1, 4, 5));
        store(to + 3 * stride, __builtin_shufflevector(ab23, cd23, 2, 3, 6, 7));
    } else {
        const RowPairs pairs = row_pairs(q);
        for (int k = 0; k < 4; ++k) {
            store(to + k * stride, __builtin_shufflevector(pairs.rows[k], pairs.rows[k], 0, 1, 2, 3));
            store(to + (4 + k) * stride, __builtin_shufflevector(pairs.rows[k], pairs.rows[k], 4, 5, 6, 7));
        }
    }
}

// Stores N rows of eight floats: four from `first`, then four from `second`.
template <int N>
inline void store_octets(float* to, Quads<N> first, Quads<N> second) {
    if constexpr (N == 8) {
        const RowPairs p = row_pairs(first), q = row_pairs(second);
        for (int k = 0; k < 4; ++k) {
            store(to + 8 * k, __builtin_shufflevector(p.rows[k], q.rows[k], 0, 1, 2, 3, 8, 9, 10, 11));
            store(to + 8 * (4 + k), __builtin_shufflevector(p.rows[k], q.rows[k], 4, 5, 6, 7, 12, 13, 14, 15));
        }
    } else {
        store_quads<N>(to, first, 8);
        store_quads<N>(to + 4, second, 8);
    }
}

// Loads three consecutive floats, and does not read any byte after them. The fourth lane is 0.
inline Floats<4> load_triple(const float* from) {
    typedef int64_t Words __attribute__((vector_size(16)));
    // load two floats, then one float: a load of four floats would read past the end of the last triple
    int64_t xy;
    __builtin_memcpy(&xy, from, sizeof xy);
    Floats<4> value = (Floats<4>)Words{xy, 0};
    value[2] = from[2];
    return value;
}
inline void store_triple(float* to, Floats<4> value) {
    __builtin_memcpy(to, &value, 12);
}

// Loads N rows of three floats as columns a, b and c; column d is undefined. Does not read past the last row.
template <int N>
inline Quads<N> load_triples(const float* from) {
    Floats<4> rows[N];
    for (int i = 0; i + 1 < N; ++i) {
        rows[i] = load<Floats<4>>(from + 3 * i);
    }
    rows[N - 1] = load_triple(from + 3 * (N - 1));
    return transpose<N>(rows);
}
// Stores N rows of three floats. Writes nothing after the last row.
template <int N>
inline void store_triples(float* to, Floats<N> a, Floats<N> b, Floats<N> c) {
    if constexpr (N == 1) {
        to[0] = a[0], to[1] = b[0], to[2] = c[0];
    } else if constexpr (N == 8) {
        // element k of a must go to the position 3 k, of b to 3 k + 1, of c to 3 k + 2. First move each element to its
        // position modulo 8, so that blends suffice afterwards
        const auto x = __builtin_shufflevector(a, a, 0, 3, 6, 1, 4, 7, 2, 5);
        const auto y = __builtin_shufflevector(b, b, 5, 0, 3, 6, 1, 4, 7, 2);
        const auto z = __builtin_shufflevector(c, c, 2, 5, 0, 3, 6, 1, 4, 7);
        const auto xy = __builtin_shufflevector(x, y, 0, 9, 2, 3, 12, 5, 6, 15);
        const auto yz = __builtin_shufflevector(y, z, 0, 9, 2, 3, 12, 5, 6, 15);
        const auto zx = __builtin_shufflevector(z, x, 0, 9, 2, 3, 12, 5, 6, 15);
        store(to, __builtin_shufflevector(xy, z, 0, 1, 10, 3, 4, 13, 6, 7));
        store(to + 8, __builtin_shufflevector(zx, y, 0, 1, 10, 3, 4, 13, 6, 7));
        store(to + 16, __builtin_shufflevector(yz, x, 0, 1, 10, 3, 4, 13, 6, 7));
    } else {
        // every row except the last is stored with a fourth number; the next row then overwrites this number
        Floats<4> rows[N];
        store_quads<N>((float*)rows, {a, b, c, c});
        for (int i = 0; i + 1 < N; ++i) {
            store(to + 3 * i, rows[i]);
        }
        store_triple(to + 3 * (N - 1), rows[N - 1]);
    }
}

// Return the bit mask of a comparison: bit k is set if lane k is true.
inline int lane_bits(Ints<1> mask) {
    return mask[0] & 1;
}
inline int lane_bits(Ints<4> mask) {
#if defined(__SSE4_1__)
    return _mm_movemask_ps((__m128)mask);
#elif defined(__wasm_simd128__)
    return (int)wasm_i32x4_bitmask((v128_t)mask);
#else
    return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
}
inline int lane_bits(Ints<8> mask) {
#if defined(__AVX2__)
    return _mm256_movemask_ps((__m256)mask);
#else
    return lane_bits(__builtin_shufflevector(mask, mask, 0, 1, 2, 3)) | lane_bits(__builtin_shufflevector(mask, mask, 4, 5, 6, 7))
                                                                            << 4;
#endif
}
// True if any lane of a mask is true.
template <int N>
inline bool any(Ints<N> mask) {
    return lane_bits(mask) != 0;
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
