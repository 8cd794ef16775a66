// Kernels that compute face, corner and vertex normals, and their arrays.
#pragma once

#include <stdint.h>

namespace ruckle {

struct NormalArrays {
    const float* positions;  // (V, 3) positions
    const int32_t* faces;    // (T, 3) vertices of each face
    // (V + 1) index in vertex_corners of the first corner of each vertex, then the number of corners
    const int32_t* vertex_offsets;
    // (3 T) numbers 3 f + k of the corners around all vertices; those of vertex v begin at vertex_offsets[v]
    const int32_t* vertex_corners;
    // results
    float* of_faces;    // (T, 4) unit normal, or zero for a degenerate face; fourth number 0
    float* of_corners;  // (T, 3, 4) face normal times the face's angle at the corner; fourth number: length of this vector
    float* vertices;    // (V, 3) unit vertex normals, or zero
    float* roundness;   // (V) in [0, 1], smoothness of the cloth at the vertex; 0 without faces
};

struct NormalKernels {
    // Writes of_faces and of_corners for the faces [begin, end).
    void (*weigh_normals)(const NormalArrays& arrays, int64_t begin, int64_t end);
    // Writes vertices and roundness for the vertices [begin, end), from the corners around them.
    void (*gather_normals)(const NormalArrays& arrays, int64_t begin, int64_t end);

    static const NormalKernels baseline, x86_64_v3;
};

}  // namespace ruckle
