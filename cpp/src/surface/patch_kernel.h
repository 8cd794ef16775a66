// One coarse triangle of the surface, and a block of its points.
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

struct PatchKernels {
    // Positions and normals from heights and gradients; count may be rounded up to a multiple of point_block.
    void (*finish_patch)(const Patch& patch, const PatchPoints& points, int64_t count);

    static const PatchKernels baseline, x86_64_v3;
};

}  // namespace ruckle
