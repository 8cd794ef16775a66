// Computes curve points (path_heights.h) from the samples of one drawn line, one column per quantity and one row per
// sample.
#pragma once

#include <stdint.h>

namespace ruckle {

// Rows 1 to count are consecutive samples. Rows 0 and count + 1 are the neighbours of these samples; a neighbour that
// does not exist has a negative height. Kernels process whole vectors and therefore also overwrite rows after count +
// 1.
struct LineColumns {
    static constexpr int most_samples = 128, room = most_samples + 16;
    using Column = float[room];

    // input: the corners of each sample's face, now and at rest, and the normals at these corners at rest (column 3 j +
    // k: coordinate k of corner j); barycentric coordinates, height and half width of the sample (curve.h); twice the
    // area of its face at rest
    Column corners[9], resting_corners[9], resting_normals[9];
    Column weights[3], height, half_width, resting_area;
    // results: the members of CurvePoint with these names, the length of the line at rest that the sample represents,
    // and the current half width; mesh units
    Column rest[3], now[3], normal[3];  // position at rest, current position, and interpolated normal of each sample
    Column direction[3], weight, slope, length, half_width_now, inverse_reach_square;
    // 1 if all results of the row are valid. 0 if the sample has height or half width 0, or if a neighbour does not
    // exist or is lower than opaque_share times the sample; DrawnPoints::append_exact then computes the point
    int32_t inner[room];
};

struct LineColumnKernels {
    // Computes the results of the rows 1 to count, 1 <= count <= most_samples, from the rows 0 to count + 1.
    //
    // edge_square  square of the `edge_length` argument of DrawnPoints::append; weights are divided by it
    void (*measure_line)(LineColumns& line, int count, float edge_square);

    static const LineColumnKernels baseline, x86_64_v3;
};

}  // namespace ruckle
