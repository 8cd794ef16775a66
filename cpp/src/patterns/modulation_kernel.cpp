// Computes the modulation of patterns over all triangles and vertices. The headers modulation.h and moments.h in
// ruckle/patterns explain the formulas and symbols.
#include "patterns/modulation_kernel.h"

#include "constants.h"
#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

void gram(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* grams) {
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        Floats<4> first[N], second[N];
        for (int k = 0; k < N; ++k) {
            const int32_t* face = faces + 3 * (i + k);
            const Floats<4> origin = load_triple(positions + 3 * (int64_t)face[0]);
            first[k] = load_triple(positions + 3 * (int64_t)face[1]) - origin;
            second[k] = load_triple(positions + 3 * (int64_t)face[2]) - origin;
        }
        const Quads<N> e = transpose<N>(first), f = transpose<N>(second);
        store_triples<N>(grams + 3 * i, e.a * e.a + e.b * e.b + e.c * e.c, e.a * f.a + e.b * f.b + e.c * f.c,
                         f.a * f.a + f.b * f.b + f.c * f.c);
    });
}

template <int N>
struct Gram {
    Floats<N> e, f, g, d;  // first fundamental form E, F, G of the triangle, and D = EG - F²
    Ints<N> sound;         // mask: the triangle has not collapsed, and all products are finite
};

// Loads first fundamental forms. If a product of a triangle overflows or is NaN, all its numbers are 0.
template <int N>
inline Gram<N> load_gram(const float* grams) {
    const Quads<N> q = load_triples<N>(grams);
    // d is EG - F², clamped to 0 because rounding may make it negative for slivers
    const Floats<N> products = q.a * q.c, zero = splat<N>(0.0f);
    const Floats<N> d = max(products - q.b * q.b, zero);
    // the comparison is also false for NaN
    const Ints<N> fits = (products <= __FLT_MAX__) & (q.b * q.b <= __FLT_MAX__);
    const Ints<N> sound = fits & (d > max(collapsed_gram_ratio * products, splat<N>(__FLT_MIN__)));
    return {fits ? q.a : zero, fits ? q.b : zero, fits ? q.c : zero, fits ? d : zero, sound};
}

// Returns q of a pair of patterns on a triangle (moments.h): the inner product of adj(M) and P, with P the three
// moments of the pair.
template <int N>
inline Floats<N> energy(const Gram<N>& m, const Floats<N> (&p)[3]) {
    return m.g * p[0] - 2.0f * m.f * p[1] + m.e * p[2];
}

template <int N>
inline Floats<N> power(Floats<N> x, float exponent) {
    // the default sharpness does not require a logarithm
    if (exponent == 4.0f) {
        return (x * x) * (x * x);
    }
    return exp2<N>(log2<N>(x) * exponent);
}

// Returns the index of the pair (k, k) in the list of pairs (0, 0), (0, 1), ..., (1, 1), (1, 2), ...
constexpr int own_pair(int k, int pattern_count) {
    return k * pattern_count - k * (k - 1) / 2;
}

typedef float Pair __attribute__((vector_size(8)));

// Stores a row of two floats, a and b, for each triangle.
template <int N>
inline void store_pairs(float* to, Floats<N> a, Floats<N> b) {
    if constexpr (N == 8) {
        const Floats<8> low = interleave_low(a, b), high = interleave_high(a, b);
        store(to, __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11));
        store(to + 8, __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15));
    } else if constexpr (N == 4) {
        store(to, __builtin_shufflevector(a, b, 0, 4, 1, 5));
        store(to + 4, __builtin_shufflevector(a, b, 2, 6, 3, 7));
    } else {
        to[0] = a[0], to[1] = b[0];
    }
}

template <int N, int K>
struct Weights {
    Floats<N> of[K];
};

// Returns the offset of a triangle's first number in blocks with `rows` rows.
inline int64_t block_place(int64_t i, int rows) {
    return i / block_triangles * block_triangles * rows + i % block_triangles;
}

