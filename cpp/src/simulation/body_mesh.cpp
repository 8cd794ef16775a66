#include "simulation/body_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/functions.h"
#include "simulation/limits.h"

namespace ruckle {

namespace {

// Largest number of faces in a leaf of the tree.
constexpr int leaf_size = 4;

// Distance in metres below which two closest points are considered the same.
constexpr float same_place = 1e-4f;

// Largest number of triangles that a walk visits. Usual walks are shorter, because bodies move by fewer triangles in a
// frame; only walks on degenerate meshes reach this limit.
constexpr int most_walk_steps = 16;

Point4 widen(const Vector3& p) {
    // 0 as a fourth number, so that the point fills a SIMD register
    return {p[0], p[1], p[2], 0.0f};
}
float box_distance_squared(const Point4& low, const Point4& high, const Point4& p) {
    return (low - p).cwiseMax(p - high).cwiseMax(Point4::Zero()).squaredNorm();
}

}  // namespace

BodyMesh::BodyMesh(std::span<const Face> faces, int vertex_count) : topology_(faces, vertex_count) {
    const auto vertices = static_cast<std::size_t>(vertex_count), face_count = faces.size();
    for (auto* points : {&from_, &step_, &points_, &vertex_normals_}) {
        points->assign(vertices, Point4::Zero());
    }
    face_normals_.assign(face_count, Point4::Zero());
    edge_normals_.assign(3 * face_count, Point4::Zero());
    // reserved here, so that the first step does not allocate
    first_points_.reserve(vertices);
    tree_faces_.reserve(face_count);
    tree_.reserve(2 * face_count);
}

void BodyMesh::begin_frame(std::span<const Vector3> from, std::span<const Vector3> to, int substeps, const Vector3& origin) {
    float fastest = 0.0f;
    for (std::size_t v = 0; v < from_.size(); ++v) {
        from_[v] = widen(from[v] - origin);
        // body vertices move linearly and at constant speed within the frame, like pins and cones
        step_[v] = widen(to[v] - from[v]) / static_cast<float>(substeps);
        fastest = std::max(fastest, step_[v].squaredNorm());
    }
    fastest_step_ = std::sqrt(fastest);
    if (first_points_.empty()) {
        remember_first(from);
    }
}

void BodyMesh::begin_searches(int substep) {
    stand_at(static_cast<float>(substep));
    compute_normals();
    if (tree_.empty()) {
        // builds the tree once, from the first pose: its boxes remain small because neighbouring triangles move
        // together
        for (int f = 0; f < topology_.face_count(); ++f) {
            tree_faces_.push_back(f);
        }
        build_tree(0, topology_.face_count());
    }
    fit_tree();
}

void BodyMesh::fix_normals(int first, int count) {
    stand_at(static_cast<float>(first) + 0.5f * static_cast<float>(count));
    compute_normals();
}

void BodyMesh::move_to_substep(int substep) {
    stand_at(static_cast<float>(substep + 1));
}

void BodyMesh::stand_at(float substep) {
    for (std::size_t v = 0; v < points_.size(); ++v) {
        points_[v] = from_[v] + step_[v] * substep;
    }
}

void BodyMesh::remember_first(std::span<const Vector3> points) {
    first_points_.assign(points.begin(), points.end());
}

// Returns true if the center of `other` was on the front side of `face` in the body's first pose. True for two limbs
// that intersect now; false for the back of a hand and its palm, however close.
bool BodyMesh::faced_at_first(std::int32_t face, std::int32_t other) const {
    const auto corner = [&](std::int32_t f, int k) -> const Vector3& {
        return first_points_[static_cast<std::size_t>(topology_.faces[static_cast<std::size_t>(f)][k])];
    };
    const Vector3 normal = (corner(face, 1) - corner(face, 0)).cross(corner(face, 2) - corner(face, 0));
    const Vector3 way = corner(other, 0) + corner(other, 1) + corner(other, 2) - 3.0f * corner(face, 0);
    return normal.dot(way) > 0.0f;
}

void BodyMesh::compute_normals() {
    std::fill(vertex_normals_.begin(), vertex_normals_.end(), Point4::Zero());
    for (std::size_t f = 0; f < topology_.faces.size(); ++f) {
        const Face& face = topology_.faces[f];
        const Point4 doubled = cross(points_[face[1]] - points_[face[0]], points_[face[2]] - points_[face[0]]);
        const float area = doubled.norm();
        face_normals_[f] = area > 1e-14f ? Point4(doubled / area) : Point4(Point4::Zero());
        for (int k = 0; k < 3; ++k) {
            const Point4 u = points_[face[(k + 1) % 3]] - points_[face[k]], v = points_[face[(k + 2) % 3]] - points_[face[k]];
            // angle weights give the correct sign at every corner (Baerentzen and Aanaes 2005)
            vertex_normals_[face[k]] += face_normals_[f] * arc_tangent(area, u.dot(v));
        }
    }
    for (std::size_t f = 0; f < topology_.faces.size(); ++f) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t other = topology_.face_neighbors[f][k];
            // sum of both face normals; only its direction is used, for the sign of a distance
            edge_normals_[3 * f + k] = face_normals_[f];
            if (other >= 0) {
                edge_normals_[3 * f + k] += face_normals_[static_cast<std::size_t>(other)];
            }
        }
    }
}

