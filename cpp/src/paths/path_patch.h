// One coarse triangle with the segments that reach it: what the kernel that finds the heights of paths works on. Plain memory, as
// all that kernels share (see numeric/lanes.h).
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"

namespace ruckle {

// A segment from curve vertex v to w, made ready. The distances to its planes, along the segment, are
// a = (p - v)·n0 / (d·n0) and b = (w - p)·n1 / (d·n1). Normals stay as the neighbouring segments have them, undivided: on which
// side of a shared plane p lies is then decided by the same bits for both, and no point falls between them.
struct PathSegment {
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

struct PathPatch {
    float corners[3][3];
    const PathSegment* segments;  // of all wrinkles
    const int32_t* list;          // numbers of the segments that reach the triangle, wrinkle after wrinkle
    int32_t list_count;
};

}  // namespace ruckle
