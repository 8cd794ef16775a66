// cloth: the cloth simulator. It uses extended position-based dynamics with small steps (Macklin et al. 2019): each frame
// consists of substeps, and each substep processes every constraint once.
//
// One substep: air and gravity, prediction, edges, bends, attachments, self-contact, strain limits, tracking, bodies, tracking
// again around vertices that bodies moved, velocities. If layers are kept apart, crossed vertices are rolled back at intervals.
// Compression of edges can be softened (Kavan et al. 2011, section 6): coarse cloth cannot buckle between its vertices, so it
// shortens instead of pushing back.
//
// Guarantees: step does not allocate and never throws. A rejected frame does not change the state. The same frames give
// the same bits on any thread count and instruction set. Units are SI. Numbers are float32, relative to an origin near
// the cloth, so that precision does not depend on the cloth's position.
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
    wrong_count,  // the number of elements of an input does not match the cloth, the bodies or the test functions
    not_finite,   // an input is NaN or infinite
    wrong_time,   // dt is not finite or less than 1e-9 s
    exploded,     // the result is not finite, or an edge is longer than three times its rest length
};

// Inputs of one frame. Everything moves linearly from the last frame to this one. An empty span keeps the previous values.
struct ClothInputs {
    float dt = 1.0f / 60.0f;             // s, >= 1e-9
    std::span<const Vector3> pins;       // (V) m: pin positions at the end of the frame; only those of attached vertices are read
    std::span<const Vector3> wind;       // (1) or (V) m/s: velocity of the air, uniform or at each vertex
    std::span<const RoundedCone> cones;  // (C) at the end of the frame; the same number in every frame
    std::span<const Vector3> body;       // (B) m: the body mesh at the end of the frame
    std::span<const double> targets;     // (substeps, R, 3) m²: moments T B p of the coarse cloth after each of its substeps
    float extra_damping = 0.0f;          // 1/s, >= 0: added to the damping of the material, to come to rest
};

struct ClothStats {
    float largest_speed = 0.0f;         // m/s, of a free vertex at the end of the frame
    float settled_share = 0.0f;         // share of free vertices that are slower than 1 mm/s
    float largest_edge_stretch = 1.0f;  // length over rest length
    float tracking_residual = 0.0f;     // m: distance of the moments from their targets after tracking, in the last substep
    float contact_residual = 0.0f;      // m: the same after contact with bodies and strain limits
    int self_pair_count = 0;            // pairs of the last search for self-contacts
    int dropped_pair_count = 0;         // pairs dropped because the list was full
    int crossing_count = 0;             // edges and faces of separated layers that still pass through each other
    int refused_vertex = -1;            // vertex of the error if the frame was rejected; -1: none
};

// Joules. The zero of gravity is the origin of coordinates.
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
    // attachment  (V) in [0, 1]: 1 pinned, 0 free; between, the vertex is pulled to its pin. Empty: all free
    // Throws MeshError or std::invalid_argument with one sentence if the mesh or an option is invalid.
    ClothSimulation(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
                    const ClothOptions& options = {});
    ~ClothSimulation();
    ClothSimulation(ClothSimulation&&) noexcept;
    ClothSimulation& operator=(ClothSimulation&&) noexcept;

    // Adds a moving triangle mesh that the cloth remains outside of; call once. Throws MeshError if the faces are not a manifold
    // mesh.
    void collide_with(std::span<const Face> body_faces, int body_vertex_count);

    // Makes the cloth track a coarse simulation: Σ_v T_rv p_v of each test function must equal ClothInputs::targets. Throws
    // std::invalid_argument if the test functions are linearly dependent on the free vertices.
    //
    // tests  (R, V) T, row by row: Laplacian eigenvectors times vertex areas, m²
    void track(std::span<const float> tests, int test_count);

    // Advances the cloth by one frame.
    ClothStatus step(const ClothInputs& inputs);

    // Sets positions (m) and velocities (m/s; empty: 0). Forgets the last frame's pins and bodies: those of the next step are
    // treated as if they had not moved since the last frame. Throws std::invalid_argument for wrong counts or NaN.
    void place(std::span<const Vector3> positions, std::span<const Vector3> velocities);
    // True until the first step after place() or construction.
    bool is_placed() const;

    // Returns the state as bytes. A ClothSimulation with the same mesh, options, body faces and tests can restore it and
    // continues with the same bits. See also Wrinkler (paths/wrinkler.h).
    std::vector<std::byte> state() const;
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    int vertex_count() const;
    int frame_count() const;  // steps done
    const ClothOptions& options() const;
    void positions(std::span<Vector3> out) const;        // (V) m
    void velocities(std::span<Vector3> out) const;       // (V) m/s
    std::span<const Vector3> substep_positions() const;  // (substeps V) m, of the last step; empty if not recorded
    std::span<const float> masses() const;               // (V) kg
    ClothEnergy energy() const;
    const ClothTimings& timings() const;
    const ClothStats& stats() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
