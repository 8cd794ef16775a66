#include "waves/hems.h"

#include <algorithm>
#include <array>
#include <cmath>
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

// A connected part of a free hem.
struct Hem {
    std::vector<std::int32_t> vertices;
    float length = 0.0f;  // mesh units
};

// The boundary of a mesh: free hems, and vertices that the body holds.
class Boundary {
  public:
    Boundary(const Topology& topology, std::span<const Vector3> rest)
        : topology_(topology), rest_(rest), components_(topology.vertex_count), heights_(rest.size()) {
        for (const auto& [a, b] : topology.edges) {
            components_.join(a, b);
        }
        for (std::int32_t v = 0; v < topology.vertex_count; ++v) {
            auto& [low, high] = heights_[components_.of(v)];
            low = std::min(low, rest[v][1]), high = std::max(high, rest[v][1]);
        }
        collect();
    }

    const std::vector<Hem>& hems() const { return hems_; }
    const std::vector<std::int32_t>& held() const { return held_; }

  private:
    // Level, and not at the top of its component. Plackets are steep, collars and waists are at the top.
    bool is_free(std::int32_t a, std::int32_t b) {
        const Vector3 along = rest_[b] - rest_[a];
        const auto [low, high] = heights_[components_.of(a)];
        const bool is_level = 2.0f * along[1] * along[1] <= along.squaredNorm();
        return is_level && 0.5f * (rest_[a][1] + rest_[b][1]) <= low + held_height * (high - low);
    }

    void collect() {
        Components parts(topology_.vertex_count);
        std::vector<std::array<std::int32_t, 2>> free;
        for (std::size_t e = 0; e < topology_.edges.size(); ++e) {
            const auto& [a, b] = topology_.edges[e];
            if (topology_.edge_faces[e][1] >= 0) {
                continue;
            }
            if (is_free(a, b)) {
                parts.join(a, b);
                free.push_back({a, b});
            } else {
                held_.insert(held_.end(), {a, b});
            }
        }
        std::vector<std::int32_t> numbers(rest_.size(), -1);
        for (const auto& [a, b] : free) {
            std::int32_t& number = numbers[parts.of(a)];
            if (number < 0) {
                number = static_cast<std::int32_t>(hems_.size());
                hems_.emplace_back();
            }
            Hem& hem = hems_[number];
            hem.vertices.insert(hem.vertices.end(), {a, b});
            hem.length += (rest_[a] - rest_[b]).norm();
        }
    }

    struct Range {
        float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
    };

    const Topology& topology_;
    std::span<const Vector3> rest_;
    Components components_;
    std::vector<Range> heights_;  // (V) of each component, at its number
    std::vector<Hem> hems_;
    std::vector<std::int32_t> held_;
};

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
    const Boundary boundary(topology, rest);
    for (const std::int32_t v : boundary.held()) {
        shares[v] = 0.5f + 0.5f * hem;
    }
    for (const Hem& free : boundary.hems()) {
        const std::vector<float> distances = distances_from(free.vertices, topology, rest);
        float farthest = 0.0f;
        for (const float distance : distances) {
            farthest = std::isfinite(distance) ? std::max(farthest, distance) : farthest;
        }
        const float reach = std::min(hem_reach * free.length, most_hem_reach * farthest);
        for (std::size_t v = 0; v < rest.size(); ++v) {
            // 1 also at a hem without length
            const float x = distances[v] < reach ? distances[v] / reach : 1.0f;
            shares[v] = std::min(shares[v], hem + (1.0f - hem) * x * x * (3.0f - 2.0f * x));
        }
    }
    return shares;
}

}  // namespace ruckle
