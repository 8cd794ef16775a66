// Kernels that move a drawn line toward its path, and compute the smoothed line of a path and the profile of a wrinkle.
#pragma once

#include <stdint.h>

namespace ruckle {

// Sample of a drawn line. Has the memory layout of CurveSample (ruckle/paths/curve.h).
struct LineSample {
    int32_t face;
    float weights[3], half_width, height;
};
// largest number of samples of a line
inline constexpr int most_line_samples = 128;

// Members of a WrinkleProfile (ruckle/paths/shape.h), and the table of height ratios η = height / half width of the
// cross-section.
struct ProfileRow {
    float width, perimeter, crest_scale;
    // entry i is η² / excess for the excess i / per_unit, with excess = (length of the cross-section) / width - 1
    const float* ratios;
    // number of table entries per unit of excess; largest position at which the table is read, slightly below the index
    // of its last entry
    float per_unit, most;
};
inline constexpr float tabled_excess = 2.0f;  // largest excess in the table

// Segments of a path, and points at equal steps along them. Arrays of points are padded by two SIMD vectors.
struct LinePoints {
    int32_t segments;  // number of segments of the path
    // (segments, 4) rest position of the start of each segment, mesh units; then (width at rest) / (current width)
    const float* starts;
    const float* vectors;  // (segments, 4) vector from the start to the end of each segment, mesh units; then 0
    const float* lengths;  // (segments) length of each segment at rest, mesh units
    // (segments + 1) length of the path before each segment, mesh units; the last entry is the total length
    const float* passed;
    int32_t steps;
    float step;  // distance between two points along the path, mesh units
    // number of points on each side that the moving mean includes: 0, 1 or 2; 2 reach <= steps. The mean is applied
    // twice
    int32_t reach;
    ProfileRow profile;
    // results; the fourth number of `raw` is (width at rest) / (current width)
    int32_t* at_segment;  // (steps + 1) index of the path segment that contains each point
    float* raw;           // (steps + 1, 4) points before smoothing
    float* smoothed;      // scratch memory of the same size as raw
    // results: the arrays of LineOfPath
    float *points, *step_vectors, *inverse_squares, *heights;
};

// The smoothed line of a path, prepared by PathLine. Drawn lines move toward it.
struct LineOfPath {
    const float* points;        // (steps + 1, 4) rest position and half width of each point, mesh units
    const float* step_vectors;  // (steps, 4) differences between consecutive points, of rest position and half width
    // (steps) 1 / squared length of each step vector (three numbers); 0 if the length is 0
    const float* inverse_squares;
    const float* heights;  // (steps + 1) height at each point, mesh units
    int32_t steps;         // number of steps; 0: no line
};

struct MovingLine {
    // Index of sample 0 in the arrays below (0 in `at`). One entry precedes it, and kernels also write some entries
    // after the last sample.
    static constexpr int first = 1, room = most_line_samples + 16;

    // (T, 6, 4) the cloth at rest (RestCloth): gradients of the second and third barycentric weight, unit normal, three
    // corners; mesh units
    const float* triangles;
    LineOfPath path;
    // a sample can follow if (distance from its goal) × steepest_side × height / half_width is at most this limit, mesh
    // units. The height is the larger of those of sample and goal, at least `flat`; the half width is that of the goal
    float approach;
    float bound;  // largest change of the surface by one sample per frame, mesh units
    float flat;   // largest height that is treated as 0, mesh units
    // squared distances of neighbours: a sample is removed below close_square, or inserted above wide_square
    float close_square, wide_square;
    int32_t count;
    const LineSample* samples;  // (count) samples of the previous frame

    // Results. A `leaving` sample has not moved yet: the caller moves it over the surface by share × move.
    LineSample* moved;  // (count) moved samples, padded to whole vectors
    float at[room][4];  // row i: rest position of sample i
    float along[room];  // position of the closest point on the path's line, in steps from its start
    // vector from the sample to its goal, plus a pull toward the midpoint of its neighbours; mesh units
    float pull[3][room];
    float chord[3][room];   // vector from the previous to the next sample; zero at the ends
    float move[3][room];    // part of the pull in the triangle's plane and perpendicular to the line
    float share[room];      // share of the move in this frame, in (0, 1], limited by `bound`
    int32_t beyond[room];   // -1: the sample is past an end of the path
    int32_t lost[room];     // -1: the sample cannot reach the path
    int32_t leaving[room];  // -1: the sample may leave its triangle
    // nonzero if any sample is `leaving`
    int32_t any_leaving;
    // -1: the sample is not lost, is not `leaving` (nor is the previous sample), and its squared distance from the
    // previous sample is between close_square and wide_square. Undefined for the first sample.
    int32_t even[room];
};

struct LineKernels {
    // Moves the samples of a drawn line toward its path, except `leaving` samples, and writes all results. Does nothing
    // for a line without samples.
    void (*move_line)(MovingLine& line);
    // Places and smooths the points of a path's line, and computes all results. Returns false if some cross-section is
    // longer than the table of height ratios covers (excess >= tabled_excess). Its height is then 0: the caller must
    // compute all heights again with WrinkleProfile::at. The other results are valid.
    bool (*shape_line)(const LinePoints& line);
    // Computes widths and heights at `count` positions along a wrinkle, whose ends are 0 and 1. count is a multiple of
    // most_lanes. Returns false if some cross-section is longer than the table of height ratios covers. Its height is
    // then 0; all widths are valid.
    bool (*spread_profile)(const ProfileRow& profile, const float* along, int64_t count, float* widths, float* heights);

    static const LineKernels baseline, x86_64_v3;
};

}  // namespace ruckle
