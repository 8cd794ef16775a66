#include "surface/reach.h"

#include <algorithm>
#include <bit>

#include "constants.h"

namespace ruckle {

namespace {

// Whether the faces around a vertex fall apart into several fans, which no walk over edges connects.
bool is_pinched(const Topology& topology, int vertex) {
    const auto around =
        std::span(topology.vertex_faces)
            .subspan(topology.vertex_offsets[vertex],
                     static_cast<std::size_t>(topology.vertex_offsets[vertex + 1] - topology.vertex_offsets[vertex]));
    std::vector<std::int32_t> fan;
    const auto join = [&](std::int32_t face) {
        const bool beside = std::find(around.begin(), around.end(), face) != around.end();
        if (beside && std::find(fan.begin(), fan.end(), face) == fan.end()) {
            fan.push_back(face);
        }
    };
    if (!around.empty()) {
        join(around[0]);
    }
    for (std::size_t i = 0; i < fan.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
            // across the two edges that hold the vertex
            if (topology.faces[fan[i]][k] == vertex || topology.faces[fan[i]][(k + 1) % 3] == vertex) {
                join(topology.face_neighbors[fan[i]][k]);
            }
        }
    }
    return fan.size() < around.size();
}

}  // namespace

Reach::Reach(const Topology& topology, ThreadPool* pool)
    : topology_(topology),
      pool_(pool),
      pinched_(static_cast<std::size_t>(topology.vertex_count)),
      walks_(static_cast<std::size_t>(pool ? pool->thread_count() : 1), Walk(topology.faces.size())),
      offsets_(topology.faces.size() + 1, 0) {
    for (int vertex = 0; vertex < topology.vertex_count; ++vertex) {
        pinched_[vertex] = is_pinched(topology, vertex);
    }
}

void Reach::Walk::reserve_as(const Walk& other) {
    const auto reserve = [&](auto part) { (this->*part).reserve((other.*part).capacity()); };
    reserve(&Walk::faces);
    reserve(&Walk::triangles);
    reserve(&Walk::tried);
    reserve(&Walk::reached);
    reserve(&Walk::waiting);
}

void Reach::follow(std::span<const Vector3> positions, std::span<const std::int32_t> vertex_faces, const Curve& curve,
                   Walk& walk) const {
    const std::size_t words = (static_cast<std::size_t>(curve.count) + 63) / 64;
    ++walk.round;
    walk.faces.clear();
    walk.triangles.clear();
    walk.tried.clear();
    walk.reached.clear();
    walk.waiting.clear();
    const auto row_of = [&](std::int32_t face) {
        if (walk.met[face] != walk.round) {
            walk.met[face] = walk.round;
            walk.rows[face] = static_cast<std::int32_t>(walk.faces.size());
            walk.faces.push_back(face);
            const Face& corners = topology_.faces[face];
            walk.triangles.emplace_back(positions[corners[0]], positions[corners[1]], positions[corners[2]]);
            walk.tried.resize(walk.tried.size() + words, 0);
            walk.reached.resize(walk.reached.size() + words, 0);
        }
        return static_cast<std::size_t>(walk.rows[face]);
    };
    const auto attempt = [&](std::int32_t segment, std::int32_t face) {
        const std::size_t row = row_of(face), word = row * words + static_cast<std::size_t>(segment / 64);
        const std::uint64_t bit = std::uint64_t{1} << (segment % 64);
        if (walk.tried[word] & bit) {
            return;
        }
        walk.tried[word] |= bit;
        if (walk.triangles[row].meets(capsules_[curve.first + segment])) {
            walk.reached[word] |= bit;
            walk.waiting.push_back({segment, face});
        }
    };
    for (std::int32_t segment = 0; segment < curve.count; ++segment) {
        attempt(segment, vertex_faces[curve.first + segment]);
        attempt(segment, vertex_faces[curve.first + segment + 1]);
    }
    for (std::size_t next = 0; next < walk.waiting.size(); ++next) {
        const auto [segment, face] = walk.waiting[next];
        if (segment > 0) {
            attempt(segment - 1, face);
        }
        if (segment + 1 < curve.count) {
            attempt(segment + 1, face);
        }
        for (int k = 0; k < 3; ++k) {
            if (const std::int32_t neighbor = topology_.face_neighbors[face][k]; neighbor >= 0) {
                attempt(segment, neighbor);
            }
            const std::int32_t vertex = topology_.faces[face][k];
            if (!pinched_[vertex]) {
                continue;
            }
            const Capsule& capsule = capsules_[curve.first + segment];
            if (capsule.apart_squared(positions[vertex]) < capsule.radius * capsule.radius) {
                for (std::int32_t i = topology_.vertex_offsets[vertex]; i < topology_.vertex_offsets[vertex + 1]; ++i) {
                    attempt(segment, topology_.vertex_faces[i]);
                }
            }
        }
    }
    for (std::size_t row = 0; row < walk.faces.size(); ++row) {
        for (std::size_t word = 0; word < words; ++word) {
            for (std::uint64_t bits = walk.reached[row * words + word]; bits != 0; bits &= bits - 1) {
                const int segment = static_cast<int>(64 * word) + std::countr_zero(bits);
                walk.found.push_back({curve.first + segment, walk.faces[row]});
            }
        }
    }
}

