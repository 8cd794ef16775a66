// label: classification of triangles as compressed, resting or stretched, smooth over space and time (thesis 4.1.2 and 4.1.3).
//
// label_costs turns the stretch between two frames into one cost per label (4.4 to 4.7); solve_labels minimises
//     Σ_i A(i, l_i) + Σ_(i,j) B(l_i, l_j)                                                                   (4.3)
// over the triangles of a frame, with the previous frame's labels fixed, or over all frames of a sequence at once.
//
// Departs from the paper: if the pairwise costs allow it (the default ones do), one minimum cut (Ishikawa's construction) gives
// the exact minimum, instead of an approximation by alpha-expansion. It is also faster: labels that are suboptimal for all labels
// of the neighbours are eliminated first, and only small islands need a cut.
//
// Guarantees: the same input gives the same labels, bit for bit, for any instruction set and thread count. Of several optima the
// exact method returns the one with the lowest labels (in its label order). Costs are rounded to 2^-20 of the largest pairwise
// cost. A call does not allocate if its workspace has served a problem of the same size.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "ruckle/field/stretch.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

class ThreadPool;

struct LabelCostOptions {
    float sigma = 0.05f;              // > 0: width of the rest label's well, in units of stretch
    float alpha = 9.0f;               // >= 0: decay of the cost of a label that does not dominate
    float beta = 90.0f;               // >= 0: decay of the cost of a label that dominates
    float dt = reference_frame_time;  // s, > 0: the stretches are raised to (1/30)/dt, a rate that ignores sampling
};

// The unary costs A(i, ·).
//
// compression, max  (T) principal stretches of stretch(), from the previous to the current frame
// degenerate        (T) or empty: such a triangle prefers no label
// costs             (T, 3) row major: cost of compression, rest, stretch
void label_costs(std::span<const float> compression, std::span<const float> max, std::span<const std::uint8_t> degenerate,
                 const LabelCostOptions& options, std::span<float> costs);

// The label-compatibility cost B: symmetric, row and column in label order.
using PairwiseCosts = std::array<std::array<float, label_count>, label_count>;
inline constexpr PairwiseCosts default_pairwise = {{{0.0f, 0.2f, 0.4f}, {0.2f, 0.0f, 0.2f}, {0.4f, 0.2f, 0.0f}}};

enum class LabelMethod {
    exact,        // one minimum cut; needs costs that are submodular in some order of the labels
    expansion,    // alpha-expansion moves; needs a metric
    swap,         // alpha-beta swap moves; needs costs >= 0 between different labels
    independent,  // the cheapest label of each triangle alone: the thesis's "without graph cut"
};

struct LabelOptions {
    PairwiseCosts pairwise = default_pairwise;
    LabelMethod method = LabelMethod::exact;
};

// Throws std::invalid_argument if the pairwise costs are not finite and symmetric, or do not allow the method. The message gives
// the reason and an alternative. The solvers require costs that passed.
void require_solvable(const LabelOptions& options);

// Memory that the solvers reuse between calls.
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
void solve_labels(std::span<const float> costs, const Topology& topology, std::span<const std::uint8_t> previous,
                  const LabelOptions& options, LabelWorkspace& workspace, std::span<std::uint8_t> labels,
                  ThreadPool* pool = nullptr);

// Labels one frame from its stretch: label_costs and solve_labels in one pass over the triangles, with the same result.
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
