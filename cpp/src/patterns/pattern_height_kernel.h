// Kernel data: the patterns on one coarse face.
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"

namespace ruckle {

struct PatternPatch {
    // values of the frame at each corner: factors (4), the columns of J (3, 4), ∇m of each pattern (4, 4)
    const float* corners[3];
    const float* values;  // (lattice points, K, 4) gradient at rest (three numbers) and height
    int32_t pattern_count;
    int32_t parts;     // parts of each side of the lattice
    int32_t sides[3];  // parts of the three edges; negative if side k starts at the edge's higher vertex
};

struct PatternHeightKernels {
    // Adds the heights of modulated patterns on one coarse face.
    void (*add_pattern_heights)(const PatternPatch& patch, const HeightBlock& block);

    static const PatternHeightKernels baseline, x86_64_v3;
};

}  // namespace ruckle
