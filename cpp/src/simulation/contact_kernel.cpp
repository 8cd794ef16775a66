// Compiled once per instruction set: RUCKLE_INSTRUCTION_SET names it. See contact_kernels.h.
#include "simulation/contact_kernels.h"

#include "simulation/points.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// From points to triangles.
struct Nearness {
    Real square;  // of the distance
    Real height;  // over the plane, in lengths of the normal
    Mask over;    // whether the closest point lies inside
};

// From six products of vectors: distances to the three edges' segments, and to the plane where the foot lies inside. Some units of
// rounding of the largest square, which is that of millimetres here.
inline Nearness nearness(Triple p, Triple a, Triple b, Triple c) {
    const Real zero = splat_real(0.0f), one = splat_real(1.0f);
    const Triple ab = b - a, ac = c - a, ap = p - a;
    const Real bb = dot(ab, ab), cc = dot(ac, ac), bc = dot(ab, ac), pb = dot(ap, ab), pc = dot(ap, ac), pp = dot(ap, ap);
    const Real along_ab = min(max(pb / bb, zero), one), along_ac = min(max(pc / cc, zero), one);
    const Real far = bb + cc - 2.0f * bc, across = pc - pb - bc + bb;
    const Real along_bc = min(max(across / far, zero), one);
    const Real to_ab = pp + along_ab * (along_ab * bb - 2.0f * pb);
    const Real to_ac = pp + along_ac * (along_ac * cc - 2.0f * pc);
    const Real to_bc = pp - 2.0f * pb + bb + along_bc * (along_bc * far - 2.0f * across);
    // barycentric weights of b and c, times the determinant
    const Real determinant = bb * cc - bc * bc, weight_b = cc * pb - bc * pc, weight_c = bb * pc - bc * pb;
    Nearness n;
    n.over = (weight_b > 0.0f) & (weight_c > 0.0f) & (weight_b + weight_c < determinant);
    const Triple normal = cross(ab, ac);
    n.height = dot(normal, ap);
    const Real to_plane = n.height * n.height / max(dot(normal, normal), splat_real(1e-30f));
    n.square = n.over ? to_plane : min(to_ab, min(to_ac, to_bc));
    return n;
}

// Of the elements before the end: what lies behind the last one is another's.
inline unsigned bits_before(Mask mask, int64_t left) {
    const unsigned bits = (unsigned)lane_bits(mask);
    return left < lanes ? bits & ((1u << left) - 1u) : bits;
}

// Spread over the lanes once for all runs of vertices.
struct SpreadBox {
    Triple low, high, velocity;
    Real time, farthest;
};

inline SpreadBox spread(const MovingBox& box) {
    return {splat_triple(box.low), splat_triple(box.high), splat_triple(box.velocity), splat_real(box.time),
            splat_real(box.farthest)};
}

inline int64_t find_in_run(const VertexColumns& vertices, const SpreadBox& box, int64_t begin, int64_t end, int32_t* found) {
    int64_t count = 0;
    for (int64_t i = begin; i < end; i += lanes) {
        const Triple p = load_columns(vertices.position, i), v = load_columns(vertices.velocity, i) - box.velocity;
        // along one axis: away from the box by no more than it approaches
        const auto reaches = [&](Real low, Real high, Real at, Real speed) {
            return max(low - at, at - high) <= min(abs<lanes>(speed) * box.time, box.farthest);
        };
        const Mask inside = reaches(box.low.x, box.high.x, p.x, v.x) & reaches(box.low.y, box.high.y, p.y, v.y) &
                            reaches(box.low.z, box.high.z, p.z, v.z);
        for (unsigned bits = bits_before(inside, end - i); bits; bits &= bits - 1) {
            found[count++] = (int32_t)(i + __builtin_ctz(bits));
        }
    }
    return count;
}

int64_t find_in_cells(const VertexColumns& vertices, const CellRange& cells, const MovingBox& box, int32_t* found) {
    const SpreadBox wide = spread(box);
    int64_t count = 0;
    for (int32_t x = cells.first[0]; x <= cells.last[0]; ++x) {
        for (int32_t y = cells.first[1]; y <= cells.last[1]; ++y) {
            const int32_t* row = cells.starts + (x * cells.count[0] + y) * cells.count[1];
            count += find_in_run(vertices, wide, row[cells.first[2]], row[cells.last[2] + 1], found + count);
        }
    }
    return count;
}

