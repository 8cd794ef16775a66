#include "paths/motion.h"

#include <algorithm>
#include <cmath>

#include "constants.h"

namespace ruckle {

namespace {

// Returns the pace for a relative change of length. The pace is proportional to the change, because a threshold would
// start and stop paths abruptly.
float pace_at(float change, float dt) {
    return change <= rounding_change ? 0.0f : std::min(1.0f, change * reference_frame_time / (lively_rate * dt));
}

}  // namespace

float liveliness(const Cloth& cloth, std::span<const Vector3> previous, const Path& path, float dt) {
    // edge lengths do not change in rigid motion. The largest change of all edges determines the pace, because one
    // deforming triangle is enough to move a path
    float largest = 0.0f, pace = 0.0f;
    // the loop ends early: in moving cloth the first triangle usually has pace 1
    for (int i = 0; i + 1 < path.count && pace < 1.0f; ++i) {
        const Face& face = cloth.topology.faces[path.faces[i]];
        for (int side = 0; side < 3; ++side) {
            const int a = face[side], b = face[(side + 1) % 3];
            const float now = (cloth.positions[a] - cloth.positions[b]).squaredNorm();
            const float before = (previous[a] - previous[b]).squaredNorm();
            // if a length changes slightly from k to l, (l² - k²) / (l² + k²) is about the relative change (l - k) / k
            const float sum = now + before;
            largest = sum > 0.0f ? std::max(largest, std::abs(now - before) / sum) : largest;
        }
        pace = pace_at(largest, dt);
    }
    return pace;
}

}  // namespace ruckle
