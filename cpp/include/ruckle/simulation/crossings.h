// crossings: edges of a mesh that pass through its faces.
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

// All crossings of a mesh, in order. Edges that only touch a face count; edges in its plane do not. A small connected patch is
// assumed free of crossings if all its faces point within 40 degrees of a common direction.
//
// positions  (V) finite
std::vector<Crossing> find_crossings(std::span<const Vector3> positions, const Topology& topology);

}  // namespace ruckle
