// Arrays of face, corner and vertex normals.
#pragma once

#include <stdint.h>

namespace ruckle {

struct NormalArrays {
    const float* positions;         // (V, 3)
    const int32_t* faces;           // (T, 3)
    const int32_t* vertex_offsets;  // (V + 1)
    const int32_t* vertex_corners;  // numbers 3 f + k of the corners at vertex v: [vertex_offsets[v], vertex_offsets[v + 1])
    // results
    float* of_faces;    // (T, 4) unit, or zero where the face has collapsed; 0
    float* of_corners;  // (T, 3, 4) the same times the face's angle there; its length
    float* vertices;    // (V, 3) unit, or zero
    float* roundness;   // (V) in [0, 1]
};

struct NormalKernels {
    // Normals of the faces [begin, end) and of their corners.
    void (*weigh_normals)(const NormalArrays& arrays, int64_t begin, int64_t end);
    // Normals of the vertices [begin, end), from the corners around them.
    void (*gather_normals)(const NormalArrays& arrays, int64_t begin, int64_t end);

    static const NormalKernels baseline, x86_64_v3;
};

}  // namespace ruckle
