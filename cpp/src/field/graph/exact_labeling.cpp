// Exact labeling. First, labels that cannot be optimal for any labels of the neighbours are eliminated. A triangle with
// one remaining label is decided. The undecided triangles form small connected islands. One minimum cut solves each
// island (H. Ishikawa: Exact Optimization for Markov Random Fields with Convex Priors, PAMI 2003), with two binary
// variables per triangle, x1 = [label >= 1] and x2 = [label >= 2].
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "constants.h"
#include "field/graph/label_problem.h"
#include "numeric/dispatch.h"

namespace ruckle {

namespace {

// Numbers that stand for a variable with a known value.
constexpr std::int32_t always_0 = -1, always_1 = -2;

// Cost that forbids x2 = 1 with x1 = 0. It is larger than any sum of one triangle's costs, and small enough for sums in
// 32 bits.
constexpr std::int32_t forbidden = 1 << 28;

// True if one label remains.
bool decided(std::uint8_t set) {
    return std::has_single_bit(set);
}

// Finds the optimal labels of one island at a time, with a minimum cut.
class IslandCut {
  public:
    IslandCut(const LabelProblem& problem, LabelWorkspace::Storage& storage, CutScratch& scratch)
        : problem_(problem),
          storage_(storage),
          units_(storage.unit_costs()),
          sets_(storage.sets.data() + 1),
          flow_(scratch.flow),
          variables_(scratch.variables) {}

    // Solves the island that consists of the nodes queue[begin .. end). Replaces the label set of each node by the set
    // of its optimal label.
    void solve(std::int64_t begin, std::int64_t end) {
        // an island of one triangle does not require a graph
        if (end - begin == 1) {
            settle_alone(storage_.queue[begin]);
            return;
        }
        flow_.clear();
        variables_.clear();
        begin_ = begin;
        for (std::int64_t at = begin; at < end; ++at) {
            add_variables(storage_.queue[at]);
        }
        for (std::int64_t at = begin; at < end; ++at) {
            add_pairs(storage_.queue[at]);
        }
        flow_.solve();
        for (std::int64_t at = begin; at < end; ++at) {
            const auto [x1, x2] = variables_[at - begin];
            const int label = value(x1) + value(x2);
            sets_[storage_.queue[at]] = static_cast<std::uint8_t>(1 << label);
        }
    }

  private:
    // Returns the value of a variable after the cut.
    int value(std::int32_t variable) const { return variable >= 0 ? flow_.on_source_side(variable) : variable == always_1; }

    // Solves an island of one triangle by comparing its labels, because all neighbours are decided. If costs are equal,
    // the lowest label wins, as in the cut.
    void settle_alone(std::int32_t node) {
        int best = 0;
        std::int32_t least = std::numeric_limits<std::int32_t>::max();
        for (int label = 0; label < label_count; ++label) {
            std::int32_t cost = units_.of[label][node];
            for (int k = 0; k < problem_.neighbor_count; ++k) {
                const std::int32_t other = problem_.neighbors[problem_.neighbor_count * std::int64_t{node} + k];
                cost += other < 0 ? 0 : storage_.pairwise[label][std::countr_zero(sets_[other])];
            }
            if (cost < least) {
                least = cost;
                best = label;
            }
        }
        sets_[node] = static_cast<std::uint8_t>(1 << best);
    }

    // Adds the variables of a triangle to the graph, with its unary costs: one variable if two labels remain, two
    // variables if three labels remain.
    void add_variables(std::int32_t node) {
        const std::int32_t cost[3] = {units_.of[0][node], units_.of[1][node], units_.of[2][node]};
        std::array<std::int32_t, 2> x;
        switch (sets_[node]) {
            case 0b011: x = {flow_.add_node(), always_0}; break;
            case 0b110: x = {always_1, flow_.add_node()}; break;
            case 0b101: x[0] = x[1] = flow_.add_node(); break;
            default: x = {flow_.add_node(), flow_.add_node()}; flow_.add_arcs(x[1], x[0], forbidden, 0);
        }
        variables_.push_back(x);
        add_unary(x[0], cost[1] - cost[0]);
        add_unary(x[1], cost[2] - cost[1]);
    }

