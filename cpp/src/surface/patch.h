// One triangle of the surface, and points of it on their way to positions and normals: what the kernel that finishes them works
// on. Plain memory, as all that kernels share (see numeric/lanes.h).
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"

namespace ruckle {

struct Patch {
    float corners[3][3];
    float normals[3][3];
    float bulges[3][3];  // of the sides from corner k to k + 1; see surface/base.h
};

// One array per coordinate, each of point_block * n floats.
struct PatchPoints {
    float* barycentric[3];
    float* height;
    float* gradient[3];
    float* position[3];  // result
    float* normal[3];    // result
};

}  // namespace ruckle
