// grid: sample points ("nodes") of a pattern's heights on the coarse mesh.
//
// Each edge is divided into equal parts; their number is a power of two from 1 to 64. Each side of a triangle's lattice
// has as many parts as the triangle's edge with the most parts, n. The lattice divides the triangle into n² equal
// triangles ("cells"). Nodes at vertices, inside edges and inside faces are stored once (mesh colours, Yuksel 2010), so
// that all patterns are watertight. If an edge has fewer parts than the lattice of a triangle next to it, heights
// between the nodes of this edge are linear.
//
// Guarantees: the same mesh, rest positions and spacing give the same numbering on every machine.
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

// largest number of parts of an edge
inline constexpr int most_pattern_parts = 64;

class PatternGrid {
  public:
    // rest     (V) positions of the cloth at rest, mesh units
    // spacing  largest distance of nodes along an edge, mesh units, > 0 (larger if 64 parts do not suffice). Use at most
    //          a quarter of the wavelength of the pattern, better an eighth
    // Throws std::invalid_argument with one sentence if an argument is invalid.
    PatternGrid(const Topology& topology, std::span<const Vector3> rest, float spacing);

    // Makes a grid with a given number of parts for each edge. Throws std::invalid_argument if an argument is invalid.
    //
    // edge_parts  (E) number of parts of each edge: a power of two in [1, 64], for example that of another grid of this
    //             mesh
    PatternGrid(const Topology& topology, std::span<const Vector3> rest, std::span<const std::int32_t> edge_parts);

    // A point between two nodes. Its height is (1 - share) × (height of `first`) + share × (height of `second`).
    struct NodePair {
        std::int32_t first, second;
        float share;
    };
    // Returns the lattice point of a face that is i parts toward vertex 1 and j parts toward vertex 2; i, j and parts -
    // i - j are >= 0.
    NodePair lattice_point(std::int32_t face, int i, int j) const;

    int node_count() const { return static_cast<int>(node_faces.size()); }
    int cell_count() const { return cell_offsets.back(); }

    Topology topology;
    std::vector<Vector3> rest;               // (V) positions of the cloth at rest, mesh units
    std::vector<std::int32_t> edge_parts;    // (E) number of parts of each edge
    std::vector<std::int32_t> face_parts;    // (T) number of parts of each side of a triangle's lattice
    std::vector<std::int32_t> cell_offsets;  // (T + 1) cells of face t: [cell_offsets[t], cell_offsets[t + 1])
    std::vector<std::int32_t> node_faces;    // (N) a face that contains the node
    std::vector<Vector3> node_barycentric;   // (N) barycentric coordinates in that face

  private:
    void number_nodes();
    std::int32_t edge_node(std::int32_t edge, int k) const;
    NodePair edge_point(std::int32_t face, int side, int steps, int parts) const;

    std::vector<std::int32_t> edge_nodes_, face_nodes_;  // index of the first node inside each edge and each face
};

// Computes the gradient (∂f/∂s, ∂f/∂t) of a pattern in each cell of the grid, mesh units. s and t are the coordinates of the
// point (vertex 0) + s e1 + t e2 of a face.
//
// heights  (N) height at each node, mesh units
// slopes   (C) result: gradient in each cell; C is cell_count()
void cell_slopes(const PatternGrid& grid, std::span<const float> heights, std::span<Vector2> slopes);

// Computes the gradient ∇f on the cloth at rest at each node: the mean over the cells around the node, weighted by
// area. Gradients are dimensionless.
//
// heights    (N) height at each node, mesh units
// gradients  (N) result: gradient at each node; 0 if all faces around the node have collapsed
void node_gradients(const PatternGrid& grid, std::span<const float> heights, std::span<Vector3> gradients);

}  // namespace ruckle
