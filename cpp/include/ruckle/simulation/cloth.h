// cloth: the cloth simulator. It uses extended position-based dynamics with small steps (Macklin et al. 2019): each
// frame is divided into substeps, and each substep solves every constraint once.
//
// Order of a substep: air and gravity, prediction, edges, bends, attachments, self-contact, strain limits, tracking of
// a coarse simulation (track below), bodies, tracking again around vertices that bodies moved, velocities. If layers
// are kept apart (ClothOptions::self_distance > 0), vertices that have crossed another layer are rolled back at
// intervals. Edges can be softer in compression (Kavan et al. 2011, section 6): coarse cloth cannot buckle between its
// vertices, so its edges shorten instead.
//
// Guarantees: step does not allocate and never throws. A rejected frame does not change the state. Equal inputs give
// identical bits on any number of threads and any instruction set. Units are SI. Numbers are float32, relative to an
// origin near the cloth, so that precision does not depend on the position of the cloth.
//
// Example:
//     ruckle::ClothSimulation cloth(rest, faces, attachment);
//     for (int frame = 0; frame < 60; ++frame) {
//         cloth.step({.dt = 1.0f / 60.0f, .pins = rest});
//     }
//     cloth.positions(simulated);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/simulation/body.h"
#include "ruckle/simulation/parameters.h"
#include "ruckle/types.h"

namespace ruckle {

enum class ClothStatus {
    done,
    wrong_count,  // the size of an input does not match the cloth, the bodies or the test functions
    not_finite,   // an input is NaN or infinite
    wrong_time,   // dt is not finite or less than 1e-9 s, or extra_damping is negative
    exploded,     // the result is not finite, or an edge is longer than three times its rest length
};

// Inputs of one frame. Pins, cones and the body mesh move linearly from their positions in the last frame.
struct ClothInputs {
    float dt = 1.0f / 60.0f;  // s, >= 1e-9: duration of the frame
    // (V) m: pins (target positions of attached vertices) at the end of the frame; other rows are not read. Empty: the
    // pins do not move
    std::span<const Vector3> pins;
    std::span<const Vector3> wind;       // (1) or (V) m/s: air velocity, uniform or at each vertex; empty: still air
    std::span<const RoundedCone> cones;  // (C) at the end of the frame; C is constant over all frames
    std::span<const Vector3> body;       // (B) m: vertices of the body mesh at the end of the frame; empty without a body mesh
    // (substeps, R, 3) m²: target of each tracked moment (see track) after each substep: the moment T B p of the coarse
    // cloth, with B the map from coarse positions p to fine positions
    std::span<const double> targets;
    float extra_damping = 0.0f;  // 1/s, >= 0: added to the damping of the material, so that cloth comes to rest sooner
};

struct ClothStats {
    float largest_speed = 0.0f;         // m/s, of the fastest free vertex at the end of the frame
    float settled_share = 0.0f;         // share of free vertices slower than 1 mm/s; 1 without free vertices
    float largest_edge_stretch = 1.0f;  // largest ratio of length to rest length of an edge
    // m: error of the tracked moments, directly after tracking in the last substep, and at the end of the frame after
    // contact with bodies
    float tracking_residual = 0.0f;
    float contact_residual = 0.0f;
    int self_pair_count = 0;     // vertex-face pairs found by the last search for self-contacts
    int dropped_pair_count = 0;  // pairs that the last search dropped because the list was full
    int crossing_count = 0;      // pairs of an edge and a face that still intersect, if layers are kept apart
    int refused_vertex = -1;     // vertex at which the frame was rejected; -1: none
};

// Energies in joules. The gravitational energy is zero at the origin of coordinates.
struct ClothEnergy {
    double kinetic = 0.0;
    double gravity = 0.0;
    double stretch = 0.0;
    double bending = 0.0;
    double total() const { return kinetic + gravity + stretch + bending; }
};

class ClothSimulation {
  public:
    // rest        (V) m: the cloth at rest, flat or worn; also the initial positions
    // faces       (T) vertex indices in [0, V)
    // attachment  (V) in [0, 1]. 1: the vertex follows its pin exactly; 0: the vertex is free; between: a spring pulls
    //             the vertex to its pin. Empty: all vertices are free
    // Throws MeshError or std::invalid_argument with one sentence if the mesh or an option is invalid.
    ClothSimulation(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
                    const ClothOptions& options = {});
    ~ClothSimulation();
    ClothSimulation(ClothSimulation&&) noexcept;
    ClothSimulation& operator=(ClothSimulation&&) noexcept;

    // Adds a moving triangle mesh that pushes the cloth out. Call it once. Throws MeshError if the faces are not a
    // manifold mesh.
    void collide_with(std::span<const Face> body_faces, int body_vertex_count);

    // Makes the cloth track a coarse simulation: the moment Σ_v T_rv p_v of each test function r equals its target in
    // ClothInputs. Throws std::invalid_argument if the test functions are linearly dependent on the free vertices.
    //
    // tests  (R, V) T, row by row: Laplacian eigenvectors (1/m) times vertex areas, m
    void track(std::span<const float> tests, int test_count);

    // Advances the cloth by one frame. Returns `done`, or the reason for which the frame was rejected; the cloth then
    // does not change, and stats().refused_vertex may name a vertex.
    ClothStatus step(const ClothInputs& inputs);

    // Sets positions (m) and velocities (m/s; empty: 0). In the next step, pinned vertices move from these positions to
    // their pins, and bodies are treated as unmoved. Throws std::invalid_argument for wrong counts or NaN.
    void place(std::span<const Vector3> positions, std::span<const Vector3> velocities);
    // True until the first step after place() or construction.
    bool is_placed() const;

    // Returns the state as bytes. A ClothSimulation with the same mesh, options, body faces and tests can restore it,
    // and then computes identical results. Wrinkler (paths/wrinkler.h) describes these functions.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    int vertex_count() const;
    int frame_count() const;  // number of accepted steps; place() does not change it
    const ClothOptions& options() const;
    void positions(std::span<Vector3> out) const;        // writes the positions (V), m
    void velocities(std::span<Vector3> out) const;       // writes the velocities (V), m/s
    std::span<const Vector3> substep_positions() const;  // (substeps, V) m, of the last step; empty without record_substeps
    std::span<const float> masses() const;               // (V) mass of each vertex, kg
    ClothEnergy energy() const;
    const ClothTimings& timings() const;
    const ClothStats& stats() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
