// Points of cloth against faces of other layers.
#pragma once

#include <stdint.h>

namespace ruckle {

// Eight faces, one per column. The last block of a cluster is filled up with faces that have collapsed.
struct RoomBlock {
    static constexpr int width = 8;
    int32_t corners[3][width];
    int32_t layers[width];
    // of a frame: plane x·normal = offset, with an infinite offset for a collapsed face
    float normals[3][width], offsets[width];
    // the same of planes across it, whose normals point away from it: three through its sides, three through its corners
    float rim_normals[6][3][width], rim_offsets[6][width];
    // results: crowding along the normal and against it
    float outside[width], inside[width];
};

// A vertex, or a point on an open edge.
struct RoomPoint {
    float position[4], normal[4];
    int32_t layer;
    float outside, inside;  // results
};

// Limits of a frame.
struct RoomLimits {
    float least_gap;                  // from a face; below it layers are one, such as a lining
    float reach;                      // distance from a face beyond which no point is crowded
    float widest;                     // distance beside a face, likewise
    float free_outside, free_inside;  // what the largest heights subtract; infinite without heights
    float share, by_agreement;        // share of a gap for the heights of one layer: share + agreement of normals * by_agreement
};

struct RoomBox {
    const float *low, *high;  // (4)
};

struct RoomKernels {
    // Planes of the faces of these blocks; crowding 0. positions: (V, 4).
    void (*measure)(const float* positions, RoomBlock* blocks, int64_t count);
    // Raises the crowding of points and faces by all pairs of different layers, of which the points are in this box.
    void (*meet)(const RoomLimits& limits, const RoomBox& box, RoomPoint* points, int64_t point_count, RoomBlock* blocks,
                 int64_t block_count);

    static const RoomKernels baseline, x86_64_v3;
};

}  // namespace ruckle
