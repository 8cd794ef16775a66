// fitting: a fine mesh whose triangles agree with its drawn normals, for programs that compute normals from triangles.
//
// Drawn normals are interpolated between coarse vertices, and no surface has them exactly. The positions x nearest to them minimise
//     Σ_f Σ_e w_fe |x_j - x_i - R_f (p_j - p_i)|² + stiffness Σ_i (a_i / s_i²) |x_i - p_i|² / length²
// over the edges e = ij of the triangles f: p are the given positions, R_f turns a triangle the shortest way to the mean of its
// drawn normals, w_fe is its area over the squared length of the edge, and a_i a third of the areas around a vertex (Yu et al. 2004,
// Mesh editing with Poisson-based gradient field manipulation, section 3). The equation is solved again from the positions found.
//
// Guarantees: vertices with a share of 0 stay, bit for bit. Vertices that triangles share move as one, so that no crack opens. The
// same bits on every machine.
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

#include "ruckle/types.h"

namespace ruckle {

struct FitOptions {
    float length = 1.0f;     // mesh units, > 0: of movements, such as the mean length of the coarse edges
    float stiffness = 0.5f;  // > 0. A fifth of it brings normals closer by a tenth, and moves vertices further by a third
    int rounds = 2;          // >= 1
    int steps = 60;          // >= 1, of conjugate gradients per round
};

// corner_normals  (M) unit normals of the corners of each face; a face whose corners sum to zero keeps its direction
// shares          (N) in [0, 1]: part of each vertex that may move; empty: 1
// positions       (N) finite, moved
void fit_to_normals(std::span<const Face> faces, std::span<const std::array<Vector3, 3>> corner_normals,
                    std::span<const float> shares, const FitOptions& options, std::span<Vector3> positions);

}  // namespace ruckle
