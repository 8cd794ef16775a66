// refinement: a fine mesh over the coarse mesh, and the map from points of the fine mesh to points of the coarse mesh.
// Shape layers (upsampling, examples in pose space) move the fine mesh.
//
// If one coarse face contains a fine face, the map interpolates barycentric coordinates between the corners. A fine
// face can also cover several coarse faces, if the fine mesh was modelled separately. Each point of such a fine face
// maps to the closest point of the flat coarse triangles. The search for this point begins at the coarse faces of the
// corners. Heights on such a fine face are continuous only if the cloth is flat.
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

// Throws MeshError if `weights` are not the barycentric coordinates of a point in a triangle: all at least 0, with sum
// 1.
//
// row  number of the fine vertex, for the message
void require_weights(const Vector3& weights, std::size_t row);

// A point of the coarse mesh.
struct CoarsePoint {
    std::int32_t face;
    Vector3 barycentric;
};

class Refinement {
  public:
    // Keeps a reference to the coarse topology. Throws MeshError if the fine mesh is not manifold, or if a vertex has a
    // wrong coarse face or wrong barycentric coordinates.
    Refinement(const Topology& coarse, const RefinedMesh& mesh);

    const Topology& coarse() const { return coarse_; }
    const Topology& topology() const { return topology_; }  // topology of the fine mesh

    // Returns the coarse face of each corner of a fine face. All three are equal if one coarse face contains the fine
    // face.
    std::span<const std::int32_t, 3> coarse_faces(std::int32_t face) const { return holders_[face]; }

    // Returns the point of the coarse mesh for a point of a fine face.
    CoarsePoint locate(std::int32_t face, const Vector3& barycentric, std::span<const Vector3> coarse_positions) const;

  private:
    const Topology& coarse_;
    Topology topology_;
    std::vector<std::array<std::int32_t, 3>> holders_;  // (F) coarse face of each corner
    std::vector<std::array<Vector3, 3>> corners_;       // (F) barycentric coordinates of each corner in its coarse face
};

// Computes the relative increase of the area of each coarse face, if a fine shape replaces the flat face. The area of a
// fine face over several coarse faces is divided equally among the coarse faces of its corners.
//
// positions         (N) vertices of the fine mesh, mesh units
// coarse_positions  (V) mesh units
// gains             (T) result, >= 0; 0 for degenerate faces
void measure_shape_gains(const Refinement& refinement, std::span<const Vector3> positions,
                         std::span<const Vector3> coarse_positions, std::span<float> gains);

}  // namespace ruckle