    // Adds a cost of `weight` for the value 1 of the variable x (source side). Does nothing if x is a constant.
    void add_unary(std::int32_t x, std::int32_t weight) {
        if (x >= 0) {
            flow_.add_terminal(x, -weight);
        }
    }

    // Adds the cost ab for the values a = 1 and b = 0, and the cost ba for a = 0 and b = 1. If a or b is a constant,
    // adds a unary cost of the other variable, which differs from this cost by a constant.
    void add_pair(std::int32_t a, std::int32_t b, std::int32_t ab, std::int32_t ba) {
        if (a >= 0 && b >= 0) {
            flow_.add_arcs(a, b, ab, ba);
        } else if (a >= 0) {
            add_unary(a, b == always_1 ? -ba : ab);
        } else if (b >= 0) {
            add_unary(b, a == always_1 ? -ab : ba);
        }
    }

    // Adds the pairwise costs between a triangle and its neighbours. In the order of the labels, the pairwise cost is a
    // sum of steps. B(0, 1) is paid if exactly one of the two triangles has a label above 0. B(1, 2) is paid if exactly
    // one has label 2. The excess of B(0, 2) over both steps is paid if one has label 0 and the other has label 2. The
    // excess is at least 0, so the sum is submodular.
    void add_pairs(std::int32_t node) {
        const auto [x1, x2] = variables_[storage_.position[node] - begin_];
        const PairwiseUnits& b = storage_.pairwise;
        const std::int32_t beyond = b[0][2] - b[0][1] - b[1][2];
        for (int k = 0; k < problem_.neighbor_count; ++k) {
            const std::int32_t other = problem_.neighbors[problem_.neighbor_count * std::int64_t{node} + k];
            if (other < 0) {
                continue;
            }
            std::array<std::int32_t, 2> y;
            if (decided(sets_[other])) {
                const int label = std::countr_zero(sets_[other]);
                // the variables of a decided neighbour are constants
                y = {label >= 1 ? always_1 : always_0, label >= 2 ? always_1 : always_0};
            } else if (other > node) {
                y = variables_[storage_.position[other] - begin_];
            } else {
                continue;  // the loop over the neighbour has added this pair
            }
            add_pair(x1, y[0], b[0][1], b[0][1]);
            add_pair(x2, y[1], b[1][2], b[1][2]);
            if (beyond > 0) {
                add_pair(x2, y[0], beyond, 0);
                add_pair(y[1], x1, beyond, 0);
            }
        }
    }

