// Exact labeling for pairwise costs much larger than the differences of unary costs. solve_exact rounds all costs to
// 2^-20 of the largest pairwise cost, which would lose those differences. Here costs are multiples of a power of two,
// about 2^-56 of the largest pairwise cost. One minimum cut of the whole graph solves all nodes (Ishikawa's
// construction, as in exact_labeling.cpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "field/graph/label_problem.h"

namespace ruckle {

namespace {

// Allowed rounding error of a pairwise cost, relative to the largest difference of unary costs. It is below the
// accuracy that solve_labels guarantees.
constexpr double rounding_share = 0x1p-20;

// Returns the largest absolute value of all pairwise costs, including the diagonal.
double largest_entry(const PairwiseCosts& pairwise) {
    double largest = 0.0;
    for (const auto& row : pairwise) {
        for (const float entry : row) {
            largest = std::max(largest, std::abs(static_cast<double>(entry)));
        }
    }
    return largest;
}

// Returns the largest difference of two finite unary costs of one node. Returns a smaller difference if it is at least
// `enough`, to end the search early.
double largest_difference(const LabelProblem& problem, double enough) {
    double largest = 0.0;
    for (std::int64_t i = 0; i < problem.node_count && largest < enough; ++i) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (int l = 0; l < label_count; ++l) {
            if (const auto cost = static_cast<double>(problem.costs[3 * i + l]); std::isfinite(cost)) {
                low = std::min(low, cost);
                high = std::max(high, cost);
            }
        }
        largest = std::max(largest, high - low);
    }
    return largest;
}

// Finds the optimal labels of all nodes with one minimum cut.
class WideCut {
  public:
    WideCut(const LabelProblem& problem, const PairwiseCosts& pairwise, CutScratch& scratch)
        : problem_(problem), flow_(scratch.flow), variables_(scratch.variables) {
        find_line_order(problem.pairwise, order_);
        double largest = 0.0, largest_half = 0.0;
        for (int k = 0; k < label_count; ++k) {
            half_[k] = 0.5 * static_cast<double>(pairwise[order_[k]][order_[k]]);
            largest_half = std::max(largest_half, std::abs(half_[k]));
        }
        for (int k = 0; k < label_count; ++k) {
            for (int l = 0; l < label_count; ++l) {
                cost_[k][l] = static_cast<double>(pairwise[order_[k]][order_[l]]) - half_[k] - half_[l];
                largest = std::max(largest, cost_[k][l]);
            }
        }
        // choose the unit so that the sum of a node's links, in both directions, and the differences of its costs
        // remain below 2^60 units
        const double links = problem.neighbor_count + 1;
        int exponent = 0;
        std::frexp(2.0 * links * (largest + largest_half) + 0.25 * largest_entry(pairwise), &exponent);
        exponent_ = 60 - exponent;
        low_step_ = to_units(cost_[0][1]);
        high_step_ = to_units(cost_[1][2]);
        beyond_ = std::max(to_units(cost_[0][2]) - low_step_ - high_step_, std::int64_t{0});
        for (int l = 0; l < label_count; ++l) {
            label_of_[order_[l]] = l;
        }
    }

    // Writes the optimal label of each node, in the user's order. Each node has two binary variables, x1 = [label >= 1]
    // and x2 = [label >= 2] in the solver's order of the labels, so its label is x1 + x2 after the cut. If several
    // labelings are optimal, the lowest labels of this order win.
    void solve(std::span<std::uint8_t> labels) {
        flow_.clear();
        variables_.clear();
        for (std::int64_t node = 0; node < problem_.node_count; ++node) {
            add_node(node);
        }
        for (std::int64_t node = 0; node < problem_.node_count; ++node) {
            add_pairs(node);
        }
        flow_.solve();
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const auto [x1, x2] = variables_[i];
            labels[i] = static_cast<std::uint8_t>(order_[flow_.on_source_side(x1) + flow_.on_source_side(x2)]);
        }
    }

  private:
    // Cost that forbids a label, or x2 = 1 with x1 = 0. It is larger than any sum of a node's other costs.
    static constexpr std::int64_t forbidden = std::int64_t{1} << 61;

    std::int64_t to_units(double value) const { return std::llround(std::ldexp(value, exponent_)); }

