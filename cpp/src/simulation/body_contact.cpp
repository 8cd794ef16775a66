#include "simulation/body_contact.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "simulation/limits.h"

namespace ruckle {

namespace {

// Number of substeps between calls of give_way(), which reduces the contact distance of overstretched cloth.
constexpr int give_interval = 4;

// Largest speed in m/s at which free cloth is pushed out between two facing sides of a body. Larger: cloth between
// limbs jitters from side to side.
constexpr float free_push_speed = 0.5f;

// Speed of the fastest body vertex in m/s above which contact has priority over strain limits. Larger: fast bodies
// enter taut cloth. Smaller: cloth that limbs pinch tears.
constexpr float fast_speed = 6.0f;

}  // namespace

BodyContact::BodyContact(MovingCloth& cloth, const FaceContact* face_contact, std::span<const Face> faces, int vertex_count)
    : cloth_(cloth),
      face_contact_(face_contact),
      body_(faces, vertex_count),
      near_(cloth.vertex_count + (face_contact ? face_contact->point_count() : 0)),
      saved_near_(near_),
      pinched_ways_(cloth.row_count) {
    // reserve memory for any frame, because steps must not allocate
    near_edges_.reserve(cloth.topology.edges.size());
    is_near_edge_.reserve(cloth.topology.edges.size());
    pinched_.reserve(cloth.vertex_count);
    last_.reserve(static_cast<std::size_t>(vertex_count));
    next_.reserve(static_cast<std::size_t>(vertex_count));
}

void BodyContact::place() {
    forget();
    std::fill(near_.begin(), near_.end(), NearBody{});
}

void BodyContact::take(std::span<const Vector3> body, bool first) {
    next_.assign(body.begin(), body.end());
    if (first) {
        last_.assign(body.begin(), body.end());
    }
    saved_near_ = near_;
}

void BodyContact::restore(std::span<const Vector3> last, std::span<const Vector3> first, std::span<const NearBody> near) {
    last_.assign(last.begin(), last.end());
    body_.remember_first(first);
    std::copy(near.begin(), near.end(), near_.begin());
}

// Calls work(v) for every vertex, on all threads.
template <class Work>
void BodyContact::for_vertices(Work work) {
    for_chunks(cloth_.team.pool(), static_cast<std::int64_t>(cloth_.vertex_count), sweep_chunk,
               [&](std::int64_t begin, std::int64_t end, int) {
                   for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
                       work(v);
                   }
               });
}

// Returns which sides of the body a search finds in addition to the nearest one. Cloth that may rest in creases uses
// only facing sides at which contact persists. Tracked cloth also needs sides beyond creases, because it sinks into a
// missed side. Free cloth with a margin uses all facing sides, but none beyond creases, because these would strain it.
Sides BodyContact::sides_to_meet() const {
    if (cloth_.rests_in_creases()) {
        return Sides::staying;
    }
    return cloth_.is_tracked ? Sides::creases : Sides::facing;
}

// Returns the number of substeps between searches: all substeps of a frame for free cloth, at most search_interval for
// tracked cloth, which moves more. The number is smaller, but at least 1, if the body would otherwise move by more than
// first_reach · body_reach.
int BodyContact::substeps_per_search() const {
    const int usual = std::min(cloth_.is_tracked ? search_interval : cloth_.options.substeps, cloth_.options.substeps);
    const float reach = first_reach * body_reach, way = body_.fastest_step();
    return way * static_cast<float>(usual) <= reach ? usual : std::max(1, static_cast<int>(reach / way));
}

// Returns the search radius of a point. It covers every side that the point can touch before the next search.
SearchReach BodyContact::reach_of(const Vector3& velocity) const {
    const float distance = cloth_.options.material.thickness + cloth_.options.margin, others = body_reach + distance;
    const float way = static_cast<float>(search_substeps_) * (body_.fastest_step() + velocity.norm() * cloth_.h);
    return {std::max(first_reach * others, way + distance), others, 2.0f * distance};
}

// Starts the frame in substep 0, and reduces the contact distance of overstretched cloth every give_interval substeps.
// If a search is due, searches the bounding box tree of the body around all points and long edges, and pins pinched
// vertices. In other substeps, vertices walk over the mesh from the triangles found.
void BodyContact::search(int substep) {
    if (substep == 0) {
        body_.begin_frame(last_, next_, cloth_.options.substeps, cloth_.origin);
        return_from_giving();
        search_substeps_ = substeps_per_search();
    }
    if (substep % give_interval == 0) {
        give_way();
    }
    if (substep % search_substeps_ != 0) {
        return;
    }
    // restores the masses of pinched vertices, because this search may release them
    let_go();
    body_.begin_searches(substep);
    search_around_points();
    near_edges_.clear();
    is_near_edge_.assign(cloth_.topology.edges.size(), false);
    find_edges(true);
    let_slip();
    hold_pinched();
    body_.fix_normals(substep, std::min(search_substeps_, cloth_.options.substeps - substep));
}