// Splits the faces at the median along the longest axis, depth first.
void BodyMesh::build_tree(int begin, int end) {
    const std::size_t own = tree_.size();
    tree_.push_back({Point4::Zero(), Point4::Zero(), begin, end - begin});
    // a leaf stores the first index and the number of its faces
    if (end - begin <= leaf_size) {
        return;
    }
    const auto center = [&](std::int32_t f) {
        const Face& face = topology_.faces[static_cast<std::size_t>(f)];
        // returns three times the center, because only comparisons of centers are needed
        return Point4(points_[face[0]] + points_[face[1]] + points_[face[2]]);
    };
    Point4 low = center(tree_faces_[static_cast<std::size_t>(begin)]), high = low;
    for (int i = begin; i < end; ++i) {
        low = low.cwiseMin(center(tree_faces_[static_cast<std::size_t>(i)]));
        high = high.cwiseMax(center(tree_faces_[static_cast<std::size_t>(i)]));
    }
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const int middle = (begin + end) / 2;
    const auto less = [&](std::int32_t a, std::int32_t b) {
        const float ca = center(a)[axis], cb = center(b)[axis];
        // ties are broken by index, so that the tree is the same on every machine
        return ca != cb ? ca < cb : a < b;
    };
    // halves of equal size limit the depth of the tree, and therefore the stack of a search
    std::nth_element(tree_faces_.begin() + begin, tree_faces_.begin() + middle, tree_faces_.begin() + end, less);
    build_tree(begin, middle);
    // a box with children has count 0; the left child is the next box, `first` is the right child
    tree_[own].count = 0;
    tree_[own].first = static_cast<std::int32_t>(tree_.size());
    build_tree(middle, end);
}

// Fits the boxes to the current triangles. Iterates backwards, because children have larger indices than their parents.
void BodyMesh::fit_tree() {
    for (std::size_t b = tree_.size(); b-- > 0;) {
        Box& box = tree_[b];
        if (box.count == 0) {
            const Box &left = tree_[b + 1], &right = tree_[static_cast<std::size_t>(box.first)];
            box.low = left.low.cwiseMin(right.low);
            box.high = left.high.cwiseMax(right.high);
            continue;
        }
        box.low.setConstant(1e30f);
        box.high.setConstant(-1e30f);
        for (std::int32_t i = box.first; i < box.first + box.count; ++i) {
            const Face& face = topology_.faces[static_cast<std::size_t>(tree_faces_[static_cast<std::size_t>(i)])];
            for (int k = 0; k < 3; ++k) {
                box.low = box.low.cwiseMin(points_[face[k]]);
                box.high = box.high.cwiseMax(points_[face[k]]);
            }
        }
    }
}

BodyMesh::Hit BodyMesh::hit(std::int32_t face, const Point4& point) const {
    const Face& f = topology_.faces[static_cast<std::size_t>(face)];
    const Point4 &a = points_[f[0]], &b = points_[f[1]], &c = points_[f[2]];
    const Closest closest = closest_point(point, a, b, c);
    const Point4 away = point - (a * closest.weights[0] + b * closest.weights[1] + c * closest.weights[2]);
    return {face, closest.weights, closest.feature, away, away.squaredNorm()};
}

