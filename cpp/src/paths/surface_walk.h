// Moves a point straight over the cloth at rest: neighbouring triangles are unfolded at the edges that the point
// crosses.
#pragma once

#include <algorithm>

#include "ruckle/paths/rest_cloth.h"

namespace ruckle {

// Corrects barycentric coordinates after rounding, so that all are at least 0 and their sum is 1.
inline void clamp_inside(Vector3& weights) {
    weights[0] = 1.0f - weights[1] - weights[2];
    if (!(weights.minCoeff() >= 0.0f)) {
        weights = weights.cwiseMax(0.0f);
        weights /= weights.sum();
    }
}

// Axes at the edge between two triangles, to unfold them: unit vectors along the edge, out of the first triangle in its
// plane, and into the second triangle in its plane. A vector of length 0 remains 0.
struct Hinge {
    Point4 along, outward, onward;

    // side: index of the edge in `face`; next: face across this side
    Hinge(const RestCloth& cloth, std::int32_t face, std::int32_t next, int side) {
        const Face &from = cloth.topology().faces[face], &to = cloth.topology().faces[next];
        const std::int32_t first = from[side], second = from[(side + 1) % 3], opposite = to[0] + to[1] + to[2] - first - second;
        along = unit(cloth.vertex(second) - cloth.vertex(first));
        outward = -across(cloth.vertex(from[(side + 2) % 3]) - cloth.vertex(first));
        onward = across(cloth.vertex(opposite) - cloth.vertex(first));
    }
    // Returns the unit vector perpendicular to the edge toward the end of `arm`.
    Point4 across(const Point4& arm) const { return unit(arm - along * dot(along, arm)); }
    // Rotates a vector of the first triangle into the plane of the second triangle.
    Point4 turned(const Point4& v) const { return along * dot(along, v) + onward * dot(outward, v); }

  private:
    static Point4 unit(const Point4& v) {
        const float square = dot(v, v);
        return square > 0.0f ? Point4(v / std::sqrt(square)) : v;
    }
};

// Moves a point along the vector v over the cloth at rest, and updates its face and barycentric coordinates (weights).
// The point stops at the end of the vector, at a boundary, at an edge for which enters(next face, direction into the
// next face) returns false, or after 24 triangles.
template <class Enters>
void walk_surface(const RestCloth& cloth, Point4 v, std::int32_t& face, Vector3& weights, const Enters& enters) {
    // limit of the number of triangles, so that the loop always ends; in one frame samples cross fewer triangles
    for (int guard = 0; guard < 24; ++guard) {
        const Vector3 change = cloth.weights_along(face, v);
        float share = 1.0f;
        int left = -1;
        for (int k = 0; k < 3; ++k) {
            if (change[k] < 0.0f && weights[k] + share * change[k] < 0.0f) {
                share = std::max(-weights[k] / change[k], 0.0f);
                left = k;
            }
        }
        weights += share * change;
        clamp_inside(weights);
        if (left < 0) {
            return;
        }
        // the side opposite to the corner whose barycentric coordinate is now 0
        const int side = (left + 1) % 3;
        const std::int32_t next = cloth.topology().face_neighbors[face][side];
        if (next < 0) {
            return;
        }
        const Hinge hinge(cloth, face, next, side);
        v = hinge.turned((1.0f - share) * v);
        if (!v.allFinite() || !enters(next, hinge.onward)) {
            return;
        }
        const Face &from = cloth.topology().faces[face], &to = cloth.topology().faces[next];
        Vector3 there = Vector3::Zero();
        for (int k = 0; k < 3; ++k) {
            there[k] = to[k] == from[side] ? weights[side] : to[k] == from[(side + 1) % 3] ? weights[(side + 1) % 3] : 0.0f;
        }
        face = next, weights = there;
    }
}
inline void walk_surface(const RestCloth& cloth, const Point4& v, std::int32_t& face, Vector3& weights) {
    walk_surface(cloth, v, face, weights, [](std::int32_t, const Point4&) { return true; });
}

}  // namespace ruckle
