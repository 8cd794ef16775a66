// One coarse triangle with the segments that reach it: what the kernel that evaluates points of it works on. Plain memory, as
// all that kernels share (see numeric/lanes.h).
#pragma once

#include <stdint.h>

namespace ruckle {

// A segment from curve vertex v to w, made ready. The distances to its planes, along the segment, are
// a = (p - v)·n0 / (d·n0) and b = (w - p)·n1 / (d·n1). Normals stay as the neighbouring segments have them, undivided: on which
// side of a shared plane p lies is then decided by the same bits for both, and no point falls between them.
struct PatchSegment {
    float first[3];           // v
    float second[3];          // w
    float direction[3];       // d
    float first_normal[3];    // n0
    float second_normal[3];   // n1
    float inverse_cosine[2];  // 1 / (d·n0), 1 / (d·n1)
    float half_width[2];      // at v, and the change to w
    float height[2];
    float slope[2];
    int32_t wrinkle;
};

struct Patch {
    float corners[3][3];
    float normals[3][3];
    float bulges[3][3];            // of the sides from corner k to k + 1; see surface/base.h
    const PatchSegment* segments;  // of all wrinkles
    const int32_t* list;           // numbers of the segments that reach the triangle, wrinkle after wrinkle
    int32_t list_count;
};

// Points in patches are handled in blocks: arrays have room for a multiple of this.
inline constexpr int patch_block = 8;

// One array per coordinate, each of patch_block * n floats.
struct PatchPoints {
    const float* barycentric[3];
    float* position[3];
    float* normal[3];
    float* height;
};

}  // namespace ruckle
