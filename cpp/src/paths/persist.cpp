// Moves paths with the cloth. One linear system per path gives the positions of all vertices (path_energy.h); several
// systems are solved at once in SIMD lanes. Then each vertex moves to its solved position, over mesh vertices if
// necessary, but never across another path.
#include "ruckle/paths/persist.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "paths/geometry.h"
#include "paths/motion.h"
#include "paths/path_energy.h"
#include "paths/turn.h"
#include "paths/vertex_fan.h"

namespace ruckle {

// The linear system (5.2) of one path, and its solution.
struct PathSolution {
    PathProblem problem;
    std::int32_t slot;
    std::array<float, most_path_vertices> wanted;  // solved t of each vertex in problem.kept; may be outside [0, 1]
};

struct PersistWorkspace::Storage {
    std::vector<BandedRow> rows;
    std::array<PathSolution, banded_lanes> group;
};

PersistWorkspace::PersistWorkspace() : storage_(std::make_unique<Storage>()) {
    storage_->rows.resize(most_path_vertices);
}
PersistWorkspace::~PersistWorkspace() = default;
PersistWorkspace::PersistWorkspace(PersistWorkspace&&) noexcept = default;
PersistWorkspace& PersistWorkspace::operator=(PersistWorkspace&&) noexcept = default;

namespace {

// Moves the vertices of a path to their solved positions, as far as the mesh and the other paths allow.
class PathMover {
  public:
    PathMover(const Cloth& cloth, const PersistOptions& options, PathPool& pool, PathSolution& solution, PersistStats& stats)
        : cloth_(cloth),
          pool_(pool),
          path_(solution.problem.path),
          solution_(solution),
          slot_(solution.slot),
          most_drift_(most_drift * pool.half_width(solution.slot) * options.dt / reference_frame_time),
          stats_(stats) {}

    // Moves all vertices, updates the cuts, and stores the path in the pool.
    void apply() {
        const std::array<float, 2> hidden = hidden_lengths();
        pool_.stuck(slot_) = {0, 0};
        // process vertices from the last to the first, so that a rebuild does not change the indices of the vertices
        // that are processed later
        for (int k = solution_.problem.kept_count - 1; k >= 0; --k) {
            const int vertex = solution_.problem.kept[k];
            const float t = within_drift(vertex, solution_.wanted[k]);
            // skip the vertices from rebuilt_ on: a rebuild around a later vertex has replaced them, so the system has no solution
            // for them
            if (std::isfinite(t) && vertex < rebuilt_ && !pass_mesh_vertex(vertex, t)) {
                slide(vertex, t);
            }
        }
        restore_cuts(hidden);
        pool_.store(slot_, path_);
    }

  private:
    float segment_length(int segment) const {
        const auto point = [&](int i) { return point_on_edge(cloth_.topology, cloth_.positions, path_.edges[i], path_.t[i]); };
        return (point(segment) - point(segment + 1)).norm();
    }

    // Returns the lengths of those parts of the first and the last segment that are outside the wrinkle, mesh units.
    std::array<float, 2> hidden_lengths() const {
        const auto& cuts = pool_.cuts(slot_);
        return {cuts[0] * segment_length(0), cuts[1] * segment_length(path_.count - 2)};
    }

    // Sets the cuts so that the lengths outside the wrinkle are `hidden`, as before the move. A part of the first and
    // of the last segment always remains inside the wrinkle.
    void restore_cuts(const std::array<float, 2>& hidden) {
        auto& cuts = pool_.cuts(slot_);
        for (int end = 0; end < 2; ++end) {
            const float length = segment_length(end == 0 ? 0 : path_.count - 2);
            cuts[end] = length > hidden[end] ? std::min(hidden[end] / length, longest_cut)
                        : hidden[end] > 0.0f ? longest_cut
                                             : 0.0f;
        }
        // a single segment has both cuts, and a part of the segment must remain inside the wrinkle
        if (path_.count == 2 && cuts[0] + cuts[1] > longest_cut) {
            const float scale = longest_cut / (cuts[0] + cuts[1]);
            cuts = {cuts[0] * scale, cuts[1] * scale};
        }
    }

