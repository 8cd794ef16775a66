#include "ruckle/surface/refinement.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "constants.h"

namespace ruckle {

void require_weights(const Vector3& weights, std::size_t row) {
    // the comparison is negated, so that NaN is also rejected
    if (!(weights.minCoeff() >= -least_weight && std::abs(weights.sum() - 1.0f) <= weight_tolerance)) {
        throw MeshError("barycentric: expected three weights of at least 0 that sum to 1, got (" + std::to_string(weights[0]) +
                        ", " + std::to_string(weights[1]) + ", " + std::to_string(weights[2]) + ") in row " +
                        std::to_string(row));
    }
}

namespace {

// Throws MeshError if a vertex with faces has a wrong coarse face or wrong barycentric coordinates.
void require_on_mesh(const Topology& coarse, const Topology& fine, const RefinedMesh& mesh) {
    for (std::size_t vertex = 0; vertex < mesh.coarse_faces.size(); ++vertex) {
        if (fine.vertex_offsets[vertex] == fine.vertex_offsets[vertex + 1]) {
            continue;  // vertices without faces are not checked
        }
        const std::int32_t face = mesh.coarse_faces[vertex];
        if (face < 0 || face >= coarse.face_count()) {
            throw MeshError("coarse_faces: expected numbers from 0 to " + std::to_string(coarse.face_count() - 1) + ", got " +
                            std::to_string(face) + " at vertex " + std::to_string(vertex));
        }
        require_weights(mesh.barycentric[vertex], vertex);
    }
}

// Returns the barycentric coordinate of a coarse vertex at a point; 0 if it is not a corner of the point's face.
float weight_of(const Topology& coarse, const CoarsePoint& point, std::int32_t vertex) {
    for (int k = 0; k < 3; ++k) {
        if (coarse.faces[point.face][k] == vertex) {
            return point.barycentric[k];
        }
    }
    return 0.0f;
}

// Returns the barycentric coordinates of a point with respect to another face. Vertices that are not corners of `face`
// are left out, so the sum is less than 1 if `face` does not contain the point.
Vector3 weights_in(const Topology& coarse, const CoarsePoint& point, std::int32_t face) {
    const Face& corners = coarse.faces[face];
    return {weight_of(coarse, point, corners[0]), weight_of(coarse, point, corners[1]), weight_of(coarse, point, corners[2])};
}

// True if the coarse face contains the point, up to weight_tolerance.
bool holds(const Topology& coarse, std::int32_t face, const CoarsePoint& point) {
    // the sum is below 1 if vertices that are not corners of `face` have weights
    return weights_in(coarse, point, face).sum() >= 1.0f - weight_tolerance;
}

// Returns the coarse face with the smallest number that contains all three corners; -1 if there is none. A comparison
// of the corners' coarse faces is not enough, because a fine vertex on a coarse edge or vertex may be given in any of
// the adjacent faces.
std::int32_t common_face(const Topology& coarse, const std::array<CoarsePoint, 3>& corners) {
    // every face that contains the first corner also contains the coarse vertex with the largest weight at this corner,
    // so only the faces around this vertex are tested
    int heaviest = 0;
    corners[0].barycentric.maxCoeff(&heaviest);
    const std::int32_t vertex = coarse.faces[corners[0].face][heaviest];
    for (std::int32_t i = coarse.vertex_offsets[vertex]; i < coarse.vertex_offsets[vertex + 1]; ++i) {
        const std::int32_t face = coarse.vertex_faces[i];
        if (std::all_of(corners.begin(), corners.end(), [&](const CoarsePoint& corner) { return holds(coarse, face, corner); })) {
            return face;
        }
    }
    return -1;
}

struct Triangle {
    Vector3 corners[3];

    Vector3 at(const Vector3& weights) const {
        return corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
    }
};

Triangle triangle_of(const Topology& topology, std::span<const Vector3> positions, std::int32_t face) {
    const Face& corners = topology.faces[face];
    return {{positions[corners[0]], positions[corners[1]], positions[corners[2]]}};
}

// Returns the barycentric coordinates of the point on the triangle's sides that is closest to p. A side may have length
// 0.
Vector3 nearest_on_sides(const Triangle& triangle, const Vector3& p) {
    Vector3 nearest(1.0f, 0.0f, 0.0f);
    float least = std::numeric_limits<float>::infinity();
    for (int k = 0; k < 3; ++k) {
        const Vector3 &from = triangle.corners[k], along = triangle.corners[(k + 1) % 3] - from;
        const float square = along.squaredNorm();
        const float x = square > 0.0f ? std::clamp(along.dot(p - from) / square, 0.0f, 1.0f) : 0.0f;
        const float distance = (from + along * x - p).squaredNorm();
        if (distance < least) {
            least = distance;
            nearest.setZero();
            nearest[k] = 1.0f - x, nearest[(k + 1) % 3] = x;
        }
    }
    return nearest;
}

// Returns the barycentric coordinates of the point in the triangle that is closest to p.
Vector3 nearest_weights(const Triangle& triangle, const Vector3& p) {
    const auto& [a, b, c] = triangle.corners;
    const Vector3 normal = (b - a).cross(c - a);
    const float square = normal.squaredNorm();
    if (square > 0.0f) {
        // barycentric coordinates: areas of the three partial triangles divided by the whole area, signed by the common
        // normal
        const Vector3 weights = Vector3((c - b).cross(p - b).dot(normal), (a - c).cross(p - c).dot(normal), 0.0f) / square;
        const Vector3 inside(weights[0], weights[1], 1.0f - weights[0] - weights[1]);
        if (inside.minCoeff() >= 0.0f) {
            return inside;
        }
    }
    return nearest_on_sides(triangle, p);
}

// Searches for the point of the coarse mesh that is closest to p, with a walk from face to face. The result may be a
// local minimum.
struct Search {
    const Topology& coarse;
    std::span<const Vector3> positions;
    Vector3 p;
    CoarsePoint nearest;
    float least = std::numeric_limits<float>::infinity();  // squared distance of `nearest`

