// point4: points and vectors as four floats. One SIMD instruction processes all four floats. Calculations thus need a
// third of the instructions that three separate floats need.
//
// Example:
//     const ruckle::Point4 side = ruckle::point4(positions[1]) - ruckle::point4(positions[0]);
//     const float length = std::sqrt(ruckle::dot(side, side));
#pragma once

#include <Eigen/Core>

#include "ruckle/types.h"

namespace ruckle {

// A point or vector; the fourth component is 0.
using Point4 = Eigen::Vector4f;

inline Point4 point4(const Vector3& p) {
    return {p[0], p[1], p[2], 0.0f};
}
// Returns the dot product. The order of additions is fixed, so that results have the same bits on every machine.
inline float dot(const Point4& a, const Point4& b) {
    const Point4 products = a.cwiseProduct(b);
    return products[0] + products[1] + products[2];
}
inline Point4 cross(const Point4& a, const Point4& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0.0f};
}

}  // namespace ruckle
