// The labeling problem of the solvers: nodes with a fixed number of neighbour slots, and pairwise costs with a zero
// diagonal. One frame has three slots per triangle, a sequence has five.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "field/graph/max_flow.h"
#include "field/label_kernel.h"
#include "ruckle/field/label.h"
#include "support/thread_pool.h"

namespace ruckle {

using PairwiseUnits = std::array<std::array<std::int32_t, label_count>, label_count>;

struct LabelProblem {
    std::int64_t node_count;
    int neighbor_count;             // slots per node
    const std::int32_t* neighbors;  // (node_count, neighbor_count), -1 for a missing neighbour
    const float* costs;             // (node_count, 3), in the user's label order; null: computed from `inputs`
    const CostInputs* inputs;       // inputs of the costs; used only if costs is null
    const std::uint8_t* previous;   // (node_count) user labels of a fixed earlier frame, or null
    PairwiseCosts pairwise;         // pairwise costs with zero diagonal, in the user's label order
};

// Memory of one thread for the cut of an island.
struct CutScratch {
    MaxFlow flow;
    std::vector<std::array<std::int32_t, 2>> variables;
};

struct LabelWorkspace::Storage {
    LabelTables tables;
    PairwiseUnits pairwise;                 // solver's label order
    std::vector<std::int32_t> units;        // (3, node_count) unary costs in the solver's label order
    std::vector<std::uint8_t> sets;         // (1 + node_count) remaining labels; the first entry is for a missing neighbour
    std::vector<std::int32_t> open;         // (node_count) undecided nodes, from the first index of each chunk on
    std::vector<std::int64_t> open_counts;  // (chunks)
    std::vector<std::uint8_t> queued;       // (node_count) marks of queued or visited nodes; all 0 between uses
    std::vector<std::int32_t> queue;        // (node_count) queue of the elimination, then the nodes of all islands
    std::vector<std::int32_t> position;     // (node_count) index in queue of each node of an island
    std::vector<std::int32_t> island_ends;  // end of each island in queue
    std::vector<CutScratch> cuts;           // one per thread
    std::vector<std::int32_t> neighbors;    // neighbour slots of a sequence
    std::vector<float> costs;               // unary costs if they must be stored, or unary costs with the folded diagonal

    UnitCosts unit_costs() {
        const std::size_t count = units.size() / 3;
        return {{units.data(), units.data() + count, units.data() + 2 * count}};
    }
};

// Orders the labels so that the pairwise costs (zero diagonal) are submodular: B(0, 2) >= B(0, 1) + B(1, 2).
// Returns false if no order does.
bool find_line_order(const PairwiseCosts& pairwise, std::array<int, label_count>& order);

// Fills tables, pairwise, units, sets and open for the given order of the labels.
void prepare(const LabelProblem& problem, const std::array<int, label_count>& order, LabelWorkspace::Storage& storage,
             ThreadPool* pool);

// Reserves memory for any cut of one frame of face_count triangles on this many threads, so that no frame allocates.
void reserve_cuts(LabelWorkspace& workspace, std::size_t face_count, int thread_count);

// Limits of exact labeling (wide_labeling.cpp), as ratios. Pairwise costs above narrow_ratio times the differences of unary costs
// need 64 bits. Above wide_ratio 64 bits do not suffice.
inline constexpr double narrow_ratio = 4.0, wide_ratio = largest_exact_ratio;

// True if 32 bits suffice for the accuracy of solve_labels. Here and below, `pairwise` includes its diagonal, which is
// not added to the unary costs.
bool is_narrow(const LabelProblem& problem, const PairwiseCosts& pairwise);
// Throws std::invalid_argument if 64 bits do not suffice.
void require_wide(const LabelProblem& problem, const PairwiseCosts& pairwise);
// Solves one cut of the whole graph in 64 bits. Requires stored costs.
void solve_wide(const LabelProblem& problem, const PairwiseCosts& pairwise, LabelWorkspace::Storage& storage,
                std::span<std::uint8_t> labels);

// Solvers. `labels` are in the user's order.
void solve_exact(const LabelProblem& problem, LabelWorkspace::Storage& storage, std::span<std::uint8_t> labels, ThreadPool* pool);
void solve_by_moves(const LabelProblem& problem, LabelMethod method, LabelWorkspace::Storage& storage,
                    std::span<std::uint8_t> labels);
void solve_independent(const LabelProblem& problem, std::span<std::uint8_t> labels);

}  // namespace ruckle
