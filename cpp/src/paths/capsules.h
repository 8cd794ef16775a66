// Segments with their reach, and the triangles that they may meet: what the kernel that compares them works on. Plain memory, as
// all that kernels share (see numeric/lanes.h).
#pragma once

#include <stdint.h>

namespace ruckle {

inline constexpr int capsule_lanes = 8;

// Eight segments from `start` to `start + along`, one array per coordinate.
struct CapsuleBlock {
    alignas(32) float start[3][capsule_lanes];
    alignas(32) float along[3][capsule_lanes];
    alignas(32) float length_squared[capsule_lanes];
    alignas(32) float inverse_square[capsule_lanes];  // 1 / length_squared, and 0 where that would overflow
    alignas(32) float radius[capsule_lanes];
};

// A triangle with what distances to it need.
struct DistanceTriangle {
    float corners[3][3];
    float sides[3][3];   // from corner k to k + 1
    float inward[3][3];  // unit normals of the sides in the triangle's plane
    float side_squares[3], inverse_squares[3];
    float normal[3], middle[3];
    float radius;  // of a ball around the middle that holds the triangle
    int32_t thin;  // rounding decides where its normal points: only its sides count
};

}  // namespace ruckle
