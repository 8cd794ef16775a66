// Tests which spheres around samples of drawn lines intersect a triangle.
#pragma once

#include <stdint.h>

namespace ruckle {

// number of spheres per block
inline constexpr int sphere_lanes = 8;

// Eight spheres, one lane per sphere.
struct SphereBlock {
    alignas(32) float center[3][sphere_lanes];
    alignas(32) float radius[sphere_lanes];
    alignas(32) float normal[3][sphere_lanes];  // normal of the cloth at each center: unit, or zero
    float low[4], high[4];                      // bounding box of all spheres, padded against rounding; the last is 0
};

// A triangle with precomputed quantities for distance tests.
struct DistanceTriangle {
    float corners[3][3];
    float sides[3][3];         // vectors from corner k to corner k + 1
    float inward[3][3];        // normals of the sides in the triangle's plane: unit, pointing inward
    float inverse_squares[3];  // 1 / squared length of each side; 0 for a side that is too short for this quotient
    // unit normal, undefined if thin; mean of the corners
    float normal[3], middle[3];
    float facing[3][3];     // normals of the cloth at the corners: unit, or zero
    float low[4], high[4];  // bounding box of the triangle; the last is 0
    float radius;           // radius of a sphere around the middle that contains the triangle
    int32_t thin;           // 1: a sliver with an undefined normal; only its sides are tested
};

// Bit masks over up to 64 spheres. near: the sphere intersects the triangle, and some part of the triangle faces the
// sphere's center. turning: near, and some part of the triangle faces away from the center.
struct MetSpheres {
    uint64_t near, turning;
};

struct ReachKernels {
    // Tests the first `count` spheres, at most 64, against the triangle. Bit i of each mask belongs to sphere i;
    // further bits are 0.
    MetSpheres (*find_meeting)(const DistanceTriangle& triangle, const SphereBlock* blocks, int count);

    static const ReachKernels baseline, x86_64_v3;
};

}  // namespace ruckle
