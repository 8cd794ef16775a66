#include "paths/path_line.h"

#include <Eigen/LU>
#include <cmath>

#include "paths/walk.h"

namespace ruckle {

PathLine::PathLine(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal) : rest_(rest) {
    if (goal.profile.width > 0.0f && goal.profile.crest_scale > 0.0f && measure(cloth, goal)) {
        divide(goal);
        smooth();
        give_shape(goal.profile);
    }
}

// Lengths at rest of the path's segments between the wrinkle's ends, and how much wider a wrinkle is there than now.
bool PathLine::measure(const Cloth& cloth, const CurveGoal& goal) {
    const std::size_t last = goal.faces.size();
    const auto place_now = [&](std::size_t i) {
        return point_on_edge(cloth.topology, cloth.positions, goal.edges[i], goal.t[i]);
    };
    Point4 from = vertex(goal, 0);
    Vector3 from_now = place_now(0);
    for (std::size_t i = 0; i < last; ++i) {
        const Point4 to = vertex(goal, i + 1), along = to - from;
        const Vector3 to_now = place_now(i + 1);
        const float length = std::sqrt(dot(along, along));
        widenings_[i] = widening(cloth, goal.faces[i], length, (to_now - from_now).norm());
        starts_[i] = i == 0 ? Point4(from + goal.cuts[0] * along) : from;
        ends_[i] = i + 1 == last ? Point4(to - goal.cuts[1] * along) : to;
        lengths_[i] = length * (1.0f - (i == 0 ? goal.cuts[0] : 0.0f) - (i + 1 == last ? goal.cuts[1] : 0.0f));
        length_ += lengths_[i];
        from = to, from_now = to_now;
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
    std::size_t segment = 0;
    float passed = 0.0f;  // before the segment
    for (int k = 0; k <= steps_; ++k) {
        const float along = step_ * static_cast<float>(k);
        while (segment + 1 < goal.faces.size() && along > passed + lengths_[segment]) {
            passed += lengths_[segment++];
        }
        const float length = lengths_[segment], x = length > 0.0f ? std::clamp((along - passed) / length, 0.0f, 1.0f) : 0.0f;
        raw_[k] = points_[k] = starts_[segment] + x * (ends_[segment] - starts_[segment]);
        points_[k][3] = widenings_[segment];
        faces_[k] = goal.faces[segment];
    }
}

namespace {

// The mean over `own` points to either side.
template <int own>
inline Point4 mean_around(const Point4* p) {
    Point4 sum = p[0];
    for (int j = 1; j <= own; ++j) {
        sum += p[-j] + p[j];
    }
    return sum * (1.0f / static_cast<float>(2 * own + 1));
}

// A round of means; narrower toward the ends, which stay.
template <int reach>
void smooth_once(const Point4* from, int steps, Point4* to) {
    to[0] = from[0], to[steps] = from[steps];
    if constexpr (reach > 1) {
        to[1] = mean_around<1>(from + 1), to[steps - 1] = mean_around<1>(from + steps - 1);
    }
    for (int k = reach; k <= steps - reach; ++k) {
        to[k] = mean_around<reach>(from + k);
    }
}

}  // namespace

// Two rounds of means over as many points to either side as make the deviation: (2 n + 1)² - 1 = 6 times its square.
void PathLine::smooth() {
    constexpr float most_deviation = curve_smoothing / curve_spacing;
    static_assert(1.0f + 6.0f * most_deviation * most_deviation < 36.0f && least_curve_steps > 3, "n is 2 at most");
    const float deviation = curve_smoothing * std::min(half_width_ / step_, 1.0f / curve_spacing);
    const int reach = static_cast<int>(std::round(0.5f * (std::sqrt(1.0f + 6.0f * deviation * deviation) - 1.0f)));
    if (reach == 0) {
        return;
    }
    const auto once = reach == 1 ? smooth_once<1> : smooth_once<2>;
    once(points_.data(), steps_, smoothed_.data());
    once(smoothed_.data(), steps_, points_.data());
}

// From the widening to the half width there; and what lines that follow need beside it.
void PathLine::give_shape(const Profile& profile) {
    std::array<float, most_curve_steps + 1> along;
    for (int k = 0; k <= steps_; ++k) {
        along[k] = static_cast<float>(k) / static_cast<float>(steps_);
    }
    const auto count = static_cast<std::size_t>(steps_ + 1);
    profile.at(std::span(along).first(count), half_widths_, heights_);
    for (int k = 0; k <= steps_; ++k) {
        half_widths_[k] = points_[k][3] * 0.5f * half_widths_[k];
        points_[k][3] = half_widths_[k];
    }
    for (int k = 0; k < steps_; ++k) {
        ways_[k] = points_[k + 1] - points_[k];
        const float square = dot(ways_[k], ways_[k]);
        inverse_squares_[k] = square > 0.0f ? 1.0f / square : 0.0f;
    }
}

CurveSample PathLine::sample(int k) const {
    CurveSample sample{faces_[k], {1.0f, 0.0f, 0.0f}, half_widths_[k], 0.0f};
    sample.weights += rest_.weights_along(sample.face, raw_[k] - rest_.vertex(rest_.topology().faces[sample.face][0]));
    require_inside(sample.weights);
    walk(rest_, place(k) - raw_[k], sample.face, sample.weights);
    return sample;
}

}  // namespace ruckle
