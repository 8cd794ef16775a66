// Kernel data: one coarse triangle with the points of the drawn lines that reach it.
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"

namespace ruckle {

// Has the memory layout of CurvePoint (ruckle/paths/path_heights.h).
struct PathPoint {
    float position[3];
    float inverse_reach_square;
    float direction[3];
    float weight;
    float half_width, height, slope, wrinkle;
    float normal[3], unused;
};

// Consecutive points of one wrinkle that reach a triangle with the same opening and flag.
struct PathRun {
    int32_t first, count;
    float opening;  // upper bound of the points' weights (reach.h); 1: without effect
    int32_t turns;  // 1 if a part of the triangle faces away from a point, or the opening is below 1
};

struct PathPatch {
    float corners[3][3];      // at rest
    float normals[3][3];      // at rest, unit
    float carriers[3][3][3];  // per corner: rows of the matrix that converts gradients at rest to current gradients
    const PathPoint* points;  // points of all wrinkles
    const PathRun* runs;      // runs that reach the triangle, sorted by wrinkle
    int32_t run_count;
    int32_t earlier_count;  // number of runs of earlier lines, which come first; see DrawnLines for the blend
    float share;            // weight of the later lines, in [0, 1]
};

struct PathHeightKernels {
    // Adds the heights of the lines that reach a coarse triangle.
    void (*add_path_heights)(const PathPatch& patch, const HeightBlock& block);

    static const PathHeightKernels baseline, x86_64_v3;
};

}  // namespace ruckle
