// Paths, and the pool of all existing paths.
//
// The pool stores every path twice: as arrays per slot, and in a list of the path vertices on each mesh edge. Two
// segments can cross only inside one triangle, so the lists of its three edges suffice to find crossings. The box
// filter finds paths that are near in space, even on other components of the mesh.
#include "ruckle/paths/path.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "constants.h"
#include "numeric/dispatch.h"
#include "paths/box_filter.h"
#include "paths/coverage_kernel.h"
#include "paths/geometry.h"
#include "support/per_thread.h"

namespace ruckle {

namespace {

// The filter of a thread, with the boxes of the pool that used it last. All pools of a thread share its masks, which
// would otherwise take 7 KB of each garment.
struct FilterOfThread {
    BoxFilter boxes{0};
    int capacity = 0;         // largest number of boxes
    std::uint64_t build = 0;  // number of the build (PathPool::build_)
};

// Returns a number that no other build of a filter has.
std::uint64_t next_build() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

// True if all items are different. Paths are short, so that comparing all pairs is faster than a set.
bool all_differ(std::span<const std::int32_t> items) {
    for (std::size_t i = 1; i < items.size(); ++i) {
        const auto before = items.first(i);
        if (std::find(before.begin(), before.end(), items[i]) != before.end()) {
            return false;
        }
    }
    return true;
}

// True if `from` and `to` are different edges of a face. Returns false if the face does not exist; a path of the caller
// may contain such a face.
bool is_segment(const Topology& topology, std::int32_t face, std::int32_t from, std::int32_t to) {
    if (face < 0 || face >= topology.face_count() || from == to) {
        return false;
    }
    const auto& sides = topology.face_edges[face];
    const auto has = [&](std::int32_t edge) { return sides[0] == edge || sides[1] == edge || sides[2] == edge; };
    return has(from) && has(to);
}

}  // namespace

Path& Path::operator=(const Path& other) {
    count = other.count;
    std::copy_n(other.edges.begin(), count, edges.begin());
    std::copy_n(other.t.begin(), count, t.begin());
    std::copy_n(other.faces.begin(), std::max(count - 1, 0), faces.begin());
    return *this;
}

// A linear search is fast enough, because paths are short.
bool Path::visits(std::int32_t face) const {
    return std::find(faces.begin(), faces.begin() + count - 1, face) != faces.begin() + count - 1;
}

bool Path::crosses(std::int32_t edge) const {
    return std::find(edges.begin(), edges.begin() + count, edge) != edges.begin() + count;
}

// The face of the first vertex is ignored, because there is no segment before this vertex.
void Path::append(std::int32_t face, std::int32_t edge, float at) {
    assert(count < most_path_vertices);
    if (count > 0) {
        faces[count - 1] = face;
    }
    edges[count] = edge;
    t[count] = at;
    ++count;
}

void Path::reverse() {
    std::reverse(edges.begin(), edges.begin() + count);
    std::reverse(t.begin(), t.begin() + count);
    std::reverse(faces.begin(), faces.begin() + std::max(count - 1, 0));
}

void Path::drop_first() {
    std::copy(edges.begin() + 1, edges.begin() + count, edges.begin());
    std::copy(t.begin() + 1, t.begin() + count, t.begin());
    std::copy(faces.begin() + 1, faces.begin() + count - 1, faces.begin());
    --count;
}

bool Path::replace(int first, int last, std::span<const std::int32_t> new_edges, std::span<const float> new_t,
                   std::span<const std::int32_t> new_faces) {
    const int change = static_cast<int>(new_edges.size()) - (last - first);
    // test before any change: a path that would be too long must remain unchanged
    if (count + change > most_path_vertices) {
        return false;
    }
    // move the tail before the new part overwrites it
    const auto shift = [&](auto& items, int from, int end) {
        if (change > 0) {
            std::copy_backward(items.begin() + from, items.begin() + end, items.begin() + end + change);
        } else {
            std::copy(items.begin() + from, items.begin() + end, items.begin() + from + change);
        }
    };
    shift(edges, last, count);
    shift(t, last, count);
    shift(faces, last, count - 1);
    std::copy(new_edges.begin(), new_edges.end(), edges.begin() + first);
    std::copy(new_t.begin(), new_t.end(), t.begin() + first);
    std::copy(new_faces.begin(), new_faces.end(), faces.begin() + first - 1);
    count += change;
    return true;
}

bool is_valid(const Topology& topology, const Path& path) {
    if (path.count < 2 || path.count > most_path_vertices) {
        return false;
    }
    // these comparisons are also false for NaN
    const auto in_edge = [](float t) { return t >= 0.0f && t <= 1.0f; };
    if (!std::all_of(path.t.begin(), path.t.begin() + path.count, in_edge)) {
        return false;
    }
    for (int i = 0; i + 1 < path.count; ++i) {
        if (!is_segment(topology, path.faces[i], path.edges[i], path.edges[i + 1])) {
            return false;
        }
    }
    const auto count = static_cast<std::size_t>(path.count);
    return all_differ(std::span(path.edges).first(count)) && all_differ(std::span(path.faces).first(count - 1));
}

Path make_path(const Topology& topology, std::span<const std::int32_t> edges, std::span<const float> t) {
    if (edges.size() < 2 || edges.size() > most_path_vertices) {
        throw std::invalid_argument("edges: a path has 2 to " + std::to_string(most_path_vertices) + " vertices, got " +
                                    std::to_string(edges.size()));
    }
    if (t.size() != edges.size()) {
        throw std::invalid_argument("t: expected one number for each of " + std::to_string(edges.size()) + " edges, got " +
                                    std::to_string(t.size()));
    }
    Path path;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i] < 0 || edges[i] >= topology.edge_count()) {
            throw std::invalid_argument("edges: vertex " + std::to_string(i) + " lies on edge " + std::to_string(edges[i]) +
                                        "; the mesh has edges 0 to " + std::to_string(topology.edge_count() - 1));
        }
        if (!(t[i] >= 0.0f && t[i] <= 1.0f)) {
            throw std::invalid_argument("t: vertex " + std::to_string(i) + " has " + std::to_string(t[i]) + "; t lies in [0, 1]");
        }
        // the face is -1 if two edges do not have a common triangle; is_valid then returns false
        path.append(i == 0 ? -1 : shared_face(topology, edges[i - 1], edges[i]), edges[i], t[i]);
    }
    if (!is_valid(topology, path)) {
        throw std::invalid_argument(
            "edges: consecutive vertices must lie on different edges of one triangle; no triangle or edge may be passed twice");
    }
    return path;
}

