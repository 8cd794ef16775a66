// Kernel that computes the heights of drawn lines at points of one coarse triangle.
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"

namespace ruckle {

// Curve point. Has the memory layout of CurvePoint (ruckle/paths/path_heights.h).
struct PathPoint {
    float position[3];
    float inverse_reach_square;
    float direction[3];
    float weight;
    float half_width, height, slope, wrinkle;
    float normal[3], unused;
};

// Consecutive points of one wrinkle that reach (affect) a triangle, with the same opening and the same flag `turns`.
struct PathRun {
    int32_t first, count;
    float opening;  // opening g_k of the points at the triangle (path_heights.h), in [0, 1]; 1 has no effect
    int32_t turns;  // 1 if a part of the triangle faces away from a point, or the opening is below 1
};

// One coarse triangle with the runs of curve points that reach it.
struct PathPatch {
    float corners[3][3];      // positions of the corners at rest, mesh units
    float normals[3][3];      // normals of the cloth at the corners, at rest: unit, or zero
    float carriers[3][3][3];  // per corner: rows of the matrix that converts gradients at rest to current gradients
    const PathPoint* points;  // curve points of all wrinkles
    const PathRun* runs;      // runs that reach the triangle, sorted by wrinkle
    int32_t run_count;
    // number of runs with lines of the earlier of two steps; these runs come first (DrawnLines explains the blend)
    int32_t earlier_count;
    float share;  // weight of the lines of the later step, in [0, 1]
};

struct PathHeightKernels {
    // Adds the heights of all lines that reach the triangle, and their gradients, to the arrays of the block. Points
    // without a height do not change.
    void (*add_path_heights)(const PathPatch& patch, const HeightBlock& block);

    static const PathHeightKernels baseline, x86_64_v3;
};

}  // namespace ruckle
