// Contact of a body mesh with the faces of coarse cloth, at sample points on edges and faces.
//
// With contact at vertices only, a limb enters the cloth between them: an edge of 12 cm spans a whole leg. Fine cloth
// that tracks the coarse cloth would then be pulled into the body by tracking and pushed out by contact, and would
// tear.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "simulation/body_mesh.h"
#include "simulation/rows.h"

namespace ruckle {

// A sample point on a face, as weights of its corners. A point on an edge repeats the second corner with weight 0.
struct FacePoint {
    std::array<std::int32_t, 3> corners;
    std::array<float, 3> weights;
};

class FaceContact {
  public:
    // Creates sample points on edges and faces. Neighbouring points are at most `spacing` apart along an edge, m; they
    // are farther apart only if an edge would need more than 64 intervals. Skips faces with three pinned corners.
    // points: rows of the cloth at rest, with inverse masses.
    FaceContact(const Topology& topology, const Rows& points, float spacing);

    std::size_t point_count() const { return points_.size(); }

    // Returns the row of a sample point, interpolated from the rows of the vertices.
    Point4 at(std::size_t point, const Rows& rows) const;

    // Pushes the sample points out of the body one after another, by moving their corners in `points` and `predicted`.
    // Skips points that are not near the body or have three fixed corners. near: one element per sample point, updated.
    void push_out(const BodyMesh& body, const ContactFactors& factors, const Rows& velocities, Rows& points, Rows& predicted,
                  std::span<NearBody> near) const;

  private:
    void add(const Rows& points, const std::array<std::int32_t, 3>& corners, const std::array<float, 3>& weights);

    std::vector<FacePoint> points_;
};

}  // namespace ruckle
