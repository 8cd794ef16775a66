// The triangles around one mesh vertex, unfolded into the plane, for paths that slide over that vertex.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "constants.h"
#include "ruckle/paths/path.h"

namespace ruckle {

// Spoke j is the edge from the vertex at the origin to a rim vertex at angle angles[j]; triangle j lies between spokes j
// and j + 1, cyclically when closed. Angles of a closed umbrella are scaled to add up to a full turn.
struct Umbrella {
    // False where the vertex has too many triangles, or collapsed ones.
    bool unfold(const Topology& topology, std::span<const Vector3> positions, std::int32_t center);

    int face_count() const { return closed ? spoke_count : spoke_count - 1; }
    int spoke_of(std::int32_t edge) const;  // -1: none
    int sector_of(std::int32_t face) const;
    float turn() const { return closed ? 6.28318531f : angles[spoke_count - 1]; }

    std::int32_t center;
    int spoke_count;
    bool closed;
    std::array<std::int32_t, most_umbrella_faces + 1> edges;  // spokes
    std::array<std::int32_t, most_umbrella_faces> faces;
    std::array<float, most_umbrella_faces + 1> angles, lengths;
};

// Rebuilds a path around a mesh vertex (thesis 5.2, figures 5.4 and 5.5): the vertices [first, last) of the path, which all
// lie on spokes, are replaced by the crossings of two straight lines with the spokes: from the vertex before to a point
// near the center, at `radius` (negative: beyond the center) along the spoke of vertex `moved`, and on to the vertex after.
// False, and path unspecified, where this gives no valid path.
bool reroute(const Topology& topology, const Umbrella& umbrella, int first, int last, int moved, float radius, Path& path);

}  // namespace ruckle
