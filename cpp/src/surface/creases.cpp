// Computes corner normals at creases; see creases.h.
#include "surface/creases.h"

#include <algorithm>

#include "constants.h"

namespace ruckle {

namespace {

// Returns the smoothness of an edge from the cosine between the unit normals of its faces: 1 from smooth_cosine on, 0
// up to crease_cosine, a smoothstep between.
float smoothness_at(float cosine) {
    const float x = std::clamp((cosine - crease_cosine) / (smooth_cosine - crease_cosine), 0.0f, 1.0f);
    // shading does not jump when a fold opens
    return x * x * (3.0f - 2.0f * x);
}

// Returns all four numbers, because they are added with one instruction.
Eigen::Map<const Eigen::Vector4f> row_of(const CornerNormal& normal) {
    return Eigen::Map<const Eigen::Vector4f>(normal.weighted.data());
}

int corner_of(const Face& face, std::int32_t vertex) {
    return face[0] == vertex ? 0 : face[1] == vertex ? 1 : 2;
}

}  // namespace

Creases::Creases(const Topology& topology)
    : topology_(topology),
      smoothness_(topology.edges.size(), 1.0f),
      creased_(static_cast<std::size_t>(topology.vertex_count), false) {
    steps_.reserve(6 * topology.faces.size());
    for (std::int32_t face = 0; face < topology.face_count(); ++face) {
        for (int corner = 0; corner < 3; ++corner) {
            steps_.push_back(step_from(face, corner, false));
            steps_.push_back(step_from(face, corner, true));
        }
    }
}

Creases::Step Creases::step_from(std::int32_t face, int corner, bool forward) const {
    const int side = forward ? (corner + 2) % 3 : corner;
    const std::int32_t edge = topology_.face_edges[face][side], next = topology_.face_neighbors[face][side];
    if (next < 0) {
        return {edge, -1};
    }
    const int reached = corner_of(topology_.faces[next], topology_.faces[face][corner]);
    // the next edge is the other edge of this face at the vertex, for any winding of the face, so that the walk ends
    const bool is_begun = topology_.face_edges[next][reached] == edge;
    return {edge, 2 * (3 * next + reached) + (is_begun ? 1 : 0)};
}

void Creases::measure(const Normals& normals) {
    find_creases(normals.of_faces());
    parted_faces_.clear();
    parted_normals_.clear();
    // a local pointer, because the compiler would reload the member for every face
    const std::uint8_t* creased = creased_.data();
    for (std::int32_t face = 0; face < topology_.face_count(); ++face) {
        const Face& vertices = topology_.faces[face];
        // skip faces without a corner at a crease, as most faces are
        if ((creased[vertices[0]] | creased[vertices[1]] | creased[vertices[2]]) != 0) {
            part(face, normals);
        }
    }
}

void Creases::measure(const Normals& normals, std::span<const std::int32_t> faces) {
    find_creases(normals.of_faces());
    parted_faces_.clear();
    parted_normals_.clear();
    for (const std::int32_t face : faces) {
        part(face, normals);
    }
}

// Appends a face to parted_faces_, with the normals of its corners.
void Creases::part(std::int32_t face, const Normals& normals) {
    const Face& vertices = topology_.faces[face];
    parted_faces_.push_back(face);
    auto& own = parted_normals_.emplace_back();
    for (int corner = 0; corner < 3; ++corner) {
        const std::int32_t vertex = vertices[corner];
        // a corner without a crease has the vertex normal
        own[corner] = creased_[vertex] != 0 ? parted_normal(3 * face + corner, normals) : normals.of_vertices()[vertex];
    }
}

// Returns the mean normal of the faces around a vertex, weighted by a_g w_fg (creases.h).
Vector3 Creases::parted_normal(std::int32_t corner, const Normals& normals) const {
    const CornerNormal* const all = normals.of_corners().data()->data();
    const SideSum there = sum_side(corner, true, all), back = sum_side(corner, false, all);
    // If the ring is closed, both walks reach all faces: w = p + q - p q, and p q (`round`) is equal for all faces of
    // the ring. So p q times the sum without weights is subtracted once.
    const Eigen::Vector4f total = row_of(all[corner]) + there.sum + back.sum - there.round * there.others;
    const Vector3 sum = total.head<3>();
    const float length = sum.norm();
    // if the sum is 0, use the vertex normal
    return length > 0.0f ? Vector3(sum / length) : normals.of_vertices()[topology_.faces[corner / 3][corner % 3]];
}

// Computes the smoothness of all edges, and marks the ends of edges with smoothness below 1 in creased_. Boundary edges
// get smoothness 0 without marks.
void Creases::find_creases(std::span<const FaceNormal> normals) {
    std::fill(creased_.begin(), creased_.end(), std::uint8_t{0});
    for (std::size_t edge = 0; edge < smoothness_.size(); ++edge) {
        const auto& faces = topology_.edge_faces[edge];
        if (faces[1] < 0) {
            // smoothness 0 ends the walks of sum_side at a boundary edge
            smoothness_[edge] = 0.0f;
            continue;
        }
        const Vector3 &first = normals[faces[0]].direction, &second = normals[faces[1]].direction;
        const float cosine = first.dot(second);
        // most edges are smooth; edges of a degenerate face, which does not have a normal, also count as smooth
        if (cosine >= smooth_cosine || first.isZero(0.0f) || second.isZero(0.0f)) {
            smoothness_[edge] = 1.0f;
            continue;
        }
        smoothness_[edge] = smoothness_at(cosine);
        creased_[topology_.edges[edge][0]] = creased_[topology_.edges[edge][1]] = 1;
    }
}

// Walks over the faces around the vertex of a corner and sums their corner normals, without that of the corner itself.
// The walk begins across the side that ends at the corner (forward), or across the side that begins there.
Creases::SideSum Creases::sum_side(std::int32_t corner, bool forward, const CornerNormal* normals) const {
    SideSum result{Eigen::Vector4f::Zero(), Eigen::Vector4f::Zero(), 1.0f};
    // local pointers, because the compiler would reload the members for every face
    const Step* const steps = steps_.data();
    const float* const smoothness = smoothness_.data();
    std::int32_t at = 2 * corner + (forward ? 1 : 0);
    while (true) {
        const auto [edge, next] = steps[at];
        result.round *= smoothness[edge];
        if (next < 0 || !(result.round > 0.0f)) {
            // a boundary or a crease ends the walk before the ring of faces is closed, so the product around the ring (p q in
            // creases.h) is 0
            result.round = 0.0f;
            return result;
        }
        if (next / 2 == corner) {
            return result;
        }
        const Eigen::Vector4f normal = row_of(normals[next / 2]);
        result.sum += result.round * normal;
        result.others += normal;
        at = next;
    }
}

}  // namespace ruckle
