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

// Returns the crossings of a mesh, sorted by edge, then by face. Edges that only touch a face are included; edges in
// the plane of a face are not. The search skips pairs inside a small connected patch whose normals are all within 41
// degrees of one direction, because such a patch does not cross itself.
//
// positions  (V) finite
std::vector<Crossing> find_crossings(std::span<const Vector3> positions, const Topology& topology);

}  // namespace ruckle
