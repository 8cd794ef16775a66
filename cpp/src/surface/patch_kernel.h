// Kernel for the points of one triangle of the surface's mesh.
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"

namespace ruckle {

struct Patch {
    float corners[3][3];  // corners of the flat triangle, mesh units
    float normals[3][3];  // vertex normals: unit, or zero
    float bulges[3][3];   // bulge of the side from corner k to k + 1 (surface/base.h)
};

// One array per coordinate. The length of each array is a multiple of point_block.
struct PatchPoints {
    float* barycentric[3];
    float* height;
    float* gradient[3];
    float* position[3];  // result: points of the surface
    float* normal[3];    // result: unit normals
};

struct PatchKernels {
    // Writes positions and normals of the points from their heights and gradients. Processes whole SIMD vectors, so
    // that it also writes padding after `count` points.
    void (*finish_patch)(const Patch& patch, const PatchPoints& points, int64_t count);

    static const PatchKernels baseline, x86_64_v3;
};

}  // namespace ruckle
