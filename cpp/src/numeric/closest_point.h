// The closest point of a triangle to a given point.
#pragma once

#include <array>

#include "ruckle/point4.h"

namespace ruckle {

// Loads a row of four floats and sets the fourth number to 0. A single load of the whole row is fast; a load of three
// numbers would wait for a previous store of four (store forwarding).
inline Point4 row_point(const float* row) {
    Point4 point = Eigen::Map<const Point4>(row);
    point[3] = 0.0f;
    return point;
}

struct Closest {
    std::array<float, 3> weights;
    int feature;  // part of the triangle: 0 is inside, 1 + k is the edge from corner k to the next, 4 + k is corner k
};

// Returns the point of triangle abc that is closest to p, as barycentric coordinates with the part of the triangle. It
// tests the regions of the corners, then of the edges, then the inside (Ericson 2005, 5.1.5).
inline Closest closest_point(const Point4& p, const Point4& a, const Point4& b, const Point4& c) {
    const Point4 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    // use dot() of point4.h, because the summation order of Eigen's dot product depends on the instruction set
    const float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d1 <= 0.0f && d2 <= 0.0f) {
        return {{1.0f, 0.0f, 0.0f}, 4};
    }
    if (d3 >= 0.0f && d4 <= d3) {
        return {{0.0f, 1.0f, 0.0f}, 5};
    }
    if (d6 >= 0.0f && d5 <= d6) {
        return {{0.0f, 0.0f, 1.0f}, 6};
    }
    const float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) {
        const float t = d1 / (d1 - d3);
        return {{1.0f - t, t, 0.0f}, 1};
    }
    if (va <= 0.0f && d4 >= d3 && d5 >= d6) {
        const float t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {{0.0f, 1.0f - t, t}, 2};
    }
    if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) {
        const float t = d2 / (d2 - d6);
        return {{1.0f - t, 0.0f, t}, 3};
    }
    const float s = 1.0f / (va + vb + vc);
    return {{1.0f - (vb + vc) * s, vb * s, vc * s}, 0};
}

}  // namespace ruckle