void BodyContact::search_around_points() {
    const Sides sides = sides_to_meet();
    const Rows &points = cloth_.points, &velocities = cloth_.velocities;
    for_vertices([&](std::size_t v) {
        NearBody& near = near_[v];
        if (near.pinched && is_held(v)) {
            return;
        }
        near.pinched = false;
        body_.search(points[v], reach_of(velocities.vector(v)), sides, near);
        // pinched vertices must be free: attached vertices follow their pins, and tracked cloth follows the coarse
        // cloth
        const bool holds = points[v][3] > 0.0f && cloth_.attachment[v] == 0.0f && !cloth_.is_tracked;
        near.pinched = holds && is_held(v);
    });
    for (std::size_t i = 0; face_contact_ && i < face_contact_->point_count(); ++i) {
        const Vector3 velocity = face_contact_->at(i, velocities).head<3>();
        body_.search(face_contact_->at(i, points).data(), reach_of(velocity), sides, near_[cloth_.vertex_count + i]);
    }
}

// Returns true if two sides of the body pinch the vertex and separate at most at the speed pinch_opening. If they
// separate faster, as in an opening elbow, the vertex is released, because otherwise the elbow would pull deep cloth
// through the arm.
bool BodyContact::is_held(std::size_t vertex) {
    NearBody& near = near_[vertex];
    return body_.pinches(cloth_.points[vertex], cloth_.options.material.thickness, near) &&
           body_.pinched_way(cloth_.points[vertex], near).opening <= pinch_opening * cloth_.h;
}

// Increases `give` at both ends of each edge that is stretched beyond largest_stretch + yield_stretch, so that the
// contact distance decreases slowly until the edge is below this limit. Contact and strain limits cannot both be
// satisfied if body parts pinch the cloth, or if the cloth is too small for a pose. Strain limits after contact would
// make the cloth jitter in every substep, and add energy without end. Does nothing for tracked cloth, face contact and
// fast bodies.
void BodyContact::give_way() {
    if (!gives_way() || is_fast()) {
        return;
    }
    const float step = give_speed * cloth_.h * static_cast<float>(give_interval);
    const Edges& edges = cloth_.constraints.edges;
    const float allowed = cloth_.options.material.largest_stretch + yield_stretch;
    // Largest `give` of a vertex: only a vertex between two sides may enter the body, by at most deepest_contact. Other
    // vertices remain shown_distance outside.
    const float distance = cloth_.options.material.thickness + cloth_.options.margin;
    const auto most_of = [&](const NearBody& near) {
        return near.faces[1] < 0 ? std::max(distance - shown_distance, 0.0f) : distance + deepest_contact;
    };
    for (std::size_t e = 0; e < edges.length.size(); ++e) {
        const auto a = static_cast<std::size_t>(edges.corners[0][e]), b = static_cast<std::size_t>(edges.corners[1][e]);
        const float excess = (cloth_.points.vector(a) - cloth_.points.vector(b)).norm() - allowed * edges.length[e];
        // skips padding, whose order is -1
        if (excess > 0.0f && edges.batches.order[e] >= 0) {
            for (const std::size_t v : {a, b}) {
                NearBody& near = near_[v];
                near.give = std::min(near.give + std::min(excess, step), most_of(near));
            }
        }
    }
}

bool BodyContact::is_fast() const {
    return body_.fastest_step() > fast_speed * cloth_.h;
}

void BodyContact::return_from_giving() {
    for (NearBody& near : near_) {
        near.give = std::max(near.give - return_speed * cloth_.dt, 0.0f);
    }
}

// Returns the contact factors of a point: the thickness minus `give`, which may be negative (overlap then allows this
// depth). Free cloth between two sides of the body is also pushed out more slowly (free_push_speed).
ContactFactors BodyContact::factors_of(const NearBody& near) const {
    ContactFactors factors = cloth_.contact_factors();
    factors.thickness -= near.give;
    factors.overlap = std::max(factors.overlap, -factors.thickness);
    if (gives_way() && near.faces[1] >= 0) {
        factors.push = std::min(factors.push, free_push_speed * cloth_.h);
    }
    return factors;
}

