// One coarse triangle with the segments that reach it: what the kernel that evaluates points of it works on. Plain memory, as
// all that kernels share (see numeric/lanes.h).
#pragma once

#include <stdint.h>

namespace ruckle {

// A segment from curve vertex v to w, made ready: with q = p - v the planes' distances are a = q·k0 and b = length - q·k1.
struct PatchSegment {
    float origin[3];        // v
    float step[3];          // w - v
    float direction[3];     // d
    float first_plane[3];   // k0 = n / (d·n) of the plane at v
    float second_plane[3];  // k1, at w
    float length;           // |w - v|
    float half_width[2];    // at v, and the change to w
    float height[2];
    float slope[2];
    int32_t wrinkle;
};

struct Patch {
    float corners[3][3];
    float normals[3][3];
    const PatchSegment* segments;  // of all wrinkles
    const int32_t* list;           // numbers of the segments that reach the triangle, wrinkle after wrinkle
    int32_t list_count;
    int32_t curved;
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
