// How near a segment comes to a triangle.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "ruckle/types.h"

namespace ruckle {

// A segment from `start` to `start` + `along`.
struct Capsule {
    Vector3 start, along;
    float length_squared;
    float radius;

    Capsule(const Vector3& from, const Vector3& to, float reach)
        : start(from), along(to - from), length_squared(along.squaredNorm()), radius(reach) {}

    // Squared distance of the segment to a point.
    float apart_squared(const Vector3& p) const {
        const float x = length_squared > 0.0f ? std::clamp(along.dot(p - start) / length_squared, 0.0f, 1.0f) : 0.0f;
        return (start + along * x - p).squaredNorm();
    }
    // Squared distance of the segment to the one from b to b + side.
    float apart_squared(const Vector3& b, const Vector3& side, float side_squared) const {
        const Vector3 between = start - b;
        const float both = along.dot(side), mine = along.dot(between), theirs = side.dot(between);
        const float area = length_squared * side_squared - both * both;
        // parallel segments: any place will do, for the other is made to fit and this one once more
        float x = area > 1e-6f * length_squared * side_squared
                      ? std::clamp((both * theirs - mine * side_squared) / area, 0.0f, 1.0f)
                      : 0.0f;
        const float y = side_squared > 0.0f ? std::clamp((both * x + theirs) / side_squared, 0.0f, 1.0f) : 0.0f;
        x = length_squared > 0.0f ? std::clamp((both * y - mine) / length_squared, 0.0f, 1.0f) : 0.0f;
        return (between + x * along - y * side).squaredNorm();
    }
};

// A triangle with what distances to it need.
class DistanceTriangle {
  public:
    DistanceTriangle(const Vector3& a, const Vector3& b, const Vector3& c)
        : corners_{a, b, c}, sides_{b - a, c - b, a - c}, normal_(sides_[0].cross(sides_[1])), middle_((a + b + c) / 3.0f) {
        float farthest = 0.0f;
        for (int k = 0; k < 3; ++k) {
            inward_[k] = normal_.cross(sides_[k]);
            side_squares_[k] = sides_[k].squaredNorm();
            farthest = std::max(farthest, (corners_[k] - middle_).squaredNorm());
        }
        area_squared_ = normal_.squaredNorm();
        radius_ = std::sqrt(farthest);
    }

    const Vector3& corner(int k) const { return corners_[k]; }

    // Whether the capsule meets the closed triangle. Of a collapsed triangle: its sides.
    bool meets(const Capsule& capsule) const {
        const float limit = capsule.radius * capsule.radius, far = capsule.radius + radius_;
        if (capsule.apart_squared(middle_) > far * far * 1.0001f) {
            return false;
        }
        for (int k = 0; k < 3; ++k) {
            if (capsule.apart_squared(corners_[k], sides_[k], side_squares_[k]) < limit) {
                return true;
            }
        }
        if (!(area_squared_ > 0.0f)) {
            return false;
        }
        // sides out of reach: the nearest point lies inside, under an end of the segment or where it passes through
        const float first = normal_.dot(capsule.start - corners_[0]), second = first + normal_.dot(capsule.along);
        return (first * first < limit * area_squared_ && over(capsule.start)) ||
               (second * second < limit * area_squared_ && over(capsule.start + capsule.along)) ||
               ((first < 0.0f) != (second < 0.0f) && over(capsule.start + capsule.along * (first / (first - second))));
    }

  private:
    // Whether p lies over the triangle, seen along its normal.
    bool over(const Vector3& p) const {
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            inside &= inward_[k].dot(p - corners_[k]) >= 0.0f;
        }
        return inside;
    }

    std::array<Vector3, 3> corners_, sides_, inward_;
    std::array<float, 3> side_squares_;
    Vector3 normal_;  // of length twice the area
    Vector3 middle_;
    float area_squared_, radius_;  // radius_: of a ball around middle_
};

}  // namespace ruckle
