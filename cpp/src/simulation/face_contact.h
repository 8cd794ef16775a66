// Contact of a body with the faces of coarse cloth, at points that lie on them.
//
// Contact of vertices alone lets a limb come between them: an edge of 12 cm takes up a whole leg. What fine cloth then tracks lies
// inside of the body, where it cannot follow, and where both pull at it, it tears.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "simulation/body_mesh.h"
#include "simulation/rows.h"

namespace ruckle {

// A point of a face, by weights of its corners.
struct FacePoint {
    std::array<std::int32_t, 3> corners;
    std::array<float, 3> weights;
};

class FaceContact {
  public:
    // Points of edges and faces, no farther than the spacing apart along an edge, m, but at most 64 pieces of each; none where all corners
    // are pinned. The rows of points are at rest, and hold inverse masses.
    FaceContact(const Topology& topology, const Rows& points, float spacing);

    std::size_t point_count() const { return points_.size(); }

    // The row of a point among those of the vertices.
    Point4 at(std::size_t point, const Rows& rows) const;

    // Pushes the points out in turn, each by its corners. near: one of every point.
    void push_out(const BodyMesh& body, const ContactFactors& factors, const Rows& velocities, Rows& points, Rows& predicted,
                  std::span<NearBody> near) const;

  private:
    void add(const Rows& points, const std::array<std::int32_t, 3>& corners, const std::array<float, 3>& weights);

    std::vector<FacePoint> points_;
};

}  // namespace ruckle
