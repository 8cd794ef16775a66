// Tests which spheres around samples of drawn lines intersect a triangle.
#pragma once

#include <stdint.h>

namespace ruckle {

inline constexpr int sphere_lanes = 8;

// Eight spheres, one array per coordinate, with the normal of the cloth at each center.
struct SphereBlock {
    alignas(32) float center[3][sphere_lanes];
    alignas(32) float radius[sphere_lanes];
    alignas(32) float normal[3][sphere_lanes];  // unit, or zero
    float low[3], high[3];                      // bounding box, padded against rounding
};

// A triangle with precomputed quantities for distance tests.
struct DistanceTriangle {
    float corners[3][3];
    float sides[3][3];         // from corner k to k + 1
    float inward[3][3];        // unit normals of the sides in the triangle's plane
    float inverse_squares[3];  // 1 / squared length of each side; 0 if it overflows
    float normal[3], middle[3];
    float facing[3][3];     // normals of the cloth at the corners: unit, or zero
    float low[3], high[3];  // bounding box
    float radius;           // radius of a sphere around the middle that contains the triangle
    int32_t thin;           // 1: a sliver with an undefined normal; only its sides are tested
};

// Bit masks over up to 64 spheres. near: the sphere intersects the triangle, and some part of the triangle faces the
// sphere's center. turning: near, and some part of the triangle faces away from the center.
struct MetSpheres {
    uint64_t near, turning;
};

struct ReachKernels {
    // Tests the first `count` spheres, at most 64.
    MetSpheres (*find_meeting)(const DistanceTriangle& triangle, const SphereBlock* blocks, int count);

    static const ReachKernels baseline, x86_64_v3;
};

}  // namespace ruckle
