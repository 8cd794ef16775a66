// Bounding spheres around samples of drawn lines, and a triangle that they may meet.
#pragma once

#include <stdint.h>

namespace ruckle {

inline constexpr int ball_lanes = 8;

// Eight balls, one array per coordinate, and where the cloth faces there.
struct BallBlock {
    alignas(32) float center[3][ball_lanes];
    alignas(32) float radius[ball_lanes];
    alignas(32) float normal[3][ball_lanes];  // unit, or zero
    float low[3], high[3];                    // corners of a box that holds them, with room for rounding
};

// A triangle with what distances to it need.
struct DistanceTriangle {
    float corners[3][3];
    float sides[3][3];         // from corner k to k + 1
    float inward[3][3];        // unit normals of the sides in the triangle's plane
    float inverse_squares[3];  // of the sides; 0 where that would overflow
    float normal[3], middle[3];
    float facing[3][3];     // of the cloth at the corners: unit normals, or zero
    float low[3], high[3];  // corners of the box around it
    float radius;           // of a ball around the middle that holds the triangle
    int32_t thin;           // rounding decides where its normal points: only its sides count
};

// Of up to 64 balls, one bit each: those that meet a triangle somewhere where it has not turned away from them, and those that meet
// it and from which it has turned away in part.
struct MetBalls {
    uint64_t near, turning;
};

struct ReachKernels {
    // Which of up to 64 balls meet the triangle. Balls past count in the last block may hold anything.
    MetBalls (*meeting_balls)(const DistanceTriangle& triangle, const BallBlock* blocks, int count);

    static const ReachKernels baseline, x86_64_v3;
};

}  // namespace ruckle
