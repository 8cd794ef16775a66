// refinement: a fine mesh over the coarse one, which shape layers move, and the map from its points to coarse points.
//
// Inside a fine face that is within one coarse face, barycentric coordinates are interpolated from the corners. A fine face may
// also cover several coarse faces, if the fine mesh was modelled independently. Its points map to the closest points on the
// flat coarse triangles; the search begins at the coarse faces of its corners. There, heights are continuous only if the cloth
// is flat.
//
// Example:
//     ruckle::Refinement refinement(topology, {fine.faces, fine.coarse_faces, fine.barycentric});
//     ruckle::Surface surface(refinement);
//     surface.update({fine.positions, positions}, {}, {});
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

struct RefinedMesh {
    std::span<const Face> faces;                 // (F) vertices of the fine mesh
    std::span<const std::int32_t> coarse_faces;  // (N) a coarse face that contains each vertex
    std::span<const Vector3> barycentric;        // (N) barycentric coordinates in that face, >= 0, sum 1
};

// Throws MeshError with one sentence if `weights` are not the barycentric coordinates of a point in a triangle.
//
// row  for the message: the number of the fine vertex
void require_weights(const Vector3& weights, std::size_t row);

struct CoarsePoint {
    std::int32_t face;
    Vector3 barycentric;
};

class Refinement {
  public:
    // Keeps a reference to the coarse topology. Throws MeshError if the fine mesh is not manifold or not on the coarse mesh.
    Refinement(const Topology& coarse, const RefinedMesh& mesh);

    const Topology& coarse() const { return coarse_; }
    const Topology& topology() const { return topology_; }  // of the fine mesh

    // Returns the coarse face of each corner of a fine face; three equal faces if the fine face is inside one coarse face.
    std::span<const std::int32_t, 3> coarse_faces(std::int32_t face) const { return holders_[face]; }

    // Returns the coarse point for a point of a fine face.
    CoarsePoint locate(std::int32_t face, const Vector3& barycentric, std::span<const Vector3> coarse_positions) const;

  private:
    const Topology& coarse_;
    Topology topology_;
    std::vector<std::array<std::int32_t, 3>> holders_;  // (F)
    std::vector<std::array<Vector3, 3>> corners_;       // (F) barycentric coordinates of the corners, each in its holder
};

// Computes the relative increase of the area of each coarse face by a fine shape. If a fine face covers several coarse faces,
// its area is divided equally among the coarse faces of its corners.
//
// positions         (N) of the fine mesh, mesh units
// coarse_positions  (V) mesh units
// gains             (T) result, >= 0; 0 for faces that have collapsed
void measure_shape_gains(const Refinement& refinement, std::span<const Vector3> positions,
                         std::span<const Vector3> coarse_positions, std::span<float> gains);

}  // namespace ruckle
