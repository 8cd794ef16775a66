// label: classifies triangles as compressed, resting or stretched, smoothly over space and time (thesis 4.1.2 and 4.1.3).
//
// label_costs turns the stretch between two frames into one cost per label (4.4 to 4.7); solve_labels minimises
//     Σ_i A(i, l_i) + Σ_(i,j) B(l_i, l_j)                                                                   (4.3)
// over the triangles of a frame, with the previous frame's labels fixed, or over all frames of a sequence at once.
//
// Departs from the paper: if the pairwise costs are submodular in some order of the labels (the default costs are), one
// minimum cut (Ishikawa's construction) gives the exact minimum, instead of an approximation by alpha-expansion. The
// exact method is also faster. First this method eliminates labels that cannot be optimal for any labels of the
// neighbours. Then only small islands of triangles have several labels left and require a cut. If a pairwise cost is
// above 4 s (s: see accuracy below), the method instead computes one cut of the whole frame, with 64-bit numbers, on
// one thread.
//
// Guarantees: the same input gives the same labels for any instruction set and thread count. If several labelings are
// optimal, the exact method returns the optimal labeling with the lowest labels (in its label order). A call does not
// allocate if its workspace has been used for a problem of the same size.
//
// Accuracy of the exact method: let s be the largest difference of two finite costs of one triangle, and b the largest absolute
// value of a pairwise cost. The energy exceeds the optimum by less than 2^-18 min(s, b) for each triangle and each link. Costs
// with b > 2^36 s > 0 raise an error. label_stretch assumes s = 1. The other methods round all costs to multiples of 2^-20 b.
//
// Example:
//     ruckle::LabelWorkspace workspace;
//     std::vector<std::uint8_t> labels(faces.size());
//     ruckle::label_stretch(motion.compression, motion.max, motion.degenerate, {}, topology, previous, {}, workspace, labels);
#pragma once

#include <array>
#include <memory>
#include <span>

#include "ruckle/field/parameters.h"
#include "ruckle/field/stretch.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

class ThreadPool;

// Computes the unary costs A(i, ·) from the stretch between two frames.
//
// compression, max  (T) results of stretch(), from the previous to the current frame
// degenerate        (T) result of stretch(), or empty. A degenerate triangle has equal costs for all labels.
// costs             (T, 3) result, row major: costs of the labels compression, rest and stretch
void label_costs(std::span<const float> compression, std::span<const float> max, std::span<const std::uint8_t> degenerate,
                 const LabelCostOptions& options, std::span<float> costs);

// Largest ratio (largest pairwise cost) / (largest difference of unary costs) that the exact method accepts.
inline constexpr double largest_exact_ratio = 0x1p36;

// Throws std::invalid_argument if the pairwise costs are not finite and symmetric, or cannot be solved by the method of
// `options`. The message states the reason and an alternative. The solvers require costs that pass this check.
void require_solvable(const LabelOptions& options);

// Memory that solvers reuse between calls. Two calls must not use it at the same time.
class LabelWorkspace {
  public:
    LabelWorkspace();
    ~LabelWorkspace();
    LabelWorkspace(LabelWorkspace&&) noexcept;
    LabelWorkspace& operator=(LabelWorkspace&&) noexcept;

    struct Storage;
    Storage& storage() { return *storage_; }

  private:
    std::unique_ptr<Storage> storage_;
};

// Labels one frame: computes labels that minimise (4.3), or approximate the minimum, with the method of `options`.
//
// costs     (T, 3) unary costs: finite, or +infinity for a forbidden label; every triangle must have an allowed label
// previous  (T) labels of the previous frame; empty: the cost does not include links to a previous frame
// labels    (T) result: label of each triangle
// pool      worker threads; null: the calling thread does the work
//
// Throws std::invalid_argument if the costs exceed the range of the exact method.
void solve_labels(std::span<const float> costs, const Topology& topology, std::span<const std::uint8_t> previous,
                  const LabelOptions& options, LabelWorkspace& workspace, std::span<std::uint8_t> labels,
                  ThreadPool* pool = nullptr);

// Labels one frame from its stretch. Combines label_costs and solve_labels in one pass over the triangles, with the
// same result if pairwise costs are at most 4 s (s: see the accuracy above). Writes `labels` (T). Never throws.
void label_stretch(std::span<const float> compression, std::span<const float> max, std::span<const std::uint8_t> degenerate,
                   const LabelCostOptions& cost_options, const Topology& topology, std::span<const std::uint8_t> previous,
                   const LabelOptions& options, LabelWorkspace& workspace, std::span<std::uint8_t> labels,
                   ThreadPool* pool = nullptr);

// Labels all F frames of a sequence together. Pairwise costs also link each triangle to itself in the previous and the
// next frame.
//
// costs   (F, T, 3) as for solve_labels
// labels  (F, T) result
void solve_label_sequence(std::span<const float> costs, const Topology& topology, const LabelOptions& options,
                          LabelWorkspace& workspace, std::span<std::uint8_t> labels, ThreadPool* pool = nullptr);

// Returns the energy (4.3) of a labeling of labels.size() / T frames, summed in double precision.
//
// previous  (T) fixed labels of the frame before the first, or empty
double label_energy(std::span<const float> costs, const Topology& topology, std::span<const std::uint8_t> previous,
                    const PairwiseCosts& pairwise, std::span<const std::uint8_t> labels);

}  // namespace ruckle