    // Clamps a solved t to the largest motion of a vertex per frame; returns the current t if the edge has length 0.
    // The linear system does not limit the motion: if the field turns suddenly, the solution jumps.
    float within_drift(int vertex, float t) const {
        const auto& [v1, v2] = cloth_.topology.edges[path_.edges[vertex]];
        const float length = (cloth_.positions[v1] - cloth_.positions[v2]).norm();
        const float most = length > 0.0f ? most_drift_ / length : 0.0f;
        return std::clamp(t, path_.t[vertex] - most, path_.t[vertex] + most);
    }

    static bool leaves_edge(float t) { return t < edge_margin || t > 1.0f - edge_margin; }

    // Moves the path vertex over a mesh vertex if t is beyond the end of its edge, or if the path vertex represents
    // several path vertices near a mesh vertex (path_energy.h). Returns false if the path does not change. An end of a
    // path may then be marked as stuck.
    bool pass_mesh_vertex(int vertex, float t) {
        const bool is_end = vertex == 0 || vertex + 1 == path_.count;
        const bool stands_for_others = !is_end && has_neighbor_near(vertex);
        if (!leaves_edge(t) && !stands_for_others) {
            return false;
        }
        return is_end ? turn_end(vertex, t) : rebuild(vertex, t);
    }

    // True if a neighbour on the path is near the same mesh vertex. In this case the system contains only this vertex
    // of the group (path_energy.h).
    bool has_neighbor_near(int vertex) const {
        const auto near = [&](int i) { return near_vertex(cloth_.topology, path_.edges[i], path_.t[i]); };
        const std::int32_t center = near(vertex);
        return center >= 0 && (near(vertex - 1) == center || near(vertex + 1) == center);
    }

    // Sets t of a vertex, clamped so that the vertex does not pass other paths on the edge or come too close to them.
    // If the current t is already too close, the vertex does not move.
    void slide(int vertex, float t) {
        const auto [low, high] = pool_.free_interval(path_.edges[vertex], path_.t[vertex], slot_);
        if (low <= high) {
            path_.t[vertex] = std::clamp(t, low, high);
        }
    }

    // Moves an end of the path past the mesh vertex at the nearer end of its edge, to the third side of its triangle.
    // This mesh vertex must be an end of the third side. If the move is not possible, marks the end as stuck and
    // returns false.
    bool turn_end(int vertex, float t) {
        const int next = vertex == 0 ? 1 : vertex - 1;
        const std::int32_t face = path_.faces[std::min(vertex, next)];
        const auto& sides = cloth_.topology.face_edges[face];
        const std::int32_t third = sides[0] + sides[1] + sides[2] - path_.edges[vertex] - path_.edges[next];
        const float at = off_vertices(crossing_of_side(face, third, vertex, next, t));
        if (!can_turn(face, third, vertex, next, t, at)) {
            pool_.stuck(slot_)[vertex == 0 ? 0 : 1] = 1;
            return false;
        }
        path_.edges[vertex] = third;
        path_.t[vertex] = at;
        ++stats_.slid;
        return true;
    }

    // Draws a line from path vertex `next` to position t on the edge of `vertex`, beyond the end of the edge. Returns
    // the t at which this line crosses side `third`, clamped to [0, 1].
    float crossing_of_side(std::int32_t face, std::int32_t third, int vertex, int next, float t) const {
        const Matrix2& current = cloth_.current[face];
        const int side = side_of(cloth_.topology, face, third);
        const Vector2 from = point_in_face(cloth_.topology, current, face, path_.edges[next], path_.t[next]);
        const Vector2 ahead = point_in_face(cloth_.topology, current, face, path_.edges[vertex], t) - from;
        const Vector2 start = corner(current, side), vector = corner(current, (side + 1) % 3) - start;
        const float share = cross(from - start, ahead) / cross(vector, ahead);
        return along_side(cloth_.topology, face, side, third, std::clamp(share, 0.0f, 1.0f));
    }

