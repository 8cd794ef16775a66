// Argument `remaining` of a step: for each coarse face, the share of its area that other layers have not used.
#pragma once

#include "array.h"
#include "ruckle/mesh/topology.h"

namespace ruckle::bindings {

// Returns (T) float32 in (0, 1], or an empty array for None. Raises ValueError if the shape is wrong or a value is
// outside (0, 1].
inline py::array_t<float> require_remaining(py::handle given, const Topology& topology) {
    if (given.is_none()) {
        return {};
    }
    auto remaining = copy_array<float>(given, "remaining", {Extent("T", topology.face_count())});
    for (const float share : items<float>(remaining)) {
        if (!(share > 0.0f && share <= 1.0f)) {
            throw std::invalid_argument("remaining: expected shares above 0 and at most 1, got " + std::to_string(share));
        }
    }
    return remaining;
}

}  // namespace ruckle::bindings
