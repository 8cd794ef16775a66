// Alpha-expansion and alpha-beta swap for any number of labels. Each move is one minimum cut over the triangles that
// may change their label. Nodes on the source side get the new label. The cut with the smallest source side is used, so
// that only triangles that lower the energy change.
#include "ruckle/field/many_labels.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "field/graph/max_flow.h"

namespace ruckle {

namespace {

// The largest pairwise cost, including its weight, in integer units. The cut adds four such costs, and the sum fits an
// int32.
constexpr double units = 1 << 20;
// Unary costs are clamped to the cost of all links of a triangle: three neighbours and the previous frame. A larger
// difference would not change the labels.
constexpr double most_links = 4.0;

// Two triangles with a common edge, and the weight of their pairwise cost.
struct Link {
    std::int32_t a, b;
    double weight;
};

// The labels of all triangles during the moves, and their costs. At first, each triangle has its cheapest label; the
// lowest label wins if costs are equal.
class ManyLabelMoves {
  public:
    ManyLabelMoves(const ManyLabelProblem& problem, const Topology& topology, std::span<std::uint8_t> labels)
        : count_(static_cast<std::size_t>(problem.label_count)), labels_(labels), node_of_(labels.size()) {
        for (std::size_t e = 0; e < topology.edge_faces.size(); ++e) {
            const auto [a, b] = topology.edge_faces[e];
            const double weight = problem.weights.empty() ? 1.0 : static_cast<double>(problem.weights[e]);
            if (b >= 0 && weight > 0.0) {
                links_.push_back({a, b, weight});
            }
        }
        scale_costs(problem);
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            const auto row = unary_.begin() + static_cast<std::ptrdiff_t>(i * count_);
            labels_[i] = static_cast<std::uint8_t>(std::min_element(row, row + static_cast<std::ptrdiff_t>(count_)) - row);
        }
    }

    // Computes one move. Expansion (without `from`): any triangle may change to the label `to`. Swap: triangles with
    // one of the labels `from` and `to` get one of the two. Returns true if the move lowered the energy. Other moves
    // are undone, so that moves of equal energy do not repeat forever.
    bool move(std::uint8_t to, int from = -1) {
        before_.assign(labels_.begin(), labels_.end());
        const std::int64_t known = energy();
        flow_.clear();
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            const bool swaps = from >= 0 && (labels_[i] == from || labels_[i] == to);
            if (swaps) {
                labels_[i] = static_cast<std::uint8_t>(from);
            }
            const bool may = swaps || (from < 0 && labels_[i] != to);
            node_of_[i] = may ? flow_.add_node() : -1;
            if (may) {
                // a triangle on the sink side does not change and costs as much as its current label
                flow_.add_terminal(node_of_[i], unary(i, labels_[i]) - unary(i, to));
            }
        }
        for (const Link& link : links_) {
            add_link(link, to);
        }
        flow_.solve();
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            if (node_of_[i] >= 0 && flow_.on_source_side(node_of_[i])) {
                labels_[i] = to;
            }
        }
        if (energy() < known) {
            return true;
        }
        std::copy(before_.begin(), before_.end(), labels_.begin());
        return false;
    }

  private:
    std::int32_t unary(std::size_t i, std::uint8_t label) const { return unary_[i * count_ + label]; }
    std::int32_t pair(const Link& link, std::uint8_t k, std::uint8_t l) const {
        return static_cast<std::int32_t>(std::lround(link.weight * pairwise_[k * count_ + l]));
    }

    // Returns the energy of the labels in integer units.
    std::int64_t energy() const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            sum += unary(i, labels_[i]);
        }
        for (const Link& link : links_) {
            sum += pair(link, labels_[static_cast<std::size_t>(link.a)], labels_[static_cast<std::size_t>(link.b)]);
        }
        return sum;
    }

    // Converts pairwise and unary costs to integer units. Adds the links to the previous frame to the unary costs, and
    // subtracts the smallest cost of each triangle.
    void scale_costs(const ManyLabelProblem& problem) {
        double largest_weight = problem.previous.empty() ? 0.0 : 1.0, largest = 0.0;
        for (const Link& link : links_) {
            largest_weight = std::max(largest_weight, link.weight);
        }
        for (const float cost : problem.pairwise) {
            largest = std::max(largest, largest_weight * static_cast<double>(cost));
        }
        // if all links cost 0, any scale is valid
        const double scale = units / (largest > 0.0 ? largest : 1.0), most = most_links * units + 1.0;
        for (const float cost : problem.pairwise) {
            pairwise_.push_back(scale * static_cast<double>(cost));
        }
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            const std::span<const float> costs = problem.costs.subspan(i * count_, count_);
            const std::size_t last = problem.previous.empty() ? 0 : problem.previous[i];
            double cheapest = 0.0;
            std::vector<double> row(count_);
            for (std::size_t l = 0; l < count_; ++l) {
                row[l] = scale * static_cast<double>(costs[l]) + (problem.previous.empty() ? 0.0 : pairwise_[l * count_ + last]);
                cheapest = l == 0 ? row[l] : std::min(cheapest, row[l]);
            }
            for (const double cost : row) {
                unary_.push_back(static_cast<std::int32_t>(std::lround(std::min(cost - cheapest, most))));
            }
        }
    }

    // Adds the cost of a link for the four combinations (each end changes to `to` or not), as unary costs and one arc.
    void add_link(const Link& link, std::uint8_t to) {
        const auto i = static_cast<std::size_t>(link.a), j = static_cast<std::size_t>(link.b);
        const std::int32_t x = node_of_[i], y = node_of_[j];
        const std::int32_t stay = pair(link, labels_[i], labels_[j]);
        const std::int32_t first = pair(link, to, labels_[j]), second = pair(link, labels_[i], to);
        if (x >= 0 && y >= 0) {
            flow_.add_terminal(x, stay - first);
            flow_.add_terminal(y, first);
            // rounding may violate the triangle inequality by one unit
            flow_.add_arcs(y, x, std::max(first + second - stay, 0), 0);
        } else if (x >= 0) {
            flow_.add_terminal(x, stay - first);
        } else if (y >= 0) {
            flow_.add_terminal(y, stay - second);
        }
    }

    std::size_t count_;
    std::span<std::uint8_t> labels_;
    std::vector<std::int32_t> node_of_, unary_;
    std::vector<std::uint8_t> before_;
    std::vector<double> pairwise_;
    std::vector<Link> links_;
    MaxFlow flow_;
};

