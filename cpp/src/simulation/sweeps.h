// Loops of the cloth simulator, compiled once per instruction set (see numeric/dispatch.h).
//
// A point is a row of four floats: x, y, z and the inverse mass, which is 0 for pinned vertices. The elements of a
// batch do not share vertices. Padding to whole blocks uses spare vertices after the last vertex, which never move. So
// sweeps do not need remainder loops, and their results do not depend on the number of lanes or threads.
#pragma once

#include <stdint.h>

namespace ruckle {

// Numbers of elements and of rows are padded to multiples of this.
inline constexpr int sweep_block = 8;

// The number of test functions of tracking is padded to a multiple of this.
inline constexpr int test_block = 32;

// Constraint |x0 - x1| = length (m), with stiffness in N/m.
struct EdgeArrays {
    const int32_t* corners[2];
    const float* length;
    const float* stiffness;
};

// Bending constraint Σ k_q x_q = curvature · normal, with a coefficient k_q for each corner of an element. compliance:
// area / bending stiffness, m/N. Corner q of element i is corners[block_starts[b] + sweep_block q + i % sweep_block],
// with b = i / sweep_block. Block b ends at block_starts[b + 1].
struct BendArrays {
    const int64_t* block_starts;
    const int32_t* corners;
    const float* coefficients;
    const float* compliance;
    const float* curvature;  // m; null: all elements are flat at rest
};

// inverse: inverse of the matrix whose columns are the first two edges of the rest triangle, row by row. mass_third: a
// third of the face's mass, kg.
struct FaceArrays {
    const int32_t* corners[3];
    const float* inverse[4];
    const float* mass_third;
};

struct AirFactors {
    float pressure;  // h ρ C_d / 4; times |v_n| (2 area) / mass it is a, and v_n changes by v_n a / (1 + a)
    float skin;      // share of the relative velocity of air and face that skin friction removes in a substep
    float wind[3];   // velocity of the air, m/s; used if the wind is uniform
};

// A rounded cone at the end of this substep, and the motion of its ends.
struct ConeStep {
    float first[3], axis[3];            // the axis is second - first
    float first_radius, radius_change;  // the change is second - first
    float inverse_square;               // 1 / |axis|², 0 for a sphere
    // shift of the closest center along the axis, in axis lengths per metre of distance from the axis
    float taper;
    float first_move[3], second_move[3];  // m, motion of both ends in this substep
    int samples;                          // number of contact samples along the motion of this substep; 1: only at its end
};

// thickness: distance that cloth keeps from a body, m.
struct ContactFactors {
    float thickness, static_friction, dynamic_friction;
    float step;     // h, duration of a substep, s
    float push;     // m: largest push per substep with speed (cones), or of old depth without speed (meshes)
    float overlap;  // m: largest depth of cloth between intersecting parts of a mesh
    float press;    // m: depth above which friction on a cone does not increase
    float layers;   // m: largest distance of cloth from the middle between two cones that are too close
};

struct SweepKernels {
    // For free vertices: v <- (v + change) keep, and x <- x + v h. Writes the resulting points of all vertices to
    // `predicted`, too.
    void (*predict)(float* points, float* velocities, float* predicted, const float* change, float keep, float step,
                    int64_t begin, int64_t end);
    // Adds the wind forces of each face to the velocities of its corners. air: rows with the wind at each vertex; null
    // for uniform wind (factors.wind).
    void (*push_by_air)(const FaceArrays& faces, const float* points, const float* air, const AirFactors& factors,
                        float* velocities, int64_t begin, int64_t end);
    // Moves the ends of each edge towards its rest length, by an implicit step of a spring. step_squared: h².
    // compression: factor on the stiffness of shortened edges.
    void (*solve_edges)(const EdgeArrays& edges, float step_squared, float compression, float* points, int64_t begin,
                        int64_t end);
    // Moves the corners of each element towards its bend at rest.
    void (*solve_bends)(const BendArrays& bends, float inverse_step_squared, float* points, int64_t begin, int64_t end);
    // Moves the corners of each face so that principal stretches beyond the limits return by `share` of the way.
    // Returns true if any stretch was beyond a limit; padding has stretch 0 and counts if `least` is above 0.
    bool (*limit_stretch)(const FaceArrays& faces, float least, float largest, float share, float* points, int64_t begin,
                          int64_t end);
    // Pushes free vertices out of the cones, with friction. Moves points, and moves `predicted` by the part of a push
    // that must not change velocities.
    void (*push_out_of_cones)(const ConeStep* cones, int cone_count, const ContactFactors& factors, const float* velocities,
                              float* points, float* predicted, int64_t begin, int64_t end);
    // Writes sums (3, test_count): products of the tests (V, test_count) and the coordinates, summed over the points
    // [begin, end).
    void (*sum_moments)(const float* tests, int test_count, const float* points, int64_t begin, int64_t end, float* sums);
    // x <- x + w Σ tests · coefficients; w: inverse mass; coefficients: (3, test_count).
    void (*move_by_tests)(const float* tests, int test_count, const float* coefficients, float* points, int64_t begin,
                          int64_t end);
    // v <- v + (x - predicted) / h
    void (*correct_velocities)(const float* points, const float* predicted, float inverse_step, float* velocities, int64_t begin,
                               int64_t end);

    static const SweepKernels baseline, x86_64_v3;
};

}  // namespace ruckle
