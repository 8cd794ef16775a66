// Unfolds a vertex fan, and reroutes a path around its center; see vertex_fan.h.
#include "paths/vertex_fan.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "numeric/functions.h"
#include "paths/geometry.h"

namespace ruckle {

namespace {

constexpr float full_turn = 2.0f * std::numbers::pi_v<float>;

bool ends_at(const Topology& topology, std::int32_t edge, std::int32_t vertex) {
    const auto& ends = topology.edges[edge];
    return ends[0] == vertex || ends[1] == vertex;
}

// Returns the other edge of the face that ends at the center; `edge` itself if it does not exist.
std::int32_t other_spoke(const Topology& topology, std::int32_t face, std::int32_t edge, std::int32_t center) {
    for (const std::int32_t side : topology.face_edges[face]) {
        if (side != edge && ends_at(topology, side, center)) {
            return side;
        }
    }
    return edge;
}

// Returns the end of a spoke that is not the center.
std::int32_t rim_vertex(const Topology& topology, std::int32_t edge, std::int32_t center) {
    const auto& ends = topology.edges[edge];
    return ends[0] == center ? ends[1] : ends[0];
}

// Returns the angle plus a multiple of 2π, in [-π, π].
float wrapped(float angle) {
    return angle - full_turn * std::round(angle / full_turn);
}

// A point of the unfolded plane with its polar angle. A point on a spoke has exactly the angle of the spoke.
struct Planar {
    Vector2 point;
    float angle;
};

// Returns the point with these polar coordinates.
Planar at_angle(float radius, float angle) {
    const auto [sine, cosine] = sine_and_cosine(angle);
    return {Vector2(radius * cosine, radius * sine), angle};
}

// Converts t on a spoke to the share of its length from the center. The same function converts the share back to t.
float from_center(const Topology& topology, std::int32_t edge, std::int32_t center, float t) {
    return topology.edges[edge][0] == center ? 1.0f - t : t;
}

// Returns the distance from the center to the intersection of the line a - b with the ray at `angle`: negative if they
// intersect on the other side of the center, not finite if they are parallel.
float radius_on_line(const Vector2& a, const Vector2& b, float angle) {
    return cross(a, b) / cross(at_angle(1.0f, angle).point, b - a);
}

// Returns the position of a path vertex on the rim of a sector. The vertex divides the line between the tips of both
// spokes in the ratio given by t.
Planar unfold_rim(const Topology& topology, const VertexFan& u, std::int32_t edge, float t, int sector) {
    const int next = (sector + 1) % u.spoke_count;
    const float opening = u.closed && next == 0 ? full_turn - u.angles[sector] : u.angles[next] - u.angles[sector];
    const Vector2 tip = at_angle(u.lengths[sector], u.angles[sector]).point;
    const Vector2 next_tip = at_angle(u.lengths[next], u.angles[sector] + opening).point;
    const float s = topology.edges[edge][0] == rim_vertex(topology, u.edges[sector], u.center) ? t : 1.0f - t;
    const Vector2 point = tip * s + next_tip * (1.0f - s);
    return {point, arc_tangent(point[1], point[0])};
}

// Computes the unfolded position of the path vertex at t on an edge, which is a spoke (`face` is then ignored) or the rim
// side of `face`. Returns false, without a result, if the edge is no spoke and `face` is not in the fan. Angles of spokes
// are those of the fan; angles on the rim are in [-pi, pi].
bool unfold_vertex(const Topology& topology, const VertexFan& u, std::int32_t edge, float t, std::int32_t face, Planar& result) {
    if (const int spoke = u.spoke_of(edge); spoke >= 0) {
        result = at_angle(from_center(topology, edge, u.center, t) * u.lengths[spoke], u.angles[spoke]);
        return true;
    }
    const int sector = u.sector_of(face);
    if (sector >= 0) {
        result = unfold_rim(topology, u, edge, t, sector);
    }
    return sector >= 0;
}

// Returns the signed angle from one direction to another: the smaller of the two angles in a closed fan, or the angle
// inside the triangles of an open fan.
float turn_between(const VertexFan& u, float from, float to) {
    if (u.closed) {
        return wrapped(to - from);
    }
    const auto inside = [middle = 0.5f * u.opening()](float angle) { return wrapped(angle - middle) + middle; };
    return inside(to) - inside(from);
}

// The two straight lines of the rebuilt path: from `before` to `middle`, and from `middle` to `after`.
struct Detour {
    Planar before, middle, after;
    // signed angles around the center: from `before` to `middle`, and from `middle` to `after`
    float to_middle, to_after;
    int start_spoke, end_spoke;  // spokes on which `before` and `after` are; -1: the point is on the rim
    std::int32_t entered, left;  // triangles of the path's segments at before and after

