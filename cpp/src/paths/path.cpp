// Paths and the pool of all living ones.
//
// The pool keeps every path twice: as arrays per slot, and as a list of the vertices on each mesh edge. The lists answer in a
// few steps what would cross what, since two segments can only cross inside a triangle and so share its three edges; the sieve of
// boxes answers what is near in space, across triangles and components.
#include "ruckle/paths/path.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "constants.h"
#include "paths/box_sieve.h"
#include "paths/geometry.h"

namespace ruckle {

namespace {

// Whether the items [0, count) are all different. Paths are so short that comparing all pairs beats any set.
bool all_differ(std::span<const std::int32_t> items) {
    for (std::size_t i = 1; i < items.size(); ++i) {
        const auto before = items.first(i);
        if (std::find(before.begin(), before.end(), items[i]) != before.end()) {
            return false;
        }
    }
    return true;
}

// Whether a segment runs through the triangle from one of its edges to another. A caller's path may name no triangle at all.
bool is_segment(const Topology& topology, std::int32_t face, std::int32_t from, std::int32_t to) {
    if (face < 0 || face >= topology.face_count() || from == to) {
        return false;
    }
    const auto& sides = topology.face_edges[face];
    const auto has = [&](std::int32_t edge) { return sides[0] == edge || sides[1] == edge || sides[2] == edge; };
    return has(from) && has(to);
}

}  // namespace

// Linear, as all_differ: paths are short, and a mark per triangle would have to be cleared again.
bool Path::visits(std::int32_t face) const {
    return std::find(faces.begin(), faces.begin() + count - 1, face) != faces.begin() + count - 1;
}

bool Path::crosses(std::int32_t edge) const {
    return std::find(edges.begin(), edges.begin() + count, edge) != edges.begin() + count;
}

// The first vertex has no segment before it, and its face is ignored.
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
    // before anything moves: a path that would be too long stays as it was
    if (count + change > most_path_vertices) {
        return false;
    }
    // the tail moves before the new part is written over it
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
    // false for NaN, too
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
        throw std::invalid_argument("t: expected one for each of " + std::to_string(edges.size()) + " edges, got " +
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
        // -1 where two edges share no triangle: is_valid refuses the path then
        path.append(i == 0 ? -1 : shared_face(topology, edges[i - 1], edges[i]), edges[i], t[i]);
    }
    if (!is_valid(topology, path)) {
        throw std::invalid_argument(
            "edges: consecutive vertices must lie on different edges of one triangle, and no triangle or edge be passed twice");
    }
    return path;
}

int path_capacity(const Topology& topology) {
    return std::clamp(topology.face_count(), 64, 4096);
}

PathPool::PathPool(const Topology& topology, int capacity)
    : topology_(&topology),
      counts_(static_cast<std::size_t>(capacity), 0),
      edges_(first(capacity)),
      faces_(first(capacity)),
      t_(first(capacity)),
      points_(first(capacity)),
      next_(first(capacity)),
      sieve_(std::make_unique<BoxSieve>(capacity)) {
    // everything at once: paths come and go in every frame, and step must not allocate
    const std::size_t slots = counts_.size();
    slots_.reserve(slots);
    free_.resize(slots);
    // the lowest slot is taken first
    std::iota(free_.rbegin(), free_.rend(), 0);
    cuts_.assign(slots, {0.0f, 0.0f});
    stuck_.assign(slots, {0, 0});
    end_blockers_.assign(slots, {-1, -1});
    centers_.assign(slots, Vector3::Zero());
    halves_.assign(slots, Vector3::Zero());
    half_widths_.assign(slots, 0.0f);
    paces_.assign(slots, 1.0f);
    births_.assign(slots, 0);
    edge_first_.assign(topology.edges.size(), -1);
}
PathPool::~PathPool() = default;
PathPool::PathPool(PathPool&&) noexcept = default;
PathPool& PathPool::operator=(PathPool&&) noexcept = default;

// The widest path bounds how far any search has to look.
// Until measure_all it only grows: a bound that is too large costs time, one that is too small would lose neighbours.
void PathPool::set_half_width(int slot, float half_width) {
    half_widths_[slot] = half_width;
    most_half_width_ = std::max(most_half_width_, half_width);
}

// A box by its middle and half its size: whether two are near takes three differences then.
void PathPool::locate(int slot, std::span<const Vector3> positions) {
    const std::span<Vector3> where = points(slot);
    Vector3 low = Vector3::Constant(INFINITY), high = -low;
    for (int i = 0; i < counts_[slot]; ++i) {
        where[i] = point_on_edge(*topology_, positions, edges_[first(slot) + i], t_[first(slot) + i]);
        low = low.cwiseMin(where[i]);
        high = high.cwiseMax(where[i]);
    }
    // of its vertices alone: the width is added by whoever asks
    centers_[slot] = 0.5f * (low + high);
    halves_[slot] = 0.5f * (high - low);
}

