// Contact between layers of cloth, one vertex-face pair per lane; see contact_kernels.h.
#include "simulation/contact_kernels.h"

#include "simulation/nearness.h"
#include "simulation/points.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Returns the mask as bits, without lanes past the end of a range with `left` more elements.
inline unsigned bits_before(Mask mask, int64_t left) {
    const unsigned bits = (unsigned)lane_bits(mask);
    return left < lanes ? bits & ((1u << left) - 1u) : bits;
}

int64_t find_touching(const PairColumns& pairs, const float* points, float distance, float reach, int64_t begin, int64_t end,
                      int32_t* found) {
    int64_t count = 0;
    for (int64_t i = begin; i < end; i += lanes) {
        const Triple p = gather(points, pairs.corners[0] + i).x, a = gather(points, pairs.corners[1] + i).x;
        const Triple b = gather(points, pairs.corners[2] + i).x, c = gather(points, pairs.corners[3] + i).x;
        const Nearness n = nearness(p, a, b, c);
        // unknown sides (0) also satisfy this condition, because the product is 0
        const Mask behind = n.over & (n.height * load_real(pairs.side + i) <= 0.0f) & (n.square < reach * reach);
        for (unsigned bits = bits_before((n.square < distance * distance) | behind, end - i); bits; bits &= bits - 1) {
            found[count++] = (int32_t)(i + __builtin_ctz(bits));
        }
    }
    return count;
}

// Barycentric coordinates of the point of a triangle that is closest to a vertex. inside: true if this point is not on
// an edge or a corner.
struct Weights {
    Real of[3];
    Mask inside;
};

// Returns the barycentric coordinates of the closest point, by its region: corners, edges, inside (Ericson 2005,
// 5.1.5). If a point is in several regions due to rounding, corners have priority.
inline Weights closest_weights(Triple p, Triple a, Triple b, Triple c) {
    const Real zero = splat_real(0.0f), one = splat_real(1.0f);
    const Triple ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    const Real d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
    const Real vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    const Real s = one / (va + vb + vc);
    Weights w = {{one - (vb + vc) * s, vb * s, vc * s}, lane_numbers() >= 0};
    const auto set = [&w](Mask where, Real first, Real second, Real third) {
        w.of[0] = where ? first : w.of[0];
        w.of[1] = where ? second : w.of[1];
        w.of[2] = where ? third : w.of[2];
        w.inside = w.inside & ~where;
    };
    const Real along_ac = d2 / (d2 - d6), along_bc = (d4 - d3) / ((d4 - d3) + (d5 - d6)), along_ab = d1 / (d1 - d3);
    set((vb <= 0.0f) & (d2 >= 0.0f) & (d6 <= 0.0f), one - along_ac, zero, along_ac);
    set((va <= 0.0f) & (d4 >= d3) & (d5 >= d6), zero, one - along_bc, along_bc);
    set((vc <= 0.0f) & (d1 >= 0.0f) & (d3 <= 0.0f), one - along_ab, along_ab, zero);
    set((d6 >= 0.0f) & (d5 <= d6), zero, zero, one);
    set((d3 >= 0.0f) & (d4 <= d3), zero, one, zero);
    set((d1 <= 0.0f) & (d2 <= 0.0f), one, zero, zero);
    return w;
}

