#include "simulation/body_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/functions.h"
#include "simulation/limits.h"

namespace ruckle {

namespace {

// Faces in a leaf of the tree.
constexpr int leaf_size = 4;

// Distance in metres below which two closest points count as the same.
constexpr float same_place = 1e-4f;

// Most triangles that a walk passes: more than a body moves in a frame, so that only degenerate meshes stop it.
constexpr int most_walk_steps = 16;

Point4 widen(const Vector3& p) {
    // four floats fill a register
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
    // reserved here: the first step fills them without allocation
    first_points_.reserve(vertices);
    tree_faces_.reserve(face_count);
    tree_.reserve(2 * face_count);
}

void BodyMesh::begin_frame(std::span<const Vector3> from, std::span<const Vector3> to, int substeps, const Vector3& origin) {
    float fastest = 0.0f;
    for (std::size_t v = 0; v < from_.size(); ++v) {
        from_[v] = widen(from[v] - origin);
        // straight and at constant speed within the frame, as pins and cones move
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
        // the first pose divides the body for good: boxes that move with its triangles remain small
        for (int f = 0; f < topology_.face_count(); ++f) {
            tree_faces_.push_back(f);
        }
        build_tree(0, topology_.face_count());
    }
    fit_tree();
}

void BodyMesh::begin_substeps(int first, int count) {
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

// Returns true if a face looked at the front of the other in the body's first pose. Two limbs that have come to intersect did; the
// back of a hand and its palm did not, however near they are.
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
            // weights by angle give the right sign at every corner (Baerentzen and Aanaes 2005)
            vertex_normals_[face[k]] += face_normals_[f] * arc_tangent(area, u.dot(v));
        }
    }
    for (std::size_t f = 0; f < topology_.faces.size(); ++f) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t other = topology_.face_neighbors[f][k];
            // the sum of both faces: only its direction matters, for the side of a point
            edge_normals_[3 * f + k] = face_normals_[f];
            if (other >= 0) {
                edge_normals_[3 * f + k] += face_normals_[static_cast<std::size_t>(other)];
            }
        }
    }
}

// Halves at the middle of the longest side, depth first.
void BodyMesh::build_tree(int begin, int end) {
    const std::size_t own = tree_.size();
    tree_.push_back({Point4::Zero(), Point4::Zero(), begin, end - begin});
    // a leaf: first and count are those of its faces
    if (end - begin <= leaf_size) {
        return;
    }
    const auto center = [&](std::int32_t f) {
        const Face& face = topology_.faces[static_cast<std::size_t>(f)];
        // three times the center: only used in comparisons
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
        // ties by number: the same tree on every machine
        return ca != cb ? ca < cb : a < b;
    };
    // halves of equal size bound the depth of the tree, and so the stack of a search
    std::nth_element(tree_faces_.begin() + begin, tree_faces_.begin() + middle, tree_faces_.begin() + end, less);
    build_tree(begin, middle);
    // a box with children; its left child is the next one
    tree_[own].count = 0;
    tree_[own].first = static_cast<std::int32_t>(tree_.size());
    build_tree(middle, end);
}

// Fits boxes around the current triangles. Children are stored behind their parents.
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

// Moves to neighbors across the closest edge or around the closest corner while they are nearer.
BodyMesh::Hit BodyMesh::walk(std::int32_t face, const Point4& point) const {
    // a gain within rounding would walk in circles
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

float BodyMesh::signed_distance(const Hit& h, Point4& direction) const {
    const auto face = static_cast<std::size_t>(h.face);
    const Point4& normal = h.feature == 0  ? face_normals_[face]
                           : h.feature < 4 ? edge_normals_[3 * face + static_cast<std::size_t>(h.feature - 1)]
                                           : vertex_normals_[topology_.faces[face][h.feature - 4]];
    // the pseudonormal of the closest feature: the face's own normal would be wrong beyond its edge
    const float distance = std::sqrt(h.square), side = h.away.dot(normal) >= 0.0f ? 1.0f : -1.0f;
    // on the surface itself the outward direction is the normal
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
        // nothing in the box can be nearer than the best so far
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
            // the left child is visited first, because it was pushed last
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
    // the body is out of reach
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

// Height over the plane of a face.
float BodyMesh::height(std::int32_t face, const Point4& point) const {
    const auto f = static_cast<std::size_t>(face);
    return face_normals_[f].dot(point - points_[topology_.faces[f][0]]);
}

void BodyMesh::find_first(const Point4& point, float reach, float touching, Sides sides, NearBody& near) const {
    float best = reach * reach;
    const auto any = [](std::int32_t) { return true; };
    if (near.faces[0] < 0) {
        nearest(point, any, best, near.faces[0]);
        return;
    }
    // cloth in contact keeps its side of the body even if another part is nearer. It walks over the mesh, because across an
    // armpit the other limb may be nearer in space
    const Hit h = walk(near.faces[0], point);
    near.faces[0] = h.face;
    best = std::min(best, h.square);
    Point4 out;
    if (signed_distance(h, out) >= touching) {
        nearest(point, any, best, near.faces[0]);
    } else if (sides == Sides::creases) {
        // a walk does not cross the crease of an elbow, but cloth slides across it from one side to the other
        const auto goes_on = [&](std::int32_t f) {
            return face_normals_[static_cast<std::size_t>(f)].dot(out) > facing_cosine && height(f, point) > -second_side_depth;
        };
        nearest(point, goes_on, best, near.faces[0]);
    }
}

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
        // drop a side that contact would leave at once; otherwise every frame would find it, push once and lose it
        const Hit second = walk(near.faces[1], point);
        const bool stays = faces_the_first(second.face) && signed_distance(second, out) >= -deepest_contact;
        near.faces[1] = stays ? second.face : -1;
    }
}