    // True if the end can move to the position `at` on side `third`: the side contains the passed mesh vertex, the move
    // is at most 2 most_drift_ long, the path does not cross this side, neither now nor before the move, and no other
    // path blocks the new segment.
    bool can_turn(std::int32_t face, std::int32_t third, int vertex, int next, float t, float at) const {
        const Topology& topology = cloth_.topology;
        const Matrix2& current = cloth_.current[face];
        const std::int32_t edge = path_.edges[vertex], center = topology.edges[edge][t > 0.5f ? 0 : 1];
        const bool reachable = topology.edges[third][0] == center || topology.edges[third][1] == center;
        // the crossing may be far away if the segment is nearly parallel to the third side
        const Vector2 moved =
            point_in_face(topology, current, face, third, at) - point_in_face(topology, current, face, edge, path_.t[vertex]);
        return reachable && moved.norm() <= 2.0f * most_drift_ && std::isfinite(at) && !path_.crosses(third) && !crossed(third) &&
               !pool_.blocked(face, third, at, path_.edges[next], path_.t[next], slot_);
    }

    // True if the path crossed this edge before the move. An end must not move to such an edge, because the height
    // there would drop to zero in one frame.
    bool crossed(std::int32_t edge) const {
        const auto edges = pool_.edges(slot_);
        return std::find(edges.begin(), edges.end(), edge) != edges.end();
    }

    // Rebuilds the path around the mesh vertex at that end of the edge of path vertex `vertex` that is nearer to t.
    // Returns false if the triangles around the mesh vertex cannot be unfolded, or if the new path would be invalid or
    // would cross another path; the path then does not change.
    bool rebuild(int vertex, float t) {
        const Topology& topology = cloth_.topology;
        const std::int32_t edge = path_.edges[vertex], center = topology.edges[edge][t > 0.5f ? 0 : 1];
        VertexFan fan;
        if (!fan.unfold(topology, cloth_.positions, center)) {
            stats_.clamped += leaves_edge(t);
            return false;
        }
        const auto [first, last] = vertices_on_spokes(fan, vertex);
        const float share = topology.edges[edge][0] == center ? 1.0f - t : t;
        // limit an extreme t to half an edge length from the mesh vertex (the thesis does not mention such values)
        const float radius = std::clamp(share, -0.5f, 0.5f) * fan.lengths[fan.spoke_of(edge)];
        // rebuild a copy, so that an invalid or crossing result leaves the path unchanged
        Path rebuilt = path_;
        if (!reroute(topology, fan, first, last, vertex, radius, rebuilt) ||
            is_blocked(rebuilt, first, last + rebuilt.count - path_.count)) {
            stats_.clamped += leaves_edge(t);
            return false;
        }
        rebuilt_ = first;
        ++stats_.rebuilt;
        stats_.slid += leaves_edge(t);
        path_ = rebuilt;
        return true;
    }

    // Returns the range [first, last) of consecutive path vertices on edges at the mesh vertex, without the ends of the path.
    std::array<int, 2> vertices_on_spokes(const VertexFan& fan, int vertex) const {
        int first = vertex, last = vertex + 1;
        while (first > 1 && fan.spoke_of(path_.edges[first - 1]) >= 0) {
            --first;
        }
        while (last + 1 < path_.count && fan.spoke_of(path_.edges[last]) >= 0) {
            ++last;
        }
        return {first, last};
    }

    // True if another path blocks one of the segments (first - 1, first) to (last - 1, last).
    bool is_blocked(const Path& path, int first, int last) const {
        for (int i = first - 1; i < last; ++i) {
            if (pool_.blocked(path.faces[i], path.edges[i], path.t[i], path.edges[i + 1], path.t[i + 1], slot_)) {
                return true;
            }
        }
        return false;
    }