// Walks over the mesh from a face towards the point, and returns the closest point at the end. Each step moves to a
// neighbour across the closest edge or around the closest corner. The walk ends at a local minimum of the distance, or
// after most_walk_steps steps.
BodyMesh::Hit BodyMesh::walk(std::int32_t face, const Point4& point) const {
    // smaller gains are rounding errors, with which a walk would run in circles
    constexpr float nearer = 1.0f - 1e-6f;
    Hit best = hit(face, point);
    for (int step = 0; step < most_walk_steps && best.feature != 0; ++step) {
        Hit next = best;
        const auto look = [&](std::int32_t other) {
            if (const Hit h = hit(other, point); h.square < next.square * nearer) {
                next = h;
            }
        };
        const auto at = static_cast<std::size_t>(best.face);
        if (best.feature < 4) {
            const std::int32_t other = topology_.face_neighbors[at][static_cast<std::size_t>(best.feature - 1)];
            if (other >= 0) {
                look(other);
            }
        } else {
            const auto v = static_cast<std::size_t>(topology_.faces[at][best.feature - 4]);
            for (std::int32_t k = topology_.vertex_offsets[v]; k < topology_.vertex_offsets[v + 1]; ++k) {
                look(topology_.vertex_faces[static_cast<std::size_t>(k)]);
            }
        }
        if (next.face == best.face) {
            break;
        }
        best = next;
    }
    return best;
}

// Returns the signed distance of the point to the body, m, negative inside. direction: unit vector out of the body.
float BodyMesh::signed_distance(const Hit& h, Point4& direction) const {
    const auto face = static_cast<std::size_t>(h.face);
    const Point4& normal = h.feature == 0  ? face_normals_[face]
                           : h.feature < 4 ? edge_normals_[3 * face + static_cast<std::size_t>(h.feature - 1)]
                                           : vertex_normals_[topology_.faces[face][h.feature - 4]];
    // uses the pseudonormal of the closest feature, because a face normal gives a wrong sign beyond the edge of the
    // face
    const float distance = std::sqrt(h.square), side = h.away.dot(normal) >= 0.0f ? 1.0f : -1.0f;
    // for a point on the surface, the outward direction is the normal
    direction = distance > 1e-6f ? Point4(h.away * (side / distance)) : Point4(normal / std::max(normal.norm(), 1e-9f));
    return side * distance;
}

template <class Accept>
void BodyMesh::nearest(const Point4& point, Accept accept, float& best, std::int32_t& face) const {
    std::array<std::int32_t, 64> stack;
    int depth = 0;
    stack[static_cast<std::size_t>(depth++)] = 0;
    while (depth > 0) {
        const auto b = static_cast<std::size_t>(stack[static_cast<std::size_t>(--depth)]);
        const Box& box = tree_[b];
        // skips boxes that are not nearer than the best face so far
        if (box_distance_squared(box.low, box.high, point) >= best) {
            continue;
        }
        for (std::int32_t i = box.first; i < box.first + box.count; ++i) {
            const std::int32_t f = tree_faces_[static_cast<std::size_t>(i)];
            if (!accept(f)) {
                continue;
            }
            if (const float square = hit(f, point).square; square < best) {
                best = square;
                face = f;
            }
        }
        if (box.count == 0) {
            // the left child is pushed last, so that it is visited first
            stack[static_cast<std::size_t>(depth++)] = box.first;
            stack[static_cast<std::size_t>(depth++)] = static_cast<std::int32_t>(b + 1);
        }
    }
}

void BodyMesh::search(const float* row, const SearchReach& reach, Sides sides, NearBody& near) const {
    const Point4 point = row_point(row);
    near.slack = {};
    near.faces[1] = near.faces[2] = -1;
    find_first(point, reach.first, reach.touching, sides, near);
    // no body within the search radius
    if (near.faces[0] < 0) {
        return;
    }
    const Hit first = hit(near.faces[0], point);
    if (first.square > reach.first * reach.first) {
        near.faces[0] = -1;
        return;
    }
    find_facing(point, reach.others, first, sides, near);
    if (sides == Sides::creases) {
        find_crease(point, crease_reach * reach.touching, first, near);
    }
}

