// State of a cloth simulation between frames, and the stages of a substep in the order of their calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numeric/dispatch.h"
#include "ruckle/simulation/cloth.h"
#include "simulation/bending.h"
#include "simulation/body_mesh.h"
#include "simulation/cloth_blocks.h"
#include "simulation/cones.h"
#include "simulation/constraints.h"
#include "simulation/damping_kernels.h"
#include "simulation/face_contact.h"
#include "simulation/impact_zones.h"
#include "simulation/limits.h"
#include "simulation/numbering.h"
#include "simulation/part_team.h"
#include "simulation/rows.h"
#include "simulation/self_contact.h"
#include "simulation/stage_clock.h"
#include "simulation/sweeps.h"
#include "simulation/tracking.h"
#include "support/state_bytes.h"

namespace ruckle {

// An edge of the cloth that may cut into a body between its ends, and the body near its middle.
struct NearEdge {
    std::array<std::int32_t, 2> ends;
    NearBody near;
};

// Points are rows of x, y, z and the inverse mass, relative to the origin.
struct ClothSimulation::State {
    State(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
          const ClothOptions& given);

    void place(std::span<const Vector3> positions, std::span<const Vector3> speeds);
    void recenter();
    bool sizes_fit(const ClothInputs& inputs) const;
    ClothStatus check(const ClothInputs& inputs);
    void take(const ClothInputs& inputs);
    void substep(int index, StageClock& clock);
    void move_pins(float share, PartWorker& worker);
    void blow(PartWorker& worker);
    void predict(PartWorker& worker);
    void pull_to_pins(float share, PartWorker& worker);
    void solve_edges(PartWorker& worker);
    void solve_bends(PartWorker& worker);
    bool limit_stretch(const Triangles& triangles, float least, float largest, float share, PartWorker& worker);
    void limit_strain(PartWorker& worker);
    void yield(const Triangles& triangles, int most_sweeps);
    void yield_before_cones();
    void yield_to_strain();
    void keep_layers_apart(int index);
    void take_back_crossings(int index);
    void follow_zones();
    std::span<const double> targets_of(int index) const;
    void track(int index, bool last);
    void meet_bodies(int index, float before, float now);
    void track_around_contact(int index);
    void meet_cones(float before, float now);
    void correct_velocities();
    bool limit_speeds();
    void measure();

    // damping.cpp
    void damp_strain(PartWorker& worker);

    // body_contact.cpp
    bool rests_in_creases() const { return !tracking && options.margin == 0.0f; }
    Sides sides_to_meet() const;
    int substeps_per_search() const;
    SearchReach reach_of(const Vector3& velocity) const;
    void look_for_body(int index);
    void look_for_edges();
    void look_for_ridges(bool in_tree);
    bool is_pinched(std::size_t vertex) const;
    bool is_held_by_body(std::size_t vertex);
    void let_slip();
    void let_go();
    ContactFactors contact_factors() const;
    void meet_body(int index);
    void meet_body_by_edges();
    void come_out(float farthest);

    // saved_cloth.cpp
    void show_identity(const auto& visit) const;
    void write(StateWriter& state) const;
    void load(StateReader& state);

    ClothOptions options;
    std::uint64_t rest_hash, attachment_hash, body_hash = 0, tests_hash = 0;  // identify the cloth whose states can be restored
    Numbering numbering;
    Topology topology;  // its vertices have the order of the numbering, as has everything below
    Constraints constraints;
    Bends bends, hinges;  // the first resists bending, the second damps it
    std::size_t vertex_count, row_count;
    Rows points, velocities, predicted, air, saved_points, saved_velocities, untouched;
    Rows pinched_ways;                         // motion of pinched vertices with the body in a substep; and their inverse masses
    std::vector<std::int32_t> touched;         // vertices that bodies moved in this substep
    Rows pins, next_pins;                      // pins at the last frame and at this one
    std::vector<std::int32_t> pinned, pulled;  // attached fully, and in part
    std::vector<float> attachment;             // (V)
    std::vector<RoundedCone> cones, next_cones;
    std::vector<ConeStep> cone_steps;
    std::optional<BodyMesh> body;
    std::optional<FaceContact> face_contact;
    std::vector<Vector3> body_positions, next_body;
    std::vector<NearBody> near_body, saved_near_body;  // of vertices, and then of points on faces
    std::vector<NearEdge> near_edges;                  // of this frame
    std::vector<char> is_near_edge;                    // (E) true if the edge is in near_edges
    std::vector<std::int32_t> pinched;                 // by two parts of the body, in this frame
    std::optional<ClothBlocks> blocks;                 // these three only if layers are kept apart
    std::optional<SelfContact> self_contact;
    std::optional<ImpactZones> impact_zones;
    std::vector<float> held_masses;  // (V) inverse masses of zone vertices while they are fixed, else 0
    std::vector<SelfPair> saved_self_pairs;
    std::vector<float> saved_gathered_points;
    std::vector<Crossing> saved_edge_pairs, saved_tangles;
    std::optional<Tracking> tracking;
    // inputs of the current frame
    std::span<const double> targets;
    std::vector<Vector3> substep_positions;  // as given
    std::vector<float> masses;               // (V) kg, as given
    PartTeam team;
    const SweepKernels& sweeps = kernels<SweepKernels>();
    const DampingKernels& damping_kernels = kernels<DampingKernels>();
    Vector3 origin = Vector3::Zero();
    Vector3 wind = Vector3::Zero();
    float fastest_speed = 0.0f;  // m/s, of the cloth when the frame begins; for contact with bodies
    int search_substeps = 1;     // between searches of the body, in this frame
    bool has_air = false, has_one_wind = true, first_bodies = false;
    float dt = 0.0f, h = 0.0f, damping = 0.0f;
    bool is_placed = true;
    int frame_count = 0;
    ClothTimings timings;
    ClothStats stats;
};

}  // namespace ruckle
