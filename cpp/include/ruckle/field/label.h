// label: classification of triangles as compressed, resting or stretched, smooth over space and time (thesis 4.1.2 and 4.1.3).
//
// label_costs turns the stretch between two frames into one cost per label (4.4 to 4.7); solve_labels minimises
//     Σ_i A(i, l_i) + Σ_(i,j) B(l_i, l_j)                                                                   (4.3)
// over the triangles of a frame, with the previous frame's labels fixed, or over all frames of a sequence at once.
//
// Departs from the paper: if the pairwise costs allow it (the default ones do), one minimum cut (Ishikawa's construction) gives
// the exact minimum, instead of an approximation by alpha-expansion. It is also faster: labels that are suboptimal for all labels
// of the neighbours are eliminated first, and only small islands need a cut. Pairwise costs above 4 s (see below) need a single cut
// of the whole frame, with 64-bit numbers, on one thread.
//
// Guarantees: the same input gives the same labels, bit for bit, for any instruction set and thread count. Of several optima the
// exact method returns the one with the lowest labels (in its label order). A call does not allocate if its workspace has served a
// problem of the same size.
//
// Accuracy of the exact method: let s be the largest difference of two finite costs of one triangle, and b the largest absolute
// value of a pairwise cost. The energy exceeds the optimum by less than 2^-18 min(s, b) for each triangle and each link. Costs with
// b > 2^36 s > 0 are refused. label_stretch assumes s = 1. The other methods round all costs to 2^-20 b.
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

// The unary costs A(i, ·).
//
// compression, max  (T) principal stretches of stretch(), from the previous to the current frame
// degenerate        (T) or empty: such a triangle prefers no label
// costs             (T, 3) row major: cost of compression, rest, stretch
void label_costs(std::span<const float> compression, std::span<const float> max, std::span<const std::uint8_t> degenerate,
                 const LabelCostOptions& options, std::span<float> costs);

// The largest ratio of pairwise costs to differences of unary costs that the exact method accepts.
inline constexpr double largest_exact_ratio = 0x1p36;

// Throws std::invalid_argument if the pairwise costs are not finite and symmetric, or do not allow the method. The message gives
// the reason and an alternative. The solvers require costs that pass this check.
void require_solvable(const LabelOptions& options);

// Memory that solvers reuse between calls.
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

// Labels one frame.
//
// costs     (T, 3) finite, or +infinity for a forbidden label as long as one label of the triangle is allowed
// previous  (T) labels of the previous frame, or empty: then no temporal link
// labels    (T) result
// pool      threads to share the work, or null
//
// Throws std::invalid_argument if the costs exceed the range of the exact method.
void solve_labels(std::span<const float> costs, const Topology& topology, std::span<const std::uint8_t> previous,
                  const LabelOptions& options, LabelWorkspace& workspace, std::span<std::uint8_t> labels,
                  ThreadPool* pool = nullptr);

// Labels one frame from its stretch: label_costs and solve_labels in one pass over the triangles, with the same result for pairwise
// costs of at most 4 s. Never throws.
void label_stretch(std::span<const float> compression, std::span<const float> max, std::span<const std::uint8_t> degenerate,
                   const LabelCostOptions& cost_options, const Topology& topology, std::span<const std::uint8_t> previous,
                   const LabelOptions& options, LabelWorkspace& workspace, std::span<std::uint8_t> labels,
                   ThreadPool* pool = nullptr);

// Labels all frames at once, with links to the frame before and after.
//
// costs   (F, T, 3) as above
// labels  (F, T) result
void solve_label_sequence(std::span<const float> costs, const Topology& topology, const LabelOptions& options,
                          LabelWorkspace& workspace, std::span<std::uint8_t> labels, ThreadPool* pool = nullptr);

// The energy (4.3) of a labeling of frame_count = labels.size() / T frames, summed in double precision.
// previous is fixed before the first frame, or empty.
double label_energy(std::span<const float> costs, const Topology& topology, std::span<const std::uint8_t> previous,
                    const PairwiseCosts& pairwise, std::span<const std::uint8_t> labels);

}  // namespace ruckle
