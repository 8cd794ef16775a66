#include "ruckle/paths/persist.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "numeric/banded.h"
#include "paths/geometry.h"
#include "paths/motion.h"
#include "paths/turn.h"
#include "paths/umbrella.h"

namespace ruckle {

// A path, which of its vertices take part in the solve, and what the solve makes of them.
struct PathSolution {
    Path path;
    std::int32_t slot;
    PersistOptions options;                             // less lively where the cloth hardly moves
    std::array<float, most_path_vertices> turned;       // t after the path has turned as a whole
    std::array<std::int16_t, most_path_vertices> kept;  // vertices of the path that the solve moves
    std::array<float, most_path_vertices> wanted;       // where the solve wants them: t
    int kept_count;
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

// The mesh vertex within `vicinity` of t on the edge, or -1.
std::int32_t near_vertex(const Topology& topology, std::int32_t edge, float t, float vicinity) {
    return t > 1.0f - vicinity ? topology.edges[edge][0] : t < vicinity ? topology.edges[edge][1] : -1;
}

// Of several path vertices in a row near one mesh vertex only the middle one is solved for (thesis 5.2).
void keep_one_per_vertex(const Topology& topology, PathSolution& s) {
    s.kept_count = 0;
    for (int i = 0; i < s.path.count;) {
        const std::int32_t vertex = near_vertex(topology, s.path.edges[i], s.path.t[i], vertex_vicinity);
        int end = i + 1;
        while (vertex >= 0 && end < s.path.count &&
               near_vertex(topology, s.path.edges[end], s.path.t[end], vertex_vicinity) == vertex) {
            ++end;
        }
        // the ends of a path always take part
        const int keep = i == 0 ? 0 : end == s.path.count ? end - 1 : (i + end - 1) / 2;
        s.kept[s.kept_count++] = static_cast<std::int16_t>(keep);
        i = end;
    }
    if (s.kept_count == 1) {  // all of it near one mesh vertex
        s.kept_count = 2;
        s.kept = {0, static_cast<std::int16_t>(s.path.count - 1)};
    }
}

// Axes that turn with the cloth around an edge: along it, across it in the cloth, and the normal; unnormalised.
struct ClothFrame {
    Vector3 along, across, normal;

