// The line of a path that the samples of a drawn line follow: at equal steps from the wrinkle's one end to the other, smoothed.
#pragma once

#include <algorithm>
#include <array>

#include "constants.h"
#include "numeric/dispatch.h"
#include "paths/line_kernel.h"
#include "ruckle/paths/curve.h"
#include "ruckle/paths/rest_cloth.h"

namespace ruckle {

class PathLine {
  public:
    // Without anything to draw it has no steps.
    PathLine(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal);

    int steps() const { return steps_; }
    float step() const { return step_; }  // mesh units at rest

    // A sample on the line at its k-th point, without height.
    CurveSample sample(int k) const;
    Point4 place(int k) const { return {points_[k][0], points_[k][1], points_[k][2], 0.0f}; }

    // What lines that follow it see of it.
    LineOfPath lanes() const { return {points_[0].data(), ways_[0].data(), inverse_squares_.data(), heights_.data(), steps_}; }
    float height(int k) const { return heights_[k]; }

  private:
    bool measure(const Cloth& cloth, const CurveGoal& goal);
    Point4 vertex(const CurveGoal& goal, std::size_t i) const;
    float widening(const Cloth& cloth, std::int32_t face, float length, float length_now) const;
    void divide(const CurveGoal& goal);
    Point4 raw(int k) const { return {raw_[k][0], raw_[k][1], raw_[k][2], 0.0f}; }
    void give_shape(const CurveGoal& goal);

    const RestCloth& rest_;
    std::span<const std::int32_t> path_faces_;
    int steps_ = 0;
    float length_ = 0.0f, half_width_ = 0.0f, step_ = 0.0f;
    // of the path's segments; the fourth component of a start is how much wider the wrinkle is there at rest
    std::array<Point4, most_path_vertices> starts_, vectors_;
    std::array<float, most_path_vertices> lengths_, passed_;
    // of the line's points; raw: where they were before they were smoothed. The fourth component is how much wider the wrinkle is
    // there at rest, and in the end its half width.
    static constexpr std::size_t room = most_curve_steps + 2 * most_lanes;
    std::array<Point4, room> points_, raw_, smoothed_;
    std::array<std::int32_t, room> at_segment_;
    std::array<float, room> heights_;
    std::array<Point4, room> ways_;            // from each point to the next
    std::array<float, room> inverse_squares_;  // 1 / squared length of each, 0 without length
};

}  // namespace ruckle
