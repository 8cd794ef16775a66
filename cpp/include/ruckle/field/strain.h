// strain: principal strain of the cloth at each vertex, with its direction: a tension map for shaders.
//
// A triangle with principal stretches λ_1 <= λ_2 along unit axes a, b of its plane has the strain tensor
//     E = (λ_1 - 1) a aᵀ + (λ_2 - 1) b bᵀ
// A vertex has the mean of its triangles' tensors, weighted by their areas at rest, in its tangent plane. Eigenvalues and
// eigenvectors of the mean are the vertex's strains. Cloth folds across the direction of the least strain if it is negative.
//
// Guarantees: results are finite for finite input, equal for any instruction set, and turn with the cloth. Collapsed triangles
// count as unstrained. Nothing allocates after the first call with a mesh of this size.
//
// Example:
//     ruckle::StrainScratch scratch;
//     std::vector<ruckle::VertexStrain> strains(positions.size());
//     ruckle::vertex_strains(topology, reference, positions, scratch, strains);
#pragma once

#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

// Strain of one vertex: relative change of length since rest, -0.2 if the cloth is a fifth shorter. Directions are unit vectors of
// the tangent plane, orthogonal to each other, and 0 if both strains are equal.
struct VertexStrain {
    Vector3 least_direction;
    float least;
    Vector3 greatest_direction;
    float greatest;
};
static_assert(sizeof(VertexStrain) == 32);

// Memory of vertex_strains; callers keep it from frame to frame.
struct StrainScratch {
    std::vector<Matrix2> edges;
    std::vector<float> min, max, compression;
    std::vector<Vector2> axes;
    std::vector<std::uint8_t> degenerate;
    std::vector<Vector3> normals;
    std::vector<std::array<float, 7>> tensors;
};

// topology   V vertices and T triangles
// rest       (T) edge matrices of the undeformed triangles (edge_matrices of stretch.h)
// positions  (V) mesh units, finite
// strains    (V) result; 0 for vertices without a triangle
void vertex_strains(const Topology& topology, std::span<const Matrix2> rest, std::span<const Vector3> positions,
                    StrainScratch& scratch, std::span<VertexStrain> strains);

}  // namespace ruckle
