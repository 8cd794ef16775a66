// path: polylines of wrinkles on the mesh, used by the stages trace, persist and shape.
//
// A path is a polyline with vertices on mesh edges, p = v1 t + v2 (1 - t) (thesis 5.1), where v1 is the vertex of the
// edge with the smaller index. Two consecutive vertices are on edges of the same triangle, which is stored with the
// segment between them. The wrinkle begins inside the first segment and ends inside the last segment. `cuts` are the
// shares of these segments that are outside the wrinkle. So the length of the wrinkle can change smoothly, although
// vertices are on edges only.
//
// Invariants of a valid path: it has 2 to most_path_vertices vertices; t is in [0, 1]; vertices i and i + 1 are on two
// different edges of the segment's triangle; the path visits each triangle and each edge at most once. Invariants of a
// pool: paths do not cross, and vertices on the same edge are at least edge_gap apart (constants.h), so that their
// order is never ambiguous. Two segments in one triangle cross if their ends alternate around its boundary. These
// invariants depend on edges and t only, so that no deformation of the mesh can violate them.
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
#include <span>
#include <vector>

#include "ruckle/field/stretch.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/raw_buffer.h"
#include "ruckle/runs.h"
#include "ruckle/types.h"

namespace ruckle {

// Largest number of vertices of a path. A path stops growing at this number. A wrinkle as long as a trouser leg crosses
// 128 edges if edges are 1 cm long.
inline constexpr int most_path_vertices = 128;

// Input of the path stages: one frame of the garment.
struct Cloth {
    const Topology& topology;
    std::span<const Vector3> positions;  // (V) vertex positions, mesh units
    std::span<const Matrix2> current;    // (T) edge matrices of the positions
    StretchSpans field;                  // (T) stretch from the reference triangles; all five spans are set
};

// One path outside a pool, for example a local variable.
struct Path {
    int count = 0;
    std::array<std::int32_t, most_path_vertices> edges;
    std::array<float, most_path_vertices> t;
    std::array<std::int32_t, most_path_vertices> faces;  // faces[i]: triangle of the segment from vertex i to i + 1

    Path() = default;
    // Copies only the vertices in use, because most paths are short.
    Path(const Path& other) { *this = other; }
    Path& operator=(const Path& other);

    bool visits(std::int32_t face) const;
    bool crosses(std::int32_t edge) const;
    // adds a segment through `face` to a new last vertex on `edge` with t = at
    void append(std::int32_t face, std::int32_t edge, float at);
    // Reverses the order of vertices and segments.
    void reverse();
    // Removes the first vertex and the first segment.
    void drop_first();
    // Replaces the vertices [first, last) and the segments (first - 1, first) to (last - 1, last). `new_faces` contains
    // one segment more than `new_edges` and `new_t` contain vertices. Returns false without a change if the result
    // would be too long.
    bool replace(int first, int last, std::span<const std::int32_t> new_edges, std::span<const float> new_t,
                 std::span<const std::int32_t> new_faces);
};

// Returns the position of the path vertex at t on an edge.
inline Vector3 point_on_edge(const Topology& topology, std::span<const Vector3> positions, std::int32_t edge, float t) {
    const auto& [v1, v2] = topology.edges[edge];
    return positions[v1] * t + positions[v2] * (1.0f - t);
}

// Computes the n - 1 segment lengths of a polyline with n points, mesh units.
inline void segment_lengths(std::span<const Vector3> points, std::span<float> lengths) {
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        lengths[i] = (points[i + 1] - points[i]).norm();
    }
}

// True if the path satisfies all invariants of a valid path (top of this file).
bool is_valid(const Topology& topology, const Path& path);

// Returns the path through the given points on edges, with the triangles of its segments.
//
// edges, t  (n) edge and t of each vertex
// Throws std::invalid_argument if the vertices do not form a valid path.
Path make_path(const Topology& topology, std::span<const std::int32_t> edges, std::span<const float> t);

