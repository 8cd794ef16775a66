// The line of a path that the samples of a drawn line follow: at equal steps from the wrinkle's one end to the other, smoothed.
#pragma once

#include <algorithm>
#include <array>

#include "constants.h"
#include "ruckle/paths/curve.h"
#include "ruckle/paths/rest_cloth.h"

namespace ruckle {

class PathLine {
  public:
    // Without anything to draw it has no steps.
    PathLine(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal);

    int steps() const { return steps_; }
    float step() const { return step_; }  // mesh units at rest

    // A point of the line, x steps from its beginning.
    struct Point {
        Point4 at;
        float half_width, height;
    };
    Point point(float x) const {
        const int k = std::min(static_cast<int>(x), steps_ - 1);
        const float y = x - static_cast<float>(k);
        return {points_[k] + y * (points_[k + 1] - points_[k]), half_widths_[k] + y * (half_widths_[k + 1] - half_widths_[k]),
                heights_[k] + y * (heights_[k + 1] - heights_[k])};
    }

    // How many steps from the beginning the line comes near to a point: downhill from segment k on, where the answer is left. Less
    // than 0 or more than steps() beyond its ends.
    float nearest(const Point4& p, int& k) const {
        for (int direction = 0;;) {
            const float x = dot(points_[k + 1] - points_[k], p - points_[k]) * inverse_squares_[k];
            const int next = x > 1.0f && k + 1 < steps_ ? 1 : x < 0.0f && k > 0 ? -1 : 0;
            // in a bend's inside or outside the two neighbours send a point to each other
            if (next == 0 || next == -direction) {
                const bool beyond = next == 0;
                return static_cast<float>(k) + (beyond ? x : std::clamp(x, 0.0f, 1.0f));
            }
            k += next;
            direction = next;
        }
    }

    // A sample on the line at its k-th point, without height.
    CurveSample sample(int k) const;
    const Point4& place(int k) const { return points_[k]; }
    float height(int k) const { return heights_[k]; }

  private:
    bool measure(const Cloth& cloth, const CurveGoal& goal);
    Point4 vertex(const CurveGoal& goal, std::size_t i) const;
    float widening(const Cloth& cloth, std::int32_t face, float length, float length_now) const;
    void divide(const CurveGoal& goal);
    void smooth();
    void give_shape(const Profile& profile);

    const RestCloth& rest_;
    int steps_ = 0;
    float length_ = 0.0f, half_width_ = 0.0f, step_ = 0.0f;
    // of the path's segments
    std::array<Point4, most_path_vertices> starts_, ends_;
    std::array<float, most_path_vertices> lengths_, widenings_;
    // of the line's points; raw: where they were before they were smoothed. While they are, the fourth component of a point is how
    // much wider the wrinkle is there at rest.
    std::array<Point4, most_curve_steps + 1> points_, raw_, unsmoothed_;
    std::array<std::int32_t, most_curve_steps + 1> faces_;
    std::array<float, most_curve_steps + 1> half_widths_, heights_;
    std::array<float, most_curve_steps> inverse_squares_;  // 1 / squared length of each step, 0 without length
};

}  // namespace ruckle
