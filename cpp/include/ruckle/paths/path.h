// path: wrinkle curves on the mesh, shared by the stages trace, persist and shape.
//
// A path is a polyline with vertices on mesh edges, p = v1 t + v2 (1 - t) (thesis 5.1), with v1 the lower vertex of the edge.
// Consecutive vertices share a triangle, which the segment between them names. The wrinkle begins inside the first segment and
// ends inside the last: `cuts` are the shares of these segments outside the wrinkle. So its length changes smoothly although
// vertices move on edges only.
//
// Invariants of a valid path: 2 to most_path_vertices vertices; t in [0, 1]; vertices i and i + 1 on two different edges of the
// segment's triangle; each triangle and each edge at most once. Invariant of a pool: paths do not cross. Two segments in one
// triangle cross if their ends alternate around its boundary. Vertices on the same edge keep edge_gap apart (constants.h), so
// that the order is never ambiguous.
// All of this depends on edges and t alone: no deformation of the mesh can break it.
//
// Example:
//     const ruckle::Path path = ruckle::make_path(topology, edges, t);
//     ruckle::PathPool pool(topology, ruckle::path_capacity(topology));
//     const int slot = pool.insert(path);
//     pool.measure(slot, positions);
//     draw(pool.points(slot));
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/field/stretch.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/raw_buffer.h"
#include "ruckle/runs.h"
#include "ruckle/types.h"

namespace ruckle {

// A path with this many vertices ends. A wrinkle as long as a trouser leg crosses 128 edges on a mesh with edges of 1 cm.
inline constexpr int most_path_vertices = 128;

// Input of the path stages: one frame of the garment.
struct Cloth {
    const Topology& topology;
    std::span<const Vector3> positions;  // (V) mesh units
    std::span<const Matrix2> current;    // (T) edge matrices of positions
    StretchSpans field;                  // (T) stretch from the reference; min, max, compression, axis, degenerate
};

// One path outside any pool, kept on the stack.
struct Path {
    int count = 0;
    std::array<std::int32_t, most_path_vertices> edges;
    std::array<float, most_path_vertices> t;
    std::array<std::int32_t, most_path_vertices> faces;  // faces[i]: triangle of the segment from vertex i to i + 1

    Path() = default;
    // Copies only the vertices in use: most paths are short.
    Path(const Path& other) { *this = other; }
    Path& operator=(const Path& other);

    bool visits(std::int32_t face) const;
    bool crosses(std::int32_t edge) const;
    void append(std::int32_t face, std::int32_t edge, float at);  // a segment through face to a vertex on edge
    void reverse();
    void drop_first();
    // Replaces the vertices [first, last) and the segments (first - 1, first) to (last - 1, last) by others; `faces` has one
    // segment more than `edges` and `t` have vertices. Returns false without a change if the result would be too long.
    bool replace(int first, int last, std::span<const std::int32_t> new_edges, std::span<const float> new_t,
                 std::span<const std::int32_t> new_faces);
};

// Position of a path vertex.
inline Vector3 point_on_edge(const Topology& topology, std::span<const Vector3> positions, std::int32_t edge, float t) {
    const auto& [v1, v2] = topology.edges[edge];
    return positions[v1] * t + positions[v2] * (1.0f - t);
}

// Lengths of the segments of a polyline of n points: n - 1, mesh units.
inline void segment_lengths(std::span<const Vector3> points, std::span<float> lengths) {
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        lengths[i] = (points[i + 1] - points[i]).norm();
    }
}

// True if every invariant above that concerns one path is satisfied.
bool is_valid(const Topology& topology, const Path& path);

// Makes a path from vertices on edges, and finds its triangles.
//
// edges, t  (n) per vertex
// Throws std::invalid_argument if these do not form a path on the mesh.
Path make_path(const Topology& topology, std::span<const std::int32_t> edges, std::span<const float> t);

// Default capacity of a pool: several times as many paths as a garment shows (20 to 30 per 700 triangles, 250 of the finest). It is
// small enough to reserve address space, 10 KB per path. Only paths that have been used take memory, for their vertices.
int path_capacity(const Topology& topology);

// Bounding box of a path as center and half extent: an overlap test takes three differences.
struct Box {
    Vector3 center, half;
};

class BoxFilter;
struct PathCoverage;

