// How near a segment comes to a triangle.
#pragma once

#include <algorithm>

#include <Eigen/Geometry>

#include "ruckle/types.h"

namespace ruckle {

// Squared distance of the segments a + x u and b + y v, x and y in [0, 1].
inline float segments_apart(const Vector3& a, const Vector3& u, const Vector3& b, const Vector3& v) {
    const Vector3 between = a - b;
    const float uu = u.dot(u), vv = v.dot(v), uv = u.dot(v), ub = u.dot(between), vb = v.dot(between);
    const float area = uu * vv - uv * uv;
    // parallel segments: any x will do, for y is made to fit and x once more
    float x = area > 1e-6f * uu * vv ? std::clamp((uv * vb - ub * vv) / area, 0.0f, 1.0f) : 0.0f;
    const float y = vv > 0.0f ? std::clamp((uv * x + vb) / vv, 0.0f, 1.0f) : 0.0f;
    x = uu > 0.0f ? std::clamp((uv * y - ub) / uu, 0.0f, 1.0f) : 0.0f;
    return (between + x * u - y * v).squaredNorm();
}

// A triangle with what distances to it need.
struct DistanceTriangle {
    std::array<Vector3, 3> corners, sides;
    Vector3 normal;  // of length twice the area

    DistanceTriangle(const Vector3& a, const Vector3& b, const Vector3& c)
        : corners{a, b, c}, sides{b - a, c - b, a - c}, normal(sides[0].cross(sides[1])) {}

    // Whether p lies over the triangle, seen along its normal.
    bool below(const Vector3& p) const {
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            inside &= normal.cross(sides[k]).dot(p - corners[k]) >= 0.0f;
        }
        return inside;
    }

    // Squared distance to the segment from a to a + u. Of a collapsed triangle: to its sides.
    float apart_squared(const Vector3& a, const Vector3& u) const {
        float least = segments_apart(a, u, corners[0], sides[0]);
        least = std::min(least, segments_apart(a, u, corners[1], sides[1]));
        least = std::min(least, segments_apart(a, u, corners[2], sides[2]));
        const float area = normal.squaredNorm();
        if (!(area > 0.0f)) {
            return least;
        }
        const float first = normal.dot(a - corners[0]), second = first + normal.dot(u);
        if ((first < 0.0f) != (second < 0.0f) && below(a + u * (first / (first - second)))) {
            return 0.0f;
        }
        if (below(a)) {
            least = std::min(least, first * first / area);
        }
        if (below(a + u)) {
            least = std::min(least, second * second / area);
        }
        return least;
    }
};

}  // namespace ruckle
