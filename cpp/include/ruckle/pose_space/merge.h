// merge: computes the share of each joint's details at a vertex, from weights that sum to 1 over the joints.
#pragma once

#include <cstdint>
#include <span>

#include "ruckle/pose_space/parameters.h"

namespace ruckle {

// Replaces the weights of one vertex (>= 0) by shares in [0, 1]. If all weights are 0, they remain 0.
void merge_shares(std::span<float> weights, MergeRule rule);

}  // namespace ruckle
