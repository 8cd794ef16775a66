// Approximate labeling by alpha-expansion and alpha-beta swap (thesis 4.1.3; Y. Boykov, O. Veksler, R. Zabih: Fast
// Approximate Energy Minimization via Graph Cuts, PAMI 2001). Each move is one minimum cut over the triangles that may
// change their label. Its pairwise terms are split as in V. Kolmogorov, R. Zabih: What Energy Functions Can Be
// Minimized via Graph Cuts?, PAMI 2004, so that no auxiliary nodes are needed.
#include <algorithm>

#include "field/graph/label_problem.h"

namespace ruckle {

namespace {

// The labels of all triangles during the moves, and their energy. At first, each triangle has its cheapest label.
class Moves {
  public:
    Moves(const LabelProblem& problem, LabelWorkspace::Storage& storage, std::span<std::uint8_t> labels)
        : problem_(problem),
          storage_(storage),
          units_(storage.unit_costs()),
          b_(storage.pairwise),
          flow_(storage.cuts[0].flow),
          labels_(labels) {
        for (std::int64_t i = 0; i < problem.node_count; ++i) {
            const std::int32_t u0 = units_.of[0][i], u1 = units_.of[1][i], u2 = units_.of[2][i];
            labels[i] = u0 <= u1 && u0 <= u2 ? 0 : u1 <= u2 ? 1 : 2;  // the lowest label wins if costs are equal
        }
        // the initial labels are the cheapest labels of the triangles; moves can only lower the energy
        energy_ = energy();
    }

    // Expansion: any triangle may change to the label alpha. The pairwise terms are submodular for every metric.
    // Returns true if the energy decreased; otherwise the labels do not change.
    bool expand(std::uint8_t alpha) {
        add_nodes([&](std::uint8_t label) { return label != alpha; });
        for_movable([&](std::int64_t i, std::int32_t x) {
            const std::uint8_t own = labels_[i];
            add_unary(x, unary(i, alpha) - unary(i, own));
            for_neighbors(i, [&](std::int64_t n, std::int32_t y) {
                const std::uint8_t other = labels_[n];
                // the neighbour already has the label alpha: a change to alpha saves the current cost of the pair
                if (y == fixed) {
                    add_unary(x, -b_[own][alpha]);
                } else if (n > i) {
                    // split the four costs of the pair into unary costs and one arc
                    add_unary(x, b_[alpha][other] - b_[own][other]);
                    add_unary(y, -b_[alpha][other]);
                    flow_.add_arcs(y, x, b_[own][alpha] + b_[alpha][other] - b_[own][other], 0);
                }
            });
        });
        return take([&](std::uint8_t label, bool moved) { return moved ? alpha : label; });
    }

    // Swap: each triangle with label alpha or beta gets one of these two labels. The move is submodular if the cost
    // between the two labels is at least 0. Returns true if the energy decreased; otherwise the labels do not change.
    bool swap(std::uint8_t alpha, std::uint8_t beta) {
        add_nodes([&](std::uint8_t label) { return label == alpha || label == beta; });
        for_movable([&](std::int64_t i, std::int32_t x) {
            add_unary(x, unary(i, alpha) - unary(i, beta));
            for_neighbors(i, [&](std::int64_t n, std::int32_t y) {
                if (y == fixed) {
                    add_unary(x, b_[alpha][labels_[n]] - b_[beta][labels_[n]]);
                } else if (n > i) {
                    // cost of different labels at the two ends. Equal labels cost 0, because the diagonal costs have
                    // been added to the unary costs
                    flow_.add_arcs(x, y, b_[alpha][beta], b_[alpha][beta]);
                }
            });
        });
        return take([&](std::uint8_t, bool moved) { return moved ? alpha : beta; });
    }

  private:
    static constexpr std::int32_t fixed = -1;

    std::int32_t unary(std::int64_t i, std::uint8_t label) const { return units_.of[label][i]; }

    // Adds a cost of `weight` if the variable is 1 (source side of the cut). Its triangle then gets the label alpha.
    void add_unary(std::int32_t variable, std::int32_t weight) { flow_.add_terminal(variable, -weight); }

    // Starts a new graph with one node for each triangle whose label satisfies may_move.
    template <class MayMove>
    void add_nodes(MayMove may_move) {
        // each move builds a new graph in the memory of the last graph, because other triangles may change their label
        flow_.clear();
        for (std::int64_t i = 0; i < problem_.node_count; ++i) {
            storage_.position[i] = may_move(labels_[i]) ? flow_.add_node() : fixed;
        }
    }

    template <class Visit>
    void for_movable(Visit visit) const {
        for (std::int64_t i = 0; i < problem_.node_count; ++i) {
            if (storage_.position[i] != fixed) {
                visit(i, storage_.position[i]);
            }
        }
    }

    template <class Visit>
    void for_neighbors(std::int64_t i, Visit visit) const {
        for (int k = 0; k < problem_.neighbor_count; ++k) {
            const std::int64_t n = problem_.neighbors[problem_.neighbor_count * i + k];
            if (n >= 0) {
                visit(n, storage_.position[n]);
            }
        }
    }

    // Cuts the graph, and sets the new labels. Restores the old labels and returns false if the energy does not
    // decrease.
    template <class Choose>
    bool take(Choose choose) {
        flow_.solve();
        std::uint8_t* before = storage_.sets.data() + 1;
        for (std::int64_t i = 0; i < problem_.node_count; ++i) {
            before[i] = labels_[i];
            if (storage_.position[i] != fixed) {
                labels_[i] = choose(labels_[i], flow_.on_source_side(storage_.position[i]));
            }
        }
        const std::int64_t after = energy();
        if (after < energy_) {
            energy_ = after;
            return true;
        }
        std::copy(before, before + problem_.node_count, labels_.begin());
        return false;
    }

    // Returns the energy in integer units. Integers detect a move without gain exactly, so that the loop ends.
    std::int64_t energy() const {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < problem_.node_count; ++i) {
            sum += unary(i, labels_[i]);
            for_neighbors(i, [&](std::int64_t n, std::int32_t) { sum += n > i ? b_[labels_[i]][labels_[n]] : 0; });
        }
        return sum;
    }

    const LabelProblem& problem_;
    LabelWorkspace::Storage& storage_;
    UnitCosts units_;
    const PairwiseUnits& b_;
    MaxFlow& flow_;
    std::span<std::uint8_t> labels_;
    std::int64_t energy_;
};

}  // namespace

void solve_by_moves(const LabelProblem& problem, LabelMethod method, LabelWorkspace::Storage& storage,
                    std::span<std::uint8_t> labels) {
    prepare(problem, {0, 1, 2}, storage, nullptr);
    Moves moves(problem, storage, labels);
    // repeat all moves until no move lowers the energy, as in the paper
    bool improved = true;
    while (improved) {
        improved = false;
        for (std::uint8_t alpha = 0; alpha < label_count; ++alpha) {
            if (method == LabelMethod::expansion) {
                improved |= moves.expand(alpha);
            } else {
                for (std::uint8_t beta = alpha + 1; beta < label_count; ++beta) {
                    improved |= moves.swap(alpha, beta);
                }
            }
        }
    }
}

}  // namespace ruckle