int path_capacity(const Topology& topology) {
    return std::clamp(topology.face_count(), 64, 4096);
}

PathPool::PathPool(const Topology& topology, int capacity)
    : topology_(&topology),
      capacity_(capacity),
      entries_(static_cast<std::size_t>(capacity)),
      blocks_(Runs::block_count(capacity)),
      build_(next_build()) {
    // allocate everything here: paths are added in every frame, and steps must not allocate
    slots_.reserve(static_cast<std::size_t>(capacity));
    edge_first_.assign(topology.edges.size(), -1);
}

// Builds the filter of the calling thread from the boxes of all paths.
BoxFilter& PathPool::build_filter() const {
    FilterOfThread& own = of_this_thread<FilterOfThread>();
    if (own.capacity < capacity_) {
        own.boxes = BoxFilter(capacity_);
        own.capacity = capacity_;
    }
    own.boxes.build(slots_, [&](std::int32_t slot) -> const Box& { return entries_[slot].box; });
    own.build = build_;
    return own.boxes;
}

// Returns the filter of the calling thread, with the boxes of this pool.
inline BoxFilter& PathPool::filter() const {
    FilterOfThread& own = of_this_thread<FilterOfThread>();
    return own.build == build_ ? own.boxes : build_filter();
}

// The largest half width limits the distance of all searches. It does not decrease before measure_all: a value that is
// too large makes searches slower, but if the value is too small, searches miss paths.
void PathPool::set_half_width(int slot, float half_width) {
    entries_[slot].half_width = half_width;
    most_half_width_ = std::max(most_half_width_, half_width);
}

