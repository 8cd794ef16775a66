// The labeling problem of the solvers: nodes with a fixed number of neighbour slots, and pairwise costs with a zero
// diagonal. One frame has three slots per triangle. A sequence has five: also the same triangle in the previous and in
// the next frame.
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
    int neighbor_count;             // number of neighbour slots per node
    const std::int32_t* neighbors;  // (node_count, neighbor_count) node of each slot; -1 for a missing neighbour
    // (node_count, 3) unary costs in the user's label order; null: the solver computes them from `inputs`
    const float* costs;
    const CostInputs* inputs;  // inputs of the unary costs; used only if costs is null
    // (node_count) labels of the previous frame, which are fixed, in the user's order; null: no previous frame
    const std::uint8_t* previous;
    PairwiseCosts pairwise;  // pairwise costs with zero diagonal, in the user's label order
};

// Memory of one thread for the cut of an island: graph, and the variables x1 and x2 of each node.
struct CutScratch {
    MaxFlow flow;
    std::vector<std::array<std::int32_t, 2>> variables;
};

struct LabelWorkspace::Storage {
    LabelTables tables;
    PairwiseUnits pairwise;           // pairwise costs in integer units, in the solver's label order
    std::vector<std::int32_t> units;  // (3, node_count) unary costs in integer units, in the solver's label order
    // (1 + node_count) set of remaining labels of each node, after one empty set for a missing neighbour
    std::vector<std::uint8_t> sets;
    // (node_count) for each chunk of nodes, its undecided nodes from the first index of the chunk on
    std::vector<std::int32_t> open;
    std::vector<std::int64_t> open_counts;  // (chunks) number of undecided nodes in each chunk
    std::vector<std::uint8_t> queued;       // (node_count) marks of queued or visited nodes; all 0 between uses
    std::vector<std::int32_t> queue;        // (node_count) queue of the elimination, then the nodes of all islands
    std::vector<std::int32_t> position;     // (node_count) index in queue of each node of an island
    std::vector<std::int32_t> island_ends;  // index in queue after the last node of each island
    std::vector<CutScratch> cuts;           // memory of each thread
    std::vector<std::int32_t> neighbors;    // (node_count, 5) neighbour slots of a sequence
    // (node_count, 3) unary costs if they must be stored, or if diagonal costs have been added to them
    std::vector<float> costs;

    UnitCosts unit_costs() {
        const std::size_t count = units.size() / 3;
        return {{units.data(), units.data() + count, units.data() + 2 * count}};
    }
};

// Orders the labels so that the pairwise costs (zero diagonal) are submodular: B(0, 2) >= B(0, 1) + B(1, 2). Returns
// false if they are not submodular in any order.
bool find_line_order(const PairwiseCosts& pairwise, std::array<int, label_count>& order);

// Fills tables, pairwise, units, sets, open and open_counts for the given order of the labels. Already eliminates
// labels within each triangle. Resizes the other arrays.
void prepare(const LabelProblem& problem, const std::array<int, label_count>& order, LabelWorkspace::Storage& storage,
             ThreadPool* pool);

// Reserves memory for any cut of one frame of face_count triangles on this many threads, so that no frame allocates.
void reserve_cuts(LabelWorkspace& workspace, std::size_t face_count, int thread_count);

// Limits of exact labeling, as ratios (largest pairwise cost) / (largest difference of unary costs). Above
// narrow_ratio, 32-bit costs are too coarse and 64 bits are used (wide_labeling.cpp). Above wide_ratio, 64 bits do not
// suffice.
inline constexpr double narrow_ratio = 4.0, wide_ratio = largest_exact_ratio;

// True if 32-bit costs suffice for the accuracy of solve_labels. Here and below, `pairwise` includes its diagonal, and
// the unary costs do not contain the diagonal.
bool is_narrow(const LabelProblem& problem, const PairwiseCosts& pairwise);
// Throws std::invalid_argument if 64-bit costs do not suffice, or if the pairwise costs are submodular only up to a
// rounding that exceeds the accuracy of solve_labels.
void require_wide(const LabelProblem& problem, const PairwiseCosts& pairwise);
// Solves the problem with one cut of the whole graph, with 64-bit costs. problem.costs must not be null.
void solve_wide(const LabelProblem& problem, const PairwiseCosts& pairwise, LabelWorkspace::Storage& storage,
                std::span<std::uint8_t> labels);

// Solvers. They write `labels` (node_count) in the user's label order. solve_exact finds the minimum, solve_by_moves
// (`method`: expansion or swap) labels that no single move improves, solve_independent the cheapest label of each node,
// without pairwise costs. solve_independent requires problem.costs.
void solve_exact(const LabelProblem& problem, LabelWorkspace::Storage& storage, std::span<std::uint8_t> labels, ThreadPool* pool);
void solve_by_moves(const LabelProblem& problem, LabelMethod method, LabelWorkspace::Storage& storage,
                    std::span<std::uint8_t> labels);
void solve_independent(const LabelProblem& problem, std::span<std::uint8_t> labels);

}  // namespace ruckle
