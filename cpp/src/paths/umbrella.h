// The triangles around one mesh vertex, unfolded into the plane, for paths that slide over that vertex (thesis 5.2).
//
// Where the solve moves a path to the other side of the center o, the path loses its vertices on the spokes that it no longer
// crosses (left) and gains one on each spoke that it crosses instead (right):
//
//           \       /                      \       /            o     mesh vertex, center of the umbrella
//      b-.   \     /   .-a            b     \     /     a       \ / - spokes: the mesh edges that end at o
//         '-._x---x_.-'                '.    \   /    .'        x     crossings of path and spokes
//               \ /                      '.   \ /   .'          b, a  the path's vertices before and after those
//        --------o--------          --------x--o--x--------     m     where the solve wants the path
//               / \                          './ \.'
//              /   \                          x.m.x            figures 5.4 and 5.5 of the thesis
//
// The new crossings are those of the straight lines b - m and m - a. Where m stays on the near side of o, the same construction
// replaces vertices that have come too close to o.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "constants.h"
#include "ruckle/paths/path.h"

namespace ruckle {

// Spoke j is the edge from the center, at the origin, to a rim vertex at angle angles[j]; sector j is the triangle between spokes j
// and j + 1, cyclically when closed. Angles of a closed umbrella are scaled to add up to a full turn.
struct Umbrella {
    // Unfolds the triangles around a mesh vertex. False where it has too many, or collapsed ones.
    bool unfold(const Topology& topology, std::span<const Vector3> positions, std::int32_t vertex);

    int sector_count() const { return closed ? spoke_count : spoke_count - 1; }
    int spoke_of(std::int32_t edge) const;  // -1: none
    int sector_of(std::int32_t face) const;
    std::int32_t face_between(int spoke, int other) const;  // -1: the spokes have no triangle in common
    float opening() const;                                  // angle that the sectors fill, radians

    std::int32_t center;
    int spoke_count;
    bool closed;
    std::array<std::int32_t, most_umbrella_faces + 1> edges;  // spokes
    std::array<std::int32_t, most_umbrella_faces> faces;      // sectors
    std::array<float, most_umbrella_faces + 1> angles, lengths;

  private:
    struct Entry;
    Entry first_entry(const Topology& topology) const;
    float lay_spokes(const Topology& topology, std::span<const Vector3> positions, Entry at);
    void add_spoke(std::int32_t edge, float angle, float length);
};

// Rebuilds a path around a mesh vertex (thesis 5.2, figures 5.4 and 5.5): the vertices [first, last) of the path, which all
// lie on spokes, are replaced by the crossings of two straight lines with the spokes: from the vertex before to a point
// near the center, at `radius` (negative: beyond the center) along the spoke of vertex `moved`, and on to the vertex after.
// False, and path unspecified, where this gives no valid path.
bool reroute(const Topology& topology, const Umbrella& umbrella, int first, int last, int moved, float radius, Path& path);

}  // namespace ruckle
