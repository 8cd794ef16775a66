#include "surface/creases.h"

#include <algorithm>
#include <numbers>

#include "constants.h"

namespace ruckle {

namespace {

// How far light flows over an edge between faces whose unit normals have this cosine.
float smoothness_at(float cosine) {
    const float x = std::clamp((cosine - crease_cosine) / (smooth_cosine - crease_cosine), 0.0f, 1.0f);
    // smooth at both ends, so that shading does not jump when a fold opens
    return x * x * (3.0f - 2.0f * x);
}

int corner_of(const Face& face, std::int32_t vertex) {
    return face[0] == vertex ? 0 : face[1] == vertex ? 1 : 2;
}

}  // namespace

Creases::Creases(const Topology& topology)
    : topology_(topology),
      smoothness_(topology.edges.size(), 1.0f),
      creased_(static_cast<std::size_t>(topology.vertex_count), false),
      corner_normals_(topology.faces.size()) {}

void Creases::measure(std::span<const std::array<Vector3, 3>> weighted_normals, std::span<const Vector3> vertex_normals) {
    find_creases(weighted_normals);
    for (std::int32_t face = 0; face < topology_.face_count(); ++face) {
        for (int corner = 0; corner < 3; ++corner) {
            const std::int32_t vertex = topology_.faces[face][corner];
            Vector3& normal = corner_normals_[face][corner];
            normal = vertex_normals[vertex];
            // most vertices: they have the vertex normal, bit for bit, and no walk is needed
            if (!creased_[vertex]) {
                continue;
            }
            const Walk there = walk(face, corner, true, weighted_normals), back = walk(face, corner, false, weighted_normals);
            // p q is the product over the whole round, the same for every other face
            const Vector3 sum = weighted_normals[face][corner] + there.sum + back.sum - there.round * there.others;
            const float length = sum.norm();
            // normals that cancel leave the vertex normal
            if (length > 0.0f) {
                normal = sum / length;
            }
        }
    }
}

void Creases::find_creases(std::span<const std::array<Vector3, 3>> weighted_normals) {
    // the angles of a triangle sum to π
    const auto normal_of = [&](std::int32_t face) {
        const auto& parts = weighted_normals[face];
        return Vector3((parts[0] + parts[1] + parts[2]) * std::numbers::inv_pi_v<float>);
    };
    std::fill(creased_.begin(), creased_.end(), false);
    for (std::size_t edge = 0; edge < smoothness_.size(); ++edge) {
        const auto& faces = topology_.edge_faces[edge];
        if (faces[1] < 0) {
            // an open end: nothing lies behind it
            smoothness_[edge] = 0.0f;
            continue;
        }
        const Vector3 first = normal_of(faces[0]), second = normal_of(faces[1]);
        // a face that has collapsed has no side, and parts nothing
        const bool known = first.squaredNorm() > 0.5f && second.squaredNorm() > 0.5f;
        smoothness_[edge] = known ? smoothness_at(first.dot(second)) : 1.0f;
        if (smoothness_[edge] < 1.0f) {
            creased_[topology_.edges[edge][0]] = creased_[topology_.edges[edge][1]] = true;
        }
    }
}

Creases::Walk Creases::walk(std::int32_t face, int corner, bool forward,
                            std::span<const std::array<Vector3, 3>> weighted_normals) const {
    const std::int32_t vertex = topology_.faces[face][corner], start = face;
    Walk result{Vector3(0.0f, 0.0f, 0.0f), Vector3(0.0f, 0.0f, 0.0f), 1.0f};
    while (true) {
        const int side = forward ? (corner + 2) % 3 : corner;
        result.round *= smoothness_[topology_.face_edges[face][side]];
        face = topology_.face_neighbors[face][side];
        if (face < 0 || !(result.round > 0.0f)) {
            // without a closed round there is no second way, and nothing was counted twice
            result.round = 0.0f;
            return result;
        }
        if (face == start) {
            return result;
        }
        corner = corner_of(topology_.faces[face], vertex);
        result.sum += result.round * weighted_normals[face][corner];
        result.others += weighted_normals[face][corner];
    }
}

}  // namespace ruckle