    const Cloth& cloth_;
    PathPool& pool_;
    Path& path_;
    const PathSolution& solution_;
    int slot_;
    float most_drift_;  // largest motion of a path vertex in this frame, mesh units
    PersistStats& stats_;
    // index of the first vertex that a rebuild has replaced; the solution does not include this vertex and the vertices
    // after it
    int rebuilt_ = most_path_vertices;
};

// Prepares one system per SIMD lane in `group`, or fewer if `waiting` becomes empty. Removes each slot that it reads from
// the front of `waiting`, and sets the pace of its path. Skips paths on cloth that does not deform. Returns the number of
// systems.
int take_group(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options, PathPool& pool,
               std::span<const std::int32_t>& waiting, std::span<PathSolution> group) {
    int count = 0;
    for (; count < banded_lanes && !waiting.empty(); waiting = waiting.subspan(1)) {
        PathSolution& s = group[static_cast<std::size_t>(count)];
        PathProblem& p = s.problem;
        s.slot = waiting.front();
        pool.load(s.slot, p.path);
        const float pace = liveliness(cloth, previous, p.path, options.dt);
        pool.set_pace(s.slot, pace);
        if (pace == 0.0f) {
            continue;  // skip the path: the cloth under it does not deform
        }
        // these weights are proportional to the pace (motion.h), so that paths stop if the cloth stops
        p.options = options;
        p.options.alpha *= pace;
        p.options.straightness *= pace;
        p.options.turning *= pace;
        turn_path(cloth, p.options, most_drift * pool.half_width(s.slot), p.path, p.turned);
        p.keep_one_per_mesh_vertex(cloth.topology);
        ++count;
    }
    return count;
}

// Solves (5.2) for a group of paths, and writes the solutions to `wanted`. A system is a chain of dependent divisions,
// so four systems in SIMD lanes take about as long as one.
void solve_group(const Cloth& cloth, std::span<const Vector3> previous, std::span<PathSolution> group, BandedRow* rows) {
    int row_count = 0;
    for (const PathSolution& s : group) {
        row_count = std::max(row_count, s.problem.kept_count);
    }
    for (int lane = 0; lane < banded_lanes; ++lane) {
        if (lane < static_cast<int>(group.size())) {
            assemble(cloth, previous, group[static_cast<std::size_t>(lane)].problem, rows, row_count, lane);
        } else {
            assemble_nothing(rows, row_count, lane);
        }
    }
    solve_banded(rows, row_count);
    for (std::size_t lane = 0; lane < group.size(); ++lane) {
        PathSolution& s = group[lane];
        for (int k = 0; k < s.problem.kept_count; ++k) {
            s.wanted[k] = static_cast<float>(static_cast<double>(s.problem.turned[s.problem.kept[k]]) + rows[k].right[lane]);
        }
    }
}

}  // namespace

void optimize_path(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options, const Path& path,
                   std::span<double> t) {
    std::array<BandedRow, most_path_vertices> rows;
    PathProblem problem{.path = path, .options = options, .turned = path.t, .kept = {}, .kept_count = 0};
    problem.keep_all();
    assemble(cloth, previous, problem, rows.data(), path.count, 0);
    for (int lane = 1; lane < banded_lanes; ++lane) {
        assemble_nothing(rows.data(), path.count, lane);
    }
    solve_banded(rows.data(), path.count);
    for (int i = 0; i < path.count; ++i) {
        const double moved = static_cast<double>(path.t[i]) + rows[i].right[0];
        // as in adapt_paths, the vertex does not move if squares of extreme lengths overflow
        t[i] = std::isfinite(moved) ? moved : static_cast<double>(path.t[i]);
    }
}

PersistStats adapt_paths(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options,
                         PersistWorkspace& workspace, PathPool& pool) {
    PersistStats stats;
    auto& [rows, solutions] = workspace.storage();
    for (std::span<const std::int32_t> waiting = pool.slots(); !waiting.empty();) {
        const int count = take_group(cloth, previous, options, pool, waiting, solutions);
        const std::span group = std::span(solutions).first(static_cast<std::size_t>(count));
        solve_group(cloth, previous, group, rows.data());
        for (PathSolution& solution : group) {
            PathMover(cloth, options, pool, solution, stats).apply();
        }
    }
    return stats;
}

}  // namespace ruckle