template <int N>
inline Floats<N> load_row(const float* block, int row) {
    return load<Floats<N>>(block + row * block_triangles);
}

// Constants of the reference shape of a triangle, which is the cloth at rest or a moving reference. E0, F0, G0, D0 are
// its first fundamental form and determinant.
template <int N>
struct Reference {
    Floats<N> e, f, g;  // the quotients E0 / (2 D0), F0 / D0 and G0 / (2 D0)
    Floats<N> inverse;  // inverse 1 / D0; 0 if the reference has collapsed
    Floats<N> root;     // root √D0: twice the area of the reference, mesh units²
    Ints<N> sound;
};

template <int N>
inline Reference<N> load_reference(const float* block) {
    const Floats<N> inverse = load_row<N>(block, 3);
    return {load_row<N>(block, 0), load_row<N>(block, 1), load_row<N>(block, 2), inverse, load_row<N>(block, 4), inverse > 0.0f};
}

// Returns q of a pair of patterns, with moments from the block.
template <int N, int K>
inline Floats<N> pair_energy(const Gram<N>& m, const float* block, int pair) {
    const int row = 6 + 2 * K + 3 * pair;
    return energy<N>(m, {load_row<N>(block, row), load_row<N>(block, row + 1), load_row<N>(block, row + 2)});
}

// Deformation of a triangle from its reference. half ± root: the squared principal stretches λ_max² and λ_min².
// shrinking: D / D0 (squared area now / at the reference), at least 1e-4.
template <int N>
struct Deformation {
    Floats<N> half, root, shrinking;
};

template <int N>
inline Deformation<N> deformation(const Reference<N>& rest, const Gram<N>& now) {
    // the ratio is clamped to that of a triangle with 1 % of its reference area, so that growths are finite
    const Floats<N> shrinking = max(now.d * rest.inverse, splat<N>(1e-4f));
    // very large values are clamped, so that the square is finite
    const Floats<N> half = min(rest.e * now.g - rest.f * now.f + rest.g * now.e, splat<N>(1e18f));
    return {half, sqrt(max(half * half - shrinking, splat<N>(0.0f))), shrinking};
}

// Returns the weights of the patterns in a triangle, presence · alignment^sharpness divided by their sum. The alignment
// of a pattern, in [least_alignment, 1], is the position of the growth of its squared slope between the growths for
// waves along and across the compression, (half ∓ root) D0/D. All three growths are multiplied by D/D0, so that one
// division suffices for all patterns.
template <int N, int K>
[[gnu::always_inline]] inline Weights<N, K> fold(const ModulatedTriangles& p, const Reference<N>& rest, const Deformation<N>& t,
                                                 const Floats<N> (&energies)[K * (K + 1) / 2], const float* block) {
    const Floats<N> one = splat<N>(1.0f), floor = alignment_floor * t.shrinking;
    const Floats<N> inverse_range = 1.0f / (2.0f * t.root + floor), start = floor - (t.half - t.root);
    Weights<N, K> weights;
    Floats<N> total = splat<N>(0.0f);
    for (int k = 0; k < K; ++k) {
        const Floats<N> growth = energies[own_pair(k, K)] * load_row<N>(block, 6 + k);
        const Floats<N> alignment = min(max((growth + start) * inverse_range, splat<N>(least_alignment)), one);
        // add a small weight to every pattern, so that the sum is above 0 even if no pattern is present
        weights.of[k] = load_row<N>(block, 6 + K + k) * power<N>(alignment, p.sharpness) + 1e-9f;
        total += weights.of[k];
    }
    const Floats<N> inverse_total = 1.0f / total;
    for (Floats<N>& weight : weights.of) {
        // a triangle that has collapsed at rest gets equal weights; it does not affect its vertices
        weight = rest.sound ? weight * inverse_total : splat<N>(1.0f / K);
    }
    return weights;
}