int64_t find_near(const PairColumns& pairs, const float* points, const float* velocities, const Approach& approach, int64_t begin,
                  int64_t end, FoundPair* found) {
    const Real reach = splat_real(approach.reach);
    int64_t count = 0;
    for (int64_t i = begin; i < end; i += lanes) {
        Triple x[4], v[4];
        for (int q = 0; q < 4; ++q) {
            x[q] = gather(points, pairs.corners[q] + i).x;
            v[q] = gather(velocities, pairs.corners[q] + i).x;
        }
        const Nearness n = nearness(x[0], x[1], x[2], x[3]);
        const Triple speed = v[0] - (v[1] + v[2] + v[3]) * splat_real(1.0f / 3.0f);
        const Real within = reach + min(length_of(speed) * approach.time, splat_real(approach.farthest));
        // how it lies beside the face, or far from it, says nothing of the side on which it will come
        const unsigned over = (unsigned)lane_bits(n.over & (n.square <= reach * reach));
        const unsigned above = (unsigned)lane_bits(n.height >= 0.0f);
        for (unsigned bits = bits_before(n.square <= within * within, end - i); bits; bits &= bits - 1) {
            const int k = __builtin_ctz(bits);
            found[count++] = {(int32_t)(i + k), (over >> k & 1u) ? ((above >> k & 1u) ? 1 : -1) : 0};
        }
    }
    return count;
}

int64_t find_touching(const PairColumns& pairs, const float* points, float distance, float reach, int64_t begin, int64_t end,
                      int32_t* found) {
    int64_t count = 0;
    for (int64_t i = begin; i < end; i += lanes) {
        const Triple p = gather(points, pairs.corners[0] + i).x, a = gather(points, pairs.corners[1] + i).x;
        const Triple b = gather(points, pairs.corners[2] + i).x, c = gather(points, pairs.corners[3] + i).x;
        const Nearness n = nearness(p, a, b, c);
        // a side of 0 is to be found out
        const Mask behind = n.over & (n.height * load_real(pairs.side + i) <= 0.0f) & (n.square < reach * reach);
        for (unsigned bits = bits_before((n.square < distance * distance) | behind, end - i); bits; bits &= bits - 1) {
            found[count++] = (int32_t)(i + __builtin_ctz(bits));
        }
    }
    return count;
}

// Weights of the corners at a triangle's closest point.
struct Weights {
    Real of[3];
    Mask inside;
};

// By the regions of corners, edges and inside (Ericson 2005, 5.1.5), where earlier ones go before later ones.
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
    // anew in each substep: the pair is remembered, where they touch is not
    const Weights weights = closest_weights(x[0].x, x[1].x, x[2].x, x[3].x);
    // of the distance vector, and so its gradients: momentum is kept
    const Real share[4] = {one, -weights.of[0], -weights.of[1], -weights.of[2]};
    const Triple away = x[0].x - x[1].x * weights.of[0] - x[2].x * weights.of[1] - x[3].x * weights.of[2];
    const Triple across = cross(x[2].x - x[1].x, x[3].x - x[1].x);
    const Real over = dot(away, across), apart = length_of(away);
    const Real height = over / max(length_of(across), splat_real(1e-14f));
    const Mask is_new = weights.inside & (side == 0.0f) & (abs<lanes>(height) < depth);
    side = is_new ? copy_sign<lanes>(one, height) : side;
    // beside the face there is no side to bring the vertex back to
    const Mask above = weights.inside & (side != 0.0f) & (height * side >= -depth);
    const Mask beside = ~weights.inside & (apart >= 1e-9f) & (over * side >= 0.0f);
    const Real distance = weights.inside ? height * side : apart;
    Real weight = zero;
    for (int q = 0; q < 4; ++q) {
        weight = weight + x[q].w * share[q] * share[q];
    }
    // a weight of 0: all four are pinned
    const Mask touch = (above | beside) & (distance < factors.distance) & (weight > 0.0f);
    for (int k = 0; k < lanes; ++k) {
        sides[which[k]] = side[k];
    }
    if (lane_bits(touch) == 0) {
        return;
    }
    const Real normal_scale = weights.inside ? side / max(length_of(across), splat_real(1e-14f)) : one / apart;
    const Triple normal = select(weights.inside, across, away) * normal_scale;
    // how much the two slip past each other in this substep
    Triple slip = zero_triple();
    for (int q = 0; q < 4; ++q) {
        const Triple from = gather(predicted, corners[q]).x - gather(velocities, corners[q]).x * splat_real(factors.step);
        slip = slip + (x[q].x - from) * share[q];
    }
    // friction acts along the layers, and up to its share of the depth
    slip = slip - normal * dot(slip, normal);
    const Real slipped = length_of(slip), missing = factors.distance - distance;
    const Real held = min(one, factors.friction * missing / max(slipped, splat_real(1e-12f)));
    // half the distance at most, so that what is deep comes out over several substeps and without a bang
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

int64_t find_strays(const float* points, const float* from, const float* velocities, float time, float distance, int64_t begin,
                    int64_t end, int32_t* found) {
    int64_t count = 0;
    for (int64_t i = begin; i < end; i += lanes) {
        const Triple kept = load_points(from + 4 * i).x + load_points(velocities + 4 * i).x * splat_real(time);
        const Triple away = load_points(points + 4 * i).x - kept;
        for (unsigned bits = bits_before(dot(away, away) > distance * distance, end - i); bits; bits &= bits - 1) {
            found[count++] = (int32_t)(i + __builtin_ctz(bits));
        }
    }
    return count;
}

}  // namespace

extern const ContactKernels contact_kernels;
const ContactKernels contact_kernels = {find_in_cells, find_near, find_touching, part_pairs, find_strays};

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
