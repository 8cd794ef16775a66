// Contact of a body with the faces of coarse cloth, at sample points on them.
//
// With contact at vertices only, a limb comes between them: an edge of 12 cm spans a whole leg. Fine cloth would then track
// positions inside the body, which it cannot follow. It tears between tracking and contact.
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
    // Samples edges and faces: points at most `spacing` apart along an edge, m, but at most 64 pieces of each. Faces with three
    // pinned corners get none. The rows of points are at rest, and hold inverse masses.
    FaceContact(const Topology& topology, const Rows& points, float spacing);

    std::size_t point_count() const { return points_.size(); }

    // The row of a point among those of the vertices.
    Point4 at(std::size_t point, const Rows& rows) const;

    // Pushes the points out one after another, each by its corners. near: one element per point.
    void push_out(const BodyMesh& body, const ContactFactors& factors, const Rows& velocities, Rows& points, Rows& predicted,
                  std::span<NearBody> near) const;

  private:
    void add(const Rows& points, const std::array<std::int32_t, 3>& corners, const std::array<float, 3>& weights);

    std::vector<FacePoint> points_;
};

}  // namespace ruckle
