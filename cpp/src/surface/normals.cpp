#include "surface/normals.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "constants.h"
#include "numeric/functions.h"

namespace ruckle {

namespace {

// Zero adds nothing to a sum: a collapsed face has no say in its vertices' normals.
Vector3 divided_or_zero(const Vector3& v, float length) {
    return length > 0.0f ? Vector3(v / length) : Vector3(0.0f, 0.0f, 0.0f);
}

// From the length of the mean normal around a vertex: 1 where all agree, cos(θ/2) on a fold by θ.
float roundness_at(float agreement) {
    const float x = std::clamp((agreement - folded_agreement) / (round_agreement - folded_agreement), 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

}  // namespace

Normals::Normals(const Topology& topology, ThreadPool* pool)
    : topology_(topology),
      pool_(pool),
      weighted_(topology.faces.size()),
      normals_(static_cast<std::size_t>(topology.vertex_count)),
      roundness_(normals_.size()) {}

void Normals::measure(std::span<const Vector3> positions) {
    // in two passes, so that every vertex gathers from finished faces and no two threads add to one sum
    for_chunks(pool_, topology_.face_count(), normals_per_share,
               [&](std::int64_t begin, std::int64_t end, int) { measure_faces(positions, begin, end); });
    for_chunks(pool_, topology_.vertex_count, normals_per_share,
               [&](std::int64_t begin, std::int64_t end, int) { gather_vertices(begin, end); });
}

void Normals::measure_faces(std::span<const Vector3> positions, std::int64_t begin, std::int64_t end) {
    for (std::int64_t face = begin; face < end; ++face) {
        const Face& corners = topology_.faces[face];
        const Vector3 &a = positions[corners[0]], &b = positions[corners[1]], &c = positions[corners[2]];
        const Vector3 first = b - a, second = c - a, third = c - b, across = first.cross(second);
        const float area = across.norm();
        const Vector3 normal = divided_or_zero(across, area);
        // no division, as acos would need: slivers keep their angles, and no length of zero makes NaN
        const float at_a = arc_tangent(area, first.dot(second)), at_b = arc_tangent(area, -first.dot(third));
        weighted_[face] = {normal * at_a, normal * at_b, normal * (std::numbers::pi_v<float> - at_a - at_b)};
    }
}

void Normals::gather_vertices(std::int64_t begin, std::int64_t end) {
    for (std::int64_t vertex = begin; vertex < end; ++vertex) {
        Vector3 sum(0.0f, 0.0f, 0.0f);
        // the sum's length over this is 1 where all normals agree, and falls as they turn apart
        float sum_of_lengths = 0.0f;
        for (std::int32_t i = topology_.vertex_offsets[vertex]; i < topology_.vertex_offsets[vertex + 1]; ++i) {
            const std::int32_t face = topology_.vertex_faces[i];
            const Face& corners = topology_.faces[face];
            const Vector3& normal = weighted_[face][corners[0] == vertex ? 0 : corners[1] == vertex ? 1 : 2];
            sum += normal;
            sum_of_lengths += normal.norm();
        }
        const float length = sum.norm();
        normals_[vertex] = divided_or_zero(sum, length);
        roundness_[vertex] = sum_of_lengths > 0.0f ? roundness_at(length / sum_of_lengths) : 0.0f;
    }
}

}  // namespace ruckle