inline void part_block(const PairColumns& pairs, float* sides, const PairFactors& factors, const float* predicted,
                       const float* velocities, float* points, const int32_t* which) {
    const Real zero = splat_real(0.0f), one = splat_real(1.0f), depth = splat_real(factors.depth);
    int32_t corners[4][lanes];
    Real side;
    for (int k = 0; k < lanes; ++k) {
        for (int q = 0; q < 4; ++q) {
            corners[q][k] = pairs.corners[q][which[k]];
        }
        side[k] = sides[which[k]];
    }
    Points x[4];
    for (int q = 0; q < 4; ++q) {
        x[q] = gather(points, corners[q]);
    }
    // the closest points change, so they are computed again in each substep
    const Weights weights = closest_weights(x[0].x, x[1].x, x[2].x, x[3].x);
    // shares of the four vertices in the vector between the contact points; moves in proportion to these shares
    // conserve momentum
    const Real share[4] = {one, -weights.of[0], -weights.of[1], -weights.of[2]};
    const Triple away = x[0].x - x[1].x * weights.of[0] - x[2].x * weights.of[1] - x[3].x * weights.of[2];
    const Triple across = cross(x[2].x - x[1].x, x[3].x - x[1].x);
    const Real over = dot(away, across), apart = length_of(away);
    const Real height = over / max(length_of(across), splat_real(1e-14f));
    const Mask is_new = weights.inside & (side == 0.0f) & (abs<lanes>(height) < depth);
    side = is_new ? copy_sign<lanes>(one, height) : side;
    // pairs whose closest point is inside the face: the side must be known, and the vertex at most `depth` behind the
    // face
    const Mask above = weights.inside & (side != 0.0f) & (height * side >= -depth);
    const Mask beside = ~weights.inside & (apart >= 1e-9f) & (over * side >= 0.0f);
    const Real distance = weights.inside ? height * side : apart;
    Real weight = zero;
    for (int q = 0; q < 4; ++q) {
        weight = weight + x[q].w * share[q] * share[q];
    }
    // a weight of 0 means that all four vertices are pinned
    const Mask touch = (above | beside) & (distance < factors.distance) & (weight > 0.0f);
    for (int k = 0; k < lanes; ++k) {
        sides[which[k]] = side[k];
    }
    if (lane_bits(touch) == 0) {
        return;
    }
    const Real normal_scale = weights.inside ? side / max(length_of(across), splat_real(1e-14f)) : one / apart;
    const Triple normal = select(weights.inside, across, away) * normal_scale;
    // relative motion of the contact points in this substep
    Triple slip = zero_triple();
    for (int q = 0; q < 4; ++q) {
        const Triple from = gather(predicted, corners[q]).x - gather(velocities, corners[q]).x * splat_real(factors.step);
        slip = slip + (x[q].x - from) * share[q];
    }
    // friction acts in the tangent plane and is limited by friction · missing distance
    slip = slip - normal * dot(slip, normal);
    const Real slipped = length_of(slip), missing = factors.distance - distance;
    const Real held = min(one, factors.friction * missing / max(slipped, splat_real(1e-12f)));
    // each move is at most half the layer distance, so that deep contact is resolved over several substeps
    const Triple move = normal * min(missing * factors.push, splat_real(0.5f * factors.distance)) - slip * held;
    for (int q = 0; q < 4; ++q) {
        const Triple moved = x[q].x + move * (x[q].w * share[q] / weight);
        scatter(points, corners[q], {select(touch, moved, x[q].x), x[q].w});
    }
}

void part_pairs(const PairColumns& pairs, float* sides, const PairFactors& factors, const float* predicted,
                const float* velocities, float* points, const int32_t* which, int64_t count) {
    for (int64_t i = 0; i < count; i += lanes) {
        part_block(pairs, sides, factors, predicted, velocities, points, which + i);
    }
}

int64_t find_strays(const float* points, const float* from, const float* velocities, float time, float distance, int64_t count,
                    int32_t* found) {
    int64_t found_count = 0;
    for (int64_t i = 0; i < count; i += lanes) {
        const Triple expected = load_points(from + 4 * i).x + load_points(velocities + 4 * i).x * splat_real(time);
        const Triple way = load_points(points + 4 * i).x - expected;
        for (unsigned bits = bits_before(dot(way, way) > distance * distance, count - i); bits; bits &= bits - 1) {
            found[found_count++] = (int32_t)(i + __builtin_ctz(bits));
        }
    }
    return found_count;
}

float farthest_way(const float* points, const float* from, int64_t count) {
    // four partial sums, so that the result does not depend on the number of lanes
    Floats<4> sums[4] = {};
    for (int64_t i = 0; i < count; ++i) {
        sums[i % 4] += load<Floats<4>>(points + 4 * i) - load<Floats<4>>(from + 4 * i);
    }
    const Floats<4> sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    const float share = 1.0f / (float)count, mean[3] = {sum[0] * share, sum[1] * share, sum[2] * share};
    const Triple common = splat_triple(mean);
    Real farthest = splat_real(0.0f);
    for (int64_t i = 0; i < count; i += lanes) {
        const Triple way = load_points(points + 4 * i).x - load_points(from + 4 * i).x - common;
        // lanes past the last vertex do not contain points, so their squares are set to 0
        const Real square = lane_numbers() < (int32_t)(count - i) ? dot(way, way) : splat_real(0.0f);
        farthest = max(farthest, square);
    }
    float square = 0.0f;
    for (int k = 0; k < lanes; ++k) {
        square = farthest[k] > square ? farthest[k] : square;
    }
    return __builtin_sqrtf(square);
}

constexpr ContactKernels kernels = {
    .find_touching = find_touching, .part_pairs = part_pairs, .find_strays = find_strays, .farthest_way = farthest_way};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::ContactKernels ruckle::ContactKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
