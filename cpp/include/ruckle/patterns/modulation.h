// modulation: which pattern takes up a deformation, and how high, so that the cloth keeps its area (Hadap et al. 1999, 3 and 4).
//
// The mean squared slope of pattern k grows by a factor between 1/λ_max² (waves along the compression) and 1/λ_min² (waves across
// it), 1/λ² = t ± √(t² - D0/D), t = (E0 G - 2 F0 F + G0 E) / 2D. Its position between these is its alignment; weights are
//     w_k ~ presence_k alignment_k^sharpness,    Σ w_k = 1.
// The blend of patterns has one height H, from the wanted area S of a triangle: z = H² wᵀQw / D of
//     (S / √D)² = y = 1 + z - c z² / (1 + d z)    =>    z = 2 (y - 1) / (B + √(B² + 4 (d - c)(y - 1))),  B = 1 - d (y - 1).
// At a vertex H² = Σ wanted / (Σ offered + least), sums over its triangles of z √D and wᵀQw/√D, so that triangles in which
// a pattern is nearly flat have zero weight and pass their area to others. Factors are H times the vertex's mean weights.
// They are exact if all triangles of a vertex want the same. A correction is a step of Newton's method towards the sum of their
// areas, A = √D √y of the interpolated factors. With sums of z alone, unequal wants would get too much, because roots are concave.
// In those sums a triangle is weighted by the inverse of its squared factors, so that each corner corrects in proportion to its own
// height. The excess of stretched triangles is then taken from their neighbours, and not from vertices with a height of zero.
//
// Departs from the paper: the area is not linearised (5), which fails beyond a few percent of strain and does not exist for cloth
// that is flat at rest; factors of vertices are ratios of sums, not means of factors; the more steeply folded pattern is found
// without comparing factors (section 4.1), a comparison that is undefined for negative factors.
//
// Guarantees: results are finite for finite input; equal for any instruction set and thread count; unchanged by rigid motion and by
// turning a face's corners, up to rounding. A triangle that has collapsed at rest asks nothing and offers nothing.
//
// Example:
//     std::vector<float> weights(faces.size()), targets(faces.size());
//     ruckle::fold_weights(moments.rest, grams, moments, 4.0f, weights);
//     ruckle::target_area(moments.rest, grams, moments, weights, {}, targets);
#pragma once

#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/patterns/moments.h"
#include "ruckle/patterns/parameters.h"
#include "ruckle/types.h"

namespace ruckle {

class ThreadPool;

struct TargetOptions {
    // >= 0: root mean square slope of the patterns on the cloth at rest; 0: it is flat there
    float rest_slope = ModulatorOptions{}.rest_slope;

    // Cloth that is longer along one axis remains so and still buckles across it; false: area alone.
    bool conserve_length = ModulatorOptions{}.conserve == Conserve::length;

    // In [0, 1): share of length that is lost without a fold. Without it the square root makes the onset infinitely steep.
    float slack = ModulatorOptions{}.slack;
};

// rest, current  (T) grams
// weights        (K, T) >= 0, sum 1
void fold_weights(std::span<const Vector3> rest, std::span<const Vector3> current, const Moments& moments, float sharpness,
                  std::span<float> weights);

// targets  (T) twice the area that each triangle is to have raised; mesh units²
void target_area(std::span<const Vector3> rest, std::span<const Vector3> current, const Moments& moments,
                 std::span<const float> weights, const TargetOptions& options, std::span<float> targets);

// Intermediate arrays of a call; reused from frame to frame.
struct ModulationWorkspace {
    std::vector<float> demands, energies, reached;         // per triangle
    std::vector<float> weights, limits, factors, largest;  // per vertex
    void resize(int face_count, int vertex_count, int pattern_count);
};

// current  (T) grams
// weights  (K, T)
// targets  (T)
// excess   (T) z instead of the closed form, or empty
// largest  (V, K) upper limits of the factors at a pattern's full weight; empty: unlimited
// factors  (V, K)
void modulation(std::span<const Vector3> current, const Moments& moments, std::span<const float> weights,
                std::span<const float> targets, std::span<const float> excess, const Topology& topology,
                std::span<const float> largest, int corrections, ModulationWorkspace& workspace, std::span<float> factors);

}  // namespace ruckle
