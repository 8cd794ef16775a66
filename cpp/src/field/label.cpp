// Label costs, and preparation of a labelling problem for the solvers in graph/: validation of the pairwise costs,
// adding the diagonal costs to the unary costs, and rounding costs to integer units.
#include "ruckle/field/label.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>

#include "constants.h"
#include "field/graph/label_problem.h"
#include "numeric/dispatch.h"

namespace ruckle {

namespace {

constexpr const char* label_names[label_count] = {"compression", "rest", "stretch"};

bool has_diagonal(const PairwiseCosts& b) {
    return b[0][0] != 0 || b[1][1] != 0 || b[2][2] != 0;
}

// Returns B(k, l) - (B(k, k) + B(l, l)) / 2 for all labels k and l. The energy does not change if half of B(l, l) per
// link (pair of neighbours) is added to the unary cost of label l.
PairwiseCosts without_diagonal(const PairwiseCosts& b) {
    // fold_diagonal adds the subtracted costs to the unary costs
    PairwiseCosts result;
    for (int k = 0; k < label_count; ++k) {
        for (int l = 0; l < label_count; ++l) {
            result[k][l] = k == l ? 0.0f : b[k][l] - 0.5f * (b[k][k] + b[l][l]);
        }
    }
    return result;
}

// Returns an order of the three labels with the given label in the middle.
std::array<int, label_count> line_around(int middle) {
    return {middle == 0 ? 1 : 0, middle, middle == 2 ? 1 : 2};
}

// Relative tolerance of sums of decimal costs: 0.2 + 0.2 and 0.4 may differ by one rounding.
constexpr float decimal_rounding = 1e-6f;

// Returns a middle label m with B(low, high) >= B(low, m) + B(m, high) for the two other labels, or -1 if no label has
// this property. Then B is submodular in this order of the labels, and one cut finds the optimum. The function tries
// the label order of the thesis first.
int middle_label(const PairwiseCosts& b) {
    for (const int middle : {1, 0, 2}) {
        const auto [low, _, high] = line_around(middle);
        if (b[low][high] >= (b[low][middle] + b[middle][high]) * (1.0f - decimal_rounding)) {
            return middle;
        }
    }
    return -1;
}

// Returns the problem with pairwise costs whose diagonal is 0. Stores new unary costs: half of B(l, l) is added for
// each link of a triangle, including link_to_previous (0 or 1) links to the previous frame.
LabelProblem fold_diagonal(LabelProblem problem, int link_to_previous, LabelWorkspace::Storage& storage) {
    const PairwiseCosts& b = problem.pairwise;
    storage.costs.resize(static_cast<std::size_t>(3 * problem.node_count));
    for (std::int64_t i = 0; i < problem.node_count; ++i) {
        const std::int32_t* around = problem.neighbors + problem.neighbor_count * i;
        const auto links = std::count_if(around, around + problem.neighbor_count, [](std::int32_t n) { return n >= 0; });
        for (int l = 0; l < label_count; ++l) {
            storage.costs[3 * i + l] = problem.costs[3 * i + l] + 0.5f * static_cast<float>(links + link_to_previous) * b[l][l];
        }
    }
    problem.costs = storage.costs.data();
    problem.pairwise = without_diagonal(b);
    return problem;
}

// Returns the inputs of the kernels that compute unary costs; they refer to the spans.
CostInputs cost_inputs(std::span<const float> compression, std::span<const float> max, std::span<const std::uint8_t> degenerate,
                       const LabelCostOptions& options) {
    assert(max.size() == compression.size());
    // kernels compute e^x as a power of 2
    constexpr float log2_e = 1.44269504f;
    const float variance = options.sigma * options.sigma;
    return {compression.data(),
            max.data(),
            degenerate.empty() ? nullptr : degenerate.data(),
            {-0.5f * log2_e / variance, -0.25f * log2_e / variance, -log2_e * options.alpha, -log2_e * options.beta,
             reference_frame_time / options.dt}};
}

// True if every triangle gets its cheapest label, because of the chosen method, or because all pairwise costs between
// different labels are 0.
bool is_independent(const LabelOptions& options) {
    const PairwiseCosts b = without_diagonal(options.pairwise);
    return options.method == LabelMethod::independent || (b[0][1] == 0.0f && b[0][2] == 0.0f && b[1][2] == 0.0f);
}

// Computes and stores the unary costs if the problem contains only their inputs (stretches).
void write_costs(LabelProblem& problem, LabelWorkspace::Storage& storage) {
    if (!problem.costs) {
        storage.costs.resize(static_cast<std::size_t>(3 * problem.node_count));
        kernels<LabelKernels>().label_costs(*problem.inputs, 0, problem.node_count, storage.costs.data());
        problem.costs = storage.costs.data();
    }
}

// Writes labels with the method of `options`. The exact method uses one cut with 64-bit costs if 32-bit costs are too
// coarse (is_narrow). Does nothing if `labels` is empty.
void solve_once(LabelProblem problem, const LabelOptions& options, LabelWorkspace::Storage& storage,
                std::span<std::uint8_t> labels, ThreadPool* pool) {
    if (labels.empty()) {
        return;  // the sequence does not have frames
    }
    if (options.method == LabelMethod::exact && !is_narrow(problem, options.pairwise)) {
        if (problem.costs) {
            require_wide(problem, options.pairwise);
        }
        problem.pairwise = without_diagonal(options.pairwise);
        write_costs(problem, storage);
        solve_wide(problem, options.pairwise, storage, labels);
        return;
    }
    const bool independent = is_independent(options), diagonal = has_diagonal(options.pairwise);
    // solve_independent and fold_diagonal read stored costs. The other solvers call `prepare`, which computes costs
    // while it rounds them
    if (independent || diagonal) {
        write_costs(problem, storage);
    }
    if (diagonal && options.method != LabelMethod::independent) {
        problem = fold_diagonal(problem, problem.previous ? 1 : 0, storage);
    }
    if (independent) {
        solve_independent(problem, labels);
    } else if (options.method == LabelMethod::exact) {
        solve_exact(problem, storage, labels, pool);
    } else {
        solve_by_moves(problem, options.method, storage, labels);
    }
}

// Like solve_once, but resets the storage if an exception is thrown.
void solve(const LabelProblem& problem, const LabelOptions& options, LabelWorkspace::Storage& storage,
           std::span<std::uint8_t> labels, ThreadPool* pool) {
    try {
        solve_once(problem, options, storage, labels, pool);
    } catch (...) {
        // after an exception (out of memory), marks of visited triangles may remain in the storage: reset it
        storage = LabelWorkspace::Storage();
        throw;
    }
}

}  // namespace

LabelWorkspace::LabelWorkspace() : storage_(std::make_unique<Storage>()) {}
LabelWorkspace::~LabelWorkspace() = default;
LabelWorkspace::LabelWorkspace(LabelWorkspace&&) noexcept = default;
LabelWorkspace& LabelWorkspace::operator=(LabelWorkspace&&) noexcept = default;

void label_costs(std::span<const float> compression, std::span<const float> max, std::span<const std::uint8_t> degenerate,
                 const LabelCostOptions& options, std::span<float> costs) {
    assert(costs.size() == 3 * compression.size());
    kernels<LabelKernels>().label_costs(cost_inputs(compression, max, degenerate, options), 0,
                                        static_cast<std::int64_t>(compression.size()), costs.data());
}

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
    throw std::invalid_argument(sentence);
}

