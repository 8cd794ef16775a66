// Contact of cloth with a body's mesh: the searches, and the push out of the body in each substep (cloth_state.h).
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include "simulation/cloth_state.h"

namespace ruckle {

// Free cloth may rest in a crease. Pairs of coarse and fine cloth need every side of overlapping parts, or they sink in. Coarse
// cloth keeps a margin; between the sides of each crease that would strain it.
Sides ClothSimulation::State::sides_to_meet() const {
    if (rests_in_creases()) {
        return Sides::staying;
    }
    return tracking ? Sides::creases : Sides::facing;
}

// Substeps between searches. Free cloth searches once per frame. Tracked cloth moves more, and searches every search_interval
// substeps. Both search more often if the body moves beyond the reach of a search.
int ClothSimulation::State::substeps_per_search() const {
    const int usual = std::min(tracking ? search_interval : options.substeps, options.substeps);
    const float reach = first_reach * body_reach, way = body->fastest_step();
    return way * static_cast<float>(usual) <= reach ? usual : std::max(1, static_cast<int>(reach / way));
}

// Search radius of a point within which it finds every side that it can meet before the next search.
SearchReach ClothSimulation::State::reach_of(const Vector3& velocity) const {
    const float distance = options.material.thickness + options.margin, others = body_reach + distance;
    const float way = static_cast<float>(search_substeps) * (body->fastest_step() + velocity.norm() * h);
    return {std::max(first_reach * others, way + distance), others, 2.0f * distance};
}

// Searches the body's tree; in the following substeps vertices walk on from the triangles found.
void ClothSimulation::State::look_for_body(int index) {
    if (!body) {
        return;
    }
    if (index == 0) {
        body->begin_frame(body_positions, next_body, options.substeps, origin);
        search_substeps = substeps_per_search();
    }
    if (index % search_substeps != 0) {
        return;
    }
    // restores the masses of pinched vertices, which this search may release
    let_go();
    body->begin_searches(index);
    const Sides sides = sides_to_meet();
    for_chunks(team.pool(), static_cast<std::int64_t>(vertex_count), sweep_chunk, [&](std::int64_t begin, std::int64_t end, int) {
        for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
            NearBody& near = near_body[v];
            if (near.pinched && is_held_by_body(v)) {
                continue;
            }
            near.pinched = false;
            body->search(points[v], reach_of(velocities.vector(v)), sides, near);
            // attached vertices follow their pins, and tracked cloth follows the coarse cloth
            const bool holds = points[v][3] > 0.0f && attachment[v] == 0.0f && !tracking;
            near.pinched = holds && is_held_by_body(v);
        }
    });
    for (std::size_t i = 0; face_contact && i < face_contact->point_count(); ++i) {
        const Vector3 velocity = face_contact->at(i, velocities).head<3>();
        body->search(face_contact->at(i, points).data(), reach_of(velocity), sides, near_body[vertex_count + i]);
    }
    look_for_edges();
    let_slip();
    pinched.clear();
    for (std::size_t v = 0; v < vertex_count; ++v) {
        if (near_body[v].pinched) {
            pinched.push_back(static_cast<std::int32_t>(v));
            pinched_ways.vector(v) = body->pinched_way(points[v], near_body[v]).mean.head<3>();
            pinched_ways[v][3] = points[v][3];
            // as heavy as a pin: contact and strain cannot both be met, and would push it to and fro
            points[v][3] = 0.0f;
        }
    }
    body->begin_substeps(index, std::min(search_substeps, options.substeps - index));
}

// An opening elbow releases cloth: it would pull deep cloth through the arm.
bool ClothSimulation::State::is_held_by_body(std::size_t vertex) {
    NearBody& near = near_body[vertex];
    return body->pinches(points[vertex], options.material.thickness, near) &&
           body->pinched_way(points[vertex], near).opening <= pinch_opening * h;
}