    float sweep() const { return to_middle + to_after; }
    float sign() const { return sweep() < 0.0f ? -1.0f : 1.0f; }
};

// Computes the two lines. Returns false if they cannot be computed: they leave the fan, pass through its center, or go
// around the whole fan.
bool plan_detour(const Topology& topology, const VertexFan& u, const Path& path, int first, int last, int moved, float radius,
                 Detour& d) {
    const int spoke = u.spoke_of(path.edges[moved]);
    // if the point is beyond the center, it is opposite the spoke and outside the triangles of an open fan
    if (first < 1 || last >= path.count || spoke < 0 || radius == 0.0f || (radius < 0.0f && !u.closed)) {
        return false;
    }
    d.entered = path.faces[first - 1];
    d.left = path.faces[last - 1];
    if (!unfold_vertex(topology, u, path.edges[first - 1], path.t[first - 1], d.entered, d.before) ||
        !unfold_vertex(topology, u, path.edges[last], path.t[last], d.left, d.after)) {
        return false;
    }
    d.start_spoke = u.spoke_of(path.edges[first - 1]);
    d.end_spoke = u.spoke_of(path.edges[last]);
    d.middle = at_angle(std::abs(radius), u.angles[spoke] + (radius < 0.0f ? 0.5f * full_turn : 0.0f));
    d.to_middle = turn_between(u, d.before.angle, d.middle.angle);
    d.to_after = turn_between(u, d.middle.angle, d.after.angle);
    // a path around the whole fan would cross itself
    return std::abs(d.sweep()) < full_turn - least_sweep_gap;
}

// Spokes that the lines cross, in order of the crossings.
struct CrossedSpokes {
    int count = 0;
    std::array<int, most_fan_faces + 1> spokes;
    std::array<float, most_fan_faces + 1> offsets;  // angle from `before` in the direction of the sweep, radians

