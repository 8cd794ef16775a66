#include "ruckle/pose_space/merge.h"

#include <algorithm>
#include <cmath>

namespace ruckle {

void merge_shares(std::span<float> weights, MergeRule rule) {
    float square = 0.0f;
    for (const float weight : weights) {
        square += weight * weight;
    }
    // wrinkles of different joints are unrelated, so that their squares add up: shares whose squares sum to 1 keep their energy
    const float length = std::sqrt(square);
    for (float& weight : weights) {
        if (rule == MergeRule::energy) {
            weight = length > 0.0f ? weight / length : 0.0f;
        } else if (rule == MergeRule::window) {
            // in full up to half way to the next joint, at which both are full
            weight = std::min(1.0f, 2.0f * weight);
        }
        // the paper's and fitted ones as they are; all are kept in 16 bits, which hold no more than 1
        weight = std::clamp(weight, 0.0f, 1.0f);
    }
}

}  // namespace ruckle
