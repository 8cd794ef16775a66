// Transports gradients from the flat coarse cloth to a shape over it. Along a side w of a fine triangle on the coarse
// cloth, a height changes by ∇h·w. Along the corresponding side w' of the shape, it changes by the same amount:
//     ∇h' = W' (W'ᵀ W')⁻¹ Wᵀ ∇h       W, W': two sides of the triangle as columns
// One matrix per triangle would cause visible edges in the shading. The matrices are therefore averaged over the faces
// around each vertex, weighted by area, and interpolated between vertices.
#pragma once

#include <span>
#include <vector>

#include "ruckle/surface/refinement.h"
#include "ruckle/types.h"

namespace ruckle {

class Transport {
  public:
    // Computes the matrices of a frame at all vertices of the fine mesh; the identity at vertices with only degenerate
    // faces.
    //
    // positions         (N) vertices of the fine mesh, mesh units
    // coarse_positions  (V) mesh units
    void measure(const Refinement& refinement, std::span<const Vector3> positions, std::span<const Vector3> coarse_positions);

    // Returns the gradient on the shape at a point of a fine face.
    Vector3 gradient(const Face& corners, const Vector3& barycentric, const Vector3& coarse_gradient) const;

  private:
    using Matrix3 = Eigen::Matrix<float, 3, 3, Eigen::DontAlign>;

    std::vector<Vector3> flat_;      // (N) fine vertices on the flat coarse cloth
    std::vector<Matrix3> matrices_;  // (N) mean matrix of each vertex
    std::vector<float> areas_;       // (N) area of the faces around each vertex
};

}  // namespace ruckle