    ClothFrame(const Topology& topology, std::span<const Vector3> positions, std::int32_t edge) {
        const auto& [v1, v2] = topology.edges[edge];
        along = positions[v1] - positions[v2];
        normal.setZero();
        const auto& faces = topology.edge_faces[edge];
        for (int side = 0; side < 2 && faces[side] >= 0; ++side) {
            const Face& f = topology.faces[faces[side]];
            const std::int32_t opposite = f[0] + f[1] + f[2] - v1 - v2;
            // away from the edge on either side: the cross products point the same way when the second is negated
            const Vector3 half = along.cross(positions[opposite] - positions[v2]);
            normal += side == 0 ? half : Vector3(-half);
        }
        across = normal.cross(along);
    }
};

// c turned from the previous frame to this one along with the cloth around an edge; unchanged where the edge has collapsed.
Vector3 turned(const ClothFrame& from, const ClothFrame& to, const Vector3& c) {
    const auto part = [&](const Vector3& a, const Vector3& b) {
        return Vector3(b * (a.dot(c) / std::sqrt(a.squaredNorm() * b.squaredNorm())));
    };
    const Vector3 result = part(from.along, to.along) + part(from.across, to.across) + part(from.normal, to.normal);
    return result.allFinite() ? result : c;
}

// Bends the polyline at vertex i: p_i - (p_{i-1} + p_{i+1}) / 2, with p_{-1} = p_1 and p_n = p_{n-2}.
Vector3 bend(const Vector3* points, int i, int count) {
    const int before = i > 0 ? i - 1 : 1, after = i + 1 < count ? i + 1 : count - 2;
    return points[i] - 0.5f * (points[before] + points[after]);
}

// Writes the normal equations of (5.2) for x = t - t̄ into one lane, lengths in units of ℓ.
void assemble(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options, const PathSolution& s,
              BandedRow* rows, int lane) {
    const Topology& topology = cloth.topology;
    const int count = s.kept_count;
    const float unit = 1.0f / options.length_unit;
    std::array<Vector3, most_path_vertices> now, before, edge;
    for (int k = 0; k < count; ++k) {
        const std::int32_t e = s.path.edges[s.kept[k]];
        const float t = s.turned[s.kept[k]];
        now[k] = point_on_edge(topology, cloth.positions, e, t);
        before[k] = point_on_edge(topology, previous, e, t);
        edge[k] = (cloth.positions[topology.edges[e][0]] - cloth.positions[topology.edges[e][1]]) * unit;
        BandedRow& row = rows[k];
        row.diagonal[lane] = 1.0;
        row.first[lane] = row.second[lane] = row.right[lane] = 0.0;
    }
    // a residual r + Σ g_j x_j, squared, with three unknowns at most from `at` on
    const auto couple = [&](int i, int j, double value) { (j == i + 1 ? rows[i].first : rows[i].second)[lane] += value; };

    const double alpha = static_cast<double>(options.alpha) * static_cast<double>(options.dt / reference_frame_time);
    for (int k = 0; k + 1 < count; ++k) {
        const int i = s.kept[k];
        if (s.kept[k + 1] != i + 1) {
            continue;  // the segment passes several triangles: no axis belongs to it
        }
        const std::int32_t face = s.path.faces[i], e0 = s.path.edges[i], e1 = s.path.edges[i + 1];
        const Matrix2& current = cloth.current[face];
        const Vector2& axis = cloth.field.axis[face];
        const auto slope = [&](std::int32_t e) {  // d p / d t along the axis
            const int side = side_of(topology, face, e);
            const float d = (corner(current, (side + 1) % 3) - corner(current, side)).dot(axis);
            return static_cast<double>(unit * (topology.faces[face][side] == topology.edges[e][0] ? -d : d));
        };
        const double residual = static_cast<double>(unit * axis.dot(point_in_face(topology, current, face, e1, s.turned[i + 1]) -
                                                                    point_in_face(topology, current, face, e0, s.turned[i])));
        const double g0 = -slope(e0), g1 = slope(e1);
        rows[k].diagonal[lane] += alpha * g0 * g0;
        rows[k + 1].diagonal[lane] += alpha * g1 * g1;
        couple(k, k + 1, alpha * g0 * g1);
        rows[k].right[lane] -= alpha * g0 * residual;
        rows[k + 1].right[lane] -= alpha * g1 * residual;
    }
    const double straightness =
        static_cast<double>(options.straightness) * static_cast<double>(options.dt / reference_frame_time);
    for (int k = 1; k + 1 < count && straightness > 0.0; ++k) {
        if (s.kept[k + 1] != s.kept[k - 1] + 2) {
            continue;
        }
        // the straight line divides the distance of the neighbours from the edge's line
        const Vector3 to_before = (now[k - 1] - now[k]) * unit, to_after = (now[k + 1] - now[k]) * unit;
        const float length = edge[k].norm();
        const Vector3 along = edge[k] / length;
        const float s0 = along.dot(to_before), s2 = along.dot(to_after);
        const float h0 = (to_before - s0 * along).norm() + least_across_edge,
                    h2 = (to_after - s2 * along).norm() + least_across_edge;
        const float share0 = h2 / (h0 + h2), share2 = h0 / (h0 + h2);
        if (!std::isfinite(share0 + s0 + s2)) {
            continue;
        }
        const double residual = static_cast<double>(-share0 * s0 - share2 * s2);
        const double g[3] = {static_cast<double>(-share0 * along.dot(edge[k - 1])), static_cast<double>(length),
                             static_cast<double>(-share2 * along.dot(edge[k + 1]))};
        for (int a = 0; a < 3; ++a) {
            rows[k - 1 + a].diagonal[lane] += straightness * g[a] * g[a];
            rows[k - 1 + a].right[lane] -= straightness * g[a] * residual;
            for (int b = a + 1; b < 3; ++b) {
                couple(k - 1 + a, k - 1 + b, straightness * g[a] * g[b]);
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        const std::int32_t e = s.path.edges[s.kept[k]];
        const Vector3 shape =
            turned(ClothFrame(topology, previous, e), ClothFrame(topology, cloth.positions, e), bend(before.data(), k, count));
        const Vector3 residual = (bend(now.data(), k, count) - shape) * unit;
        const bool inner = k > 0 && k + 1 < count;
        // neighbours weigh one half each, or the only one weighs one
        const float weight = inner ? -0.5f : -1.0f;
        const int low = std::max(k - 1, 0), high = std::min(k + 1, count - 1);
        for (int a = low; a <= high; ++a) {
            const Vector3 ga = edge[a] * (a == k ? 1.0f : weight);
            rows[a].diagonal[lane] += static_cast<double>(ga.squaredNorm());
            rows[a].right[lane] -= static_cast<double>(ga.dot(residual));
            for (int b = a + 1; b <= high; ++b) {
                couple(a, b, static_cast<double>(ga.dot(edge[b] * (b == k ? 1.0f : weight))));
            }
        }
    }
}

void pad(BandedRow* rows, int from, int to, int lane) {
    for (int k = from; k < to; ++k) {
        rows[k].diagonal[lane] = 1.0;
        rows[k].first[lane] = rows[k].second[lane] = rows[k].right[lane] = 0.0;
    }
}

// One path being moved, with what its cuts were worth in length.
class Mover {
  public:
    Mover(const Cloth& cloth, PathPool& pool, PathSolution& solution, int slot, float dt, PersistStats& stats)
        : cloth_(cloth),
          pool_(pool),
          path_(solution.path),
          solution_(solution),
          slot_(slot),
          most_drift_(most_drift * pool.half_width(slot) * dt / reference_frame_time),
          stats_(stats) {}

    void apply() {
        const std::array<float, 2> hidden = {pool_.cuts(slot_)[0] * end_length(0),
                                             pool_.cuts(slot_)[1] * end_length(path_.count - 2)};
        pool_.free_ends(slot_);
        // from the last to the first, so that rebuilding does not renumber what is still to come
        for (int k = solution_.kept_count - 1; k >= 0; --k) {
            const int vertex = solution_.kept[k];
            const float t = unhurried(vertex, solution_.wanted[k]);
            if (!std::isfinite(t) || vertex >= untouched_) {
                continue;
            }
            const bool leaves = t < edge_margin || t > 1.0f - edge_margin;
            const bool stands_for_others = vertex > 0 && vertex + 1 < path_.count && has_neighbor_near(vertex);
            const bool is_end = vertex == 0 || vertex + 1 == path_.count;
            if (!(leaves || stands_for_others) || !(is_end ? turn_end(vertex, t) : rebuild(vertex, t))) {
                move(vertex, t);
            }
        }
        restore_cuts(hidden);
        pool_.store(slot_, path_);
    }

  private:
    float end_length(int segment) const {
        return (point_on_edge(cloth_.topology, cloth_.positions, path_.edges[segment], path_.t[segment]) -
                point_on_edge(cloth_.topology, cloth_.positions, path_.edges[segment + 1], path_.t[segment + 1]))
            .norm();
    }

    void restore_cuts(const std::array<float, 2>& hidden) {
        auto& cuts = pool_.cuts(slot_);
        for (int end = 0; end < 2; ++end) {
            const float length = end_length(end == 0 ? 0 : path_.count - 2);
            cuts[end] = length > hidden[end] ? std::min(hidden[end] / length, longest_cut)
                        : hidden[end] > 0.0f ? longest_cut
                                             : 0.0f;
        }
        if (path_.count == 2 && cuts[0] + cuts[1] > longest_cut) {
            const float scale = longest_cut / (cuts[0] + cuts[1]);
            cuts = {cuts[0] * scale, cuts[1] * scale};
        }
    }

    float unhurried(int vertex, float t) const {
        const auto& [v1, v2] = cloth_.topology.edges[path_.edges[vertex]];
        const float length = (cloth_.positions[v1] - cloth_.positions[v2]).norm();
        const float most = length > 0.0f ? most_drift_ / length : 0.0f;
        return std::clamp(t, path_.t[vertex] - most, path_.t[vertex] + most);
    }

    // The neighbour was left out of the solve because of this vertex.
    bool has_neighbor_near(int vertex) const {
        const auto near = [&](int i) { return near_vertex(cloth_.topology, path_.edges[i], path_.t[i], vertex_vicinity); };
        const std::int32_t center = near(vertex);
        return center >= 0 && (near(vertex - 1) == center || near(vertex + 1) == center);
    }

    void move(int vertex, float t) {
        const auto [low, high] = pool_.free_interval(path_.edges[vertex], path_.t[vertex], slot_);
        if (low <= high) {
            path_.t[vertex] = std::clamp(t, low, high);
        }
    }

    // An end that passes a mesh vertex at t goes on along the third side of its triangle, where that side begins at this vertex.
    // False: the end can go no farther on its edge and is stuck.
    bool turn_end(int vertex, float t) {
        const Topology& topology = cloth_.topology;
        const int next = vertex == 0 ? 1 : vertex - 1;
        const std::int32_t face = path_.faces[std::min(vertex, next)], edge = path_.edges[vertex], inner = path_.edges[next];
        const std::int32_t center = topology.edges[edge][t > 0.5f ? 0 : 1];
        const auto& sides = topology.face_edges[face];
        const std::int32_t third = sides[0] + sides[1] + sides[2] - edge - inner;
        const bool reachable = topology.edges[third][0] == center || topology.edges[third][1] == center;
        const int side = side_of(topology, face, third);
        const Matrix2& current = cloth_.current[face];
        const Vector2 from = point_in_face(topology, current, face, inner, path_.t[next]);
        const Vector2 ahead = point_in_face(topology, current, face, edge, t) - from;
        const Vector2 start = corner(current, side), vector = corner(current, (side + 1) % 3) - start;
        const float share = cross(from - start, ahead) / cross(vector, ahead);
        const float at = off_vertices(along_side(topology, face, side, third, std::clamp(share, 0.0f, 1.0f)));
        // where the line runs along the third side, it may cross that side far away
        const Vector2 moved =
            point_in_face(topology, current, face, third, at) - point_in_face(topology, current, face, edge, path_.t[vertex]);
        if (!reachable || !(moved.norm() <= 2.0f * most_drift_) || !std::isfinite(at) || path_.crosses(third) || crossed(third) ||
            pool_.blocked(face, third, at, inner, path_.t[next], slot_)) {
            pool_.set_stuck(slot_, vertex == 0 ? 0 : 1);
            return false;
        }
        path_.edges[vertex] = third;
        path_.t[vertex] = at;
        ++stats_.slid;
        return true;
    }

    // The path crossed this edge before it began to move: where it stood high, no end may be.
    bool crossed(std::int32_t edge) const {
        const auto edges = pool_.edges(slot_);
        return std::find(edges.begin(), edges.end(), edge) != edges.end();
    }

    // Rebuilds the path around the mesh vertex that t lies at or beyond. False: nothing has changed.
    bool rebuild(int vertex, float t) {
        const Topology& topology = cloth_.topology;
        const std::int32_t edge = path_.edges[vertex];
        const std::int32_t center = topology.edges[edge][t > 0.5f ? 0 : 1];
        const bool leaves = t < edge_margin || t > 1.0f - edge_margin;
        Umbrella umbrella;
        if (!umbrella.unfold(topology, cloth_.positions, center)) {
            stats_.clamped += leaves;
            return false;
        }
        int first = vertex, last = vertex + 1;
        while (first > 1 && umbrella.spoke_of(path_.edges[first - 1]) >= 0) {
            --first;
        }
        while (last + 1 < path_.count && umbrella.spoke_of(path_.edges[last]) >= 0) {
            ++last;
        }
        const float share = topology.edges[edge][0] == center ? 1.0f - t : t;
        // within the umbrella even where t is extreme
        const float radius = std::clamp(share, -0.5f, 0.5f) * umbrella.lengths[umbrella.spoke_of(edge)];
        Path rebuilt = path_;
        if (!reroute(topology, umbrella, first, last, vertex, radius, rebuilt) ||
            is_blocked(rebuilt, first, last + rebuilt.count - path_.count)) {
            stats_.clamped += leaves;
            return false;
        }
        untouched_ = first;
        ++stats_.rebuilt;
        stats_.slid += leaves;
        path_ = rebuilt;
        return true;
    }

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
    float most_drift_;  // mesh units
    PersistStats& stats_;
    int untouched_ = most_path_vertices;  // vertices from here on have been rebuilt
};

}  // namespace

void optimize_path(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options, const Path& path,
                   std::span<double> t) {
    std::array<BandedRow, most_path_vertices> rows;
    PathSolution s;
    s.path = path;
    s.turned = path.t;
    s.kept_count = path.count;
    for (int i = 0; i < path.count; ++i) {
        s.kept[i] = static_cast<std::int16_t>(i);
    }
    for (int lane = 0; lane < banded_lanes; ++lane) {
        pad(rows.data(), 0, path.count, lane);
    }
    assemble(cloth, previous, options, s, rows.data(), 0);
    solve_banded(rows.data(), path.count);
    for (int i = 0; i < path.count; ++i) {
        t[i] = static_cast<double>(path.t[i]) + rows[i].right[0];
    }
}

PersistStats adapt_paths(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options,
                         PersistWorkspace& workspace, PathPool& pool) {
    PersistStats stats;
    auto& [rows, group] = workspace.storage();
    const std::span<const std::int32_t> slots = pool.slots();
    for (std::size_t next = 0; next < slots.size();) {
        int lanes = 0, longest = 0;
        for (; lanes < banded_lanes && next < slots.size(); ++next) {
            PathSolution& s = group[lanes];
            s.slot = slots[next];
            pool.load(s.slot, s.path);
            const float pace = liveliness(edge_change(cloth, previous, s.path), options.dt);
            pool.set_pace(s.slot, pace);
            if (pace == 0.0f) {
                continue;  // cloth that holds still holds its folds
            }
            s.options = options;
            s.options.alpha *= pace;
            s.options.straightness *= pace;
            s.options.turning *= pace;
            turn_path(cloth, s.options, most_drift * pool.half_width(s.slot), s.path, s.turned);
            keep_one_per_vertex(cloth.topology, s);
            longest = std::max(longest, s.kept_count);
            ++lanes;
        }
        for (int lane = 0; lane < banded_lanes; ++lane) {
            if (lane < lanes) {
                assemble(cloth, previous, group[lane].options, group[lane], rows.data(), lane);
            }
            pad(rows.data(), lane < lanes ? group[lane].kept_count : 0, longest, lane);
        }
        solve_banded(rows.data(), longest);
        for (int lane = 0; lane < lanes; ++lane) {
            PathSolution& s = group[lane];
            for (int k = 0; k < s.kept_count; ++k) {
                s.wanted[k] = static_cast<float>(static_cast<double>(s.turned[s.kept[k]]) + rows[k].right[lane]);
            }
            Mover(cloth, pool, s, s.slot, options.dt, stats).apply();
        }
    }
    return stats;
}

}  // namespace ruckle