// A pinched vertex cannot slide, so strain above the limit releases it. Not for cloth that rests in creases (it would jitter);
// tracked cloth is never pinched.
void ClothSimulation::State::let_slip() {
    if (rests_in_creases() || tracking) {
        return;
    }
    const auto is_held = [&](std::int32_t v) { return near_body[static_cast<std::size_t>(v)].pinched; };
    const Edges& edges = constraints.edges;
    const float most = options.material.largest_stretch + slip_stretch;
    for (std::size_t e = 0; e < edges.length.size(); ++e) {
        const std::int32_t a = edges.corners[0][e], b = edges.corners[1][e];
        // skips padding, which does not have a length
        if (edges.batches.order[e] < 0 || !(is_held(a) || is_held(b))) {
            continue;
        }
        const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
        if ((points.vector(second) - points.vector(first)).norm() > most * edges.length[e]) {
            for (const std::size_t v : {first, second}) {
                near_body[v].pinched = false;
                near_body[v].slack = {};
            }
        }
    }
}

// With contact at its ends only, a long edge would sink onto the ridge of a sharp elbow or a turning wrist.
void ClothSimulation::State::look_for_edges() {
    near_edges.clear();
    is_near_edge.assign(topology.edges.size(), false);
    look_for_ridges(true);
}

// Searches with the vertices in the body's tree. Later the ends have walked on, and show ridges that have come below them.
void ClothSimulation::State::look_for_ridges(bool in_tree) {
    // free cloth would jitter on ridges between contact and strain; face points also cover the edges
    if (rests_in_creases() || face_contact) {
        return;
    }
    const float distance = options.material.thickness + options.margin, kept = ridge_share * options.material.thickness;
    for (std::size_t e = 0; e < topology.edges.size(); ++e) {
        const auto first = static_cast<std::size_t>(topology.edges[e][0]),
                   second = static_cast<std::size_t>(topology.edges[e][1]);
        // skips edges far from the body or over one face, which are most
        if (near_body[first].faces[0] == near_body[second].faces[0] || is_near_edge[e]) {
            continue;
        }
        const Vector3 chord = points.vector(second) - points.vector(first);
        if (body->bulge(chord, near_body[first], near_body[second]) < distance - kept) {
            continue;
        }
        // pushed off the ridge of one part, its ends would enter the other
        if (tracking && (is_pinched(first) || is_pinched(second))) {
            continue;
        }
        NearEdge edge{topology.edges[e], near_body[first]};
        edge.near.slack = {};
        if (in_tree) {
            const Vector3 middle = points.vector(first) + 0.5f * chord;
            const std::array<float, 4> row = {middle[0], middle[1], middle[2], 0.0f};
            body->search(row.data(), reach_of(velocities.vector(first)), sides_to_meet(), edge.near);
        }
        is_near_edge[e] = true;
        near_edges.push_back(edge);
    }
}

bool ClothSimulation::State::is_pinched(std::size_t vertex) const {
    NearBody near = near_body[vertex];
    return body->pinches(points[vertex], options.material.thickness, near);
}

// Releases pinched vertices until the next search.
void ClothSimulation::State::let_go() {
    for (const std::int32_t v : pinched) {
        points[static_cast<std::size_t>(v)][3] = pinched_ways[static_cast<std::size_t>(v)][3];
    }
    pinched.clear();
}

ContactFactors ClothSimulation::State::contact_factors() const {
    const ClothMaterial& m = options.material;
    // the far side of a fast knee may look like an overlap for some substeps: only cloth that rests in creases yields to it
    const float overlap = rests_in_creases() ? deepest_contact : 0.0f;
    return {.thickness = m.thickness + options.margin,
            .static_friction = m.static_friction,
            .dynamic_friction = m.dynamic_friction,
            .step = h,
            .push = push_speed * h,
            .overlap = overlap,
            .press = tracking ? press_speed * h : std::numeric_limits<float>::max(),
            .layers = 0.5f * options.self_distance};
}

