// The loops of the cloth simulator, compiled once per instruction set (see numeric/dispatch.h).
//
// A point is four floats: x, y, z and the inverse mass, which is 0 if the vertex is not free. A batch holds elements that share no
// vertex. Padding to whole blocks uses elements of spare vertices behind the last one, which never move. A sweep then needs no
// tail, and its result depends neither on the number of lanes nor on the number of threads.
#pragma once

#include <stdint.h>

namespace ruckle {

// Elements per block, and rows of points, are multiples of this.
inline constexpr int sweep_block = 8;

// Test functions of tracking come in multiples of this.
inline constexpr int test_block = 32;

// |x0 - x1| = length, with stiffness in N/m.
struct EdgeArrays {
    const int32_t* corners[2];
    const float* length;
    const float* stiffness;
};

// Σ k_q x_q = curvature · normal, of a vertex and its ring; compliance: area / bending stiffness, m/N. Corner q of element i is
// corners[block_starts[b] + sweep_block q + i % sweep_block] in the block b = i / sweep_block. It ends at the next start.
struct BendArrays {
    const int64_t* block_starts;
    const int32_t* corners;
    const float* coefficients;
    const float* compliance;
    const float* curvature;  // null: flat at rest
};

// The inverse of the rest triangle's edge matrix, row by row, and a third of its mass.
struct FaceArrays {
    const int32_t* corners[3];
    const float* inverse[4];
    const float* mass_third;
};

struct AirFactors {
    float pressure;  // h ρ C_d / 4: speed gained is pressure |v_n| v_n · 2 area / mass
    float skin;      // share of the relative velocity that skin friction takes away
    float wind[3];   // used if the wind is uniform
};

// A rounded cone in this substep: its position, and how far its ends have moved.
struct ConeStep {
    float first[3], axis[3];              // the axis is second - first
    float first_radius, radius_change;    // the change is second - first
    float inverse_square;                 // 1 / |axis|², 0 for a sphere
    float taper;                          // axial offset of the closest center per distance from the axis, in axis lengths
    float first_move[3], second_move[3];  // m, in this substep
    int samples;                          // contact samples along the motion of this substep; 1: only at its end
};

struct ContactFactors {
    float thickness, static_friction, dynamic_friction;
    float step;     // h
    float push;     // m: a cone gives no speed to cloth deeper than this, and a mesh pushes it out in steps of this
    float overlap;  // m: largest depth of cloth between intersecting parts of a mesh
    float press;    // m: friction on a cone does not grow beyond this depth
    float layers;   // m: largest distance of cloth from the middle between two cones without room for it
};

struct SweepKernels {
    // v <- (v + change) keep and x <- x + v h at free vertices; predicted keeps the result.
    void (*predict)(float* points, float* velocities, float* predicted, const float* change, float keep, float step,
                    int64_t begin, int64_t end);
    // air: rows with the wind at each vertex; null if it is uniform.
    void (*push_by_air)(const FaceArrays& faces, const float* points, const float* air, const AirFactors& factors,
                        float* velocities, int64_t begin, int64_t end);
    void (*solve_edges)(const EdgeArrays& edges, float step_squared, float compression, float* points, int64_t begin,
                        int64_t end);
    void (*solve_bends)(const BendArrays& bends, float inverse_step_squared, float* points, int64_t begin, int64_t end);
    // Moves principal stretches beyond the limits by a share of the way back. Returns true if any exceeded a limit.
    bool (*limit_stretch)(const FaceArrays& faces, float least, float largest, float share, float* points, int64_t begin,
                          int64_t end);
    void (*push_out_of_cones)(const ConeStep* cones, int cone_count, const ContactFactors& factors, const float* velocities,
                              float* points, float* predicted, int64_t begin, int64_t end);
    // sums (3, test_count) of tests (V, test_count) times the coordinates of the points [begin, end).
    void (*sum_moments)(const float* tests, int test_count, const float* points, int64_t begin, int64_t end, float* sums);
    // x <- x + w Σ tests coefficients, of (3, test_count) coefficients.
    void (*move_by_tests)(const float* tests, int test_count, const float* coefficients, float* points, int64_t begin,
                          int64_t end);
    // v <- v + (x - predicted) / h
    void (*correct_velocities)(const float* points, const float* predicted, float inverse_step, float* velocities, int64_t begin,
                               int64_t end);

    static const SweepKernels baseline, x86_64_v3;
};

}  // namespace ruckle
