// merge: computes the share of each joint's details that a vertex gets, from the weights w of the joints at this
// vertex, whose sum is 1.
//
// The paper uses the weighted mean of posed meshes (equation 4). Half way between two joints, the mean halves a wrinkle
// that only one of these joints makes. The rule `energy` uses the shares w / |w| instead, with |w| the Euclidean norm
// of all weights: 1 where only this joint has a weight, 0 where it has none, 0.71 half way. This keeps the energy of
// uncorrelated wrinkles. Compared with simulations of two bent joints, the error is 4.92 mm instead of 5.19 mm.
//
// Example:
//     std::vector<float> weights{0.75f, 0.25f};
//     ruckle::merge_shares(weights, ruckle::MergeRule::energy);  // 0.95, 0.32
#pragma once

#include <cstdint>
#include <span>

#include "ruckle/pose_space/parameters.h"

namespace ruckle {

// Replaces the weights of one vertex (>= 0) by shares in [0, 1]. If all weights are 0, they remain 0.
void merge_shares(std::span<float> weights, MergeRule rule);

}  // namespace ruckle
