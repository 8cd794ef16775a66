// strain: computes the principal strains of the cloth and their directions at each vertex, a tension map for shaders.
//
// A triangle with principal stretches λ_1 <= λ_2 along unit axes a, b of its plane has the strain tensor
//     E = (λ_1 - 1) a aᵀ + (λ_2 - 1) b bᵀ
// The tensor of a vertex is the mean tensor of its triangles, weighted by their areas at rest, and projected to the
// tangent plane of the vertex. Its eigenvalues and eigenvectors are the strains and directions. If the least strain is
// negative, the cloth is compressed along the least direction, and wrinkles run across this direction.
//
// Guarantees: results are finite for finite input, equal for any instruction set, and rotate with the cloth. Collapsed
// triangles have zero strain. A call does not allocate if `scratch` has been used for a mesh of this size.
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

// Strains of one vertex. A strain is the relative change of length since rest: -0.2 if the cloth is a fifth shorter.
// Directions are unit vectors of the tangent plane, orthogonal to each other. Directions are 0 if both strains are
// equal.
struct VertexStrain {
    Vector3 least_direction;
    float least;
    Vector3 greatest_direction;
    float greatest;
};
static_assert(sizeof(VertexStrain) == 32);

// Intermediate arrays of vertex_strains. Reuse this object in each frame, to avoid allocations.
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
// positions  (V) vertex positions, mesh units, finite
// strains    (V) result: strains of each vertex; 0 for vertices without a triangle
void vertex_strains(const Topology& topology, std::span<const Matrix2> rest, std::span<const Vector3> positions,
                    StrainScratch& scratch, std::span<VertexStrain> strains);

}  // namespace ruckle
