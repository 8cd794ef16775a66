// What a Wrinkler consists of.
#pragma once

#include "field/cloth_field.h"
#include "paths/wrinkle_set.h"
#include "ruckle/paths/wrinkler.h"

namespace ruckle {

struct Wrinkler::Parts {
    Parts(std::span<const Face> faces, int vertex_count, const WrinklerOptions& given_options);

    // Fills in the options that were not set; those that need the first frame only once it is there.
    void resolve_options(std::span<const Vector3> first_frame);
    void count();
    Cloth cloth(std::span<const Vector3> positions) { return {topology, positions, field.current(), field.field()}; }

    WrinklerOptions given, options;
    FieldOptions field_options;
    WrinkleSetOptions wrinkle_options;
    Topology topology;
    ClothField field;
    WrinkleSet wrinkles;
    float r_min = 0.0f;  // mesh units; 0 until it is known, and where there are no wrinkles
    int frame_count = 0;
    StageTimings timings;
    FrameStats stats;
};

}  // namespace ruckle
