// Bending of cloth: the elements that resist mean curvature, from the rest shape.
//
// Energy ½ k ∫ |Δx|² (Bergou et al. 2006, "A Quadratic Bending Model for Inextensible Surfaces"). It is quadratic in the
// positions, because cloth bends without stretching. An element is a weighted sum K x over a vertex and its ring: the
// integral of Δx over the vertex's cell. The weights give the right curvature of every quadratic surface, on regular
// rings and on most irregular rings.
// Departs from the paper: the paper sums over edges, which gives three times the energy of a plate, and up to nine
// times on right triangles if a fold is perpendicular to their hypotenuses. Here, sums over edges remain only at the
// boundary, where rings are open; their share of the area vanishes under refinement.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/simulation/cloth.h"
#include "simulation/constraints.h"
#include "simulation/numbering.h"
#include "simulation/sweeps.h"

namespace ruckle {

struct BendElement {
    std::vector<std::int32_t> corners;  // vertices; ring elements: the center, then the ring in cyclic order
    std::vector<double> coefficients;   // weight of each corner in the bending vector Σ k_q x_q
    double area;                        // m², in the energy ½ k |Σ k_q x_q|² / area; ring elements: the cell area
};

// rings: one element per inner vertex, which resists mean curvature, and hinges only at vertices without a closed ring,
// as at the boundary. hinges: one element per inner edge (two triangles), which also resists saddle shapes; used for
// damping.
enum class BendKind { rings, hinges };

// Returns the elements of a mesh at rest, sorted by number of corners. All faces must have a positive area.
std::vector<BendElement> bend_elements(const Topology& topology, std::span<const Vector3> rest, BendKind kind);

// Bending elements in batches. The number of corners is constant within a block of sweep_block elements. Shorter
// elements repeat their last corner with a coefficient of 0.
class Bends {
  public:
    Bends() = default;
    Bends(const Topology& topology, const Numbering& numbering, std::span<const Vector3> rest, const ClothOptions& options,
          BendKind kind);

    const Batches& batches() const { return batches_; }
    BendArrays arrays() const;
    double energy(std::span<const float> points) const;  // J; points: rows as in sweeps.h

  private:
    Batches batches_;
    std::vector<std::int64_t> block_starts_;  // start of each block in corners_ and coefficients_, and their end
    std::vector<std::int32_t> corners_;       // vertices; in a block, corner q of all elements precedes corner q + 1
    std::vector<float> coefficients_;         // weight of each entry of corners_; 0 for a repeated last corner
    // per element: area / bending stiffness, m/N; length of the bending vector at rest, negative if it is opposite to
    // the normal of the ring, m (empty without the option rest_curvature)
    std::vector<float> compliance_, curvature_;
};

}  // namespace ruckle
