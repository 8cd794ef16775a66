// The members of a Wrinkler, and the stages of its step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "field/cloth_field.h"
#include "paths/wrinkle_set.h"
#include "ruckle/paths/wrinkler.h"
#include "support/saved_state.h"

namespace ruckle {

inline constexpr StateKind wrinkler_state{"a Wrinkler", {'r', 'u', 'c', 'k', 'l', 'e', '\x1a', '\n'}, 4};

struct Wrinkler::Parts {
    Parts(std::shared_ptr<const Topology> mesh, const WrinklerOptions& given_options, bool keeps_field = true);

    void set_options(const WrinklerOptions& resolved);
    StepStatus step(std::span<const Vector3> given, float dt, std::span<const float> remaining,
                    std::span<const std::uint8_t> given_labels);
    void begin_at_rest(FieldScratch& scratch);
    void count(FieldScratch& scratch);
    void forget();
    Cloth cloth(std::span<const Vector3> positions, FieldScratch& scratch) {
        FieldResults& results = field.results(scratch);
        return {topology, positions, results.current, results.field.spans()};
    }

    // Writes the state to a StateWriter, or reads it from a StateReader (wrinkler_state.cpp).
    template <class Self, class State>
    static void exchange(Self& parts, State& state);
    void write(StateWriter& state) const;
    // Restores a state. Throws StateError if the state is invalid; then only a part of it has been restored.
    void load(StateReader& state);
    void resume(float found_r_min);

    WrinklerOptions given, options;
    FieldOptions field_options;
    WrinkleSetOptions wrinkle_options;
    std::shared_ptr<const Topology> shared_topology;
    const Topology& topology;
    StateMesh state_mesh;
    ClothField field;
    WrinkleSet wrinkles;
    std::shared_ptr<const RestCloth> rest;  // the user's rest pose, or null
    // smallest wrinkle radius, mesh units; 0 before the first frame if the options do not set it, and 0 if wrinkles are
    // disabled
    float r_min = 0.0f;
    int frame_count = 0;
    StageTimings timings;
    FrameStats stats;
    std::vector<std::byte> backup;  // state before the last restore
};

}  // namespace ruckle