// Returns the height of a point over the plane of a face, m.
float BodyMesh::height(std::int32_t face, const Point4& point) const {
    const auto f = static_cast<std::size_t>(face);
    return face_normals_[f].dot(point - points_[topology_.faces[f][0]]);
}

// Sets near.faces[0] to the first side (see search); its distance may exceed `reach` if a walk found it. It remains -1
// if the body is not within `reach`.
void BodyMesh::find_first(const Point4& point, float reach, float touching, Sides sides, NearBody& near) const {
    float best = reach * reach;
    const auto any = [](std::int32_t) { return true; };
    if (near.faces[0] < 0) {
        nearest(point, any, best, near.faces[0]);
        return;
    }
    // Cloth in contact remains on its side of the body, so the search walks over the mesh from the last triangle. A
    // side of another body part may be nearer in space, as in an armpit.
    const Hit h = walk(near.faces[0], point);
    near.faces[0] = h.face;
    best = std::min(best, h.square);
    Point4 out;
    if (signed_distance(h, out) >= touching) {
        nearest(point, any, best, near.faces[0]);
    } else if (sides == Sides::creases) {
        // A walk stops at the crease of an elbow, although cloth slides across the crease. So also search faces with
        // similar normals in the tree.
        const auto goes_on = [&](std::int32_t f) {
            return face_normals_[static_cast<std::size_t>(f)].dot(out) > facing_cosine && height(f, point) > -second_side_depth;
        };
        nearest(point, goes_on, best, near.faces[0]);
    }
}

// Sets near.faces[1] to the nearest face within `reach` that faces the first side (facing_cosine) and behind whose
// plane the point is at most second_side_depth, or deepest_contact if both sides faced each other in the first pose. It
// remains -1 if there is none.
void BodyMesh::find_facing(const Point4& point, float reach, const Hit& first, Sides sides, NearBody& near) const {
    // outward direction of the first side, which a second side must face
    Point4 out;
    signed_distance(first, out);
    const auto faces_the_first = [&](std::int32_t f) {
        const float over = height(f, point);
        if (face_normals_[static_cast<std::size_t>(f)].dot(out) > facing_cosine || over < -deepest_contact) {
            return false;
        }
        return over > -second_side_depth || faced_at_first(first.face, f);
    };
    float best = reach * reach;
    nearest(point, faces_the_first, best, near.faces[1]);
    if (sides == Sides::staying && near.faces[1] >= 0) {
        // drop a side that contact would leave at once; otherwise every frame would find the side, push the cloth once,
        // and drop the side again
        const Hit second = walk(near.faces[1], point);
        const bool stays = faces_the_first(second.face) && signed_distance(second, out) >= -deepest_contact;
        near.faces[1] = stays ? second.face : -1;
    }
}

// Sets near.faces[2] to a side beyond a crease. This is the nearest face within `reach` with four properties: a walk
// that starts there also ends there; the cosine between its normal and the outward direction of the first side is at
// most crease_cosine; the point is at most second_side_depth behind its plane; and its closest point differs from those
// of the first two sides.
void BodyMesh::find_crease(const Point4& point, float reach, const Hit& first, NearBody& near) const {
    Point4 out;
    signed_distance(first, out);
    const Hit second = near.faces[1] < 0 ? first : walk(near.faces[1], point);
    float best = reach * reach;
    const auto lies_beyond = [&](std::int32_t f) {
        if (face_normals_[static_cast<std::size_t>(f)].dot(out) > crease_cosine || height(f, point) < -second_side_depth ||
            hit(f, point).square >= best) {
            return false;
        }
        const Hit end = walk(f, point);
        // rejects faces whose walk ends at the closest point of the first or second side: on a convex limb, all walks
        // end there
        const auto is_at = [&](const Hit& other) { return (end.away - other.away).squaredNorm() < same_place * same_place; };
        return end.face == f && !is_at(first) && !is_at(second);
    };
    nearest(point, lies_beyond, best, near.faces[2]);
}

