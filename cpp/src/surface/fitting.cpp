// Moves the vertices of a mesh so that its triangles agree with given normals; see ruckle/surface/fitting.h.
#include "ruckle/surface/fitting.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

namespace ruckle {

namespace {

// Cosine of the largest angle by which a triangle is turned to its target normal: 120 degrees. A triangle with a larger
// angle is not turned, because near 180 degrees the axis of the shortest turn is undefined.
constexpr float least_turn = -0.5f;

// Least length of the sum of a face's corner normals. A shorter sum is rounding, so that its direction means nothing.
constexpr float least_sum = 1e-5f;

// The solver ends when the residuals of all coordinates are at most this share of the first residuals.
constexpr double residual_share = 1e-4;

using Columns = std::vector<Vector3>;  // one vector per vertex; its coordinates belong to three independent systems
using Sums = std::array<double, 3>;

float product(const Vector3& a, const Vector3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

float length_of(const Vector3& a) {
    return std::sqrt(product(a, a));
}

// The rotation by the smallest angle that maps the unit vector `from` to `to`; the identity if this angle is too large
// (least_turn) or `to` is zero.
struct Turn {
    Turn(const Vector3& from, const Vector3& to)
        : axis(from.cross(to)), cosine(product(to, to) == 0.0f ? 1.0f : product(from, to)) {}
    Vector3 operator()(const Vector3& v) const {
        if (cosine < least_turn) {
            return v;
        }
        return cosine * v + axis.cross(v) + (product(axis, v) / (1.0f + cosine)) * axis;
    }
    Vector3 axis;
    float cosine;
};

// The edges of a mesh, each stored once, in the list of its end with the smaller index (the lower vertex).
class Edges {
  public:
    Edges(std::span<const Face> faces, std::span<const std::array<float, 3>> weights, std::size_t vertex_count);

    // For each edge, adds its weight times the difference of the values at its ends to `result`, at both ends (the
    // product with a Laplace matrix).
    void add_differences(const Columns& values, Columns& result) const;

  private:
    struct Edge {
        std::int32_t higher;
        float weight;
    };
    std::vector<std::int32_t> offsets_;  // (N + 1) first edge of each lower vertex
    std::vector<Edge> edges_;
};

Edges::Edges(std::span<const Face> faces, std::span<const std::array<float, 3>> weights, std::size_t vertex_count)
    : offsets_(vertex_count + 1, 0), edges_(3 * faces.size()) {
    const auto each_side = [&](const auto& work) {
        for (std::size_t face = 0; face < faces.size(); ++face) {
            for (int k = 0; k < 3; ++k) {
                const auto [lower, higher] = std::minmax({faces[face][k], faces[face][(k + 1) % 3]});
                work(lower, Edge{higher, weights[face][k]});
            }
        }
    };
    each_side([&](std::int32_t lower, const Edge&) { ++offsets_[lower + 1]; });
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    std::vector<std::int32_t> next(offsets_.begin(), offsets_.end() - 1);
    each_side([&](std::int32_t lower, const Edge& edge) { edges_[next[lower]++] = edge; });
    // join the sides that two faces have at one edge; the edge gets the sum of their weights
    std::int32_t kept = 0;
    for (std::size_t vertex = 0; vertex < vertex_count; ++vertex) {
        const auto begin = edges_.begin() + offsets_[vertex], end = edges_.begin() + offsets_[vertex + 1];
        std::stable_sort(begin, end, [](const Edge& a, const Edge& b) { return a.higher < b.higher; });
        offsets_[vertex] = kept;
        for (auto edge = begin; edge != end; ++edge) {
            if (kept > offsets_[vertex] && edges_[kept - 1].higher == edge->higher) {
                edges_[kept - 1].weight += edge->weight;
            } else {
                edges_[kept++] = *edge;
            }
        }
    }
    offsets_.back() = kept;
    edges_.resize(static_cast<std::size_t>(kept));
}

void Edges::add_differences(const Columns& values, Columns& result) const {
    for (std::size_t vertex = 0; vertex < values.size(); ++vertex) {
        const Vector3 own = values[vertex];
        Vector3 sum = result[vertex];
        for (std::int32_t i = offsets_[vertex]; i < offsets_[vertex + 1]; ++i) {
            const Vector3 pull = edges_[i].weight * (own - values[edges_[i].higher]);
            sum += pull;
            result[edges_[i].higher] -= pull;
        }
        result[vertex] = sum;
    }
}

class Fit {
  public:
    Fit(std::span<const Face> faces, std::span<const std::array<Vector3, 3>> corner_normals, std::span<const float> shares,
        const FitOptions& options, std::span<const Vector3> positions);
    void solve(int steps, std::span<Vector3> positions);

  private:
    void measure(std::span<const Vector3> positions, std::span<const float> shares, float stiffness);
    void gather_sides(std::span<const Vector3> positions);
    void apply(const Columns& values);

    std::span<const Face> faces_;
    // (M) target normal of each face: unit or zero; (N) positions before the fit
    Columns targets_, origins_;
    std::vector<std::array<float, 3>> weights_;  // (M) weights of the sides from corner k to corner k + 1
    std::optional<Edges> edges_;
    // (N) strength of the pull to the position before the fit; 1 / diagonal entry of the system, 0 for fixed vertices
    std::vector<float> stiffness_, diagonal_;
    // (N) vectors of the solver: residual, search direction, product of the matrix and the direction
    Columns residual_, direction_, applied_;
};

Fit::Fit(std::span<const Face> faces, std::span<const std::array<Vector3, 3>> corner_normals, std::span<const float> shares,
         const FitOptions& options, std::span<const Vector3> positions)
    : faces_(faces),
      origins_(positions.begin(), positions.end()),
      weights_(faces.size()),
      stiffness_(positions.size(), 0.0f),
      diagonal_(positions.size(), 0.0f),
      residual_(positions.size()),
      direction_(positions.size()),
      applied_(positions.size()) {
    targets_.reserve(faces.size());
    for (const auto& [a, b, c] : corner_normals) {
        const Vector3 sum = a + b + c;
        const float length = length_of(sum);
        targets_.push_back(length > least_sum ? Vector3(sum / length) : Vector3(0.0f, 0.0f, 0.0f));
    }
    measure(positions, shares, options.stiffness / (options.length * options.length));
    edges_.emplace(faces, weights_, positions.size());
}

void Fit::measure(std::span<const Vector3> positions, std::span<const float> shares, float stiffness) {
    for (std::size_t face = 0; face < faces_.size(); ++face) {
        const Face& corners = faces_[face];
        const Vector3 first = positions[corners[1]] - positions[corners[0]],
                      second = positions[corners[2]] - positions[corners[0]];
        const float area = 0.5f * length_of(first.cross(second));
        for (int k = 0; k < 3; ++k) {
            const std::int32_t a = corners[k], b = corners[(k + 1) % 3];
            const Vector3 edge = positions[b] - positions[a];
            const float size = product(edge, edge);
            const float weight = size > 0.0f ? area / size : 0.0f;
            weights_[face][k] = weight;
            diagonal_[a] += weight;
            diagonal_[b] += weight;
            stiffness_[a] += stiffness * area / 3.0f;
        }
    }
    for (std::size_t vertex = 0; vertex < positions.size(); ++vertex) {
        const float share = shares.empty() ? 1.0f : shares[vertex];
        stiffness_[vertex] /= std::max(share * share, 1e-6f);
        diagonal_[vertex] += stiffness_[vertex];
        // the inverse is 0 for a vertex that must not move or has no faces, so its position does not change
        diagonal_[vertex] = share > 0.0f && diagonal_[vertex] > 0.0f ? 1.0f / diagonal_[vertex] : 0.0f;
    }
}

// Computes the residual at these positions: the pulls toward the turned edges of all faces, and toward the positions
// before the fit.
void Fit::gather_sides(std::span<const Vector3> positions) {
    for (std::size_t vertex = 0; vertex < positions.size(); ++vertex) {
        residual_[vertex] = stiffness_[vertex] * (origins_[vertex] - positions[vertex]);
    }
    for (std::size_t face = 0; face < faces_.size(); ++face) {
        const Face& corners = faces_[face];
        const Vector3 first = positions[corners[1]] - positions[corners[0]],
                      second = positions[corners[2]] - positions[corners[0]];
        const Vector3 across = first.cross(second);
        const float size = length_of(across);
        if (!(size > 0.0f)) {
            continue;
        }
        const Turn turn(across / size, targets_[face]);
        for (int k = 0; k < 3; ++k) {
            const std::int32_t a = corners[k], b = corners[(k + 1) % 3];
            const Vector3 edge = positions[b] - positions[a];
            const Vector3 pull = weights_[face][k] * (turn(edge) - edge);
            residual_[b] += pull;
            residual_[a] -= pull;
        }
    }
}

void Fit::apply(const Columns& values) {
    for (std::size_t vertex = 0; vertex < values.size(); ++vertex) {
        applied_[vertex] = stiffness_[vertex] * values[vertex];
    }
    edges_->add_differences(values, applied_);
}

// Returns the weighted dot product of both columns for each coordinate. Empty weights: all 1.
Sums products(const Columns& a, const Columns& b, std::span<const float> weights) {
    Sums sums{};
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
            sums[k] += static_cast<double>(weights.empty() ? 1.0f : weights[i]) * a[i][k] * b[i][k];
        }
    }
    return sums;
}

// Conjugate gradients with the diagonal as preconditioner, for the three coordinates at once.
void Fit::solve(int steps, std::span<Vector3> positions) {
    gather_sides(positions);
    Sums remaining = products(residual_, residual_, diagonal_);
    const Sums first = remaining;
    for (std::size_t i = 0; i < direction_.size(); ++i) {
        direction_[i] = diagonal_[i] * residual_[i];
    }
    for (int step = 0; step < steps; ++step) {
        if (std::ranges::all_of(std::array{0, 1, 2},
                                [&](int k) { return !(remaining[k] > residual_share * residual_share * first[k]); })) {
            break;
        }
        apply(direction_);
        const Sums bends = products(direction_, applied_, {});
        Vector3 along, next;
        for (int k = 0; k < 3; ++k) {
            along[k] = bends[k] > 0.0 ? static_cast<float>(remaining[k] / bends[k]) : 0.0f;
        }
        for (std::size_t i = 0; i < positions.size(); ++i) {
            positions[i] += along.cwiseProduct(direction_[i]);
            residual_[i] -= along.cwiseProduct(applied_[i]);
        }
        const Sums before = remaining;
        remaining = products(residual_, residual_, diagonal_);
        for (int k = 0; k < 3; ++k) {
            next[k] = before[k] > 0.0 ? static_cast<float>(remaining[k] / before[k]) : 0.0f;
        }
        for (std::size_t i = 0; i < positions.size(); ++i) {
            direction_[i] = diagonal_[i] * residual_[i] + next.cwiseProduct(direction_[i]);
        }
    }
}

}  // namespace

