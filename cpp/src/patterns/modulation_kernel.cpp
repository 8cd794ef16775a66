// The loops of modulation over all triangles and vertices, compiled once per instruction set; see ruckle/patterns/modulation.h for
// the formulas.
#include "patterns/modulation_kernel.h"

#include "constants.h"
#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

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

namespace {

template <int N>
struct Gram {
    Floats<N> e, f, g, d;  // products of the edges, and their determinant
    Ints<N> sound;         // neither collapsed nor beyond float32
};

template <int N>
inline Gram<N> load_gram(const float* grams) {
    const Quads<N> q = load_triples<N>(grams);
    // EG - F², which rounding makes negative for slivers
    const Floats<N> products = q.a * q.c, zero = splat<N>(0.0f);
    const Floats<N> d = max(products - q.b * q.b, zero);
    // false for NaN, too
    const Ints<N> fits = (products <= __FLT_MAX__) & (q.b * q.b <= __FLT_MAX__);
    const Ints<N> sound = fits & (d > max(collapsed_gram_ratio * products, splat<N>(__FLT_MIN__)));
    return {fits ? q.a : zero, fits ? q.b : zero, fits ? q.c : zero, fits ? d : zero, sound};
}

// q of moments (three planes) on a triangle: adj(M) : P.
template <int N>
inline Floats<N> energy(const Gram<N>& m, const Floats<N> (&p)[3]) {
    return m.g * p[0] - 2.0f * m.f * p[1] + m.e * p[2];
}

template <int N>
inline Floats<N> power(Floats<N> x, float exponent) {
    // the default sharpness, which needs no logarithm
    if (exponent == 4.0f) {
        return (x * x) * (x * x);
    }
    return exp2<N>(log2<N>(x) * exponent);
}

template <int N, int K>
struct Weights {
    Floats<N> of[K];
};

// What a triangle's deformation is to the patterns. Divisions cost as much as all else, so that each is done once.
template <int N>
struct Deformation {
    Floats<N> inverse_rest, inverse_now;  // 1 / D0, 1 / D; of a collapsed triangle no larger than tells a direction
    Floats<N> trace;                      // half the trace of adj(M0) M
};

template <int N>
inline Deformation<N> deformation(const Gram<N>& rest, const Gram<N>& now) {
    const Floats<N> one = splat<N>(1.0f), d0 = rest.sound ? rest.d : one;
    // a triangle that has shrunk below a hundredth of its area counts as that: its growths stay finite
    return {1.0f / d0, 1.0f / max(now.d, 1e-4f * d0), (rest.e * now.g - 2.0f * rest.f * now.f + rest.g * now.e) * 0.5f};
}

// Where the growth of a pattern's squared slope lies between that of waves along the compression and of waves across it.
template <int N, int K>
[[gnu::always_inline]] inline Weights<N, K> fold(const Gram<N>& rest, const Deformation<N>& t, const Floats<N> (&before)[K],
                                                 const Floats<N> (&after)[K], const FoldNumbers& numbers) {
    const Floats<N> zero = splat<N>(0.0f), one = splat<N>(1.0f);
    // the two growths are the roots of x² - 2 half x + D0/D
    const Floats<N> half = t.trace * t.inverse_now;
    const Floats<N> root = sqrt(max(half * half - rest.d * t.inverse_now, zero));  // 1/λ² = half ± root
    const Floats<N> least = half - root, inverse_range = 1.0f / (2.0f * root + alignment_floor);
    Weights<N, K> weights;
    Floats<N> total = zero;
    for (int k = 0; k < K; ++k) {
        const Floats<N> square = max(before[k] * t.inverse_rest, splat<N>(1e-15f));
        // growth = after / square and presence = square / more share one division
        const Floats<N> more = square + numbers.least_square[k], inverse = 1.0f / (square * more);
        const Floats<N> growth = after[k] * t.inverse_now * more * inverse, presence = square * square * inverse;
        const Floats<N> alignment = (growth - least + alignment_floor) * inverse_range;
        // a little for every pattern, so that they sum to 1 where none is present
        weights.of[k] = presence * power<N>(min(max(alignment, splat<N>(least_alignment)), one), numbers.sharpness) + 1e-9f;
        total += weights.of[k];
    }
    const Floats<N> inverse_total = 1.0f / total;
    for (Floats<N>& weight : weights.of) {
        // equal parts in a triangle that has collapsed at rest, which has no say at vertices either
        weight = rest.sound ? weight * inverse_total : splat<N>(1.0f / K);
    }
    return weights;
}

// Twice the area that the raised triangle is to have.
template <int N>
inline Floats<N> target_of(const Gram<N>& rest, const Gram<N>& now, const Deformation<N>& t, Floats<N> rest_energy,
                           const TargetNumbers& numbers) {
    Floats<N> square = rest.d + numbers.square_slope * rest_energy;
    // λ_max², at least 1: what is longer along one axis stays so, and the area is to grow with it
    if (numbers.conserve_length) {
        const Floats<N> half = t.trace * t.inverse_rest;
        square *= max(half + sqrt(max(half * half - now.d * t.inverse_rest, splat<N>(0.0f))), splat<N>(1.0f));
    }
    return sqrt(square * numbers.square_share);
}

// z = h² q / D from y = (area over flat area)², by y = 1 + z - c z² / (1 + d z).
template <int N>
inline Floats<N> excess(Floats<N> y, const float* bend) {
    const float c = bend[0], d = bend[1];
    const Floats<N> more = y - 1.0f, b = 1.0f - d * more;
    // the form without a difference of near numbers (modulation.h)
    const Floats<N> root = sqrt(max(b * b + (4.0f * (d - c)) * more, splat<N>(0.0f)));
    // below 0, cloth that is stretched, the slope at 0 goes on: vertices sum wants of both signs
    return more > 0.0f ? 2.0f * more / (b + root) : more;
}

template <int N, int K>
inline Floats<N> blend(const Floats<N> (&pairs)[K * (K + 1) / 2], const Weights<N, K>& weights) {
    Floats<N> sum = splat<N>(0.0f);
    int pair = 0;
    for (int j = 0; j < K; ++j) {
        // wᵀQw by the upper half of Q, in the order of the pairs
        sum += weights.of[j] * weights.of[j] * pairs[pair++];
        for (int k = j + 1; k < K; ++k) {
            sum += 2.0f * weights.of[j] * weights.of[k] * pairs[pair++];
        }
    }
    return sum;
}

template <int N>
inline Floats<N> energy(const Gram<N>& m, const ModulatedTriangles& p, int pair, int64_t i) {
    const float* planes = p.moments + 3 * pair * p.face_count + i;
    return energy<N>(
        m, {load<Floats<N>>(planes), load<Floats<N>>(planes + p.face_count), load<Floats<N>>(planes + 2 * p.face_count)});
}

// The index of pair (k, k) among the pairs (0, 0), (0, 1), ...
constexpr int own_pair(int k, int pattern_count) {
    return k * pattern_count - k * (k - 1) / 2;
}

template <int N, int K>
[[gnu::always_inline]] inline Weights<N, K> weights_of(const ModulatedTriangles& p, const Gram<N>& rest, const Deformation<N>& t,
                                                       const Floats<N> (&energies)[K * (K + 1) / 2], int64_t i) {
    Weights<N, K> weights;
    if (p.given_weights) {
        for (int k = 0; k < K; ++k) {
            weights.of[k] = load<Floats<N>>(p.given_weights + k * p.face_count + i);
        }
        return weights;
    }
    Floats<N> before[K], after[K];
    for (int k = 0; k < K; ++k) {
        before[k] = energy<N>(rest, p, own_pair(k, K), i);
        after[k] = energies[own_pair(k, K)];
    }
    return fold<N, K>(rest, t, before, after, p.fold);
}

template <int N, int K>
[[gnu::always_inline]] inline Floats<N> target_of(const ModulatedTriangles& p, const Gram<N>& rest, const Gram<N>& now,
                                                  const Deformation<N>& t, const Weights<N, K>& weights, int64_t i) {
    if (p.given_target) {
        return load<Floats<N>>(p.given_target + i);
    }
    Floats<N> rest_energy = splat<N>(0.0f);
    // at rest the cloth is flat by default, and nothing is raised there that would count
    if (p.target.square_slope > 0.0f) {
        Floats<N> energies[K * (K + 1) / 2];
        for (int pair = 0; pair < K * (K + 1) / 2; ++pair) {
            energies[pair] = energy<N>(rest, p, pair, i);
        }
        rest_energy = max(blend<N, K>(energies, weights), splat<N>(0.0f));
    }
    return rest.sound ? target_of<N>(rest, now, t, rest_energy, p.target) : splat<N>(0.0f);
}

template <int N, int K>
[[gnu::always_inline]] inline void modulate_block(const ModulatedTriangles& p, int64_t i) {
    constexpr int pairs = K * (K + 1) / 2;
    const Gram<N> rest = load_gram<N>(p.rest + 3 * i), now = load_gram<N>(p.current + 3 * i);
    const Deformation<N> t = deformation<N>(rest, now);
    const Floats<N> zero = splat<N>(0.0f);
    Floats<N> energies[pairs];
    for (int pair = 0; pair < pairs; ++pair) {
        energies[pair] = energy<N>(now, p, pair, i);
    }
    const Weights<N, K> weights = weights_of<N, K>(p, rest, t, energies, i);
    if (p.weights) {
        for (int k = 0; k < K; ++k) {
            store(p.weights + k * p.face_count + i, weights.of[k]);
        }
    }
    Floats<N> target = target_of<N, K>(p, rest, now, t, weights, i);
    if (p.targets) {
        store(p.targets + i, target);
    }
    // a stage alone, which asks for weights or targets
    if (!p.demands) {
        return;
    }

    if (p.remaining) {
        // other layers have raised the triangle by that share of its flat area already
        const Floats<N> gain = 1.0f / load<Floats<N>>(p.remaining + i) - 1.0f;
        target = max(target - gain * sqrt(now.d), zero);
    }
    // a collapsed triangle wants no more than cloth shrunk to a twentieth
    const Floats<N> flat = max(sqrt(now.d), smallest_shrinking * target);
    const Ints<N> counts = rest.sound & (flat > 0.0f);
    const Floats<N> inverse = 1.0f / (counts ? flat : splat<N>(1.0f)), ratio = target * inverse;
    const Floats<N> z = p.given_excess ? load<Floats<N>>(p.given_excess + i) : excess<N>(ratio * ratio, p.bend);
    // a square; negative by rounding alone
    const Floats<N> offered = max(blend<N, K>(energies, weights) * inverse, zero);
    float* row = p.demands + 8 * i;
    store_quads<N>(row, {counts ? z * flat : zero, counts ? offered : zero, counts ? flat : zero, zero}, 8);
    const Floats<N> area = rest.sound ? load<Floats<N>>(p.areas + i) : zero;
    Floats<N> shares[4] = {zero, zero, zero, zero};
    for (int k = 0; k < K; ++k) {
        shares[k] = area * weights.of[k];
    }
    store_quads<N>(row + 4, {shares[0], shares[1], shares[2], shares[3]}, 8);
    for (int pair = 0; pair < pairs; ++pair) {
        store(p.energies + pair * p.face_count + i, counts ? energies[pair] * inverse : zero);
    }
}

template <int K>
void modulate_all(const ModulatedTriangles& triangles, int64_t begin, int64_t end) {
    // a copy, so that the compiler knows that no store changes a pointer
    const ModulatedTriangles p = triangles;
    for_lanes(begin, end, [&]<int N>(int64_t i) { modulate_block<N, K>(p, i); });
}

// Squares that are linear over each triangle, by the means of m_j m_k over it: (Σ_i m_ij m_ik + Σ_i m_ij Σ_i m_ik) / 12.
template <int K>
void reached_all(const float* energies, const int32_t* faces, const float* factors, int64_t face_count, int64_t begin,
                 int64_t end, float* reached) {
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        Floats<N> m[3][4];
        for (int corner = 0; corner < 3; ++corner) {
            Floats<4> rows[N];
            for (int lane = 0; lane < N; ++lane) {
                rows[lane] = load<Floats<4>>(factors + 4 * (int64_t)faces[3 * (i + lane) + corner]);
            }
            const Quads<N> q = transpose<N>(rows);
            m[corner][0] = q.a, m[corner][1] = q.b, m[corner][2] = q.c, m[corner][3] = q.d;
        }
        Floats<N> sum = splat<N>(0.0f);
        for (int pair = 0, j = 0; j < K; ++j) {
            for (int k = j; k < K; ++k, ++pair) {
                const Floats<N> product = m[0][j] * m[0][k] + m[1][j] * m[1][k] + m[2][j] * m[2][k] +
                                          (m[0][j] + m[1][j] + m[2][j]) * (m[0][k] + m[1][k] + m[2][k]);
                sum += product * (j == k ? 1.0f / 12.0f : 1.0f / 6.0f) * load<Floats<N>>(energies + pair * face_count + i);
            }
        }
        store(reached + i, sum);
    });
}

}  // namespace

