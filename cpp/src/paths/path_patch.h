// One coarse triangle with the points of drawn lines that reach it: what the kernel that finds their heights works on. Plain memory,
// as all that kernels share (see numeric/lanes.h).
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

struct PathPatch {
    float corners[3][3];      // at rest
    float normals[3][3];      // at rest, unit
    float carriers[3][3][3];  // of each corner: rows of the matrix that carries gradients from rest to now
    const PathPoint* points;  // of all wrinkles
    const int32_t* list;      // numbers of the points that reach the triangle, wrinkle after wrinkle
    int32_t list_count;
    int32_t turns;          // whether somewhere on it the cloth has turned away from one of the points, or an opening is below 1
    const float* openings;  // of the listed points (reach.h), which do not count for more; read where it turns
};

}  // namespace ruckle