    const LabelProblem& problem_;
    LabelWorkspace::Storage& storage_;
    UnitCosts units_;
    std::uint8_t* sets_;
    MaxFlow& flow_;
    std::vector<std::array<std::int32_t, 2>>& variables_;
    std::int64_t begin_ = 0;
};

// Eliminates labels until nothing changes within each chunk of nodes. Updates the label sets and the lists of undecided
// nodes. Threads read sets of other chunks while these change, so the remaining labels depend on timing. The final
// labeling does not depend on timing, because labels of an optimum are never eliminated.
void eliminate_labels(const LabelProblem& problem, LabelWorkspace::Storage& storage, ThreadPool* pool) {
    for_chunks(pool, problem.node_count, parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t& open_count = storage.open_counts[begin / parallel_chunk];
        open_count = kernels<LabelKernels>().eliminate_labels(storage.unit_costs(), problem.neighbors, problem.neighbor_count,
                                                              storage.tables, begin, end, storage.open.data() + begin, open_count,
                                                              storage.queue.data() + begin, storage.queued.data(),
                                                              storage.sets.data() + 1);
    });
}

// Appends the island around an undecided node to storage.queue: the undecided nodes that are connected to the seed
// across undecided nodes. Also appends the end of the island, and increases `count`.
void collect_island(const LabelProblem& problem, LabelWorkspace::Storage& storage, std::int32_t seed, std::int32_t& count) {
    std::uint8_t* visited = storage.queued.data();
    const std::uint8_t* sets = storage.sets.data() + 1;
    const auto visit = [&](std::int32_t node) {
        visited[node] = 1;
        storage.position[node] = count;
        storage.queue[count++] = node;
    };
    std::int32_t next = count;
    visit(seed);
    for (; next < count; ++next) {
        const std::int32_t* around = problem.neighbors + problem.neighbor_count * std::int64_t{storage.queue[next]};
        for (int k = 0; k < problem.neighbor_count; ++k) {
            if (around[k] >= 0 && !decided(sets[around[k]]) && !visited[around[k]]) {
                visit(around[k]);
            }
        }
    }
    // the next island follows directly in the queue, so its begin is this end
    storage.island_ends.push_back(count);
}

// Writes the undecided nodes into storage.queue, one island after the other, and the end of each island into
// storage.island_ends.
void collect_islands(const LabelProblem& problem, LabelWorkspace::Storage& storage) {
    std::uint8_t* visited = storage.queued.data();
    storage.island_ends.clear();
    std::int32_t count = 0;
    for (std::size_t chunk = 0; chunk < storage.open_counts.size(); ++chunk) {
        const std::int32_t* open = storage.open.data() + chunk * parallel_chunk;
        for (std::int64_t k = 0; k < storage.open_counts[chunk]; ++k) {
            if (!visited[open[k]]) {
                collect_island(problem, storage, open[k], count);
            }
        }
    }
    // clear the marks, because the elimination of the next frame uses them, too
    for (std::int32_t at = 0; at < count; ++at) {
        visited[storage.queue[at]] = 0;
    }
}

// Solves all islands, on several threads.
void cut_islands(const LabelProblem& problem, LabelWorkspace::Storage& storage, ThreadPool* pool) {
    const auto island_count = static_cast<std::int64_t>(storage.island_ends.size());
    // islands are small, so each task of a thread solves 16 islands
    for_chunks(pool, island_count, 16, [&](std::int64_t begin, std::int64_t end, int thread) {
        IslandCut cut(problem, storage, storage.cuts[static_cast<std::size_t>(thread)]);
        for (std::int64_t island = begin; island < end; ++island) {
            cut.solve(island == 0 ? 0 : storage.island_ends[island - 1], storage.island_ends[island]);
        }
    });
}

}  // namespace

void solve_exact(const LabelProblem& problem, LabelWorkspace::Storage& storage, std::span<std::uint8_t> labels,
                 ThreadPool* pool) {
    std::array<int, label_count> order;
    find_line_order(problem.pairwise, order);
    prepare(problem, order, storage, pool);
    eliminate_labels(problem, storage, pool);
    collect_islands(problem, storage);
    cut_islands(problem, storage, pool);
    // each set contains one label: its bits are 1, 2 or 4
    const std::uint8_t label_of_set[5] = {0, static_cast<std::uint8_t>(order[0]), static_cast<std::uint8_t>(order[1]), 0,
                                          static_cast<std::uint8_t>(order[2])};
    const bool in_order = order == std::array{0, 1, 2};
    for_chunks(pool, problem.node_count, parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
        const std::uint8_t* sets = storage.sets.data() + 1;
        if (in_order) {
            // special case for the usual order of the labels, which the compiler can vectorise: the sets 1, 2, 4 become
            // 0, 1, 2
            std::transform(sets + begin, sets + end, labels.data() + begin,
                           [](std::uint8_t set) { return std::uint8_t(set >> 1); });
        } else {
            std::transform(sets + begin, sets + end, labels.data() + begin, [&](std::uint8_t set) { return label_of_set[set]; });
        }
    });
}

}  // namespace ruckle
