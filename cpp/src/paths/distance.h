// Converts spheres and triangles to the structs of reach_kernel.h.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "paths/reach_kernel.h"
#include "ruckle/types.h"

namespace ruckle {

// Returns a block without spheres: its bounding box is empty, and all radii are 0.
inline SphereBlock empty_block() {
    SphereBlock block{};
    std::fill_n(block.low, 3, std::numeric_limits<float>::infinity());
    std::fill_n(block.high, 3, -std::numeric_limits<float>::infinity());
    return block;
}

// Writes a sphere into one lane of a block, and extends the block's bounding box.
inline void write_sphere(const Vector3& center, float radius, const Vector3& normal, int lane, SphereBlock& block) {
    for (int k = 0; k < 3; ++k) {
        block.center[k][lane] = center[k];
        block.normal[k][lane] = normal[k];
        // pad the bounding box by 1 % of the radius, which is far above the rounding of distances
        block.low[k] = std::min(block.low[k], center[k] - 1.01f * radius);
        block.high[k] = std::max(block.high[k], center[k] + 1.01f * radius);
    }
    block.radius[lane] = radius;
}

// True if the sphere in this lane contains p.
inline bool holds(const SphereBlock& block, int lane, const Vector3& p) {
    const Vector3 center(block.center[0][lane], block.center[1][lane], block.center[2][lane]);
    return (center - p).squaredNorm() < block.radius[lane] * block.radius[lane];
}

// Returns the triangle with all precomputed quantities except `facing`, the normals of the cloth at the corners.
inline DistanceTriangle distance_triangle(const Vector3& a, const Vector3& b, const Vector3& c) {
    // smallest (height) / (longest side) of a triangle with a normal; for a thinner triangle only the sides are tested
    constexpr float thin_ratio = 1e-2f;
    DistanceTriangle t{};
    const auto put = [](const Vector3& v, float* to) { std::copy_n(v.data(), 3, to); };
    const Vector3 corners[3] = {a, b, c}, sides[3] = {b - a, c - b, a - c}, middle = (a + b + c) / 3.0f;
    const Vector3 across = sides[0].cross(sides[1]);
    const float area = across.norm();
    float farthest = 0.0f, longest = 0.0f;
    for (int k = 0; k < 3; ++k) {
        put(corners[k], t.corners[k]), put(sides[k], t.sides[k]);
        const float square = sides[k].squaredNorm();
        // a side is treated as a point if its squared length underflows
        t.inverse_squares[k] = square > std::numeric_limits<float>::min() ? 1.0f / square : 0.0f;
        longest = std::max(longest, square);
        farthest = std::max(farthest, (corners[k] - middle).squaredNorm());
    }
    put(middle, t.middle);
    put(a.cwiseMin(b).cwiseMin(c), t.low), put(a.cwiseMax(b).cwiseMax(c), t.high);
    t.radius = std::sqrt(farthest);
    t.thin = !(area > thin_ratio * longest);
    if (!t.thin) {
        const Vector3 normal = across / area;
        put(normal, t.normal);
        for (int k = 0; k < 3; ++k) {
            put(normal.cross(sides[k]).normalized(), t.inward[k]);
        }
    }
    return t;
}

}  // namespace ruckle
