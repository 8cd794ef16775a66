// Data of the line kernels: samples of a drawn line, the line of its path, and the profile of a wrinkle.
#pragma once

#include <stdint.h>

namespace ruckle {

// Has the memory layout of CurveSample (ruckle/paths/curve.h). Below: the largest number of samples of a line.
struct LineSample {
    int32_t face;
    float weights[3], half_width, height;
};
inline constexpr int most_line_samples = 128;

// Data of a WrinkleProfile (ruckle/paths/shape.h), and the table of height ratios.
struct ProfileRow {
    float width, perimeter, crest_scale;
    const float* ratios;   // η² / excess for excess = i / per_unit, i from 0 to steps
    float per_unit, most;  // table entries per unit of excess; largest index, slightly below the last entry
};
inline constexpr float tabled_excess = 2.0f;  // upper limit of the excess in the table

// Segments of a path, and points at equal steps along them. Arrays of points are padded by two SIMD vectors.
struct LinePoints {
    int32_t segments;      // number of segments
    const float* starts;   // (segments, 4) rest position, mesh units; (width at rest) / (current width)
    const float* vectors;  // (segments, 4) vector from the start to the end of the segment; 0
    const float* lengths;  // (segments) mesh units
    const float* passed;   // (segments + 1) length of the path before each segment; total length
    int32_t steps;
    float step;     // mesh units
    int32_t reach;  // half width of the moving mean, in points: 0, 1 or 2; 2 reach <= steps. The mean is applied twice
    ProfileRow profile;
    // results: segment of each point; points before smoothing, with the width ratio
    int32_t* at_segment;  // (steps + 1)
    float* raw;           // (steps + 1, 4)
    float* smoothed;      // scratch
    // results, as described in LineOfPath
    float *points, *step_vectors, *inverse_squares, *heights;
};

// The smoothed line of a path, prepared by PathLine. Drawn lines move toward it.
struct LineOfPath {
    const float* points;           // (steps + 1, 4) rest position and half width, mesh units
    const float* step_vectors;     // (steps, 4) vector from each point to the next
    const float* inverse_squares;  // (steps) 1 / squared length of the step vectors
    const float* heights;          // (steps + 1) mesh units
    int32_t steps;                 // number of steps; 0: no line
};

struct MovingLine {
    // Column of sample 0. One column precedes it, and kernels also write some columns after the last sample.
    static constexpr int first = 1, room = most_line_samples + 16;

    // the cloth at rest (RestCloth), mesh units
    const float* triangles;  // (T, 6, 4): gradients of the second and third barycentric weight, unit normal, three corners
    LineOfPath path;
    float approach;  // largest (distance from the path) × 2 (height / half width) of a sample that follows; mesh units
    float bound;     // largest change of the surface per frame, mesh units
    float flat;      // largest height that is treated as 0, mesh units
    // squared distances of neighbours: a sample is removed below close_square, or inserted above wide_square
    float close_square, wide_square;
    int32_t count;
    const LineSample* samples;  // (count) samples of the previous frame

    // Results. A `leaving` sample has not moved yet: the caller moves it over the surface by share × move.
    LineSample* moved;      // (count) moved samples, padded to whole vectors
    float at[room][4];      // row i: rest position of sample i
    float along[room];      // position along the path's line, in steps
    float pull[3][room];    // vector to the goal
    float chord[3][room];   // vector from the previous to the next sample; zero at the ends
    float move[3][room];    // tangential part of the pull
    float share[room];      // share of the move that the limit allows
    int32_t beyond[room];   // -1: the sample is past an end of the path
    int32_t lost[room];     // -1: the sample cannot reach the path
    int32_t leaving[room];  // -1: the sample may leave its triangle
    int32_t any_leaving;
    // -1: the sample follows, at a good distance from the previous sample. Undefined for the first sample.
    int32_t even[room];
};

struct LineKernels {
    // Moves the samples of a drawn line toward its path.
    void (*move_line)(MovingLine& line);
    // Places and smooths the points of a path's line, and computes heights. False if a wrinkle exceeds the table of
    // height ratios.
    bool (*shape_line)(const LinePoints& line);
    // Computes width and height along a wrinkle, for whole blocks of most_lanes. False if a value exceeds the table.
    bool (*spread_profile)(const ProfileRow& profile, const float* along, int64_t count, float* widths, float* heights);

    static const LineKernels baseline, x86_64_v3;
};

}  // namespace ruckle
