// How near a segment comes to a triangle.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ruckle/types.h"

namespace ruckle {

// 1 / x, and 0 where that would overflow: what has no length is a point.
inline float inverse_or_zero(float x) {
    return x > std::numeric_limits<float>::min() ? 1.0f / x : 0.0f;
}

// A segment from `start` to `start` + `along`.
struct Capsule {
    Vector3 start, along;
    float length_squared, inverse_square;
    float radius;

    Capsule(const Vector3& from, const Vector3& to, float reach)
        : start(from),
          along(to - from),
          length_squared(along.squaredNorm()),
          inverse_square(inverse_or_zero(length_squared)),
          radius(reach) {}

    // Squared distance of the segment to a point.
    float apart_squared(const Vector3& p) const {
        const float x = std::clamp(along.dot(p - start) * inverse_square, 0.0f, 1.0f);
        return (start + along * x - p).squaredNorm();
    }
    // Squared distance of the segment to the one from b to b + side.
    float apart_squared(const Vector3& b, const Vector3& side, float side_squared, float inverse_side_square) const {
        const Vector3 between = start - b;
        const float both = along.dot(side), mine = along.dot(between), theirs = side.dot(between);
        const float area = length_squared * side_squared - both * both;
        // parallel segments: any place will do, for the other is made to fit and this one once more
        float x = area > 1e-6f * length_squared * side_squared
                      ? std::clamp((both * theirs - mine * side_squared) / area, 0.0f, 1.0f)
                      : 0.0f;
        const float y = std::clamp((both * x + theirs) * inverse_side_square, 0.0f, 1.0f);
        x = std::clamp((both * y - mine) * inverse_square, 0.0f, 1.0f);
        return (between + x * along - y * side).squaredNorm();
    }
};

// A triangle with what distances to it need.
class DistanceTriangle {
  public:
    DistanceTriangle(const Vector3& a, const Vector3& b, const Vector3& c)
        : corners_{a, b, c}, sides_{b - a, c - b, a - c}, middle_((a + b + c) / 3.0f) {
        const Vector3 across = sides_[0].cross(sides_[1]);
        const float area = across.norm();
        float farthest = 0.0f, longest = 0.0f;
        for (int k = 0; k < 3; ++k) {
            side_squares_[k] = sides_[k].squaredNorm();
            inverse_squares_[k] = inverse_or_zero(side_squares_[k]);
            longest = std::max(longest, side_squares_[k]);
            farthest = std::max(farthest, (corners_[k] - middle_).squaredNorm());
        }
        radius_ = std::sqrt(farthest);
        thin_ = !(area > thin_ratio * longest);
        if (!thin_) {
            normal_ = across / area;
            for (int k = 0; k < 3; ++k) {
                inward_[k] = normal_.cross(sides_[k]) / std::sqrt(side_squares_[k]);
            }
        }
    }

    // Whether the capsule meets the closed triangle; of a thin one: its sides.
    bool meets(const Capsule& capsule) const {
        const float reach = capsule.radius, far = reach + radius_;
        const float apart = capsule.apart_squared(middle_);
        if (apart > far * far * 1.0001f) {
            return false;
        }
        // of small triangles most that are reached are reached in the middle
        if (apart < reach * reach) {
            return true;
        }
        if (!thin_) {
            const Vector3 end = capsule.start + capsule.along;
            // heights over the plane, and distances to the inside of each side, of both ends
            const float first = normal_.dot(capsule.start - corners_[0]), second = normal_.dot(end - corners_[0]);
            bool first_over = true, second_over = true, crossing_over = true;
            const bool crossing = (first < 0.0f) != (second < 0.0f);
            const float x = crossing ? first / (first - second) : 0.0f;
            for (int k = 0; k < 3; ++k) {
                const float a = inward_[k].dot(capsule.start - corners_[k]), b = inward_[k].dot(end - corners_[k]);
                if (std::max(a, b) < -reach) {
                    return false;
                }
                first_over &= a >= 0.0f, second_over &= b >= 0.0f, crossing_over &= a + x * (b - a) >= 0.0f;
            }
            const float low = std::abs(first), high = std::abs(second);
            if (!crossing && std::min(low, high) > reach) {
                return false;
            }
            if ((first_over && low < reach) || (second_over && high < reach) || (crossing && crossing_over)) {
                return true;
            }
        }
        for (int k = 0; k < 3; ++k) {
            if (capsule.apart_squared(corners_[k], sides_[k], side_squares_[k], inverse_squares_[k]) < reach * reach) {
                return true;
            }
        }
        return false;
    }

  private:
    // Height over longest side below which rounding decides where a normal points.
    static constexpr float thin_ratio = 1e-2f;

    std::array<Vector3, 3> corners_, sides_, inward_;  // inward_: unit normals of the sides in the triangle's plane
    std::array<float, 3> side_squares_, inverse_squares_;
    Vector3 normal_, middle_;
    float radius_;  // of a ball around middle_
    bool thin_;
};

}  // namespace ruckle