// Returns z = h² q / D that satisfies y = 1 + z - c z² / (1 + d z), with y = (area / flat area)².
template <int N>
inline Floats<N> excess(Floats<N> y, const float* bend) {
    const float c = bend[0], d = bend[1];
    const Floats<N> more = y - 1.0f, b = 1.0f - d * more;
    // this is the formula of modulation.h, written without differences of nearly equal numbers
    const Floats<N> root = sqrt(max(b * b + (4.0f * (d - c)) * more, splat<N>(0.0f)));
    // for stretched cloth (y < 1), z = y - 1 is negative: vertices add missing and excess areas
    return more > 0.0f ? 2.0f * more / (b + root) : more;
}

// Returns y for z: the inverse function of excess.
template <int N>
inline Floats<N> square_area(Floats<N> z, const float* bend) {
    const Floats<N> raised = max(z, splat<N>(0.0f));
    return max(1.0f + z - bend[0] * raised * raised / (1.0f + bend[1] * raised), splat<N>(0.0f));
}

// Returns wᵀQw: q of the weighted sum of the patterns.
template <int N, int K>
inline Floats<N> blend(const Floats<N> (&pairs)[K * (K + 1) / 2], const Weights<N, K>& weights) {
    Floats<N> sum = splat<N>(0.0f);
    int pair = 0;
    for (int j = 0; j < K; ++j) {
        // compute wᵀQw from the upper half of the symmetric matrix Q, in the order of the pairs
        sum += weights.of[j] * weights.of[j] * pairs[pair++];
        for (int k = j + 1; k < K; ++k) {
            sum += 2.0f * weights.of[j] * weights.of[k] * pairs[pair++];
        }
    }
    return sum;
}

template <int N, int K>
[[gnu::always_inline]] inline Weights<N, K> weights_of(const ModulatedTriangles& p, const Reference<N>& rest,
                                                       const Deformation<N>& t, const Floats<N> (&energies)[K * (K + 1) / 2],
                                                       const float* block, int64_t i) {
    if (!p.given_weights) {
        return fold<N, K>(p, rest, t, energies, block);
    }
    Weights<N, K> weights;
    for (int k = 0; k < K; ++k) {
        weights.of[k] = load<Floats<N>>(p.given_weights + k * p.face_count + i);
    }
    return weights;
}

// Returns twice the wanted area of the triangle with its folds: the given target, or the result of target_area() in
// modulation.h.
template <int N, int K>
[[gnu::always_inline]] inline Floats<N> target_of(const ModulatedTriangles& p, const Reference<N>& rest, const Deformation<N>& t,
                                                  const Weights<N, K>& weights, const float* block, int64_t i) {
    if (p.given_target) {
        return load<Floats<N>>(p.given_target + i);
    }
    // λ_max², at least 1: the length along this axis is conserved, so the wanted area grows with the stretch
    Floats<N> square = p.target.conserve_length ? max(t.half + t.root, splat<N>(1.0f)) : splat<N>(1.0f);
    // the default slope is 0, because the cloth at rest is flat: skip the energies
    if (p.target.square_slope > 0.0f) {
        Floats<N> energies[K * (K + 1) / 2];
        for (int pair = 0; pair < K * (K + 1) / 2; ++pair) {
            energies[pair] = pair_energy<N, K>(Gram<N>{2.0f * rest.e, rest.f, 2.0f * rest.g, {}, {}}, block, pair);
        }
        square *= 1.0f + p.target.square_slope * max(blend<N, K>(energies, weights), splat<N>(0.0f));
    }
    return rest.root * sqrt(square * p.target.square_share);
}

// Stores the energies of all pairs for the corrections, divided by the squared flat area. They include the weights of
// the mean over a triangle (see reached_all).
template <int N, int K>
[[gnu::always_inline]] inline void store_energies(const Floats<N> (&energies)[K * (K + 1) / 2], Floats<N> per_area, float* rows) {
    const Floats<N> own = per_area * (1.0f / 12.0f), mixed = per_area * (1.0f / 6.0f);
    for (int pair = 0, j = 0; j < K; ++j) {
        for (int k = j; k < K; ++k, ++pair) {
            // multiply twice by the inverse area, because its square may be infinite
            store(rows + pair * block_triangles, energies[pair] * per_area * (j == k ? own : mixed));
        }
    }
}

