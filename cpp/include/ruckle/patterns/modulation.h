// modulation: computes the heights of patterns so that the area of the cloth remains constant when the cloth deforms
// (Hadap et al. 1999, 3 and 4).
//
// Let λ_min and λ_max be the principal stretches of a triangle. The mean squared slope of pattern k changes by a factor
// between 1/λ_max² (waves along the compression) and 1/λ_min² (waves across the compression), with
// 1/λ² = t ± √(t² - D0/D), t = (E0 G - 2 F0 F + G0 E) / 2D. The alignment of a pattern is the position of its factor
// between these limits, from 0 to 1. The weights are
//     w_k ~ presence_k alignment_k^sharpness,    Σ w_k = 1.
// The weighted sum of the patterns is multiplied by one height H. Let S be twice the wanted area of a triangle, D and Q
// as in moments.h (Q: mean q of each pair of patterns), and c and d as in Moments::bend. Then z = H² wᵀQw / D satisfies
//     (S / √D)² = y = 1 + z - c z² / (1 + d z)    =>    z = 2 (y - 1) / (B + √(B² + 4 (d - c)(y - 1))),  B = 1 - d (y - 1).
// At a vertex H² = Σ wanted / (Σ offered + least), with the sums over its triangles, wanted = z √D, offered = wᵀQw /
// √D, and a small constant `least`. H² is thus a mean over the triangles, with `offered` as the weight: triangles in
// which the patterns are nearly flat have almost no weight, and their neighbours supply the area that they want.
// Factors are H times the mean weights of the vertex. They are exact if all triangles of a vertex have the same z.
// Otherwise the area becomes too large, because square roots are concave. Corrections reduce this error. Each
// correction is a step of Newton's method toward the sum of the wanted areas, with the area A = √D √y of the
// interpolated factors. In these sums, the weight of a triangle is the inverse of its squared factors, so that each
// corner changes in proportion to its own height. Excess area of stretched triangles is thus removed at their
// neighbours, and not at vertices with height zero.
//
// Departs from the paper: the area is not linearised (5), because the linear formula fails beyond a few percent of
// strain and for cloth that is flat at rest. Factors of vertices are ratios of sums; the paper uses means of factors.
// The paper finds the more steeply folded pattern by comparing factors (section 4.1), which is undefined for negative
// factors; here the alignment decides.
//
// Guarantees: results are finite for finite input, and equal for any instruction set and thread count. Up to rounding,
// results do not depend on rigid motion or on the order of a face's corners. A triangle that has collapsed at rest does
// not have an effect.
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
    // Root mean square slope of the patterns on the cloth at rest, >= 0; 0: the cloth is flat at rest.
    float rest_slope = ModulatorOptions{}.rest_slope;

    // True: cloth that is stretched along one axis remains longer, and still folds if it is compressed across that
    // axis. False: only the area is conserved, so stretch along one axis reduces folds.
    bool conserve_length = ModulatorOptions{}.conserve == Conserve::length;

    // In [0, 1): share of the length that cloth may lose before it folds. If slack is 0, heights increase infinitely
    // fast when the first folds appear, because they are square roots.
    float slack = ModulatorOptions{}.slack;
};

// Computes the weight of each pattern in each triangle.
//
// rest, current  (T) first fundamental forms (E, F, G), mesh units²: see gram() in moments.h
// weights        (K, T) result: weight of each pattern, >= 0; the K weights of a triangle sum to 1
void fold_weights(std::span<const Vector3> rest, std::span<const Vector3> current, const Moments& moments, float sharpness,
                  std::span<float> weights);

// Computes the wanted area of each triangle.
//
// targets  (T) result: twice the wanted area of the triangle with its folds, mesh units²
void target_area(std::span<const Vector3> rest, std::span<const Vector3> current, const Moments& moments,
                 std::span<const float> weights, const TargetOptions& options, std::span<float> targets);

// Intermediate arrays of modulation(). Reuse this object from frame to frame, to avoid allocations.
struct ModulationWorkspace {
    std::vector<float> demands, energies, reached;         // arrays over triangles (modulation_kernel.h)
    std::vector<float> weights, limits, factors, largest;  // arrays over vertices, rows of four numbers
    // Sets the sizes of all arrays. Allocates only if they grow.
    void resize(int face_count, int vertex_count, int pattern_count);
};

// Computes the factor of each pattern at each vertex.
//
// current      (T) first fundamental forms of the frame, mesh units²
// weights      (K, T) weights of the patterns, from fold_weights
// targets      (T) twice the wanted areas, from target_area
// excess       (T) z of each triangle, which replaces the closed form; or empty
// largest      (V, K) upper limits of the factors if a pattern has weight 1; empty: unlimited
// corrections  number of corrections (Newton steps), >= 0
// factors      (V, K) result: factor of each pattern
void modulation(std::span<const Vector3> current, const Moments& moments, std::span<const float> weights,
                std::span<const float> targets, std::span<const float> excess, const Topology& topology,
                std::span<const float> largest, int corrections, ModulationWorkspace& workspace, std::span<float> factors);

}  // namespace ruckle