// Computes points, segment lengths and the bounding box of a path.
void PathPool::locate(int slot, std::span<const Vector3> positions) {
    const std::span<Vector3> where = part(&Block::points, slot, vertex_count(slot));
    Vector3 low = Vector3::Constant(INFINITY), high = -low;
    const std::span<const std::int32_t> crossed = edges(slot);
    const std::span<const float> along = std::as_const(*this).t(slot);
    for (std::size_t i = 0; i < where.size(); ++i) {
        where[i] = point_on_edge(*topology_, positions, crossed[i], along[i]);
        low = low.cwiseMin(where[i]);
        high = high.cwiseMax(where[i]);
    }
    segment_lengths(where, part(&Block::lengths, slot, vertex_count(slot) - 1));
    // bounding box of the vertices only: queries add the width
    entries_[slot].box = {0.5f * (low + high), 0.5f * (high - low)};
}

// Computes points, segment lengths and the box of a path, and adds the box to the filter. If the filter cannot add it,
// builds the filter again.
void PathPool::measure(int slot, std::span<const Vector3> positions) {
    locate(slot, positions);
    if (!filter().add(slot, entries_[slot].box)) {
        build_filter();
    }
}

void PathPool::measure_all(std::span<const Vector3> positions) {
    // the largest half width may decrease only here
    most_half_width_ = 0.0f;
    for (const std::int32_t slot : slots_) {
        most_half_width_ = std::max(most_half_width_, half_width(slot));
        locate(slot, positions);
    }
    build_ = next_build();
    build_filter();
}

// Adds the vertices of a path at the front of the lists of their edges. No result depends on the order of a list.
void PathPool::link(int slot) {
    const auto first = entries_[slot].first;
    for (std::int32_t v = first; v < first + vertex_count(slot); ++v) {
        std::int32_t& head = edge_first_[at(&Block::edges, v)];
        at(&Block::next, v) = head;
        head = v;
    }
}

// Removes the vertices of a path from the lists of their edges. Lists are short, so links to previous vertices are not
// worth their memory.
void PathPool::unlink(int slot) {
    const auto first = entries_[slot].first;
    for (std::int32_t v = first; v < first + vertex_count(slot); ++v) {
        std::int32_t* link = &edge_first_[at(&Block::edges, v)];
        while (*link != v) {
            link = &at(&Block::next, *link);
        }
        *link = at(&Block::next, v);
    }
}

// Sets the owner of all parts of a path's run; a part has Runs::shortest vertices.
void PathPool::set_owner(int slot, std::int32_t owner) {
    const Entry& entry = entries_[slot];
    std::fill_n(blocks_[block_of(entry.first)].owners.begin() + place_of(entry.first) / Runs::shortest,
                entry.length / Runs::shortest, owner);
}

// Reserves a run of vertices for a path.
void PathPool::take_run(int slot, std::int32_t length) {
    Entry& entry = entries_[slot];
    entry.first = runs_.take(length, [&](std::int32_t v) -> std::int32_t& { return at(&Block::next, v); });
    entry.length = length;
    set_owner(slot, slot);
}

// Frees the run of a path.
void PathPool::leave_run(int slot) {
    set_owner(slot, -1);
    const Entry& entry = entries_[slot];
    runs_.give_back(entry.first, entry.length, [&](std::int32_t v) -> std::int32_t& { return at(&Block::next, v); });
}

int PathPool::insert(const Path& path) {
    if (full()) {
        return -1;
    }
    // prefer free slots that have been used before, so that the program touches few pages of memory
    const std::int32_t slot = free_ >= 0 ? free_ : end_++;
    free_ = free_ >= 0 ? entries_[slot].first : -1;
    slots_.push_back(slot);
    // initialise all members, because another path may have used the slot
    entries_[slot] = {.box = {Vector3::Zero(), Vector3::Constant(-INFINITY)},  // near nothing until the path is measured
                      .birth = birth_count_++,
                      .count = 0,
                      .first = 0,
                      .length = 0,
                      .cuts = {0.0f, 0.0f},
                      .stuck = {0, 0},
                      .end_blockers = {-1, -1},
                      .half_width = 0.0f,
                      .pace = 1.0f};
    take_run(slot, Runs::length_for(path.count));
    store(slot, path);
    return slot;
}