    // Replaces `nearest` if a face has a closer point. Returns true in this case.
    bool try_face(std::int32_t face) {
        const Triangle triangle = triangle_of(coarse, positions, face);
        const Vector3 weights = nearest_weights(triangle, p);
        const float distance = (triangle.at(weights) - p).squaredNorm();
        // accepts only smaller distances, so that the walk ends
        if (!(distance < least)) {
            return false;
        }
        least = distance;
        nearest = {face, weights};
        return true;
    }

    // Walks to neighbouring faces as long as the distance decreases. If the nearest point is on a side, the next face
    // is the one across the side. If it is at a vertex, any face around the vertex may be closer.
    void walk() {
        while (step()) {
        }
    }

    // Moves to a closer point in a neighbouring face; see walk. Returns false if there is none.
    bool step() {
        const CoarsePoint from = nearest;
        for (int k = 0; k < 3; ++k) {
            const std::int32_t behind = coarse.face_neighbors[from.face][k];
            // if the nearest point is on side k, the weight of the opposite corner is exactly 0 (nearest_on_sides)
            if (from.barycentric[(k + 2) % 3] == 0.0f && behind >= 0 && try_face(behind)) {
                return true;
            }
        }
        int corner = 0;
        return from.barycentric.maxCoeff(&corner) == 1.0f && step_around(coarse.faces[from.face][corner]);
    }

    bool step_around(std::int32_t vertex) {
        for (std::int32_t i = coarse.vertex_offsets[vertex]; i < coarse.vertex_offsets[vertex + 1]; ++i) {
            if (try_face(coarse.vertex_faces[i])) {
                return true;
            }
        }
        return false;
    }
};

float area_of(const Triangle& triangle) {
    const auto& [a, b, c] = triangle.corners;
    return 0.5f * (b - a).cross(c - a).norm();
}

}  // namespace

Refinement::Refinement(const Topology& coarse, const RefinedMesh& mesh)
    : coarse_(coarse),
      topology_(mesh.faces, static_cast<int>(mesh.coarse_faces.size())),
      holders_(mesh.faces.size()),
      corners_(mesh.faces.size()) {
    // checks the coarse faces before they are used as indices
    require_on_mesh(coarse, topology_, mesh);
    for (std::size_t face = 0; face < mesh.faces.size(); ++face) {
        std::array<CoarsePoint, 3> points;
        for (int k = 0; k < 3; ++k) {
            const std::int32_t vertex = mesh.faces[face][k];
            points[k] = {mesh.coarse_faces[vertex], mesh.barycentric[vertex]};
        }
        // The common coarse face is computed once: points of a fine face inside one coarse face, which is the usual
        // case, do not need a search later.
        const std::int32_t common = common_face(coarse, points);
        for (int k = 0; k < 3; ++k) {
            holders_[face][k] = common >= 0 ? common : points[k].face;
            const Vector3 weights = weights_in(coarse, points[k], holders_[face][k]);
            // weights of vertices outside the coarse face are rounding errors: weights_in has removed them, so scale
            // the others to sum 1
            corners_[face][k] = weights / weights.sum();
        }
    }
}

CoarsePoint Refinement::locate(std::int32_t face, const Vector3& barycentric, std::span<const Vector3> coarse_positions) const {
    const auto& holders = holders_[face];
    const auto& corners = corners_[face];
    // one coarse face contains the fine face: interpolate the barycentric coordinates without a search
    if (holders[0] == holders[1] && holders[1] == holders[2]) {
        return {holders[0], corners[0] * barycentric[0] + corners[1] * barycentric[1] + corners[2] * barycentric[2]};
    }
    // the fine face covers several coarse faces, so its points are near the coarse mesh, but not on it
    Vector3 p(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 3; ++k) {
        p += triangle_of(coarse_, coarse_positions, holders[k]).at(corners[k]) * barycentric[k];
    }
    Search search{coarse_, coarse_positions, p, {holders[0], corners[0]}};
    for (const std::int32_t holder : holders) {
        search.try_face(holder);
    }
    search.walk();
    return search.nearest;
}

void measure_shape_gains(const Refinement& refinement, std::span<const Vector3> positions,
                         std::span<const Vector3> coarse_positions, std::span<float> gains) {
    std::fill(gains.begin(), gains.end(), 0.0f);
    for (std::int32_t face = 0; face < refinement.topology().face_count(); ++face) {
        const float area = area_of(triangle_of(refinement.topology(), positions, face));
        for (const std::int32_t holder : refinement.coarse_faces(face)) {
            // the area of a fine face is divided equally among the coarse faces of its corners
            gains[holder] += area / 3.0f;
        }
    }
    for (std::int32_t face = 0; face < refinement.coarse().face_count(); ++face) {
        const float area = area_of(triangle_of(refinement.coarse(), coarse_positions, face));
        // the gain is at least 0, even if the shape is smaller than the face
        gains[face] = area > 0.0f ? std::max(gains[face] / area - 1.0f, 0.0f) : 0.0f;
    }
}

}  // namespace ruckle