// Returns the energy of a labeling in the user's costs.
double energy(const ManyLabelProblem& problem, const Topology& topology, std::span<const std::uint8_t> labels) {
    const auto count = static_cast<std::size_t>(problem.label_count);
    double sum = 0.0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        sum += static_cast<double>(problem.costs[i * count + labels[i]]);
        sum += problem.previous.empty() ? 0.0 : static_cast<double>(problem.pairwise[labels[i] * count + problem.previous[i]]);
    }
    for (std::size_t e = 0; e < topology.edge_faces.size(); ++e) {
        const auto [a, b] = topology.edge_faces[e];
        if (b >= 0) {
            const double weight = problem.weights.empty() ? 1.0 : static_cast<double>(problem.weights[e]);
            const std::size_t k = labels[static_cast<std::size_t>(a)], l = labels[static_cast<std::size_t>(b)];
            sum += weight * static_cast<double>(problem.pairwise[k * count + l]);
        }
    }
    return sum;
}

}  // namespace

void require_solvable(const ManyLabelProblem& problem, LabelMethod method) {
    const auto count = static_cast<std::size_t>(problem.label_count);
    const auto b = [&](std::size_t k, std::size_t l) { return static_cast<double>(problem.pairwise[k * count + l]); };
    if (method == LabelMethod::exact) {
        throw std::invalid_argument(
            "method: \"exact\" needs three labels and equal weights of all edges; use \"expansion\" or \"swap\"");
    }
    for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t l = 0; l < count; ++l) {
            if (b(k, l) != b(l, k) || b(k, l) < 0.0 || (k == l && b(k, l) != 0.0)) {
                throw std::invalid_argument("pairwise: expected symmetric costs of at least 0 with zeros on the diagonal, got " +
                                            std::to_string(b(k, l)) + " from label " + std::to_string(k) + " to " +
                                            std::to_string(l));
            }
            for (std::size_t m = 0; method == LabelMethod::expansion && m < count; ++m) {
                if (b(k, m) > (b(k, l) + b(l, m)) * (1.0 + 1e-6)) {
                    throw std::invalid_argument("method: \"expansion\" needs a metric, but the cost between labels " +
                                                std::to_string(k) + " and " + std::to_string(m) +
                                                " exceeds the detour through label " + std::to_string(l) + "; use \"swap\"");
                }
            }
        }
    }
}

double solve_many_labels(const ManyLabelProblem& problem, const Topology& topology, LabelMethod method,
                         std::span<std::uint8_t> labels) {
    ManyLabelMoves moves(problem, topology, labels);
    for (bool moved = method != LabelMethod::independent; moved;) {
        moved = false;
        for (int to = 0; to < problem.label_count; ++to) {
            if (method == LabelMethod::expansion) {
                moved = moves.move(static_cast<std::uint8_t>(to)) || moved;
                continue;
            }
            for (int from = to + 1; from < problem.label_count; ++from) {
                moved = moves.move(static_cast<std::uint8_t>(to), from) || moved;
            }
        }
    }
    return energy(problem, topology, labels);
}

}  // namespace ruckle