// slots_ remains sorted by birth: wrinkles are listed in this order, and older wrinkles have priority.
void PathPool::remove(int slot) {
    unlink(slot);
    leave_run(slot);
    Entry& entry = entries_[slot];
    entry.count = 0;  // the filter may still return this slot
    entry.first = free_;
    free_ = slot;
    slots_.erase(std::find(slots_.begin(), slots_.end(), slot));
}

void PathPool::clear() {
    while (!slots_.empty()) {
        remove(slots_.back());
    }
}

// Copies only the vertices of the path; other entries of the target do not change.
void PathPool::load(int slot, Path& path) const {
    path.count = vertex_count(slot);
    std::copy_n(edges(slot).begin(), path.count, path.edges.begin());
    std::copy_n(t(slot).begin(), path.count, path.t.begin());
    std::copy_n(faces(slot).begin(), path.count - 1, path.faces.begin());
}

void PathPool::store(int slot, const Path& path) {
    Entry& entry = entries_[slot];
    const std::span<const std::int32_t> before = edges(slot);
    // most paths cross the same edges as before, so their lists do not change
    const bool is_linked = path.count == entry.count && std::equal(before.begin(), before.end(), path.edges.begin());
    if (!is_linked) {
        // unlink first, because unlink reads the old count and edges
        unlink(slot);
        // a run is replaced by a shorter run only if a quarter of it suffices. So the run of a path whose length
        // changes slightly remains, and the segment numbers that seeds and ends store for it remain valid
        const std::int32_t length = Runs::length_for(path.count);
        if (length > entry.length || 4 * length <= entry.length) {
            leave_run(slot);
            take_run(slot, length);
        }
        entry.count = path.count;
        std::copy_n(path.edges.begin(), path.count, part(&Block::edges, slot, path.count).begin());
        link(slot);
    }
    std::copy_n(path.t.begin(), path.count, part(&Block::t, slot, path.count).begin());
    // a path has one segment less than vertices
    std::copy_n(path.faces.begin(), path.count - 1, part(&Block::faces, slot, path.count).begin());
}

// Two segments in one triangle cross if their ends alternate around its boundary. This test depends on edges and t
// only, so a deformation of the cloth cannot make two paths cross.
bool PathPool::blocked(std::int32_t face, std::int32_t edge_a, float t_a, std::int32_t edge_b, float t_b, int except) const {
    const float a0 = boundary_coordinate(*topology_, face, edge_a, t_a), a1 = boundary_coordinate(*topology_, face, edge_b, t_b);
    for (const std::int32_t edge : topology_->face_edges[face]) {
        for (std::int32_t v = edge_first_[edge]; v >= 0; v = at(&Block::next, v)) {
            const std::int32_t slot = owner(v);
            if (slot == except) {
                continue;
            }
            const Block& block = blocks_[block_of(v)];
            const std::size_t i = place_of(v);
            const float t = block.t[i];
            // block if the vertices are closer than edge_gap: rounding could then order the two vertices differently in
            // the two triangles of the edge
            if ((edge == edge_a && std::abs(t - t_a) < edge_gap) || (edge == edge_b && std::abs(t - t_b) < edge_gap)) {
                return true;
            }
            // the loop finds each segment at both of its ends; test it only at its first end
            if (begins_segment(slot, v) && block.faces[i] == face &&
                alternate(a0, a1, boundary_coordinate(*topology_, face, edge, t),
                          boundary_coordinate(*topology_, face, block.edges[i + 1], block.t[i + 1]))) {
                return true;
            }
        }
    }
    return false;
}

std::array<float, 2> PathPool::free_interval(std::int32_t edge, float t, int except) const {
    // the gap is slightly larger than edge_gap: otherwise `blocked` could return true for a vertex at the end of the
    // interval because of rounding
    constexpr float kept_gap = rounding_margin * edge_gap;
    std::array<float, 2> interval{edge_margin, 1.0f - edge_margin};
    for (std::int32_t v = edge_first_[edge]; v >= 0; v = at(&Block::next, v)) {
        if (owner(v) == except) {
            continue;
        }
        const float other = at(&Block::t, v);
        if (other < t) {
            interval[0] = std::max(interval[0], other + kept_gap);
        } else {
            interval[1] = std::min(interval[1], other - kept_gap);
        }
    }
    return interval;
}

