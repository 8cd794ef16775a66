// The triangles around one mesh vertex, unfolded into the plane, for paths that slide over that vertex (thesis 5.2).
//
// If the solve moves a path to the other side of the center o, the path loses its vertices on the spokes that it no
// longer crosses (left figure). It gets a new vertex on each spoke that it crosses instead (right figure):
//
//           \       /                      \       /            o     mesh vertex, center of the fan
//      b-.   \     /   .-a            b     \     /     a       \ / - spokes: the mesh edges that end at o
//         '-._x---x_.-'                '.    \   /    .'        x     crossings of path and spokes
//               \ /                      '.   \ /   .'          b, a  the path's vertices before and after x
//        --------o--------          --------x--o--x--------     m     solved position of the path vertex
//               / \                          './ \.'
//              /   \                          x.m.x            figures 5.4 and 5.5 of the thesis
//
// The new crossings are the intersections of the straight lines b - m and m - a with the spokes. If m remains on the
// near side of o, the same construction replaces vertices that are too close to o.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "constants.h"
#include "ruckle/paths/path.h"

namespace ruckle {

// Spoke j is the edge from the center (the origin) to a rim vertex, at angle angles[j]. Sector j is the triangle
// between spokes j and j + 1, cyclically if the fan is closed. The angles of a closed fan are scaled so that their sum
// is a full turn.
struct VertexFan {
    // Unfolds the triangles around a mesh vertex, and sets all members. Returns false if the vertex has too many
    // triangles, no triangle or several fans, if an edge at the vertex has length 0, or if the sum of the angles at the
    // vertex is at most least_fan_angle. The members are then unspecified.
    bool unfold(const Topology& topology, std::span<const Vector3> positions, std::int32_t vertex);

    int sector_count() const { return closed ? spoke_count : spoke_count - 1; }
    int spoke_of(std::int32_t edge) const;  // index of the spoke on a mesh edge; -1 if the edge is not a spoke
    // index of the sector of a triangle; -1 if the triangle is not in the fan
    int sector_of(std::int32_t face) const;
    // triangle between two spokes; -1 if the spokes are not neighbours
    std::int32_t face_between(int spoke, int other) const;
    float opening() const;  // sum of the sector angles, radians

    // the mesh vertex
    std::int32_t center;
    int spoke_count;
    bool closed;
    std::array<std::int32_t, most_fan_faces + 1> edges;  // mesh edge of each spoke
    std::array<std::int32_t, most_fan_faces> faces;      // triangle of each sector
    // angle (radians) and length (mesh units) of each spoke
    std::array<float, most_fan_faces + 1> angles, lengths;

  private:
    struct Entry;
    Entry first_entry(const Topology& topology) const;
    float lay_spokes(const Topology& topology, std::span<const Vector3> positions, Entry at);
    void add_spoke(std::int32_t edge, float angle, float length);
};

// Rebuilds a path around a mesh vertex (thesis 5.2, figures 5.4 and 5.5). Replaces the vertices [first, last) of the
// path, which are all on spokes, by the crossings of two straight lines with the spokes. The first line goes from the
// path vertex before them to a point at `radius` (negative: beyond the center) along the spoke of path vertex `moved`.
// The second line goes from this point to the vertex after them. Returns false if the result is not a valid path;
// `path` is then unspecified.
bool reroute(const Topology& topology, const VertexFan& fan, int first, int last, int moved, float radius, Path& path);

}  // namespace ruckle
