// moments: the dependence of a raised triangle's area on a pattern, computed once.
//
// With the products of a triangle's edges M = [[E, F], [F, G]], D = det M and a pattern's gradient p in edge coordinates, twice the
// area of the triangle raised by h f is exactly the mean over it of
//     √(D + h² q),    q = G p1² - 2 F p1 p2 + E p2²    (D times the squared slope on the deformed cloth)
// Only M changes from frame to frame. The means of p pᵀ, for each pair of patterns, are all that the mean of q needs.
//
// Heights are along the surface's normals, which lean over a triangle of curved cloth. Slopes shrink like heights above the
// triangle itself, and squared slopes by the mean square of the cosine, which is `upright`. Without it, garments are raised half
// a percent less than computed.
//
// Departs from the paper: it linearises the area in the entries of T⁻¹ (5), which is not a function of the deformation beyond first
// order; here there is neither plane, nor axis, nor texture coordinate.
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

// At most: one texel of factors on the GPU.
inline constexpr int most_patterns = 4;

inline constexpr int pair_count(int pattern_count) {
    return pattern_count * (pattern_count + 1) / 2;
}

struct Moments {
    int pattern_count = 0;
    std::vector<Vector3> rest;       // (T) gram of the cloth at rest
    std::vector<float> areas;        // (T) twice the area at rest; mesh units²
    std::vector<float> values;       // (pairs, 3, T) means of p1 p1', (p1 p2' + p2 p1') / 2, p2 p2'; pairs (0, 0), (0, 1), ...
    std::vector<float> upright;      // (T) in (0, 1]: mean squared cosine of heights to the triangle's normal at rest, see below
    std::vector<float> mean_square;  // (K) mean of |∇f|² over the garment at rest, weighted by area; dimensionless
    std::array<float, 2> bend{};     // c, d of y = 1 + z - c z² / (1 + d z), fitted to the area at z = 0, 0.5 and far beyond
    std::vector<float> steepness;    // (V, K) 4/π ∫|∇f|² / ∫|∇f| at rest around a vertex: as of a sinusoid of that largest slope
    std::vector<float> highest;      // (V, K) largest |f| there; mesh units
    int flat_count = 0;              // patterns that are flat all over, which can take up nothing
    int face_count() const { return static_cast<int>(rest.size()); }
};

// (E, F, G): products of the edges e1, e2 from vertex 0 of each triangle; mesh units².
//
// positions  (V) mesh units
// faces      (T) vertex indices in [0, V)
void gram(std::span<const Vector3> positions, std::span<const Face> faces, std::span<Vector3> grams);

// The same of edge matrices, such as reference triangles.
void gram(std::span<const Matrix2> matrices, std::span<Vector3> grams);

// heights  (K, N) mesh units, K from 1 to most_patterns
Moments pattern_moments(const PatternGrid& grid, std::span<const float> heights, int pattern_count);

}  // namespace ruckle