// Releases both ends of an edge if an end is pinched and the edge is stretched beyond largest_stretch + slip_stretch,
// because a pinched vertex cannot slide. Cloth that rests in creases is excluded because it would jitter. Tracked cloth
// is never pinched.
void BodyContact::let_slip() {
    if (cloth_.rests_in_creases() || cloth_.is_tracked) {
        return;
    }
    const auto is_held_now = [&](std::int32_t v) { return near_[static_cast<std::size_t>(v)].pinched; };
    const Edges& edges = cloth_.constraints.edges;
    const float most = cloth_.options.material.largest_stretch + slip_stretch;
    for (std::size_t e = 0; e < edges.length.size(); ++e) {
        const std::int32_t a = edges.corners[0][e], b = edges.corners[1][e];
        // skips padding, whose order is -1
        if (edges.batches.order[e] < 0 || !(is_held_now(a) || is_held_now(b))) {
            continue;
        }
        const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
        if ((cloth_.points.vector(second) - cloth_.points.vector(first)).norm() > most * edges.length[e]) {
            for (const std::size_t v : {first, second}) {
                near_[v].pinched = false;
                near_[v].slack = {};
            }
        }
    }
}

// Lists the pinched vertices and sets their inverse masses to 0; stores their motion with the body and their inverse
// masses in pinched_ways_.
void BodyContact::hold_pinched() {
    for (std::size_t v = 0; v < cloth_.vertex_count; ++v) {
        if (near_[v].pinched) {
            float* const point = cloth_.points[v];
            pinched_.push_back(static_cast<std::int32_t>(v));
            pinched_ways_.vector(v) = body_.pinched_way(point, near_[v]).mean.head<3>();
            pinched_ways_[v][3] = point[3];
            // fixed like a pinned vertex: contact and strain limits cannot both be satisfied, and would move the vertex
            // to and fro
            point[3] = 0.0f;
        }
    }
}

void BodyContact::let_go() {
    for (const std::int32_t v : pinched_) {
        cloth_.points[static_cast<std::size_t>(v)][3] = pinched_ways_[static_cast<std::size_t>(v)][3];
    }
    pinched_.clear();
}

// Moves a thread's pinched vertices with the body, and sets their velocities, as for pinned vertices.
void BodyContact::move_pinched(PartWorker& worker) {
    if (!pinched_.empty()) {
        worker.vertices(pinched_, [&](std::size_t v) {
            cloth_.points.vector(v) += pinched_ways_.vector(v);
            cloth_.velocities.vector(v) = pinched_ways_.vector(v) / cloth_.h;
        });
    }
}

// Appends to near_edges_ the edges whose middle a ridge of the body would enter, such as a sharp elbow, if the ends
// were at the contact distance (bulge): contact at the ends alone lets the middles of long edges sink in. in_tree:
// searches the body near the middle in the tree, as for vertices; otherwise starts at the triangle near the first end.
void BodyContact::find_edges(bool in_tree) {
    // not for cloth that rests in creases, which would jitter on ridges; not with face contact, whose sample points
    // cover the edges
    if (cloth_.rests_in_creases() || face_contact_) {
        return;
    }
    const float thickness = cloth_.options.material.thickness, distance = thickness + cloth_.options.margin;
    const float kept = ridge_share * thickness;
    for (std::size_t e = 0; e < cloth_.topology.edges.size(); ++e) {
        const std::array<std::int32_t, 2>& ends = cloth_.topology.edges[e];
        const auto first = static_cast<std::size_t>(ends[0]), second = static_cast<std::size_t>(ends[1]);
        // skips edges over a single face or far from the body, which are most, and edges already listed
        if (near_[first].faces[0] == near_[second].faces[0] || is_near_edge_[e]) {
            continue;
        }
        const Vector3 chord = cloth_.points.vector(second) - cloth_.points.vector(first);
        if (body_.bulge(chord, near_[first], near_[second]) < distance - kept) {
            continue;
        }
        // skips tracked edges with a pinched end: a push off the ridge of one body part would move this end into the
        // other part
        if (cloth_.is_tracked && (is_pinched(first) || is_pinched(second))) {
            continue;
        }
        NearEdge edge{ends, near_[first]};
        edge.near.slack = {};
        if (in_tree) {
            const Vector3 middle = cloth_.points.vector(first) + 0.5f * chord;
            const std::array<float, 4> row = {middle[0], middle[1], middle[2], 0.0f};
            body_.search(row.data(), reach_of(cloth_.velocities.vector(first)), sides_to_meet(), edge.near);
        }
        is_near_edge_[e] = true;
        near_edges_.push_back(edge);
    }
}

bool BodyContact::is_pinched(std::size_t vertex) const {
    NearBody near = near_[vertex];
    return body_.pinches(cloth_.points[vertex], cloth_.options.material.thickness, near);
}