// Returns the default capacity of a pool, in paths. It is several times the number of paths on a garment: 20 to 30
// paths per 700 triangles, or up to 250 if wrinkles are very narrow. Each path reserves 10 KB of address space; only
// vertices that have been used occupy memory.
int path_capacity(const Topology& topology);

// Bounding box of a path as center and half extent, so that an overlap test requires only three differences of
// coordinates.
struct Box {
    Vector3 center, half;
};

class BoxFilter;
struct PathCoverage;

// Pool of all existing paths. Each path has a slot, and a run of consecutive vertices in a common array. If the path
// becomes longer than its run, it gets a longer run. After construction, only the first query of a thread allocates.
class PathPool {
  public:
    PathPool(const Topology& topology, int capacity);

    int capacity() const { return capacity_; }
    bool full() const { return static_cast<int>(slots_.size()) == capacity_; }
    std::span<const std::int32_t> slots() const { return slots_; }  // slots of existing paths, oldest first

    // Views of the path in a slot.
    int vertex_count(int slot) const { return entries_[slot].count; }
    std::span<const std::int32_t> edges(int slot) const { return part(&Block::edges, slot, vertex_count(slot)); }
    std::span<const float> t(int slot) const { return part(&Block::t, slot, vertex_count(slot)); }
    std::span<const std::int32_t> faces(int slot) const { return part(&Block::faces, slot, vertex_count(slot) - 1); }

    std::array<float, 2>& cuts(int slot) { return entries_[slot].cuts; }
    const std::array<float, 2>& cuts(int slot) const { return entries_[slot].cuts; }

    // For each end of the path: 1 if the solve of (5.2) moved this end past the end of a boundary edge. The end must
    // then be trimmed before it can move again.
    std::array<std::uint8_t, 2>& stuck(int slot) { return entries_[slot].stuck; }
    const std::array<std::uint8_t, 2>& stuck(int slot) const { return entries_[slot].stuck; }

    // Number of the segment that last blocked the growth of an end, or -1; `covers` tests this segment first.
    std::int32_t& end_blocker(int slot, int end) { return entries_[slot].end_blockers[end]; }

    // Positions of the vertices and lengths of the segments when the path was last measured, mesh units.
    std::span<const Vector3> points(int slot) const { return part(&Block::points, slot, vertex_count(slot)); }
    std::span<const float> lengths(int slot) const { return part(&Block::lengths, slot, vertex_count(slot) - 1); }
    // Results of the shape stage at the vertices, mesh units.
    std::span<const float> widths(int slot) const { return part(&Block::widths, slot, vertex_count(slot)); }
    std::span<float> widths(int slot) { return part(&Block::widths, slot, vertex_count(slot)); }
    std::span<const float> heights(int slot) const { return part(&Block::heights, slot, vertex_count(slot)); }
    std::span<float> heights(int slot) { return part(&Block::heights, slot, vertex_count(slot)); }
    float half_width(int slot) const { return entries_[slot].half_width; }  // half width of the full-grown wrinkle, mesh units
    void set_half_width(int slot, float half_width);
    // Factor in [0, 1] of the motion of a path over the cloth, and of its ends: 0 if the path's triangles did not
    // deform in the last frame, 1 if they deformed at least at lively_rate (constants.h)
    float pace(int slot) const { return entries_[slot].pace; }
    void set_pace(int slot, float pace) { entries_[slot].pace = pace; }
    // Computes points and segment lengths of a path from the positions (V), and adds its box to the filter.
    void measure(int slot, std::span<const Vector3> positions);
    // Measures all paths. Call this function once per frame: it also builds the box filter that makes `covers` and
    // `crowded` fast.
    void measure_all(std::span<const Vector3> positions);

    // Copies the path into a free slot and returns the slot; -1 if the pool is full. The cuts are 0, and the path is
    // not measured yet.
    int insert(const Path& path);
    // Removes the path and frees its slot.
    void remove(int slot);
    void clear();
    // Copies the path of a slot into `path`.
    void load(int slot, Path& path) const;
    // replaces the path in the slot; also updates the linked lists of vertices on edges
    void store(int slot, const Path& path);
    void set_t(int slot, int vertex, float t) { part(&Block::t, slot, vertex_count(slot))[static_cast<std::size_t>(vertex)] = t; }