// By face, and within each face by segment: wrinkles come in order, and each wrinkle's segments of one face too.
void Reach::deal_out() {
    std::fill(offsets_.begin(), offsets_.end(), 0);
    std::size_t count = 0;
    for (const Walk& walk : walks_) {
        count += walk.found.size();
        for (const Pair& pair : walk.found) {
            ++offsets_[pair.face + 1];
        }
    }
    for (std::size_t face = 1; face < offsets_.size(); ++face) {
        offsets_[face] += offsets_[face - 1];
    }
    segments_.resize(count);
    // any thread may take any wrinkle next time: what one has needed, all have room for
    for (Walk& walk : walks_) {
        walk.found.reserve(segments_.capacity());
        for (const Walk& other : walks_) {
            walk.reserve_as(other);
        }
    }
    // filled from behind, so that each face's end becomes its beginning
    for (auto curve = curves_.rbegin(); curve != curves_.rend(); ++curve) {
        const std::vector<Pair>& found = walks_[curve->thread].found;
        for (std::size_t i = curve->end; i-- > curve->begin;) {
            segments_[--offsets_[found[i].face + 1]] = found[i].segment;
        }
    }
    std::copy(offsets_.begin() + 1, offsets_.end(), offsets_.begin());
    offsets_.back() = static_cast<std::int32_t>(count);
}

void Reach::collect(std::span<const Vector3> positions, std::span<const CurveVertex> vertices,
                    std::span<const std::int32_t> vertex_faces) {
    capsules_.clear();
    curves_.clear();
    std::int32_t first = 0;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(vertices.size()); ++i) {
        const CurveVertex &from = vertices[i], &to = vertices[from.last != 0.0f ? i : i + 1];
        capsules_.emplace_back(from.position, to.position, reach_margin * std::max(from.half_width, to.half_width));
        if (from.last != 0.0f) {
            curves_.push_back({first, i - first, 0, 0, 0});
            first = i + 1;
        }
    }
    for (Walk& walk : walks_) {
        walk.found.clear();
    }
    for_chunks(pool_, static_cast<std::int64_t>(curves_.size()), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
        Walk& walk = walks_[thread];
        for (std::int64_t i = begin; i < end; ++i) {
            Curve& curve = curves_[i];
            curve.thread = thread;
            curve.begin = walk.found.size();
            follow(positions, vertex_faces, curve, walk);
            curve.end = walk.found.size();
        }
    });
    deal_out();
}

}  // namespace ruckle
