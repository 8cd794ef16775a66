// Hems: loose cloth slides near a free hem instead of folding, and hangs above it.
#pragma once

#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

// A hem is a connected level part of the boundary, below the top of its component. It is loose if it is longer than that of a
// sleeve or leg.
struct Hems {
    // (V) share of the height of folds: `hem` at a loose hem, 1 from a distance that grows with its length. The body holds all
    // other boundaries, such as collars, cuffs and plackets: they lower folds by half as much, and only on themselves.
    std::vector<float> shares;
    // (V) in [0, 1]: 1 on torsos and skirts, 0 at the ends of sleeves and on trousers
    std::vector<float> looseness;
    std::vector<float> to_sleeve_ends;  // (V) mesh units from the end of the nearest short sleeve; infinite without any
};

// r_min  mesh units
// hem    share in [0, 1]
Hems measure_hems(const Topology& topology, std::span<const Vector3> rest, float r_min, float hem);

}  // namespace ruckle
