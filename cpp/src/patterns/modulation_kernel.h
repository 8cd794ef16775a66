// Inputs and outputs of the modulation kernels.
//
// Each triangle has a row of eight numbers ("demands") that its vertices read: wanted and offered (modulation.h), flat
// area, rest area, then (weight of each pattern) × (rest area). Each vertex has rows of four numbers: one number per
// pattern, then zeros. Areas are doubled.
#pragma once

#include <stdint.h>

namespace ruckle {

// Constants of triangles are stored in blocks of eight triangles, with one row per quantity. So the kernel reads one
// stream of memory instead of one stream per quantity. For K patterns, the rows are
//     E0 / (2 D0), F0 / D0, G0 / (2 D0)  give half the trace of adj(M0) M / D0, with M0 of the rest shape or of the
//                                        moving reference
//     1 / D0                             0 if the triangle has collapsed
//     √D0                                twice the area of the reference, mesh units²
//     areas                              twice the rest area, the weight at vertices; mesh units²
//     1 / q0, K times                    q0: q (moments.h) of each pattern for the reference
//     presences, K times                 presence of each pattern, in [0, 1] (modulation.h)
//     moments, 3 per pair                means of p1 p1', (p1 p2' + p2 p1') / 2, p2 p2'
static constexpr int block_triangles = 8;

static constexpr int block_rows(int pattern_count) {
    return 6 + 2 * pattern_count + 3 * (pattern_count * (pattern_count + 1) / 2);
}

// Input and output of measure_reference, which writes the rows that depend on the reference into the blocks. The caller
// has already filled in areas and moments.
struct ReferenceTriangles {
    int pattern_count;
    const float* grams;      // (T, 3) first fundamental form E, F, G of each reference triangle, mesh units²
    float least_squares[4];  // for each pattern, the mean squared slope at which its presence is 1/2
    float* blocks;           // (ceil(T / block_triangles), block_rows, block_triangles)
};

struct TargetNumbers {
    float square_slope;  // square of the option rest_slope
    float square_share;  // square of 1 - slack
    bool conserve_length;
};

// Input and output of modulate. An output whose pointer is null is not computed. A given_ input whose pointer is null
// is computed by the kernel.
struct ModulatedTriangles {
    int pattern_count;
    int64_t face_count;
    const float* blocks;   // (ceil(T / block_triangles), block_rows, block_triangles)
    const float* current;  // (T, 3) first fundamental form E, F, G of each triangle, mesh units²
    const float* bend;     // (2) c and d (Moments::bend)
    float sharpness;
    TargetNumbers target;
    const float* given_weights;  // (K, T) weights of the patterns
    const float* given_target;   // (T) twice the wanted area, mesh units²
    const float* given_excess;   // (T) z of each triangle, which replaces the closed form
    const float* remaining;      // (T) (flat area) / (area with the heights of other layers)
    float* weights;              // (K, T) weights of the patterns
    float* targets;              // (T) twice the wanted area, mesh units²
    float* demands;              // (T, 8) demands of each triangle
    float* energies;             // output for ReachedTriangles::energies; null if there are no corrections
};

// Input and output of `reached`, which computes the area of each triangle with its factors. Energies are stored in
// blocks of eight triangles, with the rows
//     (q of a pair) / (flat area)²    one row per pair; includes the weights of means over a triangle (see reached_all)
//     twice the flat area             0 if the triangle has no effect on its vertices
//     twice the target area
static constexpr int energy_rows(int pattern_count) {
    return pattern_count * (pattern_count + 1) / 2 + 2;
}

struct ReachedTriangles {
    int pattern_count;
    const float* energies;  // (ceil(T / block_triangles), energy_rows, block_triangles)
    const float* bend;      // (2) c and d (Moments::bend)
    const int32_t* faces;   // (T, 3) vertices of each triangle
    const float* factors;   // (V, 4) factors of the patterns
    // (T, 2) missing area, and derivative of the area with respect to ln(squared factors); both divided by the sum of
    // squared factors
    float* reached;
};

// Input and output per vertex, with the triangles around each vertex.
struct ModulatedVertices {
    const int32_t* offsets;  // (V + 1) triangles of vertex v: faces[offsets[v] .. offsets[v + 1])
    const int32_t* faces;
    const float* demands;  // (T, 8) demands of each triangle
    const float* largest;  // (V, 4) upper bounds of the factors if a pattern has weight 1
    float* weights;        // (V, 4) mean weights of the patterns
    float* limits;         // (V, 4) upper bounds of the factors with these weights
    float* factors;        // (V, 4) factors of the patterns
};

// Input and output of follow_factors, the filter in time.
struct FollowedVertices {
    const float* wanted;   // (V, 4) wanted factors
    const float* weights;  // (V, 4) weights of the patterns
    const float* limits;   // (V, 4) upper bounds of the factors
    const float* highest;  // (V, 4) largest height of each pattern around the vertex; mesh units
    const float* paint;    // (V) number in [0, 1] by which the limited factors of a vertex are multiplied
    float scale, bias;     // wanted factors are multiplied by scale, then weight × bias is added
    float share;           // share of the difference by which factors change in this step
    float most_rise;       // largest change of height in this step, mesh units
    float* factors;        // (V, 4) factors of the last step; updated
    int64_t* limited;      // incremented by the number of vertices with a wanted factor at its limit or above
    int64_t* hurried;      // incremented by the number of vertices whose change was clamped to most_rise
};

struct ModulationKernels {
    // Computes the first fundamental forms E, F, G (T, 3) of the triangles [begin, end) from positions (V, 3).
    void (*gram)(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* grams);
    // Writes the rows that depend on the reference, from its first fundamental forms.
    void (*measure_reference)(const ReferenceTriangles& triangles, int64_t begin, int64_t end);
    // Computes weights, wanted areas, demands and energies of each triangle, as far as their pointers are not null.
    void (*modulate)(const ModulatedTriangles& triangles, int64_t begin, int64_t end);
    // Computes the missing area of each triangle with the given factors, and the derivative of the area.
    void (*reached)(const ReachedTriangles& triangles, int64_t begin, int64_t end);
    // Computes weights, limits and factors of the vertices [begin, end) from the demands of the triangles around them:
    // factor = weight · √(Σ wanted / (Σ offered + least_slope² Σ flat area)), at most the limit; 0 if Σ wanted < 0.
    void (*gather_factors)(const ModulatedVertices& vertices, int64_t begin, int64_t end);
    // Multiplies the factors of each vertex by one number from a step of Newton's method with the results of `reached`,
    // clamped to [least_correction, most_correction]. Factors remain within their limits.
    void (*correct_factors)(const ModulatedVertices& vertices, const float* reached, int64_t begin, int64_t end);
    // Moves the factors toward the wanted factors for one frame, within the limits, and increases the two counts.
    void (*follow_factors)(const FollowedVertices& vertices, int64_t begin, int64_t end);

    static const ModulationKernels baseline, x86_64_v3;
};

}  // namespace ruckle
