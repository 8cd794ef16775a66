// Samples of one drawn line, the line of its path, and the profile of a wrinkle, one column per quantity.
#pragma once

#include <stdint.h>

namespace ruckle {

// Memory layout of CurveSample (ruckle/paths/curve.h), and the largest number of samples of a line.
struct LineSample {
    int32_t face;
    float weights[3], half_width, height;
};
inline constexpr int most_line_samples = 128;

// A WrinkleProfile (ruckle/paths/shape.h), and the table of height ratios.
struct ProfileRow {
    float width, perimeter, crest_scale;
    const float* ratios;   // η² / excess at i / per_unit, for i from 0 to steps
    float per_unit, most;  // of the table; its last cell ends after `most` / per_unit
};
inline constexpr float tabled_excess = 2.0f;  // upper limit of the table

// Segments of a path, and the points that shape_line puts along them. Arrays of points have room for two more vectors of lanes.
struct LinePoints {
    int32_t segments;      // number of segments
    const float* starts;   // (segments, 4) rest position, mesh units; width at rest over width now
    const float* vectors;  // (segments, 4) to the end; 0
    const float* lengths;  // (segments) mesh units
    const float* passed;   // (segments + 1) length before each segment; total length
    int32_t steps;
    float step;     // mesh units
    int32_t reach;  // half width of the two moving means: 0, 1 or 2; 2 reach <= steps
    ProfileRow profile;
    // results: segment of each point; point before smoothing, with the width ratio
    int32_t* at_segment;  // (steps + 1)
    float* raw;           // (steps + 1, 4)
    float* smoothed;      // scratch
    // results, as in LineOfPath
    float *points, *step_vectors, *inverse_squares, *heights;
};

// The line of a path; PathLine prepares it.
struct LineOfPath {
    const float* points;           // (steps + 1, 4) rest position and half width, mesh units
    const float* step_vectors;     // (steps, 4) from each point to the next
    const float* inverse_squares;  // (steps) 1 / squared length of the step vectors
    const float* heights;          // (steps + 1) mesh units
    int32_t steps;                 // 0: no line
};

struct MovingLine {
    // Column of sample 0. One column precedes it, and kernels write some columns past the last sample.
    static constexpr int first = 1, room = most_line_samples + 16;

    // the cloth at rest (RestCloth), mesh units
    const float* triangles;  // (T, 6, 4): gradients of the second and third barycentric weight, unit normal, three corners
    LineOfPath path;
    float approach;  // largest distance from the path times twice the height per half width; mesh units
    float bound;     // largest displacement, mesh units
    float flat;      // heights up to this are treated as 0, mesh units
    // squared distances of neighbours: remove a sample below the first, insert one above the second
    float close_square, wide_square;
    int32_t count;
    const LineSample* samples;  // (count) of the previous frame

    // Results. A `leaving` sample has not moved: the caller moves it over the surface by share times move.
    LineSample* moved;      // (count), padded to whole vectors
    float at[room][4];      // row i: rest position of sample i
    float along[room];      // position along the path's line, steps
    float pull[3][room];    // vector to the goal
    float chord[3][room];   // between the two neighbours; zero at the ends
    float move[3][room];    // tangential part of the pull
    float share[room];      // share of the move that is allowed
    int32_t beyond[room];   // -1: past an end of the path
    int32_t lost[room];     // -1: cannot follow
    int32_t leaving[room];  // -1: may leave its triangle
    int32_t any_leaving;
    // -1: follows, at a good distance from the previous sample. Undefined for the first sample and if one of the two is leaving.
    int32_t even[room];
};

struct LineKernels {
    // Moves the samples of a drawn line toward its path.
    void (*move_line)(MovingLine& line);
    // Smooths the points of a path's line and finds their heights. False if a wrinkle is beyond the table of heights.
    bool (*shape_line)(const LinePoints& line);
    // Width and height along a wrinkle, for whole blocks of most_lanes. False if a value is beyond the table.
    bool (*spread_profile)(const ProfileRow& profile, const float* along, int64_t count, float* widths, float* heights);

    static const LineKernels baseline, x86_64_v3;
};

}  // namespace ruckle