// Returns the motion of the closest point in one substep, m.
Point4 BodyMesh::way_of(const Hit& h) const {
    const Face& f = topology_.faces[static_cast<std::size_t>(h.face)];
    return step_[f[0]] * h.weights[0] + step_[f[1]] * h.weights[1] + step_[f[2]] * h.weights[2];
}

// Returns (e / 2) sin(φ/2), about the height of a ridge across the middle of a chord of length e whose ends have
// normals with the angle φ between them. The difference of the normals has the length 2 sin(φ/2) and is parallel to the
// chord.
float BodyMesh::bulge(const Vector3& chord, const NearBody& first, const NearBody& second) const {
    if (first.faces[0] < 0 || second.faces[0] < 0) {
        return 0.0f;
    }
    const auto normal = [&](const NearBody& near) { return face_normals_[static_cast<std::size_t>(near.faces[0])]; };
    return 0.25f * (normal(second) - normal(first)).dot(widen(chord));
}

bool BodyMesh::pinches(const float* row, float thickness, NearBody& near) const {
    if (near.faces[0] < 0 || near.faces[1] < 0) {
        return false;
    }
    const Point4 point = row_point(row);
    std::array<Point4, 2> out;
    float room = 0.0f;
    bool deep = false;
    for (std::size_t side = 0; side < 2; ++side) {
        const Hit h = walk(near.faces[side], point);
        near.faces[side] = h.face;
        const float from_side = signed_distance(h, out[side]);
        room += from_side;
        deep |= from_side < -deepest_contact;
    }
    // a pinched vertex has a larger limit: with equal limits, the vertex would be pinched in every second frame
    if (near.pinched) {
        return out[0].dot(out[1]) < 0.0f && room < pinch_release * thickness;
    }
    return !deep && out[0].dot(out[1]) < facing_cosine && room < pinch_room * thickness;
}

PinchedWay BodyMesh::pinched_way(const float* row, const NearBody& near) const {
    const Point4 point = row_point(row);
    const Hit first = hit(near.faces[0], point), second = hit(near.faces[1], point);
    Point4 out_of_first, out_of_second;
    signed_distance(first, out_of_first);
    signed_distance(second, out_of_second);
    const Point4 way = way_of(first), other = way_of(second);
    return {0.5f * (way + other), 0.5f * (other - way).dot(out_of_first - out_of_second)};
}

// Returns the contact distance to one side if another side, `facing`, faces the first. Moves `facing` to the closest
// triangle. Cloth rests halfway if the sides are closer than twice the thickness, or intersect. A push out of each side
// in turn would make the cloth jitter.
float BodyMesh::distance_to_facing(float thickness, const Point4& point, const Point4& out, float distance, float deepest,
                                   std::int32_t& facing) const {
    const Hit h = walk(facing, point);
    facing = h.face;
    Point4 other_out;
    const float other = signed_distance(h, other_out);
    // deeper than `deepest` behind the other side: the other side is at another part of the body, so it does not count
    if (other < -deepest) {
        return thickness;
    }
    // the reduction is scaled by how directly the sides face each other, so that cloth in a wide fold can move along
    // the middle
    const float opposed = std::max(-out.dot(other_out), 0.0f);
    return thickness - opposed * std::max(thickness - 0.5f * (distance + other), 0.0f);
}

// Returns the distance that a point keeps from the body's side `slot`: the thickness, or less (at least -overlap) if other
// sides near the point face this side.
float BodyMesh::distance_to_keep(const ContactFactors& factors, const Point4& point, const Point4& out, float distance,
                                 std::size_t slot, NearBody& near) const {
    float least = factors.thickness;
    for (std::size_t other = 0; other < most_sides; ++other) {
        if (other != slot && near.faces[other] >= 0 && near.slack[other] < factors.thickness - distance) {
            // A side beyond a crease has a smaller depth limit: cloth is never behind a real crease, but a mesh that
            // folds back on itself looks like a crease.
            const float deepest = other == 2 ? second_side_depth : deepest_contact;
            least = std::min(least, distance_to_facing(factors.thickness, point, out, distance, deepest, near.faces[other]));
        }
    }
    return std::max(least, -factors.overlap);
}

