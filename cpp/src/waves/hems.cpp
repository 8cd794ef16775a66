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

constexpr float infinity = std::numeric_limits<float>::infinity();

// Sets of connected vertices (union-find). The root of a set is its smallest vertex number.
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

// A connected part of the boundary: its vertices (with repetitions) and its length.
struct Part {
    std::vector<std::int32_t> vertices;
    float length = 0.0f;  // sum of its edge lengths, mesh units
};

// Returns true if a boundary edge is level (at most 45 degrees steep) and not at the top of its component, whose
// heights are [low, high]. This excludes plackets (steep), collars and waists (at the top).
bool is_free(const Vector3& a, const Vector3& b, float low, float high) {
    const Vector3 along = b - a;
    return 2.0f * along[1] * along[1] <= along.squaredNorm() && 0.5f * (a[1] + b[1]) <= low + held_height * (high - low);
}

// Returns the boundary: first the part of all edges that are not free, with length 0, then the free parts.
std::vector<Part> boundary_parts(const Topology& topology, std::span<const Vector3> rest) {
    Components components(topology.vertex_count), parts(topology.vertex_count);
    for (const auto& [a, b] : topology.edges) {
        components.join(a, b);
    }
    std::vector<std::array<float, 2>> heights(rest.size(), std::array{infinity, -infinity});
    for (std::int32_t v = 0; v < topology.vertex_count; ++v) {
        auto& [low, high] = heights[components.of(v)];
        low = std::min(low, rest[v][1]), high = std::max(high, rest[v][1]);
    }
    std::vector<std::array<std::int32_t, 2>> free;
    std::vector<Part> found(1);
    for (std::size_t e = 0; e < topology.edges.size(); ++e) {
        const auto& [a, b] = topology.edges[e];
        if (topology.edge_faces[e][1] >= 0) {
            continue;
        }
        const auto [low, high] = heights[components.of(a)];
        if (is_free(rest[a], rest[b], low, high)) {
            parts.join(a, b);
            free.push_back({a, b});
        } else {
            found[0].vertices.insert(found[0].vertices.end(), {a, b});
        }
    }
    std::vector<std::size_t> numbers(rest.size(), 0);
    for (const auto& [a, b] : free) {
        std::size_t& number = numbers[parts.of(a)];
        if (number == 0) {
            number = found.size();
            found.emplace_back();
        }
        found[number].vertices.insert(found[number].vertices.end(), {a, b});
        found[number].length += (rest[a] - rest[b]).norm();
    }
    return found;
}

// Returns the distance along edges of each vertex (V) to the nearest of the given vertices; infinite in other
// components.
std::vector<float> distances_from(const std::vector<std::int32_t>& sources, const Topology& topology,
                                  std::span<const Vector3> rest) {
    std::vector<float> distances(rest.size(), infinity);
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

// Returns the vertices of all boundary loops that contain a narrow hem and have another loop within the distance
// `near`, along edges.
std::vector<std::int32_t> sleeve_ends(const std::vector<std::int32_t>& narrow, const Topology& topology,
                                      std::span<const Vector3> rest, float near) {
    Components loops(topology.vertex_count);
    std::vector<std::int32_t> rim, seen, found;
    for (std::size_t e = 0; e < topology.edges.size(); ++e) {
        if (topology.edge_faces[e][1] < 0) {
            const auto& [a, b] = topology.edges[e];
            loops.join(a, b);
            rim.insert(rim.end(), {a, b});
        }
    }
    for (const std::int32_t v : narrow) {
        const std::int32_t loop = loops.of(v);
        if (std::ranges::find(seen, loop) != seen.end()) {
            continue;
        }
        seen.push_back(loop);
        const auto others = std::partition(rim.begin(), rim.end(), [&](std::int32_t u) { return loops.of(u) == loop; });
        const std::vector<std::int32_t> own(rim.begin(), others);
        const std::vector<float> distances = distances_from(own, topology, rest);
        if (std::any_of(others, rim.end(), [&](std::int32_t u) { return distances[u] < near; })) {
            found.insert(found.end(), own.begin(), own.end());
        }
    }
    return found;
}

}  // namespace

Hems measure_hems(const Topology& topology, std::span<const Vector3> rest, float r_min, float hem) {
    Hems found{std::vector<float>(rest.size(), 1.0f), {}, {}};
    std::vector<std::int32_t> loose, narrow;
    for (const Part& part : boundary_parts(topology, rest)) {
        const float excess = part.length - narrow_hem * r_min;
        if (!(excess > 0.0f)) {
            // excludes the first part, whose length is 0
            narrow.insert(narrow.end(), part.length > 0.0f ? part.vertices.begin() : part.vertices.end(), part.vertices.end());
            for (const std::int32_t v : part.vertices) {
                found.shares[v] = std::min(found.shares[v], 0.5f + 0.5f * hem);
            }
            continue;
        }
        loose.insert(loose.end(), part.vertices.begin(), part.vertices.end());
        const std::vector<float> distances = distances_from(part.vertices, topology, rest);
        float farthest = 0.0f;
        for (const float distance : distances) {
            farthest = std::isfinite(distance) ? std::max(farthest, distance) : farthest;
        }
        const float reach = std::min(hem_reach * excess, most_hem_reach * farthest);
        for (std::size_t v = 0; v < rest.size(); ++v) {
            // x is also 1 if the reach is 0
            const float x = distances[v] < reach ? distances[v] / reach : 1.0f;
            found.shares[v] = std::min(found.shares[v], hem + (1.0f - hem) * x * x * (3.0f - 2.0f * x));
        }
    }
    found.to_sleeve_ends = distances_from(sleeve_ends(narrow, topology, rest, short_sleeve * r_min), topology, rest);
    const std::vector<float> to_loose = distances_from(loose, topology, rest), to_narrow = distances_from(narrow, topology, rest);
    found.looseness.reserve(rest.size());
    for (std::size_t v = 0; v < rest.size(); ++v) {
        const float near = to_loose[v], far = to_narrow[v];
        const float looseness = std::isfinite(far) ? std::min(2.0f * far / std::max(near + far, r_min), 1.0f) : 1.0f;
        found.looseness.push_back(std::isfinite(near) ? looseness : 0.0f);
    }
    return found;
}

}  // namespace ruckle
