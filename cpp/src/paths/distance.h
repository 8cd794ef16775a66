// Makes segments and triangles ready for the question how near they come (paths/capsules.h).
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "paths/capsules.h"
#include "ruckle/types.h"

namespace ruckle {

// 1 / x, and 0 where that would overflow: what has no length is a point.
inline float inverse_or_zero(float x) {
    return x > std::numeric_limits<float>::min() ? 1.0f / x : 0.0f;
}

inline void write_capsule(const Vector3& from, const Vector3& to, float radius, int lane, CapsuleBlock& block) {
    const Vector3 along = to - from;
    for (int k = 0; k < 3; ++k) {
        block.start[k][lane] = from[k], block.along[k][lane] = along[k];
    }
    block.length_squared[lane] = along.squaredNorm();
    block.inverse_square[lane] = inverse_or_zero(block.length_squared[lane]);
    block.radius[lane] = radius;
}

// Whether a segment comes within its reach of a point.
inline bool reaches(const CapsuleBlock& block, int lane, const Vector3& p) {
    const Vector3 start(block.start[0][lane], block.start[1][lane], block.start[2][lane]);
    const Vector3 along(block.along[0][lane], block.along[1][lane], block.along[2][lane]);
    const float x = std::clamp(along.dot(p - start) * block.inverse_square[lane], 0.0f, 1.0f);
    return (start + along * x - p).squaredNorm() < block.radius[lane] * block.radius[lane];
}

inline DistanceTriangle distance_triangle(const Vector3& a, const Vector3& b, const Vector3& c) {
    // height over longest side below which rounding decides where a normal points
    constexpr float thin_ratio = 1e-2f;
    DistanceTriangle t{};
    const auto put = [](const Vector3& v, float* to) { std::copy_n(v.data(), 3, to); };
    const Vector3 corners[3] = {a, b, c}, sides[3] = {b - a, c - b, a - c}, middle = (a + b + c) / 3.0f;
    const Vector3 across = sides[0].cross(sides[1]);
    const float area = across.norm();
    float farthest = 0.0f, longest = 0.0f;
    for (int k = 0; k < 3; ++k) {
        put(corners[k], t.corners[k]), put(sides[k], t.sides[k]);
        t.side_squares[k] = sides[k].squaredNorm();
        t.inverse_squares[k] = inverse_or_zero(t.side_squares[k]);
        longest = std::max(longest, t.side_squares[k]);
        farthest = std::max(farthest, (corners[k] - middle).squaredNorm());
    }
    put(middle, t.middle);
    t.radius = std::sqrt(farthest);
    t.thin = !(area > thin_ratio * longest);
    if (!t.thin) {
        const Vector3 normal = across / area;
        put(normal, t.normal);
        for (int k = 0; k < 3; ++k) {
            put(normal.cross(sides[k]) / std::sqrt(t.side_squares[k]), t.inward[k]);
        }
    }
    return t;
}

}  // namespace ruckle
