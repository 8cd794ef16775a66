// grid: the sample points of a pattern's heights on the coarse mesh.
//
// The number of parts of a rest edge is a power of two from 1 to 64; a triangle has the largest number of its edges. Nodes are
// stored once per vertex, edge and face interior (mesh colours, Yuksel 2010), so that every pattern is watertight: from UV
// images, functions, paths or noise. An edge of a triangle with more parts keeps its own nodes, with linear heights between.
//
// Guarantees: the same mesh, rest and spacing give the same numbering on every machine.
//
// Example:
//     const ruckle::PatternGrid grid(topology, rest, 0.25f);
//     std::vector<float> heights(grid.node_count());
//     for (int n = 0; n < grid.node_count(); ++n) {
//         const ruckle::Face& corners = grid.topology.faces[grid.node_faces[n]];
//         const ruckle::Vector3& b = grid.node_barycentric[n];
//         const float x = b[0] * rest[corners[0]][0] + b[1] * rest[corners[1]][0] + b[2] * rest[corners[2]][0];
//         heights[n] = 0.1f * std::sin(6.0f * x);
//     }
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

inline constexpr int most_pattern_parts = 64;

class PatternGrid {
  public:
    // rest     (V) mesh units: the cloth at rest
    // spacing  mesh units, > 0: largest distance of nodes along an edge, limited by 64 parts; a quarter of a wave at most,
    //          better an eighth
    // Throws std::invalid_argument, in one sentence.
    PatternGrid(const Topology& topology, std::span<const Vector3> rest, float spacing);

    // edge_parts  (E) powers of two in [1, 64], as another grid of this mesh has them
    PatternGrid(const Topology& topology, std::span<const Vector3> rest, std::span<const std::int32_t> edge_parts);

    // The inputs of a linear interpolation: two nodes and the second one's share.
    struct NodePair {
        std::int32_t first, second;
        float share;
    };
    // The point of a face i parts towards its vertex 1 and j towards its vertex 2; i, j, parts - i - j >= 0.
    NodePair lattice_point(std::int32_t face, int i, int j) const;

    int node_count() const { return static_cast<int>(node_faces.size()); }
    int cell_count() const { return cell_offsets.back(); }

    Topology topology;
    std::vector<Vector3> rest;               // (V) mesh units
    std::vector<std::int32_t> edge_parts;    // (E)
    std::vector<std::int32_t> face_parts;    // (T)
    std::vector<std::int32_t> cell_offsets;  // (T + 1) cells of face t: [cell_offsets[t], cell_offsets[t + 1])
    std::vector<std::int32_t> node_faces;    // (N) a face that holds the node
    std::vector<Vector3> node_barycentric;   // (N) barycentric coordinates in that face

  private:
    void number_nodes();
    std::int32_t edge_node(std::int32_t edge, int k) const;
    NodePair edge_point(std::int32_t face, int side, int steps, int parts) const;

    std::vector<std::int32_t> edge_nodes_, face_nodes_;  // first node inside each edge and face
};

// The gradient of a pattern in each cell of the grid, mesh units: (∂f/∂s, ∂f/∂t) at the point vertex 0 + s e1 + t e2 of a face.
//
// heights  (N)
// slopes   (C)
void cell_slopes(const PatternGrid& grid, std::span<const float> heights, std::span<Vector2> slopes);

// The gradient ∇f at rest at each node: the mean over the cells around it, weighted by area; dimensionless.
//
// heights    (N)
// gradients  (N)
void node_gradients(const PatternGrid& grid, std::span<const float> heights, std::span<Vector3> gradients);

}  // namespace ruckle
