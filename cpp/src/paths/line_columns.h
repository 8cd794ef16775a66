// Samples of one drawn line as columns, and the quantities that path_heights.h derives from them.
#pragma once

#include <stdint.h>

namespace ruckle {

// Rows 1 to count hold consecutive samples; row 0 and row count + 1 hold their neighbours, or a height below 0 at an end of the line.
// Kernels process whole vectors, so later rows are scratch.
struct LineColumns {
    static constexpr int most_samples = 128, room = most_samples + 16;
    using Column = float[room];

    // input
    Column corners[9], resting_corners[9], resting_normals[9];  // xyz of the three corners of each sample's face
    Column weights[3], height, half_width, resting_area;
    // results
    Column rest[3], now[3], normal[3];  // of each sample
    Column direction[3], weight, slope, length, half_width_now, inverse_reach_square;
    int32_t inner[room];  // 1 if the results hold: the sample has height, and so have both of its neighbours
};

struct LineColumnKernels {
    // edge_square  square of the edge length
    void (*measure_line)(LineColumns& line, int count, float edge_square);

    static const LineColumnKernels baseline, x86_64_v3;
};

}  // namespace ruckle