void BodyContact::push_out(int substep) {
    // moves the body to the end of the substep, as the cloth has moved already
    body_.move_to_substep(substep);
    if (cloth_.is_tracked) {
        // a fast knee may rise below fine edges within a frame
        if (substep > 0 && substep % ridge_interval == 0) {
            find_edges(false);
        }
        // edges are pushed before vertices: a push off a ridge of one body part may move an end into another part, from
        // which the vertices are then pushed out
        push_out_edges();
    }
    for_vertices([&](std::size_t v) {
        // skips fixed vertices: pinned vertices follow their pins, even into a body
        if (cloth_.points[v][3] > 0.0f) {
            body_.push_out(factors_of(near_[v]), cloth_.velocities[v], cloth_.points[v], cloth_.predicted[v], near_[v]);
        }
    });
    // face contact comes after the vertices and runs on one thread, because neighbouring sample points share corners
    if (face_contact_) {
        ContactFactors factors = cloth_.contact_factors();
        // sample points use the thickness without the margin: the margin of vertices serves to keep the chords between
        // them outside the body
        factors.thickness = cloth_.options.material.thickness;
        face_contact_->push_out(body_, factors, cloth_.velocities, cloth_.points, cloth_.predicted,
                                std::span(near_).subspan(cloth_.vertex_count));
    }
    // edges of untracked cloth are pushed after the vertices, because the margin protects the ends of edges but not
    // their middles
    if (!cloth_.is_tracked) {
        push_out_edges();
    }
}

void BodyContact::come_out(float farthest) {
    ContactFactors factors = cloth_.contact_factors();
    factors.thickness = shown_distance;
    factors.static_friction = factors.dynamic_friction = 0.0f;
    factors.push = std::numeric_limits<float>::max();
    using Row = Eigen::Array4f;
    const auto way_out = [&](const Row& point, NearBody& near) {
        Row outside = point, predicted_outside = point;
        constexpr std::array<float, 4> still = {};
        body_.push_out(factors, still.data(), outside.data(), predicted_outside.data(), near);
        const Vector3 way = (outside - point).head<3>();
        return way.norm() < farthest ? way : Vector3(Vector3::Zero());
    };
    Rows& points = cloth_.points;
    const auto row = [&](std::size_t v) { return Row(Eigen::Map<const Row>(points[v])); };
    for (NearEdge& edge : near_edges_) {
        const auto a = static_cast<std::size_t>(edge.ends[0]), b = static_cast<std::size_t>(edge.ends[1]);
        if (points[a][3] > 0.0f && points[b][3] > 0.0f) {
            const Vector3 way = way_out(0.5f * (row(a) + row(b)), edge.near);
            points.vector(a) += way;
            points.vector(b) += way;
        }
    }
    for_vertices([&](std::size_t v) {
        if (points[v][3] > 0.0f) {
            points.vector(v) += way_out(row(v), near_[v]);
        }
    });
}

// Pushes the middle of each edge in near_edges_ out of the body, like a vertex, by moving both ends. Skips edges with
// two fixed ends. Runs on one thread, because edges share vertices.
void BodyContact::push_out_edges() {
    ContactFactors factors = cloth_.contact_factors();
    using Row = Eigen::Map<Eigen::Array4f>;
    for (NearEdge& edge : near_edges_) {
        const auto a = static_cast<std::size_t>(edge.ends[0]), b = static_cast<std::size_t>(edge.ends[1]);
        const float both = cloth_.points[a][3] + cloth_.points[b][3];
        // skips edges whose ends are both fixed
        if (both == 0.0f) {
            continue;
        }
        const auto middle_of = [&](Rows& rows) { return Eigen::Array4f(0.5f * (Row(rows[a]) + Row(rows[b]))); };
        const Eigen::Array4f speed = middle_of(cloth_.velocities), before = middle_of(cloth_.points),
                             expected = middle_of(cloth_.predicted);
        Eigen::Array4f point = before, predicted_point = expected;
        // thickness without the margin: with the margin at their ends, chords may be closer to the body
        factors.thickness = ridge_share * cloth_.options.material.thickness - std::max(near_[a].give, near_[b].give);
        body_.push_out(factors, speed.data(), point.data(), predicted_point.data(), edge.near);
        const Vector3 push = (point - before).head<3>(), silent = (predicted_point - expected).head<3>();
        for (const std::size_t v : {a, b}) {
            // each end moves in proportion to its inverse mass, and the middle reaches its pushed position
            const float share = 2.0f * cloth_.points[v][3] / both;
            cloth_.points.vector(v) += share * push;
            cloth_.predicted.vector(v) += share * silent;
        }
    }
}

}  // namespace ruckle
