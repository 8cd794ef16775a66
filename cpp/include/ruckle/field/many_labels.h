// many_labels: labels triangles with up to 255 labels and weighted links, for experiments with labeling costs.
//
// Minimises
//     Σ_i A(i, l_i) + Σ_(i,j) w_ij B(l_i, l_j) + Σ_i B(l_i, p_i)
// over the triangles of a frame. The result is approximate; with two labels it is exact. The solver tries expansion or
// swap moves until no move lowers the energy. Each move computes one minimum cut (Boykov, Veksler, Zabih, Fast
// Approximate Energy Minimization via Graph Cuts, PAMI 2001).
//
// Guarantees: the same input gives the same labels, bit for bit. Costs are rounded to 2^-20 of the largest pairwise cost. Calls
// allocate; the pipeline uses solve_labels for its three labels.
//
// Example:
//     const ruckle::ManyLabelProblem problem{.label_count = 2, .costs = costs, .pairwise = pairwise};
//     std::vector<std::uint8_t> labels(faces.size());
//     const double energy = ruckle::solve_many_labels(problem, topology, ruckle::LabelMethod::expansion, labels);
#pragma once

#include <cstdint>
#include <span>

#include "ruckle/field/label.h"
#include "ruckle/mesh/topology.h"

namespace ruckle {

// largest number of labels
inline constexpr int most_labels = 255;

struct ManyLabelProblem {
    int label_count;               // number of labels L, in [2, most_labels]
    std::span<const float> costs;  // (T, L) unary costs A, finite
    // (L, L) pairwise costs B: finite, symmetric, >= 0, diagonal 0; LabelMethod::expansion requires a metric
    std::span<const float> pairwise;
    // (E) weight w of the link across each mesh edge, >= 0; empty: all weights are 1
    std::span<const float> weights;
    // (T) labels p of the previous frame, below L; empty: the last sum is omitted
    std::span<const std::uint8_t> previous;
};

// Throws std::invalid_argument with one sentence if `method` is not expansion, swap or independent, or if it cannot
// solve problems with these pairwise costs.
void require_solvable(const ManyLabelProblem& problem, LabelMethod method);

// Computes a label for each triangle, writes the labels to `labels` (T), and returns their energy. With
// LabelMethod::independent, each triangle gets its cheapest label, including the cost of the link to the previous
// frame.
double solve_many_labels(const ManyLabelProblem& problem, const Topology& topology, LabelMethod method,
                         std::span<std::uint8_t> labels);

}  // namespace ruckle