// Throws if a cost is not finite, or if the costs are not symmetric.
void require_symmetric(const PairwiseCosts& b) {
    for (int k = 0; k < label_count; ++k) {
        for (int l = 0; l < label_count; ++l) {
            // check finiteness first: NaN differs from itself and would be reported as asymmetric
            const std::string entry = std::string("pairwise: the cost between ") + label_names[k] + " and " + label_names[l];
            if (!std::isfinite(b[k][l])) {
                refuse(entry + " is not finite; give finite numbers");
            }
            if (b[k][l] != b[l][k]) {
                refuse(entry + " is " + std::to_string(b[k][l]) + " one way and " + std::to_string(b[l][k]) +
                       " the other; give a symmetric matrix");
            }
        }
    }
}

// Throws if a cost of `b` (with zero diagonal) is negative: it would reward different labels of neighbours, and a cut
// cannot have negative capacities.
void require_smoothing(const PairwiseCosts& b) {
    for (int k = 0; k < label_count; ++k) {
        for (int l = k + 1; l < label_count; ++l) {
            if (b[k][l] < 0.0f) {
                refuse(std::string("pairwise: neighbours labelled ") + label_names[k] + " and " + label_names[l] +
                       " cost less than neighbours with equal labels, which no graph cut can minimise; raise that cost or use "
                       "method=\"independent\"");
            }
        }
    }
}

