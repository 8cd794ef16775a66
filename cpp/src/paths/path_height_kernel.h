// One coarse triangle with the points of the drawn lines that reach it.
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"

namespace ruckle {

// A CurvePoint (ruckle/paths/path_heights.h), as it lies in memory.
struct PathPoint {
    float position[3];
    float inverse_reach_square;
    float direction[3];
    float weight;
    float half_width, height, slope, wrinkle;
    float normal[3], unused;
};

// Points of one wrinkle that follow each other and reach a triangle in the same way.
struct PathRun {
    int32_t first, count;
    float opening;  // they count for no more (reach.h); 1 where it does not matter
    int32_t
        turns;  // whether the cloth of the triangle has turned away from one of them, somewhere and in part, or the opening is below 1
};

struct PathPatch {
    float corners[3][3];      // at rest
    float normals[3][3];      // at rest, unit
    float carriers[3][3][3];  // of each corner: rows of the matrix that carries gradients from rest to now
    const PathPoint* points;  // of all wrinkles
    const PathRun* runs;      // of those that reach the triangle, wrinkle after wrinkle
    int32_t run_count;
};

struct PathHeightKernels {
    // Adds the heights of the lines that reach a coarse triangle.
    void (*add_path_heights)(const PathPatch& patch, const HeightBlock& block);

    static const PathHeightKernels baseline, x86_64_v3;
};

}  // namespace ruckle
