#include "paths/path_line.h"

#include <Eigen/LU>
#include <cmath>

#include "numeric/kernels.h"
#include "paths/walk.h"

namespace ruckle {

PathLine::PathLine(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal) : rest_(rest) {
    if (goal.profile.width > 0.0f && goal.profile.crest_scale > 0.0f && measure(cloth, goal)) {
        divide(goal);
        give_shape(goal.profile);
    }
}

// Lengths at rest of the path's segments between the wrinkle's ends, and how much wider a wrinkle is there than now.
bool PathLine::measure(const Cloth& cloth, const CurveGoal& goal) {
    const std::size_t last = goal.faces.size();
    Point4 from = vertex(goal, 0);
    for (std::size_t i = 0; i < last; ++i) {
        const Point4 to = vertex(goal, i + 1), along = to - from;
        const float length = std::sqrt(dot(along, along));
        widenings_[i] = widening(cloth, goal.faces[i], length, (goal.points[i + 1] - goal.points[i]).norm());
        starts_[i] = i == 0 ? Point4(from + goal.cuts[0] * along) : from;
        ends_[i] = i + 1 == last ? Point4(to - goal.cuts[1] * along) : to;
        lengths_[i] = length * (1.0f - (i == 0 ? goal.cuts[0] : 0.0f) - (i + 1 == last ? goal.cuts[1] : 0.0f));
        length_ += lengths_[i];
        from = to;
    }
    return std::isfinite(length_) && length_ > 0.0f;
}

Point4 PathLine::vertex(const CurveGoal& goal, std::size_t i) const {
    const auto& [v1, v2] = rest_.topology().edges[goal.edges[i]];
    return rest_.vertex(v1) * goal.t[i] + rest_.vertex(v2) * (1.0f - goal.t[i]);
}

// |F t| / det F
float PathLine::widening(const Cloth& cloth, std::int32_t face, float length, float length_now) const {
    const float area_now = std::abs(cloth.current[face].determinant());
    const float ratio = length_now * rest_.twice_area(face) / (length * area_now);
    return std::isfinite(ratio) ? std::clamp(ratio, least_rest_widening, most_rest_widening) : 1.0f;
}

// Puts the points down.
void PathLine::divide(const CurveGoal& goal) {
    float mean = 0.0f;
    for (std::size_t i = 0; i < goal.faces.size(); ++i) {
        mean += widenings_[i] * lengths_[i] / length_;
    }
    half_width_ = 0.5f * goal.profile.width * mean;
    const float wanted = std::ceil(length_ / (curve_spacing * half_width_));
    // lengths may have overflowed
    steps_ = wanted < float{most_curve_steps} ? std::max(static_cast<int>(wanted), least_curve_steps) : most_curve_steps;
    step_ = length_ / static_cast<float>(steps_);
    float passed = 0.0f;  // before the segment
    for (int segment = 0, k = 0; k <= steps_; ++segment) {
        const bool is_last = segment + 1 == static_cast<int>(goal.faces.size());
        const float length = lengths_[segment], end = passed + length;
        const Point4 start = starts_[segment], way = ends_[segment] - start;
        const Point4 wide(start[0], start[1], start[2], widenings_[segment]);
        for (; k <= steps_; ++k) {
            const float along = step_ * static_cast<float>(k);
            if (along > end && !is_last) {
                break;
            }
            const float x = length > 0.0f ? std::clamp((along - passed) / length, 0.0f, 1.0f) : 0.0f;
            raw_[k] = wide + x * way;
            faces_[k] = goal.faces[static_cast<std::size_t>(segment)];
        }
        passed = end;
    }
}

// Two rounds of means over as many points to either side as make the deviation: (2 n + 1)² - 1 = 6 times its square. Then from the
// widening to the half width there, and what lines that follow need beside it.
void PathLine::give_shape(const Profile& profile) {
    constexpr float most_deviation = curve_smoothing / curve_spacing;
    static_assert(1.0f + 6.0f * most_deviation * most_deviation < 36.0f && least_curve_steps > 3, "n is 2 at most");
    const float deviation = curve_smoothing * std::min(half_width_ / step_, 1.0f / curve_spacing);
    const int reach = static_cast<int>(std::round(0.5f * (std::sqrt(1.0f + 6.0f * deviation * deviation) - 1.0f)));
    const LinePoints line{.steps = steps_,
                          .reach = reach,
                          .profile = profile.row(),
                          .raw = raw_[0].data(),
                          .smoothed = smoothed_[0].data(),
                          .points = points_[0].data(),
                          .ways = ways_[0].data(),
                          .inverse_squares = inverse_squares_.data(),
                          .heights = heights_.data()};
    if (!kernels().shape_line(line)) {
        for (int k = 0; k <= steps_; ++k) {
            float width;
            profile.at(static_cast<float>(k) / static_cast<float>(steps_), width, heights_[k]);
        }
    }
}

CurveSample PathLine::sample(int k) const {
    CurveSample sample{faces_[k], {1.0f, 0.0f, 0.0f}, points_[k][3], 0.0f};
    sample.weights += rest_.weights_along(sample.face, raw(k) - rest_.vertex(rest_.topology().faces[sample.face][0]));
    require_inside(sample.weights);
    walk(rest_, place(k) - raw(k), sample.face, sample.weights);
    return sample;
}

}  // namespace ruckle