// Throws if the costs violate the triangle inequality, which expansion requires. Only the pair of outer labels can
// violate it.
void require_metric(const PairwiseCosts& b, int middle) {
    const auto [low, _, high] = line_around(middle);
    if (b[low][high] > (b[low][middle] + b[middle][high]) * (1.0f + decimal_rounding)) {
        refuse(std::string("method=\"expansion\": the pairwise costs are not a metric (") + label_names[low] + " to " +
               label_names[high] + " costs more than the detour through " + label_names[middle] +
               "); use method=\"exact\", which allows them, or method=\"swap\"");
    }
}

}  // namespace

void require_solvable(const LabelOptions& options) {
    require_symmetric(options.pairwise);
    if (options.method == LabelMethod::independent) {
        return;
    }
    const PairwiseCosts b = without_diagonal(options.pairwise);
    // check the costs after the diagonal has been moved to the unary costs, because the solvers use these costs
    require_smoothing(b);
    const int middle = middle_label(b);
    if (options.method == LabelMethod::exact && middle < 0) {
        refuse(
            "method=\"exact\": the pairwise costs are not submodular in any order of the labels (for every label, the sum of "
            "its costs to the other two exceeds the cost between these two); use method=\"expansion\"");
    }
    // if no label is a middle label, every direct cost is below the sum through the third label, so the triangle
    // inequality holds
    if (options.method == LabelMethod::expansion && middle >= 0) {
        require_metric(b, middle);
    }
}

bool find_line_order(const PairwiseCosts& pairwise, std::array<int, label_count>& order) {
    const int middle = middle_label(pairwise);
    order = line_around(middle);
    return middle >= 0;
}

namespace {

// Rounds the pairwise costs to integer units, in the solver's order of the labels. Sums that are additive up to
// rounding are made exactly additive.
void round_pairwise(const PairwiseCosts& b, const std::array<int, label_count>& order, float scale, PairwiseUnits& units) {
    for (int k = 0; k < label_count; ++k) {
        for (int l = 0; l < label_count; ++l) {
            units[k][l] = static_cast<std::int32_t>(std::lround(b[order[k]][order[l]] * scale));
        }
    }
    // the exact cut requires that costs are at least additive, and expansion requires a metric: rounding must preserve
    // both
    for (int middle = 0; middle < label_count; ++middle) {
        const auto [low, _, high] = line_around(middle);
        const std::int32_t across = units[low][middle] + units[middle][high];
        if (std::abs(units[low][high] - across) <= 2) {
            units[low][high] = units[high][low] = across;
        }
    }
}

// Fills in the cost of the link to the previous frame for each pair of labels: the label now in the solver's order, the
// previous label in the user's order.
void fill_temporal(const PairwiseUnits& units, LabelTables& tables) {
    for (int l = 0; l < label_count; ++l) {
        std::fill_n(tables.temporal[l], 8, 0);
        for (int p = 0; p < label_count; ++p) {
            tables.temporal[l][tables.order[p]] = units[p][l];
        }
    }
}

// Fills in the minimum of B(l, k) - B(m, k) over the remaining labels k of a neighbour. The minimum is 0 for the empty
// set, which marks a missing neighbour.
void fill_least(const PairwiseUnits& units, LabelTables& tables) {
    for (int set = 0; set < label_set_count; ++set) {
        std::fill_n(tables.least[set], 8, 0);
        for (int pair = 0; pair < label_pair_count && set != 0; ++pair) {
            const auto& [l, m] = label_pairs[pair];
            std::int32_t least = 2 * cost_units;
            for (int k = 0; k < label_count; ++k) {
                if (set >> k & 1) {
                    least = std::min(least, units[l][k] - units[m][k]);
                }
            }
            tables.least[set][pair] = least;
        }
    }
}

// Computes scale, limit and tables of a problem, and its pairwise costs in units.
void fill_tables(const LabelProblem& problem, const std::array<int, label_count>& order, LabelWorkspace::Storage& storage) {
    const PairwiseCosts& b = problem.pairwise;
    const float largest = std::max({b[0][1], b[0][2], b[1][2]});
    LabelTables& tables = storage.tables;
    std::copy(order.begin(), order.end(), tables.order);
    // the limit 1e30 has an effect only if pairwise costs are far below the precision of any unary cost
    tables.scale = std::min(static_cast<float>(cost_units) / largest, 1e30f);
    const int links = problem.neighbor_count + 1;
    // a label with a cost above this limit is eliminated for any labels of the neighbours, so larger costs are clamped.
    // float32 represents the limit exactly (cost_units)
    tables.limit = static_cast<float>(cost_units) * static_cast<float>(2 * links + 1);
    round_pairwise(b, order, tables.scale, storage.pairwise);
    fill_temporal(storage.pairwise, tables);
    fill_least(storage.pairwise, tables);
}

// Resizes all arrays for a problem of `count` nodes, and resets the number of undecided nodes.
void resize(LabelWorkspace::Storage& storage, std::size_t count, ThreadPool* pool) {
    if (storage.position.size() != count) {
        storage.units.resize(3 * count);
        storage.sets.assign(count + 1, 0);
        storage.open.resize(count);
        storage.queued.assign(count, 0);
        storage.queue.resize(count);
        storage.island_ends.reserve(count);
        // resize `position` last: if a previous call ran out of memory, the size of `position` shows that the other
        // arrays are not complete
        storage.position.resize(count);
    }
    storage.cuts.resize(std::max(storage.cuts.size(), static_cast<std::size_t>(pool ? pool->thread_count() : 1)));
    storage.open_counts.assign((count + parallel_chunk - 1) / parallel_chunk, 0);
}

}  // namespace

