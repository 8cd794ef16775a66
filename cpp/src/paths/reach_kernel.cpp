// Intersection of bounding spheres with a triangle, one sphere per lane.
#include "paths/reach_kernel.h"
#include "numeric/triples.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

struct Balls {
    Balls(const BallBlock& block, int lane) : center(load_columns(block.center, lane)), radius(load_real(block.radius + lane)) {}

    Triple center;
    Real radius;
};

inline Real square(Triple v) {
    return dot(v, v);
}

// Centres over the inside of the triangle that are near enough to its plane; and those that cannot reach it at all.
struct Overlap {
    Mask met, missed;
};
inline Overlap overlap(const Balls& balls, const DistanceTriangle& triangle) {
    const Triple first_corner = splat_triple(triangle.corners[0]);
    const Real above = abs<native_lanes>(dot(splat_triple(triangle.normal), balls.center - first_corner));
    Mask over = above<balls.radius, missed = above> balls.radius;
    for (int k = 0; k < 3; ++k) {
        const Real inside = dot(splat_triple(triangle.inward[k]), balls.center - splat_triple(triangle.corners[k]));
        over &= inside >= 0.0f;
        missed |= inside < -balls.radius;
    }
    return {over, missed};
}

// Squared distances of the centres to side k of the triangle.
inline Real apart_squared(const Balls& balls, const DistanceTriangle& triangle, int k) {
    const Triple side = splat_triple(triangle.sides[k]), off = balls.center - splat_triple(triangle.corners[k]);
    const Real x = min(max(dot(side, off) * triangle.inverse_squares[k], splat_real(0.0f)), splat_real(1.0f));
    return square(off - side * x);
}

inline int meeting_lanes(const DistanceTriangle& triangle, const Balls& balls) {
    const Real far = balls.radius + triangle.radius, apart = square(balls.center - splat_triple(triangle.middle));
    const Real radius_squared = balls.radius * balls.radius;
    // of small triangles most that are reached are reached in the middle
    Mask met = apart < radius_squared, open = ~(apart > far * far * 1.0001f) & ~met;
    if (lane_bits(open) == 0) {
        return lane_bits(met);
    }
    if (!triangle.thin) {
        const Overlap inside = overlap(balls, triangle);
        met |= open & inside.met;
        open &= ~inside.met & ~inside.missed;
    }
    for (int k = 0; k < 3 && lane_bits(open) != 0; ++k) {
        const Mask near = open & (apart_squared(balls, triangle, k) < radius_squared);
        met |= near;
        open &= ~near;
    }
    return lane_bits(met);
}

// Of a long wrinkle most balls lie elsewhere.
inline bool lie_apart(const DistanceTriangle& triangle, const BallBlock& block) {
    for (int k = 0; k < 3; ++k) {
        if (triangle.low[k] > block.high[k] || triangle.high[k] < block.low[k]) {
            return true;
        }
    }
    return false;
}

// In the order in which the rest of the core sums three products of a Vector3.
inline Real product(const float (&a)[3], Triple b) {
    return b.x * a[0] + (b.y * a[1] + b.z * a[2]);
}

// Between the corners of a triangle their shares of n_p·n_k are linear.
struct Facing {
    Mask somewhere, turning;
};
inline Facing facing(const BallBlock& block, int lane, const DistanceTriangle& triangle) {
    // rounding of a dot product of unit vectors
    constexpr float margin = 1e-5f;
    const Triple normal = load_columns(block.normal, lane);
    const Real a = product(triangle.facing[0], normal), b = product(triangle.facing[1], normal),
               c = product(triangle.facing[2], normal);
    // where φ leaves 0 and 1; rounding must not reach beyond
    return {max(max(a, b), c) > -0.5f - margin, min(min(a, b), c) < margin};
}

MetBalls meeting_balls(const DistanceTriangle& triangle, const BallBlock* blocks, int count) {
    MetBalls met{0, 0};
    for (int first = 0; first < count; first += native_lanes) {
        const BallBlock& block = blocks[first / ball_lanes];
        if (lie_apart(triangle, block)) {
            continue;
        }
        const int lane = first % ball_lanes;
        if (const int near = meeting_lanes(triangle, Balls(block, lane)); near != 0) {
            const Facing faces = facing(block, lane, triangle);
            met.near |= (uint64_t)(near & lane_bits(faces.somewhere)) << first;
            met.turning |= (uint64_t)(near & lane_bits(faces.turning)) << first;
        }
    }
    // the unused lanes of the last block are no balls
    const uint64_t used = count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
    return {met.near & used, met.turning & used};
}

constexpr ReachKernels kernels = {.meeting_balls = meeting_balls};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::ReachKernels ruckle::ReachKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
