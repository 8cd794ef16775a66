// Computes curve points (path_heights.h) from the samples of one drawn line, one column per quantity.
#pragma once

#include <stdint.h>

namespace ruckle {

// Rows 1 to count are consecutive samples. Rows 0 and count + 1 are the neighbours of these samples. Their height is
// negative if the line ends there. Kernels process whole vectors and therefore also overwrite later rows.
struct LineColumns {
    static constexpr int most_samples = 128, room = most_samples + 16;
    using Column = float[room];

    // input
    Column corners[9], resting_corners[9], resting_normals[9];  // xyz of the three corners of each sample's face
    Column weights[3], height, half_width, resting_area;
    // results
    Column rest[3], now[3], normal[3];  // position at rest, current position, and normal of each sample
    Column direction[3], weight, slope, length, half_width_now, inverse_reach_square;
    int32_t inner[room];  // 1 if the results are valid: the sample and both neighbours are high enough
};

struct LineColumnKernels {
    // edge_square  square of the edge length
    void (*measure_line)(LineColumns& line, int count, float edge_square);

    static const LineColumnKernels baseline, x86_64_v3;
};

}  // namespace ruckle
