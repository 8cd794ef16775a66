// Compares labelings of small meshes with all possible labelings, for all methods, in single frames and in sequences.
#include <algorithm>
#include <limits>
#include <string>

#include "check.h"
#include "meshes.h"
#include "ruckle/field/label.h"

namespace ruckle::tests {

namespace {

constexpr PairwiseCosts line = LabelOptions{}.pairwise;
constexpr PairwiseCosts quadratic = {{{0, 1, 4}, {1, 0, 1}, {4, 1, 0}}};
constexpr PairwiseCosts around_compression = {{{0, 1, 3}, {1, 0, 4}, {3, 4, 0}}};
constexpr PairwiseCosts diagonal = {{{2, 3, 6}, {3, 2, 3}, {6, 3, 2}}};
constexpr PairwiseCosts potts = {{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};
constexpr PairwiseCosts none = {};

struct Problem {
    Topology topology;
    std::vector<float> costs;
    std::vector<std::uint8_t> previous;
    int frame_count;

    std::size_t node_count() const { return topology.faces.size() * static_cast<std::size_t>(frame_count); }
};

Problem random_problem(Random& random, float scale) {
    // the mesh has four or eight triangles in total
    const Mesh mesh = random.below(2) ? cloth(2, 3, false) : cloth(3, 2, false);
    const int frame_count = 1 + random.below(2);
    Problem problem{Topology(mesh.faces, mesh.vertex_count()), {}, {}, frame_count};
    for (std::size_t i = 0; i < 3 * problem.node_count(); ++i) {
        problem.costs.push_back(scale * (2.0f * random.unit() - 0.5f));
        // at least one label of each triangle remains allowed
        if (i % 3 != 1 && random.below(12) == 0) {
            problem.costs.back() = std::numeric_limits<float>::infinity();
        }
    }
    const bool has_previous = frame_count == 1 && random.below(2);
    for (std::size_t i = 0; has_previous && i < problem.node_count(); ++i) {
        problem.previous.push_back(static_cast<std::uint8_t>(random.below(3)));
    }
    return problem;
}

double energy(const Problem& problem, const PairwiseCosts& pairwise, std::span<const std::uint8_t> labels) {
    return label_energy(problem.costs, problem.topology, problem.previous, pairwise, labels);
}

double least_energy(const Problem& problem, const PairwiseCosts& pairwise) {
    std::vector<std::uint8_t> labels(problem.node_count(), 0);
    double best = energy(problem, pairwise, labels);
    for (;;) {
        // the next labeling: counts in base three, one digit per triangle
        std::size_t digit = 0;
        while (digit < labels.size() && labels[digit] == 2) {
            labels[digit++] = 0;
        }
        if (digit == labels.size()) {
            return best;
        }
        ++labels[digit];
        best = std::min(best, energy(problem, pairwise, labels));
    }
}

std::vector<std::uint8_t> solve(const Problem& problem, const LabelOptions& options, LabelWorkspace& workspace) {
    std::vector<std::uint8_t> labels(problem.node_count());
    if (problem.frame_count == 1) {
        solve_labels(problem.costs, problem.topology, problem.previous, options, workspace, labels);
    } else {
        solve_label_sequence(problem.costs, problem.topology, options, workspace, labels);
    }
    return labels;
}

std::string refusal(const LabelOptions& options) {
    try {
        require_solvable(options);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(exact_labelings_are_optimal_and_moves_never_better) {
    Random random(2);
    LabelWorkspace workspace;  // one workspace for problems of all sizes
    for (int trial = 0; trial < 120; ++trial) {
        for (const PairwiseCosts& pairwise : {line, quadratic, around_compression, diagonal, none}) {
            const float largest = std::max({pairwise[0][1], pairwise[0][2], pairwise[1][2], 1.0f});
            const Problem problem = random_problem(random, largest);
            const double best = least_energy(problem, pairwise);
            const double slack = 1e-4 * static_cast<double>(largest);
            CHECK(std::abs(energy(problem, pairwise, solve(problem, {pairwise, LabelMethod::exact}, workspace)) - best) < slack);
            for (const LabelMethod method : {LabelMethod::expansion, LabelMethod::swap, LabelMethod::independent}) {
                if (refusal({pairwise, method}).empty()) {
                    const double reached = energy(problem, pairwise, solve(problem, {pairwise, method}, workspace));
                    CHECK(reached >= best - slack && std::isfinite(reached));
                }
            }
        }
    }
}

TEST(a_sequence_without_frames_is_solved) {
    const Topology topology(cloth(2, 2, false).faces, 4);
    LabelWorkspace workspace;
    for (const LabelMethod method : {LabelMethod::exact, LabelMethod::expansion, LabelMethod::swap, LabelMethod::independent}) {
        solve_label_sequence({}, topology, {line, method}, workspace, {});
    }
    CHECK(label_energy({}, topology, {}, line, {}) == 0.0);
}

TEST(a_workspace_moves) {
    Random random(4);
    const Problem problem = random_problem(random, 1.0f);
    LabelWorkspace workspace;
    const std::vector<std::uint8_t> expected = solve(problem, {}, workspace);
    LabelWorkspace moved = std::move(workspace);
    CHECK(solve(problem, {}, moved) == expected);
}

TEST(pairwise_costs_that_no_method_takes_are_refused) {
    CHECK(refusal({line, LabelMethod::exact}).empty());
    CHECK(refusal({potts, LabelMethod::expansion}).empty());
    CHECK(refusal({potts, LabelMethod::exact}).find("use method=\"expansion\"") != std::string::npos);
    CHECK(refusal({quadratic, LabelMethod::expansion}).find("not a metric") != std::string::npos);
    CHECK(refusal({{{{0, 1, 2}, {1.5f, 0, 1}, {2, 1, 0}}}, LabelMethod::swap}).find("symmetric") != std::string::npos);
    CHECK(
        refusal({{{{0, -1, 2}, {-1, 0, 1}, {2, 1, 0}}}, LabelMethod::swap}).find("cost less than neighbours with equal labels") !=
        std::string::npos);
    CHECK(refusal({{{{0, 1, NAN}, {1, 0, 1}, {NAN, 1, 0}}}, LabelMethod::independent}).find("not finite") != std::string::npos);
}

}  // namespace ruckle::tests
