// The patterns on one coarse face, as input of the kernel.
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"

namespace ruckle {

struct PatternPatch {
    // numbers of the frame at each corner (heights.h): factors m (4), the columns of J (3, 4), ∇m of each pattern (4,
    // 4)
    const float* corners[3];
    const float* values;  // (lattice points, K, 4) gradient at rest (three numbers) and height
    // number of patterns K, 1 to 4
    int32_t pattern_count;
    int32_t parts;     // number of parts of each side of the face's lattice
    int32_t sides[3];  // number of parts of each edge; negative if side k starts at the vertex with the larger index
};

struct PatternHeightKernels {
    // Adds the heights of all patterns on one coarse face, and their gradients, to the arrays of the block.
    void (*add_pattern_heights)(const PatternPatch& patch, const HeightBlock& block);

    static const PatternHeightKernels baseline, x86_64_v3;
};

}  // namespace ruckle