template <int N, int K>
[[gnu::always_inline]] inline void modulate_block(const ModulatedTriangles& p, int64_t i) {
    constexpr int pairs = K * (K + 1) / 2;
    const Gram<N> now = load_gram<N>(p.current + 3 * i);
    const float* block = p.blocks + block_place(i, block_rows(K));
    const Reference<N> rest = load_reference<N>(block);
    const Deformation<N> t = deformation<N>(rest, now);
    const Floats<N> zero = splat<N>(0.0f);
    Floats<N> energies[pairs];
    for (int pair = 0; pair < pairs; ++pair) {
        energies[pair] = pair_energy<N, K>(now, block, pair);
    }
    const Weights<N, K> weights = weights_of<N, K>(p, rest, t, energies, block, i);
    if (p.weights) {
        for (int k = 0; k < K; ++k) {
            store(p.weights + k * p.face_count + i, weights.of[k]);
        }
    }
    Floats<N> target = target_of<N, K>(p, rest, t, weights, block, i);
    if (p.targets) {
        store(p.targets + i, target);
    }
    // the caller requests only weights or targets
    if (!p.demands) {
        return;
    }

    const Floats<N> root = sqrt(now.d);
    if (p.remaining) {
        // gain: relative increase of the area by the heights of other layers
        const Floats<N> gain = 1.0f / load<Floats<N>>(p.remaining + i) - 1.0f;
        target = max(target - gain * root, zero);
    }
    // twice the flat area, at least the share smallest_shrinking of the target: limits the demand of a collapsed
    // triangle
    const Floats<N> flat = max(root, smallest_shrinking * target);
    const Ints<N> counts = rest.sound & (flat > 0.0f);
    const Floats<N> inverse = 1.0f / (counts ? flat : splat<N>(1.0f)), ratio = target * inverse;
    const Floats<N> z = p.given_excess ? load<Floats<N>>(p.given_excess + i) : excess<N>(ratio * ratio, p.bend);
    // a negative blend is a rounding error
    const Floats<N> offered = max(blend<N, K>(energies, weights) * inverse, zero);
    const Floats<N> area = rest.sound ? load_row<N>(block, 5) : zero;
    Floats<N> shares[4] = {zero, zero, zero, zero};
    for (int k = 0; k < K; ++k) {
        shares[k] = area * weights.of[k];
    }
    store_octets<N>(p.demands + 8 * i, {counts ? z * flat : zero, counts ? offered : zero, counts ? flat : zero, area},
                    {shares[0], shares[1], shares[2], shares[3]});
    if (p.energies) {
        float* rows = p.energies + block_place(i, energy_rows(K));
        store_energies<N, K>(energies, counts ? inverse : zero, rows);
        // if z is given, the corrections use the area for this z as target
        const Floats<N> wanted = p.given_excess ? flat * sqrt(square_area<N>(z, p.bend)) : target;
        store(rows + pairs * block_triangles, counts ? flat : zero);
        store(rows + (pairs + 1) * block_triangles, counts ? wanted : zero);
    }
}

template <int K>
void reference_all(const ReferenceTriangles& triangles, int64_t begin, int64_t end) {
    const ReferenceTriangles p = triangles;
    for_lanes(begin, end, [&]<int N>(int64_t i) {
        const Gram<N> m = load_gram<N>(p.grams + 3 * i);
        const Floats<N> zero = splat<N>(0.0f), inverse = m.sound ? 1.0f / (m.sound ? m.d : splat<N>(1.0f)) : zero;
        float* block = p.blocks + block_place(i, block_rows(K));
        const auto put = [&](int row, Floats<N> value) { store(block + row * block_triangles, value); };
        put(0, 0.5f * m.e * inverse);
        put(1, m.f * inverse);
        put(2, 0.5f * m.g * inverse);
        put(3, inverse);
        put(4, m.sound ? sqrt(m.d) : zero);
        for (int k = 0; k < K; ++k) {
            // clamp the squared slope of a pattern that is flat here. Its growth is then arbitrary, but its presence is
            // 0
            const Floats<N> square = max(pair_energy<N, K>(m, block, own_pair(k, K)) * inverse, splat<N>(1e-15f));
            put(6 + k, inverse / square);
            put(6 + K + k, square / (square + p.least_squares[k]));
        }
    });
}