void prepare(const LabelProblem& problem, const std::array<int, label_count>& order, LabelWorkspace::Storage& storage,
             ThreadPool* pool) {
    fill_tables(problem, order, storage);
    resize(storage, static_cast<std::size_t>(problem.node_count), pool);
    // round the costs and eliminate labels within each triangle, in one pass
    const LabelTables& tables = storage.tables;
    for_chunks(pool, problem.node_count, parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
        std::uint8_t* sets = storage.sets.data() + 1;
        std::int32_t* open = storage.open.data();
        // each chunk has its own list of undecided triangles, so that threads do not wait for each other
        storage.open_counts[begin / parallel_chunk] =
            problem.costs
                ? kernels<LabelKernels>().round_costs(problem.costs, problem.previous, tables, problem.neighbor_count, begin, end,
                                                      storage.unit_costs(), sets, open)
                : kernels<LabelKernels>().round_label_costs(*problem.inputs, problem.previous, tables, problem.neighbor_count,
                                                            begin, end, storage.unit_costs(), sets, open);
    });
}

// The reserved memory suffices for the largest possible cut of a frame.
void reserve_cuts(LabelWorkspace& workspace, std::size_t face_count, int thread_count) {
    auto& cuts = workspace.storage().cuts;
    // the size of `cuts` never decreases, because other callers with more threads may share the workspace
    cuts.resize(std::max(cuts.size(), static_cast<std::size_t>(thread_count)));
    for (CutScratch& cut : cuts) {
        // per triangle: two variables, one pair of arcs between them, and at most four pairs of arcs for each of its
        // 3/2 pairs of neighbours
        cut.flow.reserve(2 * face_count, 7 * face_count);
        cut.variables.reserve(face_count);
    }
}

// Gives each triangle its cheapest label, without a graph cut (thesis, figure 8.3). If costs are equal, the lowest
// label wins.
void solve_independent(const LabelProblem& problem, std::span<std::uint8_t> labels) {
    for (std::int64_t i = 0; i < problem.node_count; ++i) {
        const float* cost = problem.costs + 3 * i;
        labels[i] = static_cast<std::uint8_t>(std::min_element(cost, cost + label_count) - cost);
    }
}

