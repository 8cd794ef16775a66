#include "paths/umbrella.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "paths/geometry.h"

namespace ruckle {

namespace {

constexpr float full_turn = 2.0f * std::numbers::pi_v<float>;

// The edge of the face at the vertex that is not `edge`.
std::int32_t other_spoke(const Topology& topology, std::int32_t face, std::int32_t edge, std::int32_t center) {
    for (const std::int32_t side : topology.face_edges[face]) {
        const auto& ends = topology.edges[side];
        if (side != edge && (ends[0] == center || ends[1] == center)) {
            return side;
        }
    }
    return edge;
}

std::int32_t rim_vertex(const Topology& topology, std::int32_t edge, std::int32_t center) {
    const auto& ends = topology.edges[edge];
    return ends[0] == center ? ends[1] : ends[0];
}

// a - b, wrapped to half a turn either way.
float wrapped(float angle) {
    return angle - full_turn * std::round(angle / full_turn);
}

struct Planar {
    Vector2 point;
    float angle;
};

Planar at_angle(float radius, float angle) {
    return {Vector2(radius * std::cos(angle), radius * std::sin(angle)), angle};
}

// Share of the edge from the center to t.
float from_center(const Topology& topology, std::int32_t edge, std::int32_t center, float t) {
    return topology.edges[edge][0] == center ? 1.0f - t : t;
}

// A path vertex on a spoke, or on the rim side of `face`.
bool place(const Topology& topology, const Umbrella& u, std::int32_t edge, float t, std::int32_t face, Planar& result) {
    if (const int spoke = u.spoke_of(edge); spoke >= 0) {
        result = at_angle(from_center(topology, edge, u.center, t) * u.lengths[spoke], u.angles[spoke]);
        return true;
    }
    const int sector = u.sector_of(face);
    if (sector < 0) {
        return false;
    }
    const int next = (sector + 1) % u.spoke_count;
    const float opening = u.closed && next == 0 ? full_turn - u.angles[sector] : u.angles[next] - u.angles[sector];
    const Vector2 tip = at_angle(u.lengths[sector], u.angles[sector]).point;
    const Vector2 next_tip = at_angle(u.lengths[next], u.angles[sector] + opening).point;
    const float s = topology.edges[edge][0] == rim_vertex(topology, u.edges[sector], u.center) ? t : 1.0f - t;
    result.point = tip * s + next_tip * (1.0f - s);
    result.angle = std::atan2(result.point[1], result.point[0]);
    return true;
}

// Distance from the center at which the line from a to b meets the direction `angle`.
float radius_on_line(const Vector2& a, const Vector2& b, float angle) {
    return cross(a, b) / cross(Vector2(std::cos(angle), std::sin(angle)), b - a);
}

}  // namespace

int Umbrella::spoke_of(std::int32_t edge) const {
    const auto found = std::find(edges.begin(), edges.begin() + spoke_count, edge);
    return found == edges.begin() + spoke_count ? -1 : static_cast<int>(found - edges.begin());
}

int Umbrella::sector_of(std::int32_t face) const {
    const auto found = std::find(faces.begin(), faces.begin() + face_count(), face);
    return found == faces.begin() + face_count() ? -1 : static_cast<int>(found - faces.begin());
}

bool Umbrella::unfold(const Topology& topology, std::span<const Vector3> positions, std::int32_t vertex) {
    center = vertex;
    const std::int32_t begin = topology.vertex_offsets[vertex], end = topology.vertex_offsets[vertex + 1];
    if (end - begin > most_umbrella_faces || begin == end) {
        return false;
    }
    // back to the boundary, or once around to where it began
    const std::int32_t start = topology.vertex_faces[begin];
    std::int32_t face = start, edge = -1;
    for (const std::int32_t side : topology.face_edges[start]) {
        const auto& ends = topology.edges[side];
        if (ends[0] == vertex || ends[1] == vertex) {
            edge = side;
            break;
        }
    }
    for (std::int32_t i = begin; i < end; ++i) {
        const std::int32_t before = across(topology, face, edge);
        if (before < 0 || before == start) {
            break;
        }
        face = before;
        edge = other_spoke(topology, face, edge, vertex);
    }
    closed = across(topology, face, edge) >= 0;
    const std::int32_t first_face = face;
    spoke_count = 0;
    float angle = 0.0f;
    for (;;) {
        const Vector3 spoke = positions[rim_vertex(topology, edge, vertex)] - positions[vertex];
        edges[spoke_count] = edge;
        angles[spoke_count] = angle;
        lengths[spoke_count] = spoke.norm();
        faces[spoke_count] = face;
        ++spoke_count;
        edge = other_spoke(topology, face, edge, vertex);
        const Vector3 next = positions[rim_vertex(topology, edge, vertex)] - positions[vertex];
        angle += std::atan2(spoke.cross(next).norm(), spoke.dot(next));
        face = across(topology, face, edge);
        if (face < 0 || face == first_face || spoke_count == most_umbrella_faces) {
            if (!closed) {
                edges[spoke_count] = edge;
                angles[spoke_count] = angle;
                lengths[spoke_count] = next.norm();
                ++spoke_count;
            }
            break;
        }
    }
    if (face_count() != end - begin || !(angle > 0.1f) || !std::isfinite(angle)) {
        return false;
    }
    const float scale = closed || angle > full_turn ? full_turn / angle : 1.0f;
    for (int j = 0; j < spoke_count; ++j) {
        angles[j] *= scale;
    }
    return std::all_of(lengths.begin(), lengths.begin() + spoke_count, [](float length) { return length > 0.0f; });
}

bool reroute(const Topology& topology, const Umbrella& u, int first, int last, int moved, float radius, Path& path) {
    const int spoke = u.spoke_of(path.edges[moved]);
    Planar before, middle, after;
    if (first < 1 || last >= path.count || spoke < 0 ||
        !place(topology, u, path.edges[first - 1], path.t[first - 1], path.faces[first - 1], before) ||
        !place(topology, u, path.edges[last], path.t[last], path.faces[last - 1], after)) {
        return false;
    }
    // a point beyond the center lies opposite the spoke, where an open umbrella may have no triangle
    middle = at_angle(std::abs(radius), u.angles[spoke] + (radius < 0.0f ? 0.5f * full_turn : 0.0f));
    if (!u.closed && radius < 0.0f) {
        return false;
    }
    float to_middle, to_after;
    if (u.closed) {
        to_middle = wrapped(middle.angle - before.angle);
        to_after = wrapped(after.angle - middle.angle);
    } else {
        const auto inside = [&](float angle) { return wrapped(angle - 0.5f * u.turn()) + 0.5f * u.turn(); };
        to_middle = inside(middle.angle) - inside(before.angle);
        to_after = inside(after.angle) - inside(middle.angle);
    }
    const float sweep = to_middle + to_after, sign = sweep < 0.0f ? -1.0f : 1.0f;
    if (!(std::abs(sweep) < full_turn - 1e-3f) || radius == 0.0f) {
        return false;
    }

    // the spokes strictly inside the sweep, in the order in which it meets them
    const int start_spoke = u.spoke_of(path.edges[first - 1]), end_spoke = u.spoke_of(path.edges[last]);
    std::array<std::int32_t, most_umbrella_faces + 1> order;
    std::array<float, most_umbrella_faces + 1> offsets;
    int crossed = 0;
    for (int j = 0; j < u.spoke_count; ++j) {
        if (j == start_spoke || j == end_spoke) {
            continue;
        }
        float offset = sign * (u.angles[j] - before.angle);
        offset -= full_turn * std::floor(offset / full_turn);
        if (offset >= sign * sweep) {
            continue;
        }
        int at = crossed++;
        for (; at > 0 && offsets[at - 1] > offset; --at) {
            offsets[at] = offsets[at - 1];
            order[at] = order[at - 1];
        }
        offsets[at] = offset;
        order[at] = j;
    }
    if (crossed == 0) {
        return false;
    }

    std::array<std::int32_t, most_umbrella_faces + 1> edges, faces;
    std::array<float, most_umbrella_faces + 1> t;
    const auto sector_between = [&](int a, int b) {  // the triangle that has both spokes, or -1
        if ((a + 1) % u.spoke_count == b && (u.closed || b != 0)) {
            return u.faces[a];
        }
        return (b + 1) % u.spoke_count == a && (u.closed || a != 0) ? u.faces[b] : -1;
    };
    for (int k = 0; k < crossed; ++k) {
        const int j = order[k];
        const bool early = sign * to_middle > 0.0f && offsets[k] <= sign * to_middle;
        const float where = early ? radius_on_line(before.point, middle.point, u.angles[j])
                                  : radius_on_line(middle.point, after.point, u.angles[j]);
        if (!std::isfinite(where)) {
            return false;
        }
        const float share = off_vertices(where / u.lengths[j]);
        edges[k] = u.edges[j];
        t[k] = topology.edges[u.edges[j]][0] == u.center ? 1.0f - share : share;
        faces[k] = k > 0              ? sector_between(order[k - 1], j)
                   : start_spoke >= 0 ? sector_between(start_spoke, j)
                                      : path.faces[first - 1];
        if (faces[k] < 0) {
            return false;
        }
    }
    faces[crossed] = end_spoke >= 0 ? sector_between(order[crossed - 1], end_spoke) : path.faces[last - 1];
    if (faces[crossed] < 0) {
        return false;
    }
    const auto part = [](const auto& items, int count) { return std::span(items).first(static_cast<std::size_t>(count)); };
    return path.replace(first, last, part(edges, crossed), part(t, crossed), part(faces, crossed + 1)) &&
           is_valid(topology, path);
}

}  // namespace ruckle
