// What a Wrinkler consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "field/cloth_field.h"
#include "paths/wrinkle_set.h"
#include "ruckle/paths/wrinkler.h"
#include "support/state_bytes.h"

namespace ruckle {

struct Wrinkler::Parts {
    Parts(std::span<const Face> faces, int vertex_count, const WrinklerOptions& given_options);

    void set_options(const WrinklerOptions& resolved);
    void begin_at_rest();
    void count();
    void forget();
    Cloth cloth() { return {topology, positions, field.current(), field.field()}; }

    // Shows a writer or a reader what a state holds (wrinkler_state.cpp).
    template <class Self, class State>
    static void exchange(Self& parts, State& state);
    // Takes a state in, or throws StateError in the middle of it.
    void load(StateReader& state);
    void resume(float found_r_min);

    WrinklerOptions given, options;
    FieldOptions field_options;
    WrinkleSetOptions wrinkle_options;
    Topology topology;
    std::uint64_t mesh_hash;
    ClothField field;
    WrinkleSet wrinkles;
    std::vector<Vector3> rest;       // (V) pose before the first frame, or empty
    std::vector<Vector3> positions;  // (V) of this frame
    float r_min = 0.0f;              // mesh units; 0 until it is known, and where there are no wrinkles
    int frame_count = 0;
    StageTimings timings;
    FrameStats stats;
    std::vector<std::byte> backup;  // the state before the last one that was restored
};

}  // namespace ruckle
