#include "ruckle/pose_space/merge.h"

#include <algorithm>
#include <cmath>

namespace ruckle {

void merge_shares(std::span<float> weights, MergeRule rule) {
    float square = 0.0f;
    for (const float weight : weights) {
        square += weight * weight;
    }
    // wrinkles of different joints are uncorrelated, so their energies add up; shares whose squares sum to 1 preserve
    // the energy
    const float length = std::sqrt(square);
    for (float& weight : weights) {
        if (rule == MergeRule::energy) {
            weight = length > 0.0f ? weight / length : 0.0f;
        } else if (rule == MergeRule::window) {
            // the share is 1 up to the middle between two joints, where both shares are 1
            weight = std::min(1.0f, 2.0f * weight);
        }
        // the rules `paper` and `fitted` use the weights unchanged. Shares are clamped, because their 16-bit format
        // stores at most 1
        weight = std::clamp(weight, 0.0f, 1.0f);
    }
}

}  // namespace ruckle
