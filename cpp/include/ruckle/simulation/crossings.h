// crossings: where a mesh passes through itself.
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

// All crossings of a mesh, in order. Edges that only touch a face count, those that lie in its plane do not. Where all faces of a small
// patch that hangs together look to one side, to within 40 degrees of a common direction, it is taken to pass nowhere through itself.
//
// positions  (V) finite
std::vector<Crossing> find_crossings(std::span<const Vector3> positions, const Topology& topology);

}  // namespace ruckle