    // Inserts a spoke in the order of offsets. Insertion sort is fast enough, because a fan has about six spokes.
    void insert(int spoke, float offset) {
        int at = count++;
        for (; at > 0 && offsets[at - 1] > offset; --at) {
            offsets[at] = offsets[at - 1];
            spokes[at] = spokes[at - 1];
        }
        offsets[at] = offset;
        spokes[at] = spoke;
    }
};

// Returns the spokes between `before` and `after`, sorted by crossing.
CrossedSpokes crossed_spokes(const VertexFan& u, const Detour& d) {
    CrossedSpokes crossed;
    const float sign = d.sign();
    for (int j = 0; j < u.spoke_count; ++j) {
        // spokes at the ends of the lines are not crossings
        if (j == d.start_spoke || j == d.end_spoke) {
            continue;
        }
        // `offset` is the angle from `before` in the direction of the sweep; it determines the order of crossings
        float offset = sign * (u.angles[j] - d.before.angle);
        offset -= full_turn * std::floor(offset / full_turn);
        if (!(offset >= sign * d.sweep())) {
            crossed.insert(j, offset);
        }
    }
    return crossed;
}

// Returns the distance from the center to the crossing of the lines with a spoke.
float crossing_radius(const VertexFan& u, const Detour& d, int spoke, float offset) {
    const float to_middle = d.sign() * d.to_middle;
    const bool before_middle = to_middle > 0.0f && offset <= to_middle;
    return before_middle ? radius_on_line(d.before.point, d.middle.point, u.angles[spoke])
                         : radius_on_line(d.middle.point, d.after.point, u.angles[spoke]);
}

// New vertices that replace the old vertices on spokes: count edges and t, count + 1 triangles.
struct Replacement {
    int count = 0;
    std::array<std::int32_t, most_fan_faces + 1> edges;
    std::array<float, most_fan_faces + 1> t;
    std::array<std::int32_t, most_fan_faces + 2> faces;
};

// Computes the new vertices. Returns false if no spoke is crossed, or if a crossing or the triangle between two
// crossings does not exist.
bool cross_spokes(const Topology& topology, const VertexFan& u, const Detour& d, Replacement& r) {
    const CrossedSpokes crossed = crossed_spokes(u, d);
    // without crossings both lines are in one triangle, and the path would lose its inner vertices
    if (crossed.count == 0) {
        return false;
    }
    int previous = d.start_spoke;
    for (int k = 0; k < crossed.count; ++k) {
        const int spoke = crossed.spokes[k];
        const float radius = crossing_radius(u, d, spoke, crossed.offsets[k]);
        r.faces[k] = previous >= 0 ? u.face_between(previous, spoke) : d.entered;
        if (!std::isfinite(radius) || r.faces[k] < 0) {
            return false;
        }
        r.edges[k] = u.edges[spoke];
        // off_vertices clamps the crossing to the spoke, because a line may leave the fan between two rim vertices
        r.t[k] = from_center(topology, u.edges[spoke], u.center, off_vertices(radius / u.lengths[spoke]));
        previous = spoke;
    }
    r.count = crossed.count;
    r.faces[r.count] = d.end_spoke >= 0 ? u.face_between(previous, d.end_spoke) : d.left;
    return r.faces[r.count] >= 0;
}

}  // namespace

int VertexFan::spoke_of(std::int32_t edge) const {
    const auto found = std::find(edges.begin(), edges.begin() + spoke_count, edge);
    return found == edges.begin() + spoke_count ? -1 : static_cast<int>(found - edges.begin());
}

int VertexFan::sector_of(std::int32_t face) const {
    const auto found = std::find(faces.begin(), faces.begin() + sector_count(), face);
    return found == faces.begin() + sector_count() ? -1 : static_cast<int>(found - faces.begin());
}

std::int32_t VertexFan::face_between(int a, int b) const {
    if ((a + 1) % spoke_count == b && (closed || b != 0)) {
        return faces[a];
    }
    return (b + 1) % spoke_count == a && (closed || a != 0) ? faces[b] : -1;
}

float VertexFan::opening() const {
    return closed ? full_turn : angles[spoke_count - 1];
}

// A triangle, and the spoke across which the traversal around the center enters it.
struct VertexFan::Entry {
    std::int32_t face, edge;
};

// Returns the triangle and spoke at which a traversal of all triangles must start: at the boundary of an open fan, or
// at any triangle of a closed fan.
VertexFan::Entry VertexFan::first_entry(const Topology& topology) const {
    const std::int32_t begin = topology.vertex_offsets[center], end = topology.vertex_offsets[center + 1];
    const std::int32_t start = topology.vertex_faces[begin];
    const auto& sides = topology.face_edges[start];
    Entry at{start,
             *std::find_if(sides.begin(), sides.end(), [&](std::int32_t side) { return ends_at(topology, side, center); })};
    // walk backwards to the boundary, or once around the center. (If the vertex has two fans, unfold() later counts too
    // few triangles and returns false.)
    for (std::int32_t i = begin; i < end; ++i) {
        const std::int32_t before = across(topology, at.face, at.edge);
        if (before < 0 || before == start) {
            break;
        }
        at = {before, other_spoke(topology, before, at.edge, center)};
    }
    return at;
}

void VertexFan::add_spoke(std::int32_t edge, float angle, float length) {
    edges[spoke_count] = edge;
    angles[spoke_count] = angle;
    lengths[spoke_count] = length;
    ++spoke_count;
}

// Fills in spokes and sectors, triangle after triangle. Returns the sum of the triangles' angles at the center,
// radians.
float VertexFan::lay_spokes(const Topology& topology, std::span<const Vector3> positions, Entry at) {
    const auto spoke_vector = [&](std::int32_t edge) -> Vector3 {
        return positions[rim_vertex(topology, edge, center)] - positions[center];
    };
    const std::int32_t first_face = at.face;
    Vector3 spoke = spoke_vector(at.edge);
    float angle = 0.0f;
    spoke_count = 0;
    do {
        faces[spoke_count] = at.face;
        add_spoke(at.edge, angle, spoke.norm());
        at.edge = other_spoke(topology, at.face, at.edge, center);
        const Vector3 next = spoke_vector(at.edge);
        // compute the angle from sine and cosine, because this is accurate for any angle
        angle += arc_tangent(spoke.cross(next).norm(), spoke.dot(next));
        spoke = next;
        at.face = across(topology, at.face, at.edge);
    } while (at.face >= 0 && at.face != first_face && spoke_count < most_fan_faces);
    if (!closed) {
        add_spoke(at.edge, angle, spoke.norm());
    }
    return angle;
}

bool VertexFan::unfold(const Topology& topology, std::span<const Vector3> positions, std::int32_t vertex) {
    center = vertex;
    const std::int32_t count = topology.vertex_offsets[vertex + 1] - topology.vertex_offsets[vertex];
    if (count > most_fan_faces || count == 0) {
        return false;
    }
    const Entry start = first_entry(topology);
    closed = across(topology, start.face, start.edge) >= 0;
    const float angle = lay_spokes(topology, positions, start);
    if (sector_count() != count || !(angle > least_fan_angle) || !std::isfinite(angle)) {
        return false;
    }
    // scale the angles of a closed fan to a full turn. Also scale an open fan of more than a full turn, because it must
    // not overlap itself
    const float scale = closed || angle > full_turn ? full_turn / angle : 1.0f;
    for (int j = 0; j < spoke_count; ++j) {
        angles[j] *= scale;
    }
    return std::all_of(lengths.begin(), lengths.begin() + spoke_count, [](float length) { return length > 0.0f; });
}

// Validates the whole path at the end, because the new part may visit a triangle or an edge that the rest of the path
// visits, too.
bool reroute(const Topology& topology, const VertexFan& u, int first, int last, int moved, float radius, Path& path) {
    Detour detour;
    Replacement r;
    if (!plan_detour(topology, u, path, first, last, moved, radius, detour) || !cross_spokes(topology, u, detour, r)) {
        return false;
    }
    const auto part = [](const auto& items, int count) { return std::span(items).first(static_cast<std::size_t>(count)); };
    return path.replace(first, last, part(r.edges, r.count), part(r.t, r.count), part(r.faces, r.count + 1)) &&
           is_valid(topology, path);
}

}  // namespace ruckle