void fit_to_normals(std::span<const Face> faces, std::span<const std::array<Vector3, 3>> corner_normals,
                    std::span<const float> shares, const FitOptions& options, std::span<Vector3> positions) {
    Fit fit(faces, corner_normals, shares, options, positions);
    for (int round = 0; round < options.rounds; ++round) {
        fit.solve(options.steps, positions);
    }
}

std::vector<Vector3> limit_offsets(const Topology& topology, std::span<const Vector3> positions) {
    struct Neighbors {
        Vector3 sum{0.0f, 0.0f, 0.0f};
        int count = 0;
    };
    std::vector<Neighbors> all(positions.size()), outer(positions.size());
    for (std::size_t edge = 0; edge < topology.edges.size(); ++edge) {
        const std::int32_t a = topology.edges[edge][0], b = topology.edges[edge][1];
        const auto add = [&](std::vector<Neighbors>& to) {
            to[a].sum += positions[b], ++to[a].count;
            to[b].sum += positions[a], ++to[b].count;
        };
        add(all);
        if (topology.edge_faces[edge][1] < 0) {
            add(outer);
        }
    }
    std::vector<Vector3> offsets(positions.size(), Vector3(0.0f, 0.0f, 0.0f));
    for (std::size_t vertex = 0; vertex < positions.size(); ++vertex) {
        const bool inner = outer[vertex].count == 0;
        const Neighbors& around = inner ? all[vertex] : outer[vertex];
        if (around.count == 0 || (!inner && around.count != 2)) {
            continue;
        }
        const float share = !inner ? 1.0f / 3.0f : around.count == 3 ? 0.6f : 0.5f;
        offsets[vertex] = share * (around.sum / static_cast<float>(around.count) - positions[vertex]);
    }
    return offsets;
}

}  // namespace ruckle
