// Normals of faces, corners and vertices: what the kernels that find them work on. Plain memory, as all that kernels share (see
// numeric/lanes.h).
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

}  // namespace ruckle
