// refinement: a fine mesh over the coarse one, as shape layers move it, and the coarse point of each of its points.
//
// A fine face inside one coarse face interpolates the barycentric coordinates of its corners. A fine face over several coarse
// faces, as in a fine mesh that was drawn independently, uses the closest point on the flat coarse cloth; the search walks from
// the faces of its corners. Heights are continuous there as far as the cloth is flat.
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
    std::span<const std::int32_t> coarse_faces;  // (N) a coarse face that holds each vertex
    std::span<const Vector3> barycentric;        // (N) its position there: three weights of at least 0 that sum to 1
};

// Throws MeshError with one sentence if the weights of a row are not those of a point in a triangle.
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

    // The coarse faces of the corners of a fine face: three times the same one if the fine face is inside it.
    std::span<const std::int32_t, 3> coarse_faces(std::int32_t face) const { return holders_[face]; }

    // Coarse point of a point of a fine face.
    CoarsePoint locate(std::int32_t face, const Vector3& barycentric, std::span<const Vector3> coarse_positions) const;

  private:
    const Topology& coarse_;
    Topology topology_;
    std::vector<std::array<std::int32_t, 3>> holders_;  // (F)
    std::vector<std::array<Vector3, 3>> corners_;       // (F) weights of the corners, each in its holder
};

// Relative growth of the area of each coarse face by a fine shape. The area of a fine face over several coarse faces is divided
// equally among the faces of its corners.
//
// positions         (N) of the fine mesh, mesh units
// coarse_positions  (V) mesh units
// gains             (T) result, >= 0; 0 for faces that have collapsed
void measure_shape_gains(const Refinement& refinement, std::span<const Vector3> positions,
                         std::span<const Vector3> coarse_positions, std::span<float> gains);

}  // namespace ruckle
