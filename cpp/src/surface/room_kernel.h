// Kernels that compare points of cloth with faces of other layers.
#pragma once

#include <stdint.h>

namespace ruckle {

// Eight faces, one per column. Empty columns of a cluster's last block contain degenerate faces.
struct RoomBlock {
    static constexpr int width = 8;
    int32_t corners[3][width];
    int32_t layers[width];
    // planes of the faces in this frame: x·normal = offset; the offset is infinite for degenerate faces
    float normals[3][width], offsets[width];
    // planes perpendicular to the face, with outward normals: three through its sides, then three through its corners
    float rim_normals[6][3][width], rim_offsets[6][width];
    // results: crowding along the face normal, and against it
    float outside[width], inside[width];
};

// A vertex, or the midpoint of a boundary edge.
struct RoomPoint {
    float position[4], normal[4];
    int32_t layer;
    float outside, inside;  // results: crowding along the normal, and against it
};

// Parameters of a frame, from the largest heights.
struct RoomLimits {
    // mesh units; points nearer to a face's plane, such as those of a lining, are ignored
    float least_gap;
    float reach;                      // mesh units; points at a larger distance from a face's plane are not crowded
    float widest;                     // mesh units; the allowed lateral distance grows with the gap up to this gap
    float free_outside, free_inside;  // subtracted terms 5 / (8 H) of the crowding; infinite without heights
    float share, by_agreement;        // share s of a gap for one layer: share + by_agreement * (cosine between the normals)
};

struct RoomBox {
    const float *low, *high;  // (4) corners of the box
};

struct RoomKernels {
    // Writes the planes of the faces, and sets their crowding to 0. positions: (V, 4).
    void (*measure)(const float* positions, RoomBlock* blocks, int64_t count);
    // Raises the crowding (outside, inside) of points and faces by all pairs of a point and a face of different layers.
    // Skips points outside the box.
    void (*meet)(const RoomLimits& limits, const RoomBox& box, RoomPoint* points, int64_t point_count, RoomBlock* blocks,
                 int64_t block_count);

    static const RoomKernels baseline, x86_64_v3;
};

}  // namespace ruckle