template <int K>
void modulate_all(const ModulatedTriangles& triangles, int64_t begin, int64_t end) {
    // copy the struct, so that the compiler can assume that no store changes its pointers
    const ModulatedTriangles p = triangles;
    for_lanes(begin, end, [&]<int N>(int64_t i) __attribute__((always_inline)) { modulate_block<N, K>(p, i); });
}

// Number of triangles or vertices that are processed together. Several short loops process them, because square roots
// and divisions in one long loop would delay the loads of the next elements.
constexpr int64_t few = 64;

// Computes the missing area of each triangle, and the derivative of its area. The factors are linear over a triangle.
// The mean of the product of the factors m_j and m_k is (Σ_i m_ij m_ik + Σ_i m_ij Σ_i m_ik) / 12, with m_ij the factor
// of pattern j at corner i. Pairs of two different patterns count twice. Both results are divided by the sum of the
// squared factors, so that each corner corrects in proportion to its own height (modulation.h).
template <int K>
void reached_all(const ReachedTriangles& triangles, int64_t begin, int64_t end) {
    const ReachedTriangles p = triangles;
    float excesses[few], sums_of_squares[few];
    for (int64_t first = begin; first < end; first += few) {
        const int64_t last = first + few < end ? first + few : end;
        for_lanes(first, last, [&]<int N>(int64_t i) {
            Floats<N> m[3][4];
            for (int corner = 0; corner < 3; ++corner) {
                Floats<4> rows[N];
                for (int lane = 0; lane < N; ++lane) {
                    rows[lane] = load<Floats<4>>(p.factors + 4 * (int64_t)p.faces[3 * (i + lane) + corner]);
                }
                const Quads<N> q = transpose<N>(rows);
                m[corner][0] = q.a, m[corner][1] = q.b, m[corner][2] = q.c, m[corner][3] = q.d;
            }
            const float* block = p.energies + block_place(i, energy_rows(K));
            const Floats<N> zero = splat<N>(0.0f);
            Floats<N> sum = zero, squares = zero;
            for (int pair = 0, j = 0; j < K; ++j) {
                for (int k = j; k < K; ++k, ++pair) {
                    const Floats<N> products = m[0][j] * m[0][k] + m[1][j] * m[1][k] + m[2][j] * m[2][k];
                    if (j == k) {
                        squares += products;
                    }
                    sum += (products + (m[0][j] + m[1][j] + m[2][j]) * (m[0][k] + m[1][k] + m[2][k])) * load_row<N>(block, pair);
                }
            }
            // add a small term, so that z is above 0 for nearly flat patterns
            store(excesses + (i - first), max(sum, zero) + least_slope * least_slope / 3.0f * squares);
            store(sums_of_squares + (i - first), squares + least_squares);
        });
        for_lanes(first, last, [&]<int N>(int64_t i) {
            const Floats<N> z = load<Floats<N>>(excesses + (i - first)), squares = load<Floats<N>>(sums_of_squares + (i - first));
            const float* block = p.energies + block_place(i, energy_rows(K));
            // compute √y from z, and the derivative of the area
            const float c = p.bend[0], d = p.bend[1];
            const Floats<N> u = 1.0f / (1.0f + d * z), bent = c * z * u, root = sqrt(1.0f + z * (1.0f - bent));
            const Floats<N> flat = load_row<N>(block, energy_rows(K) - 2), target = load_row<N>(block, energy_rows(K) - 1);
            const Floats<N> share = 1.0f / (root * squares), half_growth = flat * z * (1.0f - bent * (1.0f + u));
            store_pairs<N>(p.reached + 2 * i, (target - flat * root) * root * share, 0.5f * half_growth * share);
        });
    }
}

