// The smoothed line of a path, with points at equal steps between the ends of the wrinkle. The samples of the drawn
// line move toward this line.
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
    // The line has 0 steps if the wrinkle does not have a width and a height, or if the length of its path is 0 or not
    // finite.
    PathLine(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal);

    int steps() const { return steps_; }
    float step() const { return step_; }  // distance between two points along the path at rest, mesh units

    // Returns a sample at point k, with the half width of this point and height 0.
    CurveSample sample(int k) const;
    // rest position of point k, mesh units
    Point4 place(int k) const { return {points_[k][0], points_[k][1], points_[k][2], 0.0f}; }

    // Returns the arrays that kernels read.
    LineOfPath lanes() const {
        return {points_[0].data(), step_vectors_[0].data(), inverse_squares_.data(), heights_.data(), steps_};
    }
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
    // segments of the path; the fourth component of a start is (width at rest) / (current width)
    std::array<Point4, most_path_vertices> starts_, vectors_;
    std::array<float, most_path_vertices> lengths_, passed_;
    // points of the line; raw_ is before smoothing. The fourth component is (width at rest) / (current width), in
    // points_ finally the half width.
    static constexpr std::size_t room = most_curve_steps + 2 * most_lanes;
    std::array<Point4, room> points_, raw_, smoothed_;
    std::array<std::int32_t, room> at_segment_;
    std::array<float, room> heights_;
    std::array<Point4, room> step_vectors_;    // difference between consecutive points
    std::array<float, room> inverse_squares_;  // 1 / squared length of each step vector; 0 if its length is 0
};

}  // namespace ruckle
