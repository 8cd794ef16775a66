// Finds hems. Near a free hem, loose cloth slides instead of folding. Above the region near the hem, its folds are
// vertical.
#pragma once

#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

// A hem is a connected part of the boundary that is level and not at the top of its component. It is loose if it is
// longer than the hem of a sleeve or leg.
struct Hems {
    // (V) factor of fold heights: `hem` at a loose hem, rising to 1 within a distance that increases with the length of
    // the hem. The body holds other boundaries, such as collars, cuffs and plackets. Such boundaries reduce heights by
    // half as much as a loose hem, and only at their own vertices.
    std::vector<float> shares;
    // (V) in [0, 1]: 1 on torsos and skirts, 0 at the ends of sleeves and on trousers
    std::vector<float> looseness;
    // (V) mesh units, distance from the end of the nearest short sleeve; infinite without short sleeves
    std::vector<float> to_sleeve_ends;
};

// Finds the hems of a garment and returns their influence on each vertex.
//
// r_min  smallest radius of a wrinkle, mesh units
// hem    factor in [0, 1] of heights at a loose hem
Hems measure_hems(const Topology& topology, std::span<const Vector3> rest, float r_min, float hem);

}  // namespace ruckle