void measure_reference(const ReferenceTriangles& p, int64_t begin, int64_t end) {
    void (*const all[])(const ReferenceTriangles&, int64_t, int64_t) = {reference_all<1>, reference_all<2>, reference_all<3>,
                                                                        reference_all<4>};
    all[p.pattern_count - 1](p, begin, end);
}

void modulate(const ModulatedTriangles& p, int64_t begin, int64_t end) {
    void (*const all[])(const ModulatedTriangles&, int64_t, int64_t) = {modulate_all<1>, modulate_all<2>, modulate_all<3>,
                                                                        modulate_all<4>};
    // there is one instance per number of patterns, so that the compiler unrolls loops over patterns
    all[p.pattern_count - 1](p, begin, end);
}

void reached(const ReachedTriangles& p, int64_t begin, int64_t end) {
    void (*const all[])(const ReachedTriangles&, int64_t, int64_t) = {reached_all<1>, reached_all<2>, reached_all<3>,
                                                                      reached_all<4>};
    all[p.pattern_count - 1](p, begin, end);
}

// Number of rows in a SIMD vector. A row has four numbers: one factor per pattern of a vertex. Rows are not transposed.
inline constexpr int native_rows = native_lanes / 4;

template <int R>
using Rows = Floats<4 * R>;

// Repeats one number per vertex in all four lanes of its row.
template <int R>
inline Rows<R> spread(const float* values) {
    const Floats<4> first = splat<4>(values[0]);
    if constexpr (R == 1) {
        return first;
    } else {
        return __builtin_shufflevector(first, splat<4>(values[1]), 0, 1, 2, 3, 4, 5, 6, 7);
    }
}

// Returns the sum of each row, repeated in all four lanes of the row.
template <int R>
inline Rows<R> row_sums(Rows<R> x) {
    if constexpr (R == 1) {
        x += __builtin_shufflevector(x, x, 1, 0, 3, 2);
        return x + __builtin_shufflevector(x, x, 2, 3, 0, 1);
    } else {
        x += __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
        return x + __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
    }
}

// Calls work<R>(row) for all rows, R rows at a time.
template <class Work>
[[gnu::always_inline]] inline void for_rows(int64_t begin, int64_t end, Work work) {
    int64_t row = begin;
    for (; row + native_rows <= end; row += native_rows) {
        work.template operator()<native_rows>(row);
    }
    for (; row < end; ++row) {
        work.template operator()<1>(row);
    }
}

void gather_factors(const ModulatedVertices& given, int64_t begin, int64_t end) {
    const ModulatedVertices p = given;
    float sums[8 * few], heights[few], inverses[few];
    for (int64_t first = begin; first < end; first += few) {
        const int64_t count = end - first < few ? end - first : few;
        for (int64_t i = 0; i < count; ++i) {
            Floats<8> sum = {};
            for (int32_t k = p.offsets[first + i]; k < p.offsets[first + i + 1]; ++k) {
                sum += load<Floats<8>>(p.demands + 8 * (int64_t)p.faces[k]);
            }
            store(sums + 8 * i, sum);
        }
        for_lanes(0, count, [&]<int N>(int64_t i) {
            Floats<4> demands[N];
            for (int lane = 0; lane < N; ++lane) {
                demands[lane] = load<Floats<4>>(sums + 8 * (i + lane));
            }
            const Quads<N> demand = transpose<N>(demands);
            const Floats<N> zero = splat<N>(0.0f);
            // the added term prevents a huge factor if `offered` is almost 0, around a vertex with nearly flat patterns
            const Floats<N> goal = max(demand.a, zero), offered = demand.b + least_slope * least_slope * demand.c;
            store(heights + i, sqrt(offered > 0.0f ? goal / offered : zero));
            store(inverses + i, demand.d > 0.0f ? 1.0f / demand.d : zero);
        });
        for (int64_t i = 0; i < count; ++i) {
            const int64_t at = 4 * (first + i);
            const Floats<4> w = load<Floats<4>>(sums + 8 * i + 4) * inverses[i], limit = load<Floats<4>>(p.largest + at) * w;
            store(p.weights + at, w);
            store(p.limits + at, limit);
            store(p.factors + at, min(heights[i] * w, limit));
        }
    }
}