void ClothSimulation::State::meet_body(int index) {
    if (!body) {
        return;
    }
    // the body moves to the end of the substep, like the cloth
    body->move_to_substep(index);
    if (tracking) {
        // a fast knee rises below fine edges within a frame
        if (index > 0 && index % ridge_interval == 0) {
            look_for_ridges(false);
        }
        // vertices come last: pushed off a ridge of one part, an end may enter another
        meet_body_by_edges();
    }
    for_chunks(team.pool(), static_cast<std::int64_t>(vertex_count), sweep_chunk,
               [&, factors = contact_factors()](std::int64_t begin, std::int64_t end, int) {
                   for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
                       // pinned vertices follow their pins, even through a body
                       if (points[v][3] > 0.0f) {
                           body->push_out(factors, velocities[v], points[v], predicted[v], near_body[v]);
                       }
                   }
               });
    // after the vertices, and by one thread: neighbors share their corners
    if (face_contact) {
        ContactFactors factors = contact_factors();
        // without the margin: vertices keep it so that the chords between them remain outside
        factors.thickness = options.material.thickness;
        face_contact->push_out(*body, factors, velocities, points, predicted, std::span(near_body).subspan(vertex_count));
    }
    // edges of coarse cloth come after the vertices: their ends have the margin to spare, their middles do not
    if (!tracking) {
        meet_body_by_edges();
    }
}

// Pushes out cloth that strain has just pulled onto the body, unless it is deeper than a distance. Uses no friction, and at the end
// of a frame adds no speed, so that nothing is thrown.
void ClothSimulation::State::come_out(float farthest) {
    if (!body) {
        return;
    }
    ContactFactors factors = contact_factors();
    factors.thickness = shown_distance;
    factors.static_friction = factors.dynamic_friction = 0.0f;
    factors.push = std::numeric_limits<float>::max();
    using Row = Eigen::Array4f;
    const auto way_out = [&](const Row& point, NearBody& near) {
        Row outside = point, predicted_outside = point;
        constexpr std::array<float, 4> still = {};
        body->push_out(factors, still.data(), outside.data(), predicted_outside.data(), near);
        const Vector3 way = (outside - point).head<3>();
        return way.norm() < farthest ? way : Vector3(Vector3::Zero());
    };
    const auto row = [&](std::size_t v) { return Row(Eigen::Map<const Row>(points[v])); };
    for (NearEdge& edge : near_edges) {
        const auto a = static_cast<std::size_t>(edge.ends[0]), b = static_cast<std::size_t>(edge.ends[1]);
        if (points[a][3] > 0.0f && points[b][3] > 0.0f) {
            const Vector3 way = way_out(0.5f * (row(a) + row(b)), edge.near);
            points.vector(a) += way;
            points.vector(b) += way;
        }
    }
    for_chunks(team.pool(), static_cast<std::int64_t>(vertex_count), sweep_chunk, [&](std::int64_t begin, std::int64_t end, int) {
        for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
            if (points[v][3] > 0.0f) {
                points.vector(v) += way_out(row(v), near_body[v]);
            }
        }
    });
}

// Pushes out the middle of each edge like a vertex. By one thread: edges share their vertices.
void ClothSimulation::State::meet_body_by_edges() {
    ContactFactors factors = contact_factors();
    // without the margin, which is there for chords to use up
    factors.thickness = ridge_share * options.material.thickness;
    using Row = Eigen::Map<Eigen::Array4f>;
    for (NearEdge& edge : near_edges) {
        const auto a = static_cast<std::size_t>(edge.ends[0]), b = static_cast<std::size_t>(edge.ends[1]);
        const float both = points[a][3] + points[b][3];
        // skips edges with two pinned ends
        if (both == 0.0f) {
            continue;
        }
        const auto middle_of = [&](Rows& rows) { return Eigen::Array4f(0.5f * (Row(rows[a]) + Row(rows[b]))); };
        const Eigen::Array4f speed = middle_of(velocities), before = middle_of(points), expected = middle_of(predicted);
        Eigen::Array4f point = before, predicted_point = expected;
        body->push_out(factors, speed.data(), point.data(), predicted_point.data(), edge.near);
        const Vector3 push = (point - before).head<3>(), silent = (predicted_point - expected).head<3>();
        for (const std::size_t v : {a, b}) {
            // by inverse mass, so that the middle reaches its pushed position
            const float share = 2.0f * points[v][3] / both;
            points.vector(v) += share * push;
            predicted.vector(v) += share * silent;
        }
    }
}

}  // namespace ruckle
