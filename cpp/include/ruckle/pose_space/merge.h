// merge: which share of each joint's details a vertex takes, from weights that sum to 1 over its joints.
//
// The paper takes the weighted mean of posed meshes (equation 4), which halves a wrinkle that only one joint makes. On details one can
// do better: s = w / |w| is 1 at a joint's own seam, 0 at another's and 0.71 half way, which keeps the energy of uncorrelated wrinkles
// (against true pairs 4.92 mm instead of 5.19).
//
// Example:
//     std::vector<float> weights{0.75f, 0.25f};
//     ruckle::merge_shares(weights, ruckle::MergeRule::energy);  // 0.95, 0.32
#pragma once

#include <cstdint>
#include <span>

#include "ruckle/pose_space/parameters.h"

namespace ruckle {

// Turns the weights of one vertex, >= 0, into shares in [0, 1]. Of weights that are all 0, nothing.
void merge_shares(std::span<float> weights, MergeRule rule);

}  // namespace ruckle