void follow_factors(const FollowedVertices& given, int64_t begin, int64_t end) {
    const FollowedVertices p = given;
    int64_t limited = 0, hurried = 0;
    for_rows(begin, end, [&]<int R>(int64_t v) {
        const int64_t at = 4 * v;
        const Rows<R> before = load<Rows<R>>(p.factors + at), most = load<Rows<R>>(p.limits + at), zero = {};
        const Rows<R> free = load<Rows<R>>(p.wanted + at) * p.scale + load<Rows<R>>(p.weights + at) * p.bias;
        const int at_limits = lane_bits((free >= most) & (most > 0.0f));
        const Rows<R> change = (min(max(free, zero), most) * spread<R>(p.paint + v) - before) * p.share;
        // limit the change of all patterns together, because the sum of their heights is visible
        const Rows<R> rise = row_sums<R>(abs<4 * R>(change) * load<Rows<R>>(p.highest + at));
        const auto hurries = rise > p.most_rise;
        const int hurrying = lane_bits(hurries);
        store(p.factors + at, hurrying ? before + change * (hurries ? p.most_rise / rise : zero + 1.0f) : before + change);
        for (int row = 0; row < R; ++row) {
            limited += (at_limits >> 4 * row & 15) != 0;
            hurried += hurrying >> 4 * row & 1;
        }
    });
    *p.limited += limited;
    *p.hurried += hurried;
}

void correct_factors(const ModulatedVertices& given, const float* reached, int64_t begin, int64_t end) {
    const ModulatedVertices p = given;
    float totals[2][few], scales[few];
    for (int64_t first = begin; first < end; first += few) {
        const int64_t count = end - first < few ? end - first : few;
        for (int64_t i = 0; i < count; ++i) {
            Pair total = {};
            for (int32_t k = p.offsets[first + i]; k < p.offsets[first + i + 1]; ++k) {
                total += load<Pair>(reached + 2 * (int64_t)p.faces[k]);
            }
            totals[0][i] = total[0], totals[1][i] = total[1];
        }
        for_lanes(0, count, [&]<int N>(int64_t i) {
            const Floats<N> missing = load<Floats<N>>(totals[0] + i), growth = load<Floats<N>>(totals[1] + i);
            const Floats<N> zero = splat<N>(0.0f);
            // one step of Newton's method for the total area of the triangles around the vertex
            const Floats<N> scale = sqrt(max(1.0f + (growth > 0.0f ? missing / growth : zero), zero));
            // limit the correction, because all neighbours change at the same time
            store(scales + i, min(max(scale, splat<N>(least_correction)), splat<N>(most_correction)));
        });
        for_rows(0, count, [&]<int R>(int64_t row) {
            const int64_t at = 4 * (first + row);
            // the corrected factors must also be within the limits
            store(p.factors + at, min(load<Rows<R>>(p.factors + at) * spread<R>(scales + row), load<Rows<R>>(p.limits + at)));
        });
    }
}

constexpr ModulationKernels kernels = {.gram = gram,
                                       .measure_reference = measure_reference,
                                       .modulate = modulate,
                                       .reached = reached,
                                       .gather_factors = gather_factors,
                                       .correct_factors = correct_factors,
                                       .follow_factors = follow_factors};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::ModulationKernels ruckle::ModulationKernels::RUCKLE_INSTRUCTION_SET =
    ruckle::RUCKLE_INSTRUCTION_SET::kernels;