// Widths grow and paths move between two builds of the sieve; it takes such a path as one more box until it is full of them.
void PathPool::measure(int slot, std::span<const Vector3> positions) {
    locate(slot, positions);
    if (!sieve_->add(slot, centers_[slot], halves_[slot])) {
        sieve_->build(slots_, centers_, halves_);
    }
}

void PathPool::measure_all(std::span<const Vector3> positions) {
    // of the living alone: here the bound may become smaller again
    most_half_width_ = 0.0f;
    for (const std::int32_t slot : slots_) {
        most_half_width_ = std::max(most_half_width_, half_widths_[slot]);
        locate(slot, positions);
    }
    sieve_->build(slots_, centers_, halves_);
}

// In front, where nothing has to be walked over: no answer depends on the order within a list.
void PathPool::link(int slot) {
    for (auto v = static_cast<std::int32_t>(first(slot)); v < static_cast<std::int32_t>(first(slot)) + counts_[slot]; ++v) {
        next_[v] = edge_first_[edges_[v]];
        edge_first_[edges_[v]] = v;
    }
}

// The lists of edges are short, a handful of paths at most, so that a link back would cost more than it saves.
void PathPool::unlink(int slot) {
    for (auto v = static_cast<std::int32_t>(first(slot)); v < static_cast<std::int32_t>(first(slot)) + counts_[slot]; ++v) {
        std::int32_t* at = &edge_first_[edges_[v]];
        while (*at != v) {
            at = &next_[*at];
        }
        *at = next_[v];
    }
}

int PathPool::insert(const Path& path) {
    if (free_.empty()) {
        return -1;
    }
    // nothing of the path that had the slot before may be left
    const int slot = free_.back();
    free_.pop_back();
    slots_.push_back(slot);
    births_[slot] = birth_count_++;
    counts_[slot] = 0;
    cuts_[slot] = {0.0f, 0.0f};
    end_blockers_[slot] = {-1, -1};
    paces_[slot] = 1.0f;
    stuck_[slot] = {0, 0};
    store(slot, path);
    return slot;
}

// slots_ stays in order of birth, which is the order in which wrinkles are shown and in which the older one wins.
void PathPool::remove(int slot) {
    unlink(slot);
    counts_[slot] = 0;
    slots_.erase(std::find(slots_.begin(), slots_.end(), slot));
    free_.push_back(slot);
}

void PathPool::clear() {
    while (!slots_.empty()) {
        remove(slots_.back());
    }
    // as after construction, so that what follows does not depend on what was before
    std::iota(free_.rbegin(), free_.rend(), 0);
}

// Only what the path has: what lies behind is left of the longer path that was there, and nobody reads it.
void PathPool::load(int slot, Path& path) const {
    path.count = counts_[slot];
    std::copy_n(edges_.begin() + first(slot), path.count, path.edges.begin());
    std::copy_n(t_.begin() + first(slot), path.count, path.t.begin());
    std::copy_n(faces_.begin() + first(slot), path.count, path.faces.begin());
}

void PathPool::store(int slot, const Path& path) {
    unlink(slot);
    // not before unlink, which finds the old vertices by the old count and edges
    counts_[slot] = path.count;
    std::copy_n(path.edges.begin(), path.count, edges_.begin() + first(slot));
    std::copy_n(path.t.begin(), path.count, t_.begin() + first(slot));
    // one segment less than vertices
    std::copy_n(path.faces.begin(), path.count - 1, faces_.begin() + first(slot));
    link(slot);
}

// A segment crosses another of the same triangle when their ends alternate around its boundary: a statement about edges and t
// alone, so that no deformation of the cloth can make two paths cross that did not before.
bool PathPool::blocked(std::int32_t face, std::int32_t edge_a, float t_a, std::int32_t edge_b, float t_b, int except) const {
    const float a0 = boundary_coordinate(*topology_, face, edge_a, t_a), a1 = boundary_coordinate(*topology_, face, edge_b, t_b);
    for (const std::int32_t edge : topology_->face_edges[face]) {
        for (std::int32_t v = edge_first_[edge]; v >= 0; v = next_[v]) {
            const int slot = slot_of(v), i = vertex_of(v);
            if (slot == except) {
                continue;
            }
            // closer than the gap, rounding could tell the order of two vertices differently from the two triangles of the edge
            if ((edge == edge_a && std::abs(t_[v] - t_a) < edge_gap) || (edge == edge_b && std::abs(t_[v] - t_b) < edge_gap)) {
                return true;
            }
            // each segment is met at both its ends; the first is enough
            if (i + 1 < counts_[slot] && faces_[v] == face &&
                alternate(a0, a1, boundary_coordinate(*topology_, face, edge, t_[v]),
                          boundary_coordinate(*topology_, face, edges_[v + 1], t_[v + 1]))) {
                return true;
            }
        }
    }
    return false;
}

