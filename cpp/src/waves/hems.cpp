#include "waves/hems.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "waves/wave_limits.h"

namespace ruckle {

namespace {

// Sets of connected vertices: each vertex has the smallest number of its set.
class Components {
  public:
    explicit Components(int vertex_count) : parents_(static_cast<std::size_t>(vertex_count)) {
        std::iota(parents_.begin(), parents_.end(), 0);
    }
    std::int32_t of(std::int32_t v) {
        while (parents_[v] != v) {
            v = parents_[v] = parents_[parents_[v]];
        }
        return v;
    }
    void join(std::int32_t a, std::int32_t b) {
        const std::int32_t first = of(a), second = of(b);
        parents_[std::max(first, second)] = std::min(first, second);
    }

  private:
    std::vector<std::int32_t> parents_;
};

// A connected part of the boundary.
struct Boundary {
    std::int32_t component;
    std::vector<std::int32_t> vertices;
    float length = 0.0f;  // mesh units
    double height_sum = 0.0;

    double height() const { return height_sum / static_cast<double>(vertices.size()); }
};

std::vector<Boundary> boundaries_of(const Topology& topology, std::span<const Vector3> rest) {
    Components components(topology.vertex_count), parts(topology.vertex_count);
    std::vector<char> is_boundary(rest.size(), 0);
    for (std::size_t e = 0; e < topology.edges.size(); ++e) {
        const auto& [a, b] = topology.edges[e];
        components.join(a, b);
        if (topology.edge_faces[e][1] < 0) {
            parts.join(a, b);
            is_boundary[a] = is_boundary[b] = 1;
        }
    }
    std::vector<Boundary> boundaries;
    std::vector<std::int32_t> numbers(rest.size(), -1);
    for (std::int32_t v = 0; v < topology.vertex_count; ++v) {
        if (is_boundary[v]) {
            std::int32_t& number = numbers[parts.of(v)];
            if (number < 0) {
                number = static_cast<std::int32_t>(boundaries.size());
                boundaries.push_back({components.of(v), {}});
            }
            boundaries[number].vertices.push_back(v);
            boundaries[number].height_sum += static_cast<double>(rest[v][1]);
        }
    }
    for (std::size_t e = 0; e < topology.edges.size(); ++e) {
        if (topology.edge_faces[e][1] < 0) {
            const auto& [a, b] = topology.edges[e];
            boundaries[numbers[parts.of(a)]].length += (rest[a] - rest[b]).norm();
        }
    }
    return boundaries;
}

// Distances along edges from the nearest of the given vertices, (V); infinite in other components.
std::vector<float> distances_from(const std::vector<std::int32_t>& sources, const Topology& topology,
                                  std::span<const Vector3> rest) {
    std::vector<float> distances(rest.size(), std::numeric_limits<float>::infinity());
    using Way = std::pair<float, std::int32_t>;
    std::priority_queue<Way, std::vector<Way>, std::greater<>> ways;
    const auto reach = [&](std::int32_t v, float distance) {
        if (distance < distances[v]) {
            distances[v] = distance;
            ways.emplace(distance, v);
        }
    };
    for (const std::int32_t v : sources) {
        reach(v, 0.0f);
    }
    while (!ways.empty()) {
        const auto [distance, v] = ways.top();
        ways.pop();
        if (distance > distances[v]) {
            continue;
        }
        for (std::int32_t i = topology.vertex_offsets[v]; i < topology.vertex_offsets[v + 1]; ++i) {
            for (const std::int32_t next : topology.faces[topology.vertex_faces[i]]) {
                reach(next, distance + (rest[next] - rest[v]).norm());
            }
        }
    }
    return distances;
}

}  // namespace

std::vector<float> hem_shares(const Topology& topology, std::span<const Vector3> rest, float hem) {
    std::vector<float> shares(rest.size(), 1.0f);
    const std::vector<Boundary> boundaries = boundaries_of(topology, rest);
    for (const Boundary& boundary : boundaries) {
        const bool is_held = std::ranges::all_of(boundaries, [&](const Boundary& other) {
            return other.component != boundary.component || other.height() <= boundary.height();
        });
        if (is_held) {
            for (const std::int32_t v : boundary.vertices) {
                shares[v] = std::min(shares[v], 0.5f + 0.5f * hem);
            }
            continue;
        }
        const std::vector<float> distances = distances_from(boundary.vertices, topology, rest);
        float farthest = 0.0f;
        for (const float distance : distances) {
            farthest = std::isfinite(distance) ? std::max(farthest, distance) : farthest;
        }
        const float reach = std::min(hem_reach * boundary.length, most_hem_reach * farthest);
        for (std::size_t v = 0; v < rest.size(); ++v) {
            // also true of a hem without length
            const float x = distances[v] < reach ? distances[v] / reach : 1.0f;
            shares[v] = std::min(shares[v], hem + (1.0f - hem) * x * x * (3.0f - 2.0f * x));
        }
    }
    return shares;
}

}  // namespace ruckle