// Returns the largest motion of cloth relative to the corners of a face in a substep, m. The maximum over the corners
// is used, because the motions of the corners of a long face on a turning limb differ by more than the contact
// distance.
float BodyMesh::fastest_approach(std::int32_t face, const Point4& way) const {
    float square = 0.0f;
    for (const std::int32_t corner : topology_.faces[static_cast<std::size_t>(face)]) {
        square = std::max(square, (way - step_[static_cast<std::size_t>(corner)]).squaredNorm());
    }
    return std::sqrt(square);
}

// Returns the length of slip that friction prevents, m. The depth of the contact replaces the normal force. Static
// friction changes continuously to dynamic friction: a jump would make cloth jitter without end if strain pulls it into
// a body.
float BodyMesh::friction_of(const ContactFactors& factors, float depth, float slipped) {
    const float most = factors.static_friction * depth;
    // 0 up to the static limit `most`: the cloth sticks. 1 from twice this limit: it slides with dynamic friction. For
    // cloth under its own weight, the limit corresponds to millimetres per second.
    const float slides = std::clamp(slipped / std::max(most, 1e-20f) - 1.0f, 0.0f, 1.0f);
    return most + slides * (factors.dynamic_friction * depth - most);
}

void BodyMesh::push_out(const ContactFactors& factors, const float* velocity, float* row, float* predicted,
                        NearBody& near) const {
    // two rounds over all sides: a push out of one side may enter another; after one round, single vertices are 1 to 4
    // mm deep
    for (std::size_t pass = 0; pass < 2 * most_sides; ++pass) {
        const std::size_t slot = pass % most_sides;
        std::int32_t& face = near.faces[slot];
        if (face < 0) {
            continue;
        }
        const Point4 point = row_point(row);
        const Point4 way = point - row_point(predicted) + row_point(velocity) * factors.step;
        // A side that was far away is skipped until cloth and body may have moved by its distance since the last test,
        // with a reserve of 20 %. The motion since the last test includes tracking and strain limits, which move cloth
        // after contact.
        if (pass < most_sides && near.slack[slot] > 0.0f) {
            near.slack[slot] = std::max(0.0f, near.slack[slot] - (1.2f * fastest_approach(face, point - near.looked) + 2e-5f));
        }
        if (near.slack[slot] > 0.0f) {
            continue;
        }
        const Hit h = walk(face, point);
        face = h.face;
        Point4 out;
        const float distance = signed_distance(h, out);
        float depth = factors.thickness - distance;
        near.slack[slot] = std::clamp(-depth, 0.0f, std::numeric_limits<float>::max());
        // The point is deeper than deepest_contact and deeper than the cloth can have moved in this substep. So it did
        // not enter through this side, but came from another part of the body.
        if (depth <= 0.0f || (distance < -deepest_contact && distance < -fastest_approach(face, way))) {
            continue;
        }
        depth = distance_to_keep(factors, point, out, distance, slot, near) - distance;
        if (depth <= 0.0f) {
            continue;
        }
        // friction acts on the motion relative to the moving body, at the point of contact
        Point4 slip = way - way_of(h);
        const float approach = std::max(-slip.dot(out), 0.0f);
        slip -= out * slip.dot(out);
        const float slipped = slip.norm();
        const float share = slipped > 0.0f ? std::min(1.0f, friction_of(factors, depth, slipped) / slipped) : 1.0f;
        // contact stops the approach of this substep; depth from earlier substeps is removed in small steps without
        // speed, so that nothing bounces and cloth on another side has time to follow
        const float silent = std::clamp(depth - approach, 0.0f, factors.push);
        depth = std::min(depth, approach + silent);
        const Point4 push = out * depth - slip * share;
        for (int k = 0; k < 3; ++k) {
            row[k] += push[k];
            predicted[k] += out[k] * silent;
        }
        for (std::size_t other = 0; other < most_sides; ++other) {
            near.slack[other] = std::max(0.0f, near.slack[other] - (other == slot ? 0.0f : push.norm()));
        }
    }
    near.looked = row_point(row);
}

}  // namespace ruckle