std::array<float, 2> PathPool::free_interval(std::int32_t edge, float t, int except) const {
    // a little more than the gap that blocked() asks for, or a vertex that came as close as it may would block its own segment
    constexpr float kept_gap = rounding_margin * edge_gap;
    std::array<float, 2> interval{edge_margin, 1.0f - edge_margin};
    for (std::int32_t v = edge_first_[edge]; v >= 0; v = next_[v]) {
        if (slot_of(v) == except) {
            continue;
        }
        if (t_[v] < t) {
            interval[0] = std::max(interval[0], t_[v] + kept_gap);
        } else {
            interval[1] = std::min(interval[1], t_[v] - kept_gap);
        }
    }
    return interval;
}

// By the distance to the closest point of the segment, through the air: layers of cloth that lie on each other share their room.
inline bool PathPool::segment_covers(std::int32_t v, const Vector3& point, float half_width, float reach) const {
    const Vector3 along = points_[v + 1] - points_[v], to = point - points_[v];
    const float length_squared = along.squaredNorm();
    const float s = length_squared > 0.0f ? std::clamp(to.dot(along) / length_squared, 0.0f, 1.0f) : 0.0f;
    const float distance = reach * (half_widths_[slot_of(v)] + half_width);
    return (to - s * along).squaredNorm() < distance * distance;
}

// The blocker may be of another path by now, or of none; then the answer is about that segment, and as true.
bool PathPool::covered_by(std::int32_t blocker, const Vector3& point, float half_width, float reach) const {
    return blocker >= 0 && vertex_of(blocker) + 1 < counts_[slot_of(blocker)] &&
           segment_covers(blocker, point, half_width, reach);
}

inline bool PathPool::is_near(int slot, const Vector3& center, const Vector3& half, float distance) const {
    distance *= rounding_margin;
    // without branches, which nothing could predict
    const Vector3 apart = (centers_[slot] - center).cwiseAbs() - halves_[slot] - half;
    return !(apart.maxCoeff() > distance);
}

// The blocker of last time is asked first: what kept an end from growing, or covered a seed, mostly still does.
bool PathPool::covers(const Vector3& point, float half_width, float reach, int except, std::int32_t& blocker) const {
    if (slot_of(blocker) != except && covered_by(blocker, point, half_width, reach)) {
        return true;
    }
    // the sieve is asked once for all widths, and so by the widest path; is_near then by each path's own
    return sieve_->any_near(point, Vector3::Zero(), reach * (most_half_width_ + half_width), [&](std::int32_t slot) {
        if (slot == except || !is_near(slot, point, Vector3::Zero(), reach * (half_widths_[slot] + half_width))) {
            return false;
        }
        const auto start = static_cast<std::int32_t>(first(slot));
        for (std::int32_t v = start; v + 1 < start + counts_[slot]; ++v) {
            if (segment_covers(v, point, half_width, reach)) {
                blocker = v;
                return true;
            }
        }
        return false;
    });
}

// Most pairs are settled by few vertices: the count ends as soon as the rest can no longer change which half is larger.
bool PathPool::crowded_by(int older, int slot, float reach) const {
    const float near = reach * (half_widths_[older] + half_widths_[slot]);
    if (!is_near(older, centers_[slot], halves_[slot], near)) {
        return false;
    }
    const auto start = static_cast<std::int32_t>(first(older)), end = start + counts_[older] - 1;
    const float half_width = half_widths_[slot];
    // the segment that covered the vertex before is asked first: often it covers the next one, too
    std::int32_t last = start;
    const auto is_inside = [&](const Vector3& point) {
        if (!is_near(older, point, Vector3::Zero(), near)) {
            return false;
        }
        for (std::int32_t tried = start; tried < end; ++tried, last = last + 1 < end ? last + 1 : start) {
            if (segment_covers(last, point, half_width, reach)) {
                return true;
            }
        }
        return false;
    };
    int inside = 0, left = counts_[slot];
    for (const Vector3& point : points(slot)) {
        --left;
        inside += is_inside(point);
        if (2 * inside > counts_[slot] || 2 * (inside + left) <= counts_[slot]) {
            break;
        }
    }
    return 2 * inside > counts_[slot];
}

// Only older wrinkles count, or two that lie close would both give way; those that fade already make room by themselves.
bool PathPool::crowded(int slot, float reach, std::span<const std::uint8_t> ignored) const {
    const float distance = reach * (most_half_width_ + half_widths_[slot]);
    return sieve_->any_near(centers_[slot], halves_[slot], distance, [&](std::int32_t older) {
        return births_[older] < births_[slot] && !ignored[older] && crowded_by(older, slot, reach);
    });
}

// Every segment against the others: what blocked() allows one by one must hold for all at once.
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