    // True if a segment through `face`, from t_a on edge_a to t_b on edge_b, would cross another path, or if one of its
    // ends would be closer than edge_gap to another path on the same edge. Ignores the path `except` (-1: none).
    bool blocked(std::int32_t face, std::int32_t edge_a, float t_a, std::int32_t edge_b, float t_b, int except) const;
    // Returns the interval around t on `edge` without vertices of paths other than `except`, with a margin of edge_gap.
    // The interval is empty (low > high) if t is too close to such a vertex.
    std::array<float, 2> free_interval(std::int32_t edge, float t, int except) const;
    // True if another path covers the point: the straight distance is less than `reach` times the sum of half_width and
    // the path's half width. The path `except` is ignored. If a path covers the point, `blocker` receives the number of
    // the covering segment. Pass the same variable to the next call, which then tests this segment first.
    bool covers(const Vector3& point, float half_width, float reach, int except, std::int32_t& blocker) const;
    // Returns a pointer to both ends of the segment that begins at a vertex of the pool, and sets half_width to the
    // half width of its path. Returns null if this segment does not exist any more.
    const Vector3* segment(std::int32_t vertex, float& half_width) const;
    // True if the segment with the number `blocker` (-1: none) still covers the point.
    bool covered_by(std::int32_t blocker, const Vector3& point, float half_width, float reach) const;

    // True if an older path covers more than half of this path's vertices: their distance to the older path is below
    // `reach` times the sum of both half widths. Older paths whose slot is marked in `ignored` are skipped.
    bool crowded(int slot, float reach, std::span<const std::uint8_t> ignored) const;

    // True if every path is valid and no paths cross. Takes time proportional to the number of segments.
    bool is_sound() const;

  private:
    // The vertices of several runs. A vertex has the same index in each array. With blocks instead of one array per
    // member, a query reads few pages of memory.
    struct Block {
        // edge of each vertex; triangle of the segment after it; next vertex in the list of the edge, or -1
        std::array<std::int32_t, Runs::block> edges, faces, next;
        // slot of the path that owns each group of Runs::shortest vertices; -1: the group is free
        std::array<std::int32_t, Runs::block / Runs::shortest> owners;
        std::array<float, Runs::block> t, lengths, widths, heights;
        std::array<Vector3, Runs::block> points;
    };
    struct Entry {
        Box box;             // bounding box of the vertices
        std::int64_t birth;  // number of paths inserted before this one
        // count: number of vertices; first: first vertex of the run, or next free slot; length: length of the run
        std::int32_t count, first, length;
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
    // Returns the slot of the path that contains a vertex; -1 if the vertex is in a free run.
    std::int32_t owner(std::int32_t vertex) const { return blocks_[block_of(vertex)].owners[place_of(vertex) / Runs::shortest]; }
    void set_owner(int slot, std::int32_t owner);
    void take_run(int slot, std::int32_t length);
    void leave_run(int slot);
    void locate(int slot, std::span<const Vector3> positions);
    BoxFilter& build_filter() const;
    BoxFilter& filter() const;
    // False if the bounding box of the path is more than `distance` away from another box.
    bool is_near(int slot, const Vector3& center, const Vector3& half, float distance) const;
    // Returns the data of a path for the coverage kernel; the path covers points closer than `distance`.
    PathCoverage coverage(int slot, float distance) const;
    // True if a segment begins at this vertex of the path: it is not the last vertex.
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
    // (E) first vertex in the linked list of the vertices on each edge; -1: none
    std::vector<std::int32_t> edge_first_;
    std::uint64_t build_;           // number of the filter with the boxes of the measured paths (path.cpp)
    float most_half_width_ = 0.0f;  // largest half width of all paths since measure_all
};

// This function is inline, because tracing calls it hundreds of times per frame.
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