// Pool of all living paths: one slot per path, and a run of vertices that grows and shrinks with it. Nothing allocates after
// construction.
class PathPool {
  public:
    PathPool(const Topology& topology, int capacity);
    ~PathPool();
    PathPool(PathPool&&) noexcept;
    PathPool& operator=(PathPool&&) noexcept;

    int capacity() const { return capacity_; }
    bool full() const { return static_cast<int>(slots_.size()) == capacity_; }
    std::span<const std::int32_t> slots() const { return slots_; }  // living paths, oldest first

    // A view of slot's path.
    int vertex_count(int slot) const { return entries_[slot].count; }
    std::span<const std::int32_t> edges(int slot) const { return part(&Block::edges, slot, vertex_count(slot)); }
    std::span<const float> t(int slot) const { return part(&Block::t, slot, vertex_count(slot)); }
    std::span<const std::int32_t> faces(int slot) const { return part(&Block::faces, slot, vertex_count(slot) - 1); }

    std::array<float, 2>& cuts(int slot) { return entries_[slot].cuts; }
    const std::array<float, 2>& cuts(int slot) const { return entries_[slot].cuts; }

    // Ends pushed off a boundary edge; they must be trimmed before they can rotate.
    std::array<std::uint8_t, 2>& stuck(int slot) { return entries_[slot].stuck; }
    const std::array<std::uint8_t, 2>& stuck(int slot) const { return entries_[slot].stuck; }

    // The segments that kept the ends from growing last, for covers.
    std::int32_t& end_blocker(int slot, int end) { return entries_[slot].end_blockers[end]; }

    // Positions of the vertices and lengths of the segments at the last measure, mesh units.
    std::span<const Vector3> points(int slot) const { return part(&Block::points, slot, vertex_count(slot)); }
    std::span<const float> lengths(int slot) const { return part(&Block::lengths, slot, vertex_count(slot) - 1); }
    // Results of the shape stage at the vertices, mesh units.
    std::span<const float> widths(int slot) const { return part(&Block::widths, slot, vertex_count(slot)); }
    std::span<float> widths(int slot) { return part(&Block::widths, slot, vertex_count(slot)); }
    std::span<const float> heights(int slot) const { return part(&Block::heights, slot, vertex_count(slot)); }
    std::span<float> heights(int slot) { return part(&Block::heights, slot, vertex_count(slot)); }
    float half_width(int slot) const { return entries_[slot].half_width; }  // of the full-grown wrinkle, mesh units
    void set_half_width(int slot, float half_width);
    float pace(int slot) const { return entries_[slot].pace; }  // in [0, 1]: 0 if the cloth did not deform in the last frame
    void set_pace(int slot, float pace) { entries_[slot].pace = pace; }
    void measure(int slot, std::span<const Vector3> positions);
    // The same for all paths; done once per frame, it keeps covers and crowded fast.
    void measure_all(std::span<const Vector3> positions);

    // Links the path into a free slot and returns the slot; -1 if the pool is full.
    int insert(const Path& path);
    void remove(int slot);
    void clear();
    void load(int slot, Path& path) const;
    void store(int slot, const Path& path);  // relinks
    void set_t(int slot, int vertex, float t) { part(&Block::t, slot, vertex_count(slot))[static_cast<std::size_t>(vertex)] = t; }

    // True if a segment through `face` between two of its edges would cross a path other than `except` (-1: none), or come too
    // close to it on an edge.
    bool blocked(std::int32_t face, std::int32_t edge_a, float t_a, std::int32_t edge_b, float t_b, int except) const;
    // The interval around t on `edge` between the vertices of other paths; empty (low > high) if it does not exist.
    std::array<float, 2> free_interval(std::int32_t edge, float t, int except) const;
    // True if a path other than `except` is within `reach` times the sum of its own half width and half_width from the point, in a
    // straight line through space. `blocker` stores the segment: a next call with it is faster.
    bool covers(const Vector3& point, float half_width, float reach, int except, std::int32_t& blocker) const;
    // Both ends of the segment after a vertex, and the half width of its path; null if the segment no longer exists.
    const Vector3* segment(std::int32_t vertex, float& half_width) const;
    // True if the segment `blocker` (-1: none) still covers the point.
    bool covered_by(std::int32_t blocker, const Vector3& point, float half_width, float reach) const;