// Measures distances in space, so that a wrinkle also covers a layer of cloth in contact. The vertex `blocker` may now
// be part of another path, or of none; the result is correct for the segment that begins there now.
bool PathPool::covered_by(std::int32_t blocker, const Vector3& point, float half_width, float reach) const {
    float own_half_width;
    const Vector3* const start = blocker < 0 ? nullptr : segment(blocker, own_half_width);
    if (!start) {
        return false;
    }
    const Vector3 along = start[1] - start[0], to = point - start[0];
    const float length_squared = along.squaredNorm();
    const float s = length_squared > 0.0f ? std::clamp(to.dot(along) / length_squared, 0.0f, 1.0f) : 0.0f;
    const float distance = reach * (own_half_width + half_width);
    return (to - s * along).squaredNorm() < distance * distance;
}

inline bool PathPool::is_near(int slot, const Vector3& center, const Vector3& half, float distance) const {
    distance *= rounding_margin;
    // this code avoids branches, because they would be unpredictable
    const Box& box = entries_[slot].box;
    const Vector3 apart = (box.center - center).cwiseAbs() - box.half - half;
    // the filter may still return a path that has been removed
    return entries_[slot].count > 0 && !(apart.maxCoeff() > distance);
}

inline PathCoverage PathPool::coverage(int slot, float distance) const {
    // the kernel may read whole SIMD vectors: the length of a run is a multiple of the vector length
    static_assert(Runs::shortest % most_lanes == 0 && PathCoverage::most == most_path_vertices &&
                  sizeof(Vector3) == 3 * sizeof(float));
    const auto& [center, half] = entries_[slot].box;
    return {.points = points(slot)[0].data(),
            .count = vertex_count(slot),
            .square = distance * distance,
            .middle = {center[0], center[1], center[2]},
            .half = {half[0], half[1], half[2]},
            .far = rounding_margin * distance};
}

// Tests the previous blocker first, because it usually still covers the point.
bool PathPool::covers(const Vector3& point, float half_width, float reach, int except, std::int32_t& blocker) const {
    if (blocker >= 0 && owner(blocker) != except && covered_by(blocker, point, half_width, reach)) {
        return true;
    }
    // query the filter with the largest half width of all paths; is_near tests the box of each found path with its own
    // half width, and covering_segment then tests its segments
    return filter().any_near(point, Vector3::Zero(), reach * (most_half_width_ + half_width), [&](std::int32_t slot) {
        const float distance = reach * (this->half_width(slot) + half_width);
        if (slot == except || !is_near(slot, point, Vector3::Zero(), distance)) {
            return false;
        }
        const std::int32_t segment = kernels<CoverageKernels>().covering_segment(coverage(slot, distance), point.data());
        if (segment >= 0) {
            blocker = entries_[slot].first + segment;
        }
        return segment >= 0;
    });
}

// Only older wrinkles are tested; otherwise two close wrinkles would both fade. Fading wrinkles are ignored, because
// they will disappear.
bool PathPool::crowded(int slot, float reach, std::span<const std::uint8_t> ignored) const {
    const float distance = reach * (most_half_width_ + half_width(slot));
    // no structured bindings, because lambdas in Clang 14 cannot capture them
    const Box& box = entries_[slot].box;
    const PathCoverage asked = coverage(slot, 0.0f);
    return filter().any_near(box.center, box.half, distance, [&](std::int32_t older) {
        const float near = reach * (half_width(older) + half_width(slot));
        return entries_[older].birth < entries_[slot].birth && !ignored[older] && is_near(older, box.center, box.half, near) &&
               kernels<CoverageKernels>().covers_most(coverage(older, near), asked);
    });
}

// Calls blocked() for each segment of each path.
bool PathPool::is_sound() const {
    Path path;
    for (const std::int32_t slot : slots_) {
        load(slot, path);
        if (!is_valid(*topology_, path)) {
            return false;
        }
        for (int i = 0; i + 1 < path.count; ++i) {
            if (blocked(path.faces[i], path.edges[i], path.t[i], path.edges[i + 1], path.t[i + 1], slot)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace ruckle