void modulate(const ModulatedTriangles& p, int64_t begin, int64_t end) {
    void (*const all[])(const ModulatedTriangles&, int64_t, int64_t) = {modulate_all<1>, modulate_all<2>, modulate_all<3>,
                                                                        modulate_all<4>};
    // the number of patterns is a constant of each: loops over them unroll
    all[p.pattern_count - 1](p, begin, end);
}

void reached(int pattern_count, const float* energies, const int32_t* faces, const float* factors, int64_t face_count,
             int64_t begin, int64_t end, float* sums) {
    const auto all = pattern_count == 1   ? reached_all<1>
                     : pattern_count == 2 ? reached_all<2>
                     : pattern_count == 3 ? reached_all<3>
                                          : reached_all<4>;
    all(energies, faces, factors, face_count, begin, end, sums);
}

void gather_factors(const ModulatedVertices& given, int64_t begin, int64_t end) {
    const ModulatedVertices p = given;
    const auto block = [&]<int N>(int64_t v) {
        Floats<4> demands[N], shares[N];
        for (int lane = 0; lane < N; ++lane) {
            Floats<8> sum = {};
            for (int32_t k = p.offsets[v + lane]; k < p.offsets[v + lane + 1]; ++k) {
                sum += load<Floats<8>>(p.demands + 8 * (int64_t)p.faces[k]);
            }
            demands[lane] = __builtin_shufflevector(sum, sum, 0, 1, 2, 3);
            shares[lane] = __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
        }
        const Quads<N> demand = transpose<N>(demands), share = transpose<N>(shares);
        const Floats<N> zero = splat<N>(0.0f), area = (share.a + share.b) + (share.c + share.d);
        const Floats<N> inverse = area > 0.0f ? 1.0f / area : zero;
        const Quads<N> w = {share.a * inverse, share.b * inverse, share.c * inverse, share.d * inverse};
        const Floats<N> goal = max(demand.a, zero), least = least_slope * least_slope * demand.c;
        // nearly flat triangles alone offer nearly nothing: the least keeps their vertex from a huge factor
        const Floats<N> offered = demand.b + least;
        const Floats<N> height = sqrt(offered > 0.0f ? goal / offered : zero);
        store_quads<N>(p.weights + 4 * v, w);
        store(p.goals + v, goal);
        store(p.leasts + v, least);
        const Quads<N> most = load_quads<N>(p.largest + 4 * v);
        store_quads<N>(p.factors + 4 * v, {min(height * w.a, most.a * w.a), min(height * w.b, most.b * w.b),
                                           min(height * w.c, most.c * w.c), min(height * w.d, most.d * w.d)});
    };
    for_lanes(begin, end, block);
}

