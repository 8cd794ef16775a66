// fitting: moves the vertices of a fine mesh so that the normals of its triangles agree with its drawn normals. Use it
// for programs that compute normals from triangles.
//
// Drawn normals (the vertex normals of the fine mesh) are interpolated between coarse vertices. In general no surface
// has exactly these normals. The function computes the positions x that minimise
//     Σ_f Σ_e w_fe |x_j - x_i - R_f (p_j - p_i)|² + stiffness Σ_i (a_i / s_i²) |x_i - p_i|² / length²
// over the edges e = ij of the triangles f, with p the given positions and s_i the share of vertex i. R_f is the
// smallest rotation from the normal of the triangle to the mean of the drawn normals of its corners. w_fe is the area
// of the triangle divided by the squared length of the edge. a_i is a third of the area of the triangles around the
// vertex (Yu et al. 2004, Mesh editing with Poisson-based gradient field manipulation, section 3). In each further
// round, the positions from the previous round replace p in the first sum and in R_f.
//
// A coarse mesh is uneven, but its vertex normals are means and therefore change more evenly. A surface near the coarse
// vertices cannot have such normals. `limit_offsets` returns the offsets to an even surface. A caller can move the
// vertices by a share of these offsets before the fit.
//
// Guarantees: vertices with share 0 keep their position, bit for bit. Each vertex has one position for all its
// triangles, so that the mesh does not open. The same input gives the same bits on every machine.
//
// Example:
//     std::vector<std::array<ruckle::Vector3, 3>> corner_normals;
//     for (const ruckle::Face& corners : fine.faces) {
//         corner_normals.push_back({fine.normals[corners[0]], fine.normals[corners[1]], fine.normals[corners[2]]});
//     }
//     ruckle::fit_to_normals(fine.faces, corner_normals, {}, {.length = 0.05f}, fine.positions);
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

struct FitOptions {
    // length by which the movements x_i - p_i are divided in the second sum, mesh units, > 0; for example the mean
    // length of the coarse edges
    float length = 1.0f;
    // resistance to movements, > 0. With a fifth of the default, the error of the normals is a tenth smaller, and
    // vertices move further by a third
    float stiffness = 0.5f;
    int rounds = 2;  // number of rounds, >= 1
    int steps = 60;  // largest number of steps of conjugate gradients in a round, >= 1
};

// Moves the vertices of a mesh with M faces and N vertices.
//
// faces           (M) vertices of each face
// corner_normals  (M) unit normals of the corners of each face. A face is not rotated if their sum is zero, or if its
//                 normal differs from their mean by more than 120 degrees
// shares          (N) mobility s of each vertex, in [0, 1]; 0: the vertex does not move; empty: 1 for all vertices
// positions       (N) vertex positions, mesh units, finite; replaced by the result
void fit_to_normals(std::span<const Face> faces, std::span<const std::array<Vector3, 3>> corner_normals,
                    std::span<const float> shares, const FitOptions& options, std::span<Vector3> positions);

// Returns the vector (V) from each vertex of a mesh to its place on the limit surface of Loop's subdivision, with the weights of
// Warren (Loop 1987, Smooth subdivision surfaces based on triangles; Warren and Weimer 2001, Subdivision methods for geometric
// design): 1/2 of the way to the mean of its n neighbours, 3/5 if n = 3. A vertex of the boundary moves 1/3 of the way to the
// mean of its two neighbours on the boundary. Vertices without faces, and vertices with more than two boundary edges, do not
// move.
//
// positions  (V) finite
std::vector<Vector3> limit_offsets(const Topology& topology, std::span<const Vector3> positions);

}  // namespace ruckle
