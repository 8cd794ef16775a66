// Samples of one drawn line, the line of its path, and the profile of a wrinkle, one column per quantity.
#pragma once

#include <stdint.h>

namespace ruckle {

// A CurveSample (ruckle/paths/curve.h), as it lies in memory; and as many as a line may have.
struct LineSample {
    int32_t face;
    float weights[3], half_width, height;
};
inline constexpr int most_line_samples = 128;

// A wrinkle's profile (ruckle/paths/shape.h), and the table of heights for excess lengths.
struct ProfileRow {
    float width, perimeter, crest_scale;
    const float* ratios;   // η² / excess at i / per_unit, for i from 0 to steps
    float per_unit, most;  // of the table: its last cell ends beyond `most` / per_unit
};
inline constexpr float tabled_excess = 2.0f;  // below which the table answers

// The line of a path in the making: its segments, and the points that are put down along them. Points and what belongs to them have
// room for two blocks of lanes more.
struct LinePoints {
    int32_t segments;      // their number
    const float* starts;   // (segments, 4) at rest, mesh units, and how much wider a wrinkle is there at rest
    const float* vectors;  // (segments, 4) to their ends, and 0
    const float* lengths;  // (segments) mesh units
    const float* passed;   // (segments + 1) the sums of the lengths before each, and of all
    int32_t steps;
    float step;     // mesh units
    int32_t reach;  // points to either side over which each of two rounds takes means: 0, 1 or 2; 2 reach <= steps
    ProfileRow profile;
    // results: of each point the segment, and where it lies there, with how much wider a wrinkle is
    int32_t* at_segment;  // (steps + 1)
    float* raw;           // (steps + 1, 4)
    float* smoothed;      // scratch
    // and as LineOfPath tells them
    float *points, *ways, *inverse_squares, *heights;
};

// The line of a path, as PathLine has prepared it.
struct LineOfPath {
    const float* points;           // (steps + 1, 4) at rest, and the half widths there; mesh units
    const float* ways;             // (steps, 4) from each to the next
    const float* inverse_squares;  // (steps) of the ways' lengths
    const float* heights;          // (steps + 1) mesh units
    int32_t steps;                 // 0: there is nothing to follow
};

struct MovingLine {
    // Number of sample 0 in the columns below: one stands before it, and some behind the last are written, too.
    static constexpr int first = 1, room = most_line_samples + 16;

    // the cloth at rest, as RestCloth has prepared it, mesh units
    const float* triangles;  // (T, 6, 4): gradients of the weights of the second and third corner, unit normal; the three corners
    LineOfPath path;
    float approach;  // how far off its path a line may be, times twice its height, per half width; mesh units
    float bound;     // of any change, mesh units
    float flat;      // heights up to this count as none, mesh units
    // squares of distances: below the first two samples are too close, above the second another goes between
    float close_square, wide_square;
    int32_t count;
    const LineSample* samples;  // (count) where they were

    // Results. Samples that are `leaving` have kept their place: they go on from triangle to triangle, by share times move.
    LineSample* moved;      // (count), in room for whole lanes
    float at[room][4];      // of sample i in row i: its place at rest
    float along[room];      // steps from the beginning of the path's line
    float pull[3][room];    // to the goal, through the air
    float chord[3][room];   // between the neighbours; zero at the ends
    float move[3][room];    // what of the pull lies within the cloth
    float share[room];      // of the way that it may go
    int32_t beyond[room];   // -1: beyond an end of the path
    int32_t lost[room];     // -1: it cannot follow
    int32_t leaving[room];  // -1: it may leave its triangle
    int32_t any_leaving;
    // -1: it can follow, neither too close to the one before nor too far from it. Not of the first, nor where one of them is leaving.
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