void solve_labels(std::span<const float> costs, const Topology& topology, std::span<const std::uint8_t> previous,
                  const LabelOptions& options, LabelWorkspace& workspace, std::span<std::uint8_t> labels, ThreadPool* pool) {
    assert(static_cast<int>(labels.size()) == topology.face_count() && costs.size() == 3 * labels.size());
    assert(previous.empty() || previous.size() == labels.size());
    const LabelProblem problem{.node_count = topology.face_count(),
                               .neighbor_count = 3,
                               .neighbors = topology.face_neighbors.data()->data(),
                               .costs = costs.data(),
                               .inputs = nullptr,
                               .previous = previous.empty() ? nullptr : previous.data(),
                               .pairwise = options.pairwise};
    solve(problem, options, workspace.storage(), labels, pool);
}

void label_stretch(std::span<const float> compression, std::span<const float> max, std::span<const std::uint8_t> degenerate,
                   const LabelCostOptions& cost_options, const Topology& topology, std::span<const std::uint8_t> previous,
                   const LabelOptions& options, LabelWorkspace& workspace, std::span<std::uint8_t> labels, ThreadPool* pool) {
    assert(static_cast<int>(labels.size()) == topology.face_count() && compression.size() == labels.size());
    // costs is null, so that the exact solver computes and rounds costs in one pass and does not store them
    const CostInputs inputs = cost_inputs(compression, max, degenerate, cost_options);
    const LabelProblem problem{.node_count = topology.face_count(),
                               .neighbor_count = 3,
                               .neighbors = topology.face_neighbors.data()->data(),
                               .costs = nullptr,
                               .inputs = &inputs,
                               .previous = previous.empty() ? nullptr : previous.data(),
                               .pairwise = options.pairwise};
    solve(problem, options, workspace.storage(), labels, pool);
}

namespace {

// Fills in the neighbours of all triangles of a sequence: three neighbour slots for the same frame, and one slot each
// for the frames before and after.
void link_frames(const Topology& topology, std::int32_t node_count, std::vector<std::int32_t>& neighbors) {
    const auto face_count = static_cast<std::int32_t>(topology.face_count());
    neighbors.resize(5 * static_cast<std::size_t>(node_count));
    for (std::int32_t i = 0; i < node_count; ++i) {
        std::int32_t* around = &neighbors[5 * static_cast<std::size_t>(i)];
        const std::int32_t face = i % face_count;
        for (int k = 0; k < 3; ++k) {
            const std::int32_t neighbor = topology.face_neighbors[face][k];
            around[k] = neighbor < 0 ? -1 : i - face + neighbor;
        }
        around[3] = i < face_count ? -1 : i - face_count;
        around[4] = i + face_count < node_count ? i + face_count : -1;
    }
}

}  // namespace

void solve_label_sequence(std::span<const float> costs, const Topology& topology, const LabelOptions& options,
                          LabelWorkspace& workspace, std::span<std::uint8_t> labels, ThreadPool* pool) {
    assert(costs.size() == 3 * labels.size() && labels.size() % topology.faces.size() == 0);
    LabelWorkspace::Storage& storage = workspace.storage();
    link_frames(topology, static_cast<std::int32_t>(labels.size()), storage.neighbors);
    // the graph contains the links between frames, so there is no fixed previous frame
    const LabelProblem problem{.node_count = static_cast<std::int64_t>(labels.size()),
                               .neighbor_count = 5,
                               .neighbors = storage.neighbors.data(),
                               .costs = costs.data(),
                               .inputs = nullptr,
                               .previous = nullptr,
                               .pairwise = options.pairwise};
    solve(problem, options, storage, labels, pool);
}

// Double precision is finer than the integer units of the solver.
double label_energy(std::span<const float> costs, const Topology& topology, std::span<const std::uint8_t> previous,
                    const PairwiseCosts& pairwise, std::span<const std::uint8_t> labels) {
    const std::size_t face_count = topology.faces.size();
    double energy = 0.0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::size_t face = i % face_count, frame = i - face;
        energy += costs[3 * i + labels[i]];
        // add the cost of each pair once, at the triangle with the smaller index
        for (const std::int32_t neighbor : topology.face_neighbors[face]) {
            if (neighbor > static_cast<std::int32_t>(face)) {
                energy += pairwise[labels[i]][labels[frame + static_cast<std::size_t>(neighbor)]];
            }
        }
        if (frame > 0) {
            energy += pairwise[labels[i - face_count]][labels[i]];
        } else if (!previous.empty()) {
            energy += pairwise[previous[face]][labels[i]];
        }
    }
    return energy;
}

}  // namespace ruckle
