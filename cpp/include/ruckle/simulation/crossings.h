// crossings: finds the edges of a mesh that pass through its faces.
//
// Example:
//     for (const ruckle::Crossing& crossing : ruckle::find_crossings(positions, topology)) {
//         draw(topology.edges[crossing.edge], topology.faces[crossing.face]);
//     }
#pragma once

#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"

namespace ruckle {

// An edge that passes through a face with which it shares no vertex.
struct Crossing {
    std::int32_t edge, face;
    bool operator==(const Crossing&) const = default;
    auto operator<=>(const Crossing&) const = default;
};

// Returns all crossings of a mesh, sorted by edge, then face. An edge that only touches a face counts; an edge in the plane of
// the face does not. A small connected patch is not searched if the normals of all its faces are within 40 degrees of one
// direction.
//
// positions  (V) finite
std::vector<Crossing> find_crossings(std::span<const Vector3> positions, const Topology& topology);

}  // namespace ruckle
