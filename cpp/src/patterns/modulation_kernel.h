// Inputs and outputs of the modulation kernels.
//
// Each triangle has a row of eight numbers ("demands") that its vertices read: wanted, offered, flat and rest area,
// then (weight of each pattern) × (rest area). Each vertex has rows of four numbers: one number per pattern, then
// zeros.
#pragma once

#include <stdint.h>

namespace ruckle {

// Constants of triangles, in blocks of eight triangles with one row per quantity. So the kernel reads one stream of
// memory instead of one stream per quantity. The rows are
//     E0 / 2 D0, F0 / D0, G0 / 2 D0   give half the trace of adj(M0) M / D0, with M0 of the rest shape or of the moving reference
//     1 / D0                          0 if the triangle has collapsed
//     √D0
//     areas                           twice the rest area, the weight at vertices; mesh units²
//     1 / q0, K times                 energy of each pattern at the reference
//     presences, K times
//     moments, 3 per pair             means of p1 p1', (p1 p2' + p2 p1') / 2, p2 p2'
static constexpr int block_triangles = 8;

static constexpr int block_rows(int pattern_count) {
    return 6 + 2 * pattern_count + 3 * (pattern_count * (pattern_count + 1) / 2);
}

// Input of measure_reference, which writes the reference into blocks. The blocks already contain areas and moments.
struct ReferenceTriangles {
    int pattern_count;
    const float* grams;      // (T, 3)
    float least_squares[4];  // per pattern: mean squared slope at which its presence is 1/2
    float* blocks;           // (ceil(T / block_triangles), block_rows, block_triangles)
};

struct TargetNumbers {
    float square_slope;  // rest_slope²
    float square_share;  // (1 - slack)²
    bool conserve_length;
};

// Input and output of modulate. A null output is not computed; a null input is computed by the kernel.
struct ModulatedTriangles {
    int pattern_count;
    int64_t face_count;
    const float* blocks;   // (ceil(T / block_triangles), block_rows, block_triangles)
    const float* current;  // (T, 3)
    const float* bend;     // (2)
    float sharpness;
    TargetNumbers target;
    const float* given_weights;  // (K, T)
    const float* given_target;   // (T)
    const float* given_excess;   // (T) z that replaces the closed form
    const float* remaining;      // (T) (flat area) / (area with the heights of other layers)
    float* weights;              // (K, T)
    float* targets;              // (T)
    float* demands;              // (T, 8)
    float* energies;             // input of ReachedTriangles; null without corrections
};

// Input and output of `reached`, which computes the area of each triangle with its factors. Energies are in blocks as
// above, with the rows
//     (q of a pair) / (flat area)²    one row per pair; includes the weights of means over a triangle (see reached_all)
//     twice the flat area             0 if the triangle is ignored
//     twice the target area
static constexpr int energy_rows(int pattern_count) {
    return pattern_count * (pattern_count + 1) / 2 + 2;
}

struct ReachedTriangles {
    int pattern_count;
    const float* energies;  // (ceil(T / block_triangles), energy_rows, block_triangles)
    const float* bend;      // (2)
    const int32_t* faces;   // (T, 3)
    const float* factors;   // (V, 4)
    float* reached;         // (T, 2) missing area, and d area / d ln(squared factors); both divided by squared factors
};

// Input and output per vertex, with the triangles around each vertex.
struct ModulatedVertices {
    const int32_t* offsets;  // (V + 1)
    const int32_t* faces;
    const float* demands;  // (T, 8)
    const float* largest;  // (V, 4) upper bounds of the factors at weight 1
    float* weights;        // (V, 4) weights of the patterns
    float* limits;         // (V, 4) upper bounds of the factors at these weights
    float* factors;        // (V, 4)
};

// Input and output of the filter in time.
struct FollowedVertices {
    const float* wanted;   // (V, 4)
    const float* weights;  // (V, 4)
    const float* limits;   // (V, 4)
    const float* highest;  // (V, 4) largest height of each pattern around the vertex; mesh units
    const float* paint;    // (V)
    float scale, bias;     // wanted factors are multiplied by scale, then weight × bias is added
    float share;           // share of the difference by which factors change in this step
    float most_rise;       // largest change of height in this step, mesh units
    float* factors;        // (V, 4) changed
    int64_t* limited;      // incremented by the number of vertices with a factor at its limit
    int64_t* hurried;      // incremented by the number of vertices whose change was clamped to most_rise
};

struct ModulationKernels {
    // Computes the first fundamental forms E, F, G (T, 3) from the edges at vertex 0 of each triangle.
    void (*gram)(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* grams);
    // Fills the blocks of each triangle from the first fundamental form of its reference.
    void (*measure_reference)(const ReferenceTriangles& triangles, int64_t begin, int64_t end);
    // Computes weights, wanted areas and demands of each triangle.
    void (*modulate)(const ModulatedTriangles& triangles, int64_t begin, int64_t end);
    // Computes the missing area of each triangle with the given factors, and the derivative of the area.
    void (*reached)(const ReachedTriangles& triangles, int64_t begin, int64_t end);
    // Computes the factors of the vertices [begin, end) from the triangles around them.
    void (*gather_factors)(const ModulatedVertices& vertices, int64_t begin, int64_t end);
    // Corrects the factors by the missing area.
    void (*correct_factors)(const ModulatedVertices& vertices, const float* reached, int64_t begin, int64_t end);
    // Moves the factors toward the wanted factors, for one frame.
    void (*follow_factors)(const FollowedVertices& vertices, int64_t begin, int64_t end);

    static const ModulationKernels baseline, x86_64_v3;
};

}  // namespace ruckle