    // Adds the variables of a node with its unary costs: the given costs minus the smallest of them, half of the
    // diagonal cost for each of its links, and the cost of the link to its previous label. A label of infinite cost is
    // forbidden.
    void add_node(std::int64_t node) {
        const std::int32_t* around = problem_.neighbors + problem_.neighbor_count * node;
        const auto links = std::count_if(around, around + problem_.neighbor_count, [](std::int32_t n) { return n >= 0; });
        std::array<double, label_count> given;
        for (int l = 0; l < label_count; ++l) {
            given[l] = static_cast<double>(problem_.costs[3 * node + order_[l]]);
        }
        const double low = *std::ranges::min_element(given);
        std::array<std::int64_t, label_count> units;
        for (int l = 0; l < label_count; ++l) {
            // each link adds half of the diagonal cost at both of its ends
            units[l] = to_units(half_[l]) * links;
            if (problem_.previous) {
                units[l] += to_units(half_[l]) + to_units(cost_[l][label_of_[problem_.previous[node]]]);
            }
            units[l] = std::isinf(given[l]) ? forbidden : units[l] + to_units(given[l] - low);
        }
        const int x1 = flow_.add_node(), x2 = flow_.add_node();
        variables_.push_back({x1, x2});
        flow_.add_arcs(x2, x1, forbidden, 0);
        // the value of a variable on the source side is 1
        flow_.add_terminal(x1, units[0] - units[1]);
        flow_.add_terminal(x2, units[1] - units[2]);
    }

    // Adds the pairwise costs between a node and its neighbours of larger index, as steps between labels (see add_pairs
    // of exact_labeling.cpp).
    void add_pairs(std::int64_t node) {
        const auto [x1, x2] = variables_[static_cast<std::size_t>(node)];
        for (int k = 0; k < problem_.neighbor_count; ++k) {
            const std::int32_t other = problem_.neighbors[problem_.neighbor_count * node + k];
            if (other <= node) {
                continue;  // skip a missing neighbour, and a pair that the loop over the neighbour has added
            }
            const auto [y1, y2] = variables_[static_cast<std::size_t>(other)];
            flow_.add_arcs(x1, y1, low_step_, low_step_);
            flow_.add_arcs(x2, y2, high_step_, high_step_);
            if (beyond_ > 0) {
                flow_.add_arcs(x2, y1, beyond_, 0);
                flow_.add_arcs(y2, x1, beyond_, 0);
            }
        }
    }

    const LabelProblem& problem_;
    MaxFlow& flow_;
    std::vector<std::array<std::int32_t, 2>>& variables_;
    // order_[k]: the problem's label at position k of the solver's order; label_of_ is the inverse of order_
    std::array<int, label_count> order_{}, label_of_{};
    std::array<double, label_count> half_{};  // half of the diagonal cost of each label
    // pairwise costs minus half the diagonal costs of both labels; the diagonal is 0
    std::array<std::array<double, label_count>, label_count> cost_{};
    int exponent_ = 0;  // a cost of 1 is 2^exponent_ units
    // units: cost between the labels 0 and 1, between 1 and 2, and excess of the cost between 0 and 2 over both
    std::int64_t low_step_ = 0, high_step_ = 0, beyond_ = 0;
};

}  // namespace

bool is_narrow(const LabelProblem& problem, const PairwiseCosts& pairwise) {
    // if costs are not stored, they are those of label_costs and in [0, 1]
    const double enough = largest_entry(pairwise) / narrow_ratio;
    return problem.costs ? largest_difference(problem, enough) >= enough : enough <= 1.0;
}

void require_wide(const LabelProblem& problem, const PairwiseCosts& pairwise) {
    const double largest = largest_entry(pairwise), enough = largest / wide_ratio;
    const double found = largest_difference(problem, std::numeric_limits<double>::infinity());
    if (found > 0.0 && found < enough) {
        std::array<char, 160> sentence{};
        std::snprintf(
            sentence.data(), sentence.size(),
            "pairwise: expected costs of at most 2^36 times the largest difference of two costs of a triangle, got %g and %g",
            largest, found);
        throw std::invalid_argument(sentence.data());
    }
    // middle_label accepts costs that are additive up to a float32 rounding. The cut treats such costs as additive, so
    // this error must also be below the accuracy
    std::array<int, label_count> order{};
    find_line_order(problem.pairwise, order);
    const auto cost = [&](int k, int l) {
        const auto& b = pairwise;
        const auto entry = [&](int i, int j) { return static_cast<double>(b[order[i]][order[j]]); };
        return entry(k, l) - 0.5 * (entry(k, k) + entry(l, l));
    };
    if (const double missing = cost(0, 1) + cost(1, 2) - cost(0, 2); missing > rounding_share * found) {
        std::array<char, 160> sentence{};
        std::snprintf(
            sentence.data(), sentence.size(),
            "pairwise: expected the cost of the outer labels to be at least the sum of the other two costs, it is %g less",
            missing);
        throw std::invalid_argument(sentence.data());
    }
}

void solve_wide(const LabelProblem& problem, const PairwiseCosts& pairwise, LabelWorkspace::Storage& storage,
                std::span<std::uint8_t> labels) {
    storage.cuts.resize(std::max(storage.cuts.size(), std::size_t{1}));
    WideCut(problem, pairwise, storage.cuts[0]).solve(labels);
}

}  // namespace ruckle
