// Hems: cloth near a free hem slides and hangs instead of folding.
#pragma once

#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

// Share of the height of folds at each vertex, (V). It is `hem` at a free hem and rises to 1 at a distance of hem_reach times the
// hem's length, so that it reaches farther on a torso than on a sleeve. A free hem is a level part of the boundary below the top
// of its component. The body holds the rest of the boundary, such as collars, waists and plackets: it lowers folds by half as
// much, and only on itself.
std::vector<float> hem_shares(const Topology& topology, std::span<const Vector3> rest, float hem);

}  // namespace ruckle
