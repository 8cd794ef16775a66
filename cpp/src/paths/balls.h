// Balls around the samples of drawn lines, and the triangles that they may meet: what the kernel that compares them works on. Plain
// memory, as all that kernels share (see numeric/lanes.h).
#pragma once

#include <stdint.h>

namespace ruckle {

inline constexpr int ball_lanes = 8;

// Eight balls, one array per coordinate.
struct BallBlock {
    alignas(32) float center[3][ball_lanes];
    alignas(32) float radius[ball_lanes];
};

// A triangle with what distances to it need.
struct DistanceTriangle {
    float corners[3][3];
    float sides[3][3];         // from corner k to k + 1
    float inward[3][3];        // unit normals of the sides in the triangle's plane
    float inverse_squares[3];  // of the sides; 0 where that would overflow
    float normal[3], middle[3];
    float radius;  // of a ball around the middle that holds the triangle
    int32_t thin;  // rounding decides where its normal points: only its sides count
};

}  // namespace ruckle
