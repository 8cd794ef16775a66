// Finds the spheres that intersect a triangle, one sphere per SIMD lane.
#include "paths/reach_kernel.h"
#include "numeric/triples.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

struct Spheres {
    Spheres(const SphereBlock& block, int lane)
        : center(load_columns(block.center, lane)), radius(load_real(block.radius + lane)) {}

    Triple center;
    Real radius;
};

inline Real square(Triple v) {
    return dot(v, v);
}

// Masks of spheres. met: the center projects into the triangle, and its distance from the plane is less than the
// radius. missed: a plane separates the sphere from the triangle.
struct Overlap {
    Mask met, missed;
};
inline Overlap overlap(const Spheres& spheres, const DistanceTriangle& triangle) {
    const Triple first_corner = splat_triple(triangle.corners[0]);
    const Real above = abs<native_lanes>(dot(splat_triple(triangle.normal), spheres.center - first_corner));
    Mask over = above<spheres.radius, missed = above> spheres.radius;
    for (int k = 0; k < 3; ++k) {
        const Real inside = dot(splat_triple(triangle.inward[k]), spheres.center - splat_triple(triangle.corners[k]));
        over &= inside >= 0.0f;
        missed |= inside < -spheres.radius;
    }
    return {over, missed};
}

// Returns the squared distances of the centers to side k of the triangle.
inline Real apart_squared(const Spheres& spheres, const DistanceTriangle& triangle, int k) {
    const Triple side = splat_triple(triangle.sides[k]), off = spheres.center - splat_triple(triangle.corners[k]);
    const Real x = min(max(dot(side, off) * triangle.inverse_squares[k], splat_real(0.0f)), splat_real(1.0f));
    return square(off - side * x);
}

// Returns a bit mask of the spheres whose distance to the triangle is less than their radius.
inline int meeting_lanes(const DistanceTriangle& triangle, const Spheres& spheres) {
    const Real far = spheres.radius + triangle.radius, apart = square(spheres.center - splat_triple(triangle.middle));
    const Real radius_squared = spheres.radius * spheres.radius;
    // open: spheres that are not yet decided. Triangles are small, so most spheres that intersect a triangle contain
    // its middle
    Mask met = apart < radius_squared, open = ~(apart > far * far * 1.0001f) & ~met;
    if (lane_bits(open) == 0) {
        return lane_bits(met);
    }
    if (!triangle.thin) {
        const Overlap inside = overlap(spheres, triangle);
        met |= open & inside.met;
        open &= ~inside.met & ~inside.missed;
    }
    if (lane_bits(open) != 0) {
        const Real nearest = min(min(apart_squared(spheres, triangle, 0), apart_squared(spheres, triangle, 1)),
                                 apart_squared(spheres, triangle, 2));
        met |= open & (nearest < radius_squared);
    }
    return lane_bits(met);
}

// True if the bounding boxes of triangle and spheres do not overlap, as for most spheres of a long wrinkle.
inline bool lie_apart(const DistanceTriangle& triangle, const SphereBlock& block) {
    return any<4>((load<Floats<4>>(block.low) > load<Floats<4>>(triangle.high)) |
                  (load<Floats<4>>(block.high) < load<Floats<4>>(triangle.low)));
}

// Returns the dot product, in the summation order of Eigen's Vector3.
inline Real product(const float (&a)[3], Triple b) {
    return b.x * a[0] + (b.y * a[1] + b.z * a[2]);
}

// Masks of spheres. somewhere: φ > 0 (path_heights.h) in some part of the triangle. turning: φ < 1 in some part. φ
// depends on the dot product of the cloth's normal and the normal at the sphere's center. The normal is interpolated
// linearly, so the extremes of the dot product are at the corners.
struct Facing {
    Mask somewhere, turning;
};
inline Facing facing(const SphereBlock& block, int lane, const DistanceTriangle& triangle) {
    // rounding error of a dot product of unit vectors
    constexpr float margin = 1e-5f;
    const Triple normal = load_columns(block.normal, lane);
    const Real a = product(triangle.facing[0], normal), b = product(triangle.facing[1], normal),
               c = product(triangle.facing[2], normal);
    // φ is 0 for dot products up to -1/2, and 1 from 0 on
    return {max(max(a, b), c) > -0.5f - margin, min(min(a, b), c) < margin};
}

MetSpheres find_meeting(const DistanceTriangle& triangle, const SphereBlock* blocks, int count) {
    MetSpheres met{0, 0};
    for (int first = 0; first < count; first += native_lanes) {
        const SphereBlock& block = blocks[first / sphere_lanes];
        if (lie_apart(triangle, block)) {
            continue;
        }
        const int lane = first % sphere_lanes;
        if (const int near = meeting_lanes(triangle, Spheres(block, lane)); near != 0) {
            const Facing faces = facing(block, lane, triangle);
            met.near |= (uint64_t)(near & lane_bits(faces.somewhere)) << first;
            met.turning |= (uint64_t)(near & lane_bits(faces.turning)) << first;
        }
    }
    // clear the unused lanes of the last block
    const uint64_t used = count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
    return {met.near & used, met.turning & used};
}

constexpr ReachKernels kernels = {.find_meeting = find_meeting};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::ReachKernels ruckle::ReachKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
