// State of a cloth simulation between frames: the moving cloth, and the objects that move it in stages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ruckle/simulation/cloth.h"
#include "simulation/air.h"
#include "simulation/body_contact.h"
#include "simulation/cone_contact.h"
#include "simulation/elasticity.h"
#include "simulation/face_contact.h"
#include "simulation/moment_tracking.h"
#include "simulation/moving_cloth.h"
#include "simulation/pins.h"
#include "simulation/separated_layers.h"
#include "simulation/stage_clock.h"
#include "support/state_bytes.h"

namespace ruckle {

struct ClothSimulation::State {
    State(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
          const ClothOptions& options);

    void place(std::span<const Vector3> positions, std::span<const Vector3> speeds);

    // For each frame: call check and take, then substep for each substep, measure, and accept or refuse.
    ClothStatus check(const ClothInputs& inputs);
    void take(const ClothInputs& inputs);
    void substep(int index, StageClock& clock);
    void measure();
    void accept();
    void refuse();

    // defined in saved_cloth.cpp
    void show_identity(const auto& visit) const;
    void write(StateWriter& state) const;
    void load(StateReader& state);

    // Hashes of the inputs of the constructor and of the setup; a state is restored only if they match.
    struct Identity {
        std::uint64_t rest, attachment, body = 0, tests = 0;
    };

    Identity identity;
    MovingCloth cloth;
    Elasticity elasticity;
    Pins pins;
    Air air;
    ConeContact cones;
    std::optional<SeparatedLayers> layers;
    std::optional<FaceContact> face_contact;
    std::optional<BodyContact> body;
    std::optional<MomentTracking> tracking;

    Rows saved_points, saved_velocities;     // points and velocities of the last frame
    std::vector<Vector3> substep_positions;  // (substeps, V) m, in the order of the input mesh
    std::vector<float> masses;               // (V) kg, in the order of the input mesh
    float damping = 0.0f;                    // 1/s, damping of velocities in this frame
    bool first_bodies = false;               // this is the first frame with bodies
    bool is_placed = true;
    int frame_count = 0;
    ClothTimings timings;
    ClothStats stats;

  private:
    void recenter();
    bool sizes_fit(const ClothInputs& inputs) const;
    void predict(PartWorker& worker);
    void solve_inside(float now, StageClock& clock);
    void separate_layers(int index, StageClock& clock);
    void meet_bodies(int index, float before, float now);
    void yield_before_cones();
    void yield_to_strain();
    float yielding_stretch() const;
    void correct_velocities();
    void record(int index);
    int limit_speeds();
};

}  // namespace ruckle