    // True if more than half of the path's vertices are closer to an older path than `reach` times the sum of both half widths.
    // Paths in `ignored` (by slot) do not count.
    bool crowded(int slot, float reach, std::span<const std::uint8_t> ignored) const;

    // The pool's invariant, in time proportional to the segments: every path valid, none crossing another.
    bool is_sound() const;

  private:
    // Vertices of runs, block by block: a query touches few pages of memory.
    struct Block {
        std::array<std::int32_t, Runs::block> edges, faces, next;       // next: the following vertex on its edge, or -1
        std::array<std::int32_t, Runs::block / Runs::shortest> owners;  // slot of each shortest run; -1: free
        std::array<float, Runs::block> t, lengths, widths, heights;
        std::array<Vector3, Runs::block> points;
    };
    struct Entry {
        Box box;                            // around the vertices
        std::int64_t birth;                 // number of paths born before
        std::int32_t count, first, length;  // vertices; first vertex of the run, or next free slot; length of the run
        std::array<float, 2> cuts;
        std::array<std::uint8_t, 2> stuck;
        std::array<std::int32_t, 2> end_blockers;
        float half_width, pace;
    };
    static std::size_t block_of(std::int32_t vertex) { return static_cast<std::size_t>(vertex / Runs::block); }
    static std::size_t place_of(std::int32_t vertex) { return static_cast<std::size_t>(vertex % Runs::block); }
    template <class Item>
    Item& at(std::array<Item, Runs::block> Block::* items, std::int32_t vertex) {
        return (blocks_[block_of(vertex)].*items)[place_of(vertex)];
    }
    template <class Item>
    const Item& at(std::array<Item, Runs::block> Block::* items, std::int32_t vertex) const {
        return (blocks_[block_of(vertex)].*items)[place_of(vertex)];
    }
    template <class Item>
    std::span<Item> part(std::array<Item, Runs::block> Block::* items, int slot, int count) {
        return {&at(items, entries_[slot].first), static_cast<std::size_t>(count)};
    }
    template <class Item>
    std::span<const Item> part(std::array<Item, Runs::block> Block::* items, int slot, int count) const {
        return {&at(items, entries_[slot].first), static_cast<std::size_t>(count)};
    }
    // Slot of the path that owns a vertex; -1 if the run is free.
    std::int32_t owner(std::int32_t vertex) const { return blocks_[block_of(vertex)].owners[place_of(vertex) / Runs::shortest]; }
    void set_owner(int slot, std::int32_t owner);
    void take_run(int slot, std::int32_t length);
    void leave_run(int slot);
    void locate(int slot, std::span<const Vector3> positions);
    // Box test: true if the path may be within `distance` of another box.
    bool is_near(int slot, const Vector3& center, const Vector3& half, float distance) const;
    PathCoverage coverage(int slot, float distance) const;
    // True if the path has a segment after a vertex of its run.
    bool begins_segment(std::int32_t slot, std::int32_t vertex) const {
        return vertex + 1 < entries_[slot].first + entries_[slot].count;
    }
    void link(int slot);
    void unlink(int slot);

    const Topology* topology_;
    int capacity_;
    std::vector<std::int32_t> slots_;
    std::int32_t free_ = -1, end_ = 0;  // first free slot; first slot that was never used
    RawBuffer<Entry> entries_;
    Runs runs_;
    RawBuffer<Block> blocks_;
    std::int64_t birth_count_ = 0;
    std::vector<std::int32_t> edge_first_;  // the vertices on each edge, as linked lists
    std::unique_ptr<BoxFilter> filter_;     // of the measured paths
    float most_half_width_ = 0.0f;          // of any path since measure_all
};

// Inline, because tracing calls it hundreds of times per frame.
inline const Vector3* PathPool::segment(std::int32_t vertex, float& half_width) const {
    const auto v = static_cast<std::size_t>(vertex);
    const Block& block = blocks_[v / Runs::block];
    const std::int32_t slot = block.owners[v % Runs::block / Runs::shortest];
    if (slot < 0 || !begins_segment(slot, vertex)) {
        return nullptr;
    }
    half_width = entries_[slot].half_width;
    return &block.points[v % Runs::block];
}

}  // namespace ruckle
