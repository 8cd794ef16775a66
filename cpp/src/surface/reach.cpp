#include "surface/reach.h"

#include <algorithm>
#include <bit>
#include <utility>

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
    reserve(&Walk::sets);
    reserve(&Walk::is_waiting);
    reserve(&Walk::waiting);
}

void Reach::Walk::begin(std::int32_t segment_count) {
    words = (static_cast<std::size_t>(segment_count) + 63) / 64;
    ++round;
    faces.clear();
    triangles.clear();
    sets.clear();
    is_waiting.clear();
    waiting.clear();
}

std::size_t Reach::row_of(std::span<const Vector3> positions, std::int32_t face, Walk& walk) const {
    if (walk.met[face] != walk.round) {
        walk.met[face] = walk.round;
        walk.rows[face] = static_cast<std::int32_t>(walk.faces.size());
        walk.faces.push_back(face);
        const Face& corners = topology_.faces[face];
        walk.triangles.emplace_back(positions[corners[0]], positions[corners[1]], positions[corners[2]]);
        walk.sets.resize(walk.sets.size() + walk.words);
        walk.is_waiting.push_back(false);
    }
    return static_cast<std::size_t>(walk.rows[face]);
}

// Tries 64 segments from `word` on, those of the candidates that the face has not met yet.
void Reach::attempt(const Curve& curve, std::size_t row, std::size_t word, std::uint64_t candidates, Walk& walk) const {
    SegmentSet& set = walk.sets[row * walk.words + word];
    candidates &= ~set.tried;
    if (candidates == 0) {
        return;
    }
    set.tried |= candidates;
    std::uint64_t reached = 0;
    const Capsule* first = capsules_.data() + curve.first + 64 * word;
    for (std::uint64_t bits = candidates; bits != 0; bits &= bits - 1) {
        if (walk.triangles[row].meets(first[std::countr_zero(bits)])) {
            reached |= bits & -bits;
        }
    }
    set.reached |= reached;
    set.fresh |= reached;
    if (reached != 0 && !walk.is_waiting[row]) {
        walk.is_waiting[row] = true;
        walk.waiting.push_back(static_cast<std::int32_t>(row));
    }
}

// Hands segments that a face has reached on: to those before and after them on the same face, and to the faces beside it.
void Reach::spread(std::span<const Vector3> positions, const Curve& curve, std::size_t row, std::size_t word, Walk& walk) const {
    const std::uint64_t fresh = std::exchange(walk.sets[row * walk.words + word].fresh, 0);
    if (fresh == 0) {
        return;
    }
    const int left = curve.count - 64 * static_cast<int>(word);
    const std::uint64_t within = left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    attempt(curve, row, word, (fresh << 1 | fresh >> 1) & within, walk);
    if (word > 0) {
        attempt(curve, row, word - 1, fresh << 63, walk);
    }
    if (left > 64) {
        attempt(curve, row, word + 1, fresh >> 63, walk);
    }
    const std::int32_t face = walk.faces[row];
    for (int k = 0; k < 3; ++k) {
        if (const std::int32_t neighbor = topology_.face_neighbors[face][k]; neighbor >= 0) {
            attempt(curve, row_of(positions, neighbor, walk), word, fresh, walk);
        }
        const std::int32_t vertex = topology_.faces[face][k];
        if (!pinched_[vertex]) {
            continue;
        }
        std::uint64_t near = 0;
        for (std::uint64_t bits = fresh; bits != 0; bits &= bits - 1) {
            const Capsule& capsule = capsules_[curve.first + 64 * word + std::countr_zero(bits)];
            if (capsule.apart_squared(positions[vertex]) < capsule.radius * capsule.radius) {
                near |= bits & -bits;
            }
        }
        for (std::int32_t i = topology_.vertex_offsets[vertex]; i < topology_.vertex_offsets[vertex + 1]; ++i) {
            attempt(curve, row_of(positions, topology_.vertex_faces[i], walk), word, near, walk);
        }
    }
}

void Reach::follow(std::span<const Vector3> positions, std::span<const std::int32_t> vertex_faces, const Curve& curve,
                   Walk& walk) const {
    walk.begin(curve.count);
    for (std::int32_t segment = 0; segment < curve.count; ++segment) {
        for (const std::int32_t vertex : {segment, segment + 1}) {
            const std::size_t row = row_of(positions, vertex_faces[curve.first + vertex], walk);
            attempt(curve, row, static_cast<std::size_t>(segment / 64), std::uint64_t{1} << (segment % 64), walk);
        }
    }
    for (std::size_t next = 0; next < walk.waiting.size(); ++next) {
        const auto row = static_cast<std::size_t>(walk.waiting[next]);
        walk.is_waiting[row] = false;
        for (std::size_t word = 0; word < walk.words; ++word) {
            spread(positions, curve, row, word, walk);
        }
    }
    for (std::size_t row = 0; row < walk.faces.size(); ++row) {
        for (std::size_t word = 0; word < walk.words; ++word) {
            for (std::uint64_t bits = walk.sets[row * walk.words + word].reached; bits != 0; bits &= bits - 1) {
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
