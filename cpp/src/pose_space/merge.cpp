#include "ruckle/pose_space/merge.h"

#include <algorithm>
#include <cmath>

namespace ruckle {

void merge_shares(std::span<float> weights, MergeRule rule) {
    float square = 0.0f;
    for (const float weight : weights) {
        square += weight * weight;
    }
    const float length = std::sqrt(square);
    for (float& weight : weights) {
        if (rule == MergeRule::energy) {
            weight = length > 0.0f ? weight / length : 0.0f;
        } else if (rule == MergeRule::window) {
            weight = std::min(1.0f, 2.0f * weight);
        }
        weight = std::clamp(weight, 0.0f, 1.0f);
    }
}

}  // namespace ruckle
