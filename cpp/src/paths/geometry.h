// Geometry of paths inside one triangle: sides, boundary coordinates and directions, in the triangle's plane.
#pragma once

#include <algorithm>
#include <cmath>

#include "constants.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

inline float cross(const Vector2& a, const Vector2& b) {
    return a[0] * b[1] - a[1] * b[0];
}
// Rotates a vector by 90° counterclockwise.
inline Vector2 quarter_turn(const Vector2& a) {
    return {-a[1], a[0]};
}

// Returns the index of an edge in its face: side k connects the corners k and k + 1 (modulo 3).
inline int side_of(const Topology& topology, std::int32_t face, std::int32_t edge) {
    const auto& sides = topology.face_edges[face];
    return sides[0] == edge ? 0 : sides[1] == edge ? 1 : 2;
}

// Returns the triangle on the other side of an edge; -1 at the boundary.
inline std::int32_t across(const Topology& topology, std::int32_t face, std::int32_t edge) {
    const auto& faces = topology.edge_faces[edge];
    return faces[0] == face ? faces[1] : faces[0];
}

// Returns the position of corner k in the face's plane. Corner 0 is the origin; the columns of the edge matrix are the
// edges from corner 0 to the corners 1 and 2.
inline Vector2 corner(const Matrix2& current, int k) {
    return k == 0 ? Vector2(0.0f, 0.0f) : k == 1 ? Vector2(current(0, 0), current(1, 0)) : Vector2(current(0, 1), current(1, 1));
}

// Converts t of an edge to the share of the length from corner `side` of the face to the next corner. The same function
// converts the share back to t.
inline float along_side(const Topology& topology, std::int32_t face, int side, std::int32_t edge, float t) {
    return topology.faces[face][side] == topology.edges[edge][0] ? 1.0f - t : t;
}

// Returns the position of a point on the boundary of a face, in [0, 3]: the points of side k have the positions k to k
// + 1.
inline float boundary_coordinate(const Topology& topology, std::int32_t face, std::int32_t edge, float t) {
    const int side = side_of(topology, face, edge);
    return static_cast<float>(side) + along_side(topology, face, side, edge, t);
}

// True if the chords a0-a1 and b0-b1 of a triangle cross. Arguments are positions along the boundary
// (boundary_coordinate).
inline bool alternate(float a0, float a1, float b0, float b1) {
    const float low = std::min(a0, a1), high = std::max(a0, a1);
    return (b0 > low && b0 < high) != (b1 > low && b1 < high);
}

// Returns the point at t of an edge, in the face's plane.
inline Vector2 point_in_face(const Topology& topology, const Matrix2& current, std::int32_t face, std::int32_t edge, float t) {
    const int side = side_of(topology, face, edge);
    const float s = along_side(topology, face, side, edge, t);
    return corner(current, side) * (1.0f - s) + corner(current, (side + 1) % 3) * s;
}

// Returns t clamped to [edge_margin, 1 - edge_margin], so that the point is not too close to a mesh vertex.
inline float off_vertices(float t) {
    return std::clamp(t, edge_margin, 1.0f - edge_margin);
}

// Axes of an edge in the plane of a face: the unit vector from the vertex with the smaller index to the vertex with the
// larger index, and the unit normal that points into the face. If the edge has length 0, `along` is the x axis of the
// plane or its negative, and `inward` the y axis.
struct EdgeFrame {
    Vector2 along, inward;

    EdgeFrame(const Topology& topology, const Matrix2& current, std::int32_t face, std::int32_t edge) {
        const int side = side_of(topology, face, edge);
        const Vector2 vector = corner(current, (side + 1) % 3) - corner(current, side);
        const float length = vector.norm();
        const Vector2 unit = length > 0.0f ? Vector2(vector / length) : Vector2(1.0f, 0.0f);
        // corners are counterclockwise, so the inside of the face is to the left of the vector along every side
        inward = quarter_turn(unit);
        along = topology.faces[face][side] == topology.edges[edge][0] ? unit : Vector2(-unit);
    }
    // components() returns the parts of a vector along the two axes; vector() is its inverse.
    Vector2 components(const Vector2& v) const { return {along.dot(v), inward.dot(v)}; }
    Vector2 vector(const Vector2& c) const { return along * c[0] + inward * c[1]; }
};

}  // namespace ruckle