void follow_factors(const FollowedVertices& given, int64_t begin, int64_t end) {
    const FollowedVertices p = given;
    for (int64_t v = begin; v < end; ++v) {
        const Floats<4> weights = load<Floats<4>>(p.weights + 4 * v), before = load<Floats<4>>(p.factors + 4 * v);
        const Floats<4> largest = load<Floats<4>>(p.largest + 4 * v) * weights;
        const Floats<4> wanted = load<Floats<4>>(p.wanted + 4 * v) * p.scale + weights * p.bias;
        const Floats<4> change = (min(max(wanted, Floats<4>{}), largest) * p.paint[v] - before) * p.share;
        const Floats<4> rises = abs<4>(change) * load<Floats<4>>(p.highest + 4 * v);
        // of all patterns together, as one height is what is seen
        const float rise = (rises[0] + rises[1]) + (rises[2] + rises[3]);
        const bool hurries = rise > p.most_rise;
        store(p.factors + 4 * v, before + change * (hurries ? p.most_rise / rise : 1.0f));
        p.limited[v] = lane_bits((wanted >= largest) & (largest > 0.0f)) != 0;
        p.hurried[v] = hurries;
    }
}

void correct_factors(const ModulatedVertices& given, const float* sums, int64_t begin, int64_t end) {
    const ModulatedVertices p = given;
    const auto block = [&]<int N>(int64_t v) {
        float totals[N];
        for (int lane = 0; lane < N; ++lane) {
            float total = 0.0f;
            for (int32_t k = p.offsets[v + lane]; k < p.offsets[v + lane + 1]; ++k) {
                total += sums[p.faces[k]];
            }
            totals[lane] = total;
        }
        const Quads<N> m = load_quads<N>(p.factors + 4 * v), w = load_quads<N>(p.weights + 4 * v);
        const Floats<N> squares = (m.a * m.a + m.b * m.b) + (m.c * m.c + m.d * m.d);
        const Floats<N> total = load<Floats<N>>(totals) + load<Floats<N>>(p.leasts + v) * squares;
        const Floats<N> scale = sqrt(total > 0.0f ? load<Floats<N>>(p.goals + v) / total : splat<N>(0.0f));
        // bounded, because each vertex corrects as if its neighbours stood still
        const Floats<N> bounded = min(max(scale, splat<N>(least_correction)), splat<N>(most_correction));
        // what a correction adds must not pass the limits either
        const Quads<N> most = load_quads<N>(p.largest + 4 * v);
        store_quads<N>(p.factors + 4 * v, {min(m.a * bounded, most.a * w.a), min(m.b * bounded, most.b * w.b),
                                           min(m.c * bounded, most.c * w.c), min(m.d * bounded, most.d * w.d)});
    };
    for_lanes(begin, end, block);
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
