// moments: precomputed means of pattern slopes. The area of a triangle with a pattern can be computed from them in
// every frame.
//
// The first fundamental form of a triangle ("gram" below) contains the dot products of its edges, M = [[E, F], [F, G]],
// in mesh units². Let D = det M, and p the gradient of pattern f in edge coordinates. Twice the area of the triangle
// with heights h f is the mean of
//     √(D + h² q),    q = G p1² - 2 F p1 p2 + E p2²    (D times the squared slope on the deformed cloth)
// Only M changes from frame to frame. The mean of q needs only the means of p pᵀ for each pair of patterns: the moments.
//
// Heights are along the interpolated normals. On curved cloth these normals are not perpendicular to the triangle, so
// that slopes are smaller. `upright`, the mean squared cosine of the angle between both normals, corrects squared
// slopes. Without this correction, garments get half a percent less area than computed.
//
// Departs from the paper: the paper linearises the area in the entries of T⁻¹ (5), which is exact only to first order
// of the deformation. The formulas here do not depend on a plane, an axis or texture coordinates.
//
// Example:
//     std::vector<ruckle::Vector3> grams(faces.size());
//     ruckle::gram(positions, faces, grams);
//     const ruckle::Moments moments = ruckle::pattern_moments(grid, node_heights, 1);
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/patterns/grid.h"
#include "ruckle/types.h"

namespace ruckle {

// Largest number of patterns: the factors of a vertex fill one GPU texel.
inline constexpr int most_patterns = 4;

// Returns the number of pairs of patterns (j, k) with j <= k.
inline constexpr int pair_count(int pattern_count) {
    return pattern_count * (pattern_count + 1) / 2;
}

struct Moments {
    int pattern_count = 0;
    std::vector<Vector3> rest;  // (T) first fundamental forms (E, F, G) of the cloth at rest
    std::vector<float> areas;   // (T) twice the area at rest; mesh units²
    std::vector<float> values;  // (pairs, 3, T) means of p1 p1', (p1 p2' + p2 p1') / 2, p2 p2'; pairs (0, 0), (0, 1), ...
    // (T) mean squared cosine between interpolated normals and the triangle's normal at rest, in (0, 1]
    std::vector<float> upright;
    std::vector<float> mean_square;  // (K) mean of |∇f|² over the garment at rest, weighted by area; dimensionless
    // constants c and d of y = 1 + z - c z² / (1 + d z) (modulation.h), fitted to the area for small z, z = 0.5 and
    // infinite z
    std::array<float, 2> bend{};
    // (V, K) 4/π ∫|∇f|² / ∫|∇f| at rest around a vertex: largest slope of a sine wave with the same ratio
    std::vector<float> steepness;
    std::vector<float> highest;  // (V, K) largest |f| around a vertex; mesh units
    int flat_count = 0;          // number of patterns that are flat everywhere; they cannot increase the area
    int face_count() const { return static_cast<int>(rest.size()); }
};

// Computes the first fundamental form of each triangle: E = e1·e1, F = e1·e2, G = e2·e2, mesh units², with the edges e1 and e2
// from vertex 0.
//
// positions  (V) vertex positions, mesh units
// faces      (T) vertex indices in [0, V)
void gram(std::span<const Vector3> positions, std::span<const Face> faces, std::span<Vector3> grams);

// Computes the first fundamental forms (T) from edge matrices (T), for example of reference triangles.
void gram(std::span<const Matrix2> matrices, std::span<Vector3> grams);

// Returns the moments of pattern_count = K patterns; K is in [1, most_patterns].
//
// heights  (K, N) heights at the nodes of the grid, mesh units
Moments pattern_moments(const PatternGrid& grid, std::span<const float> heights, int pattern_count);

}  // namespace ruckle