// Finds the nearest point of the body at which a walk ends and the body has turned, other than those of the first two sides.
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
        // on a convex limb all walks end at the same point as the walk from the first side
        const auto is_at = [&](const Hit& other) { return (end.away - other.away).squaredNorm() < same_place * same_place; };
        return end.face == f && !is_at(first) && !is_at(second);
    };
    nearest(point, lies_beyond, best, near.faces[2]);
}

// Motion of the closest point in one substep.
Point4 BodyMesh::way_of(const Hit& h) const {
    const Face& f = topology_.faces[static_cast<std::size_t>(h.face)];
    return step_[f[0]] * h.weights[0] + step_[f[1]] * h.weights[1] + step_[f[2]] * h.weights[2];
}

// Height e / 2 sin(φ/2) of a ridge across the middle of a chord of length e, if the body turns by φ there. The difference of the
// normals has the length 2 sin(φ/2) and is parallel to the chord.
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
    // the release limit is larger: with one limit the vertex would be held in every second frame
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

// If two sides leave less room than twice the thickness, or parts intersect, cloth rests halfway. Pushed out of each side in turn,
// it would be thrown to and fro.
float BodyMesh::distance_to_facing(float thickness, const Point4& point, const Point4& out, float distance, float deepest,
                                   std::int32_t& facing) const {
    const Hit h = walk(facing, point);
    facing = h.face;
    Point4 other_out;
    const float other = signed_distance(h, other_out);
    // cloth has come to another part altogether
    if (other < -deepest) {
        return thickness;
    }
    // in proportion to how directly the sides face each other: a wide fold leaves room along its middle
    const float opposed = std::max(-out.dot(other_out), 0.0f);
    return thickness - opposed * std::max(thickness - 0.5f * (distance + other), 0.0f);
}

// Distance to keep from one side, reduced by all other sides that are near.
float BodyMesh::distance_to_keep(const ContactFactors& factors, const Point4& point, const Point4& out, float distance,
                                 std::size_t slot, NearBody& near) const {
    float least = factors.thickness;
    for (std::size_t other = 0; other < most_sides; ++other) {
        if (other != slot && near.faces[other] >= 0 && near.slack[other] < factors.thickness - distance) {
            // cloth is never behind a side beyond a crease: a mesh that folds back on itself looks like one
            const float deepest = other == 2 ? second_side_depth : deepest_contact;
            least = std::min(least, distance_to_facing(factors.thickness, point, out, distance, deepest, near.faces[other]));
        }
    }
    return std::max(least, -factors.overlap);
}

// Largest relative speed of cloth and a face, taken at its corners. Corners of a long face on a turning limb differ by more than
// the contact distance in a frame.
float BodyMesh::fastest_approach(std::int32_t face, const Point4& way) const {
    float square = 0.0f;
    for (const std::int32_t corner : topology_.faces[static_cast<std::size_t>(face)]) {
        square = std::max(square, (way - step_[static_cast<std::size_t>(corner)]).squaredNorm());
    }
    return std::sqrt(square);
}

// Length of a slip that friction takes back, m, with the depth of the contact as the normal force. The change from static to
// dynamic friction is continuous. A jump would throw cloth to and fro without end if strain pulls it into a body.
float BodyMesh::friction_of(const ContactFactors& factors, float depth, float slipped) {
    const float most = factors.static_friction * depth;
    // 0: sticks; 1: twice the slip that static friction holds, millimeters per second for cloth under its own weight
    const float slides = std::clamp(slipped / std::max(most, 1e-20f) - 1.0f, 0.0f, 1.0f);
    return most + slides * (factors.dynamic_friction * depth - most);
}

void BodyMesh::push_out(const ContactFactors& factors, const float* velocity, float* row, float* predicted,
                        NearBody& near) const {
    // all sides twice: a push out of one may enter another; after one round single vertices are 1 to 4 mm deep
    for (std::size_t pass = 0; pass < 2 * most_sides; ++pass) {
        const std::size_t slot = pass % most_sides;
        std::int32_t& face = near.faces[slot];
        if (face < 0) {
            continue;
        }
        const Point4 point = row_point(row);
        const Point4 way = point - row_point(predicted) + row_point(velocity) * factors.step;
        // was far away at the last test: skip until cloth and body together have moved that far, with some reserve; counted from
        // that test, because tracking and strain move cloth after contact
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
        // deeper than it can have come in this substep: it is another part of the body, which the cloth came from (limits.h)
        if (depth <= 0.0f || (distance < -deepest_contact && distance < -fastest_approach(face, way))) {
            continue;
        }
        depth = distance_to_keep(factors, point, out, distance, slot, near) - distance;
        if (depth <= 0.0f) {
            continue;
        }
        // friction acts relative to the moving body, at the point of contact
        Point4 slip = way - way_of(h);
        const float approach = std::max(-slip.dot(out), 0.0f);
        slip -= out * slip.dot(out);
        const float slipped = slip.norm();
        const float share = slipped > 0.0f ? std::min(1.0f, friction_of(factors, depth, slipped) / slipped) : 1.0f;
        // contact stops the approach of this substep; earlier depth is resolved in small steps and without speed: nothing bounces,
        // and cloth that is on another side has time to follow
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
