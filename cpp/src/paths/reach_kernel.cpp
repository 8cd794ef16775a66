// Compiled once per instruction set: RUCKLE_INSTRUCTION_SET names it. How near segments come to a triangle.
#include "numeric/kernels.h"
#include "numeric/triples.h"
#include "paths/capsules.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

inline Real clamp01(Real x) {
    return min(max(x, splat_real(0.0f)), splat_real(1.0f));
}

struct Capsules {
    Capsules(const CapsuleBlock& block, int lane)
        : start{load<Real>(block.start[0] + lane), load<Real>(block.start[1] + lane), load<Real>(block.start[2] + lane)},
          along{load<Real>(block.along[0] + lane), load<Real>(block.along[1] + lane), load<Real>(block.along[2] + lane)},
          length_squared(load<Real>(block.length_squared + lane)),
          inverse_square(load<Real>(block.inverse_square + lane)),
          radius(load<Real>(block.radius + lane)) {}

    Triple start, along;
    Real length_squared, inverse_square, radius;
};

// Squared distances of the segments to a point.
inline Real apart_squared(const Capsules& c, Triple p) {
    const Real x = clamp01(dot(c.along, p - c.start) * c.inverse_square);
    const Triple off = c.start + c.along * x - p;
    return dot(off, off);
}

// Squared distances of the segments to side k of the triangle.
inline Real apart_squared(const Capsules& c, const DistanceTriangle& triangle, int k) {
    const Triple side = splat_triple(triangle.sides[k]), between = c.start - splat_triple(triangle.corners[k]);
    const Real side_squared = splat_real(triangle.side_squares[k]);
    const Real both = dot(c.along, side), mine = dot(c.along, between), theirs = dot(side, between);
    const Real area = c.length_squared * side_squared - both * both;
    // parallel segments: any point will do, for the other is made to fit and this one once more
    const Mask crossing = area > 1e-6f * c.length_squared * side_squared;
    Real x = crossing ? clamp01((both * theirs - mine * side_squared) / area) : splat_real(0.0f);
    const Real y = clamp01((both * x + theirs) * triangle.inverse_squares[k]);
    x = clamp01((both * y - mine) * c.inverse_square);
    const Triple off = between + c.along * x - side * y;
    return dot(off, off);
}

// Segments over the inside of the triangle: which of them meet it there, and which cannot meet it at all.
struct Overlap {
    Mask met, missed;
};
inline Overlap overlap(const Capsules& c, const DistanceTriangle& triangle) {
    const Triple end = c.start + c.along, normal = splat_triple(triangle.normal);
    const Triple first_corner = splat_triple(triangle.corners[0]);
    const Real first = dot(normal, c.start - first_corner), second = dot(normal, end - first_corner);
    const Mask crossing = (first < 0.0f) != (second < 0.0f);
    const Real x = crossing ? first / (first - second) : splat_real(0.0f);
    Mask first_over = crossing | ~crossing, second_over = first_over, crossing_over = crossing, missed = ~first_over;
    for (int k = 0; k < 3; ++k) {
        const Triple inward = splat_triple(triangle.inward[k]), corner = splat_triple(triangle.corners[k]);
        const Real a = dot(inward, c.start - corner), b = dot(inward, end - corner);
        missed |= max(a, b) < -c.radius;
        first_over &= a >= 0.0f, second_over &= b >= 0.0f, crossing_over &= a + x * (b - a) >= 0.0f;
    }
    const Real low = abs<native_lanes>(first), high = abs<native_lanes>(second);
    // all of it on one side of the plane, and farther away than it reaches
    missed |= ~crossing & (min(low, high) > c.radius);
    return {((first_over & (low < c.radius)) | (second_over & (high < c.radius)) | crossing_over) & ~missed, missed};
}

inline int meeting_lanes(const DistanceTriangle& triangle, const Capsules& c) {
    const Real far = c.radius + triangle.radius, apart = apart_squared(c, splat_triple(triangle.middle));
    const Real reach_squared = c.radius * c.radius;
    // of small triangles most that are reached are reached in the middle
    Mask met = apart < reach_squared, open = ~(apart > far * far * 1.0001f) & ~met;
    if (lane_bits(open) == 0) {
        return lane_bits(met);
    }
    if (!triangle.thin) {
        const Overlap inside = overlap(c, triangle);
        met |= open & inside.met;
        open &= ~inside.met & ~inside.missed;
    }
    for (int k = 0; k < 3 && lane_bits(open) != 0; ++k) {
        const Mask near = open & (apart_squared(c, triangle, k) < reach_squared);
        met |= near;
        open &= ~near;
    }
    return lane_bits(met);
}

}  // namespace

extern uint64_t meeting_capsules(const DistanceTriangle& triangle, const CapsuleBlock* blocks, int count);
uint64_t meeting_capsules(const DistanceTriangle& triangle, const CapsuleBlock* blocks, int count) {
    uint64_t met = 0;
    for (int first = 0; first < count; first += native_lanes) {
        const Capsules capsules(blocks[first / capsule_lanes], first % capsule_lanes);
        met |= (uint64_t)meeting_lanes(triangle, capsules) << first;
    }
    // the unused lanes of the last block are no segments
    return count < 64 ? met & (((uint64_t)1 << count) - 1) : met;
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
