#include "paths/path_line.h"

#include <Eigen/LU>
#include <cmath>

#include "numeric/dispatch.h"
#include "paths/line_kernel.h"
#include "paths/surface_walk.h"

namespace ruckle {

PathLine::PathLine(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal) : rest_(rest), path_faces_(goal.faces) {
    if (goal.profile.width > 0.0f && goal.profile.crest_scale > 0.0f && measure(cloth, goal)) {
        divide(goal);
        give_shape(goal);
    }
}

// Computes the path's segments at rest between the ends of the wrinkle: start, vector, length, and the ratio (width at
// rest) / (current width). Returns false if the line does not have a finite positive length.
bool PathLine::measure(const Cloth& cloth, const CurveGoal& goal) {
    const std::size_t last = goal.faces.size();
    Point4 from = vertex(goal, 0);
    for (std::size_t i = 0; i < last; ++i) {
        const Point4 to = vertex(goal, i + 1), along = to - from;
        const float length = std::sqrt(dot(along, along));
        const Point4 start = i == 0 ? Point4(from + goal.cuts[0] * along) : from;
        const Point4 end = i + 1 == last ? Point4(to - goal.cuts[1] * along) : to;
        vectors_[i] = end - start;
        starts_[i] = start;
        starts_[i][3] = widening(cloth, goal.faces[i], length, goal.lengths[i]);
        passed_[i] = length_;
        lengths_[i] = length * (1.0f - (i == 0 ? goal.cuts[0] : 0.0f) - (i + 1 == last ? goal.cuts[1] : 0.0f));
        length_ += lengths_[i];
        from = to;
    }
    passed_[last] = length_;
    return std::isfinite(length_) && length_ > 0.0f;
}

// Returns the rest position of path vertex i.
Point4 PathLine::vertex(const CurveGoal& goal, std::size_t i) const {
    const auto& [v1, v2] = rest_.topology().edges[goal.edges[i]];
    return rest_.vertex(v1) * goal.t[i] + rest_.vertex(v2) * (1.0f - goal.t[i]);
}

// Returns (width at rest) / (current width) = |F t| / det F of a segment, with F the deformation from rest and t along
// the segment. Clamped to a fixed range; 1 if not finite.
float PathLine::widening(const Cloth& cloth, std::int32_t face, float length, float length_now) const {
    const float area_now = std::abs(cloth.current[face].determinant());
    const float ratio = length_now * rest_.twice_area(face) / (length * area_now);
    return std::isfinite(ratio) ? std::clamp(ratio, least_rest_widening, most_rest_widening) : 1.0f;
}

// Computes the mean half width of the line at rest, and the number and length of its steps.
void PathLine::divide(const CurveGoal& goal) {
    float mean = 0.0f;
    for (std::size_t i = 0; i < goal.faces.size(); ++i) {
        mean += starts_[i][3] * lengths_[i] / length_;
    }
    half_width_ = 0.5f * goal.profile.width * mean;
    const float wanted = std::ceil(length_ / (curve_spacing * half_width_));
    // the comparison is false for NaN, so the number of steps is the largest number if lengths have overflowed
    steps_ = wanted < float{most_curve_steps} ? std::max(static_cast<int>(wanted), least_curve_steps) : most_curve_steps;
    step_ = length_ / static_cast<float>(steps_);
}

// Computes the points, then half widths from the width ratios, and fills the arrays that kernels read. Points are
// smoothed by two moving means over 2 n + 1 points, with the standard deviation σ (in steps) given by (2 n + 1)² - 1 =
// 6 σ².
void PathLine::give_shape(const CurveGoal& goal) {
    constexpr float most_deviation = curve_smoothing / curve_spacing;
    static_assert(1.0f + 6.0f * most_deviation * most_deviation < 36.0f && least_curve_steps > 3, "n is 2 at most");
    const float deviation = curve_smoothing * std::min(half_width_ / step_, 1.0f / curve_spacing);
    const int reach = static_cast<int>(std::round(0.5f * (std::sqrt(1.0f + 6.0f * deviation * deviation) - 1.0f)));
    const LinePoints line{.segments = static_cast<std::int32_t>(goal.faces.size()),
                          .starts = starts_[0].data(),
                          .vectors = vectors_[0].data(),
                          .lengths = lengths_.data(),
                          .passed = passed_.data(),
                          .steps = steps_,
                          .step = step_,
                          .reach = reach,
                          .profile = goal.profile.row(),
                          .at_segment = at_segment_.data(),
                          .raw = raw_[0].data(),
                          .smoothed = smoothed_[0].data(),
                          .points = points_[0].data(),
                          .step_vectors = step_vectors_[0].data(),
                          .inverse_squares = inverse_squares_.data(),
                          .heights = heights_.data()};
    if (!kernels<LineKernels>().shape_line(line)) {
        for (int k = 0; k <= steps_; ++k) {
            float width;
            goal.profile.at(static_cast<float>(k) / static_cast<float>(steps_), width, heights_[k]);
        }
    }
}

CurveSample PathLine::sample(int k) const {
    CurveSample sample{path_faces_[static_cast<std::size_t>(at_segment_[k])], {1.0f, 0.0f, 0.0f}, points_[k][3], 0.0f};
    sample.weights += rest_.weights_along(sample.face, raw(k) - rest_.vertex(rest_.topology().faces[sample.face][0]));
    clamp_inside(sample.weights);
    walk_surface(rest_, place(k) - raw(k), sample.face, sample.weights);
    return sample;
}

}  // namespace ruckle
