// Computes normals for lighting, one per corner of each coarse face: a vertex of a hem has one for each layer.
//
// The mean normal at a fold points along the cloth and describes neither side. A corner of face f therefore has the mean normal
// of the faces g that are connected with f around the vertex without a crease between them:
//     n_f = Σ_g w_fg a_g n_g     a_g: angle of g at the vertex
//     w_fg = p + q - p q         p, q: products of the smoothness of the edges between f and g, in both directions around the
//     vertex
// Smoothness decreases from 1 to 0 between the two crease angles, so that shading does not jump when a fold opens. If all edges
// of a vertex are smooth, its corners have the vertex normal, bit for bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"
#include "surface/normals.h"

namespace ruckle {

class Creases {
  public:
    // Keeps a reference to the topology.
    explicit Creases(const Topology& topology);

    // Finds the creases of a frame from its normals, and computes the corner normals.
    void measure(const Normals& normals);
    // The same for given faces only.
    void measure(const Normals& normals, std::span<const std::int32_t> faces);

    // Faces that have corners at creases, ascending, and the unit normals of their corners. All other faces use the normals of
    // their vertices.
    // Valid until the next call of measure.
    std::span<const std::int32_t> parted_faces() const { return parted_faces_; }
    std::span<const std::array<Vector3, 3>> parted_normals() const { return parted_normals_; }

  private:
    // Sums over the faces around a vertex, in one direction from a face up to a crease or the boundary.
    struct SideSum {
        Vector3 sum;     // corner normals, weighted by the product of smoothness up to each face
        Vector3 others;  // corner normals without these weights
        float round;     // product of smoothness over the closed ring; 0 if it is not closed
    };
    void part(std::int32_t face, const Normals& normals);
    Vector3 parted_normal(std::int32_t face, int corner, const Normals& normals) const;
    void find_creases(std::span<const FaceNormal> normals);
    SideSum sum_side(std::int32_t face, int corner, bool forward, std::span<const std::array<CornerNormal, 3>> normals) const;

    const Topology& topology_;
    std::vector<float> smoothness_;      // (E) in [0, 1], 0 at creases
    std::vector<std::uint8_t> creased_;  // has an edge that is not entirely smooth
    std::vector<std::int32_t> parted_faces_;
    std::vector<std::array<Vector3, 3>> parted_normals_;  // of these
};

}  // namespace ruckle
