// refinement: a fine mesh over the coarse one, as shape layers move it: where each of its points lies on the coarse mesh.
//
// A fine face that lies in one coarse face answers with the interpolated barycentric coordinates of its corners. One that reaches
// over several, as in a fine mesh that somebody drew without regard to the coarse one, answers with the point nearest to it on
// the flat coarse cloth, walking from the faces that hold its corners: heights are continuous there as far as the cloth is flat.
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
    std::span<const Vector3> barycentric;        // (N) where in it: three weights of at least 0 that sum to 1
};

// Throws MeshError, in one sentence, for a row of weights that names no point of a triangle.
void require_weights(const Vector3& weights, std::size_t row);

struct CoarsePoint {
    std::int32_t face;
    Vector3 barycentric;
};

class Refinement {
  public:
    // Keeps a reference to the coarse topology. Throws MeshError, in one sentence, for a fine mesh that is no manifold, or that
    // does not lie on the coarse one.
    Refinement(const Topology& coarse, const RefinedMesh& mesh);

    const Topology& coarse() const { return coarse_; }
    const Topology& topology() const { return topology_; }  // of the fine mesh

    // The coarse faces that hold the corners of a fine face: three times the same one where it lies in one.
    std::span<const std::int32_t, 3> coarse_faces(std::int32_t face) const { return holders_[face]; }

    // Where a point of a fine face lies on the coarse mesh.
    CoarsePoint locate(std::int32_t face, const Vector3& barycentric, std::span<const Vector3> coarse_positions) const;

  private:
    const Topology& coarse_;
    Topology topology_;
    std::vector<std::array<std::int32_t, 3>> holders_;  // (F)
    std::vector<std::array<Vector3, 3>> corners_;       // (F) weights of the corners, each in its holder
};

// By what share of its flat area a fine shape enlarges each coarse face; the area of a fine face over several counts in equal parts
// for those that hold its corners.
//
// positions         (N) of the fine mesh, mesh units
// coarse_positions  (V) mesh units
// gains             (T) result, >= 0; 0 for faces that have collapsed
void measure_shape_gains(const Refinement& refinement, std::span<const Vector3> positions,
                         std::span<const Vector3> coarse_positions, std::span<float> gains);

}  // namespace ruckle
