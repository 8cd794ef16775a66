// Checks the positions of a frame; used by the bindings of all layers.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "array.h"
#include "ruckle/field/parameters.h"
#include "ruckle/types.h"

namespace ruckle::bindings {

[[noreturn]] inline void throw_other_count(const std::string& where, py::ssize_t expected, py::ssize_t found) {
    throw MeshError(where + "expected " + std::to_string(expected) + " vertices, got " + std::to_string(found));
}

inline std::string name_of_frame(int frame) {
    return "frame " + std::to_string(frame) + ": ";
}

// Returns a copy of positions, (V, 3) float32, which other threads cannot change after the check. Raises ValueError for
// other shapes, and MeshError for another number of vertices.
template <class Layer>
py::array_t<float> copy_frame(py::handle positions, int vertex_count, const Layer& layer) {
    auto points = copy_array<float>(positions, "positions", {"V", 3});
    if (points.shape(0) != vertex_count) {
        throw_other_count(name_of_frame(layer.frame_count()), vertex_count, points.shape(0));
    }
    return points;
}

// Throws MeshError for the first vertex that is not finite; returns if all vertices are finite.
inline void require_finite_vertices(const std::string& where, std::span<const Vector3> positions) {
    const auto bad = std::find_if_not(positions.begin(), positions.end(), [](const Vector3& p) { return p.allFinite(); });
    if (bad != positions.end()) {
        const Vector3& p = *bad;
        throw MeshError(where + "vertex " + std::to_string(bad - positions.begin()) + " lies at (" + std::to_string(p[0]) + ", " +
                        std::to_string(p[1]) + ", " + std::to_string(p[2]) + "); every coordinate must be finite");
    }
}

// Throws the error of a frame that a layer has refused. Its number of vertices is correct.
[[noreturn]] inline void throw_refused_step(StepStatus status, const std::string& where, std::span<const Vector3> positions,
                                            float dt,
                                            const char* otherwise = "a vertex that was not finite has changed during the call") {
    if (status == StepStatus::wrong_time) {
        require_in_range(frame_time_parameter, shortest_decimal(dt));
    }
    require_finite_vertices(where, positions);
    throw MeshError(where + otherwise);
}

}  // namespace ruckle::bindings
