// Computes carriers: matrices per face and per vertex that convert gradients on the cloth at rest to gradients on the
// current cloth.
#pragma once

#include <stdint.h>

namespace ruckle {

// A triangle at rest: its edges from the first corner, its unit normal, and twice its area.
struct RestingTriangle {
    float first[3], area;
    float second[3], unused;
    float normal[3], unused_too;
};

// A 3 × 3 matrix. Each row has a fourth number: the weight of the matrix in a mean (first row), or padding (other
// rows).
struct Carrier {
    float rows[3][4];
};

struct CarrierArrays {
    const float* positions;          // (V, 3) current positions, mesh units
    const int32_t* faces;            // (T, 3) vertices of each face
    const RestingTriangle* resting;  // (T) triangles at rest
    const int32_t* listed_faces;     // indices of all faces around the listed vertices
    // indices of the vertices for which carriers are computed
    const int32_t* listed_vertices;
    const int32_t* vertex_offsets;  // (V + 1) offsets into vertex_faces
    const int32_t* vertex_faces;    // faces of vertex v: vertex_faces[vertex_offsets[v] .. vertex_offsets[v + 1])
    // Result: (T) carriers of the listed faces, multiplied by twice the current area of the face. This factor is also
    // the fourth number of the first row. All numbers are 0 for faces that have collapsed, now or at rest.
    Carrier* of_faces;
    Carrier* of_vertices;  // result: (V) carriers of the listed vertices; other entries do not change
};

struct CarrierKernels {
    // Computes the carriers (gradient matrices) of the listed faces [begin, end).
    void (*carry_faces)(const CarrierArrays& arrays, int64_t begin, int64_t end);
    // Computes the carriers (gradient matrices) of the listed vertices [begin, end) as the area-weighted mean over the
    // faces around each vertex; 0 if all these faces have collapsed.
    void (*gather_carriers)(const CarrierArrays& arrays, int64_t begin, int64_t end);

    static const CarrierKernels baseline, x86_64_v3;
};

}  // namespace ruckle
