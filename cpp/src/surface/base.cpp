// Computes bulges and levels of the curved base; base.h gives the formulas.
#include "surface/base.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "constants.h"

namespace ruckle {

namespace {

// Factor 3/4 of the bulges, as the authors of Phong tessellation recommend (Boubekeur and Alexa 2008, section 3).
constexpr float curvature = 0.75f;

// Returns the number of chords, at most `most`, with which the visible gap between a parabola with this bulge and its
// chords is at most viewpoint.gap times the distance from the eye. Only the component of the gap perpendicular to the
// line of sight is visible.
int visible_parts(const Vector3& bulge, const Vector3& to_eye, const Viewpoint& viewpoint, int most) {
    const float nearness = to_eye.squaredNorm();
    // number of chords = √(visible gap of one chord / allowed gap). The visible gap is |bulge x to_eye| / (4 |to_eye|),
    // the allowed gap viewpoint.gap |to_eye|.
    const float gaps = 0.25f * bulge.cross(to_eye).norm() / (viewpoint.gap * nearness);
    return !(gaps > 1.0f) ? 1 : static_cast<int>(std::ceil(std::min(std::sqrt(gaps), static_cast<float>(most))));
}

}  // namespace

Base::Base(const Topology& topology)
    : topology_(topology),
      smoothing_(topology),
      bulges_(topology.edges.size(), Vector3(0.0f, 0.0f, 0.0f)),
      levels_(topology.edges.size(), 1),
      vertex_facings_(static_cast<std::size_t>(topology.vertex_count)),
      face_facings_(topology.faces.size()) {}

// Computes vertex_facings_ and face_facings_ for an eye. The facing of a vertex at the position of the eye is 0.
void Base::measure_facings(std::span<const Vector3> positions, std::span<const Vector3> normals, const Vector3& eye) {
    for (std::size_t vertex = 0; vertex < vertex_facings_.size(); ++vertex) {
        const Vector3 to_eye = eye - positions[vertex];
        const float distance = to_eye.norm();
        vertex_facings_[vertex] = distance > 0.0f ? normals[vertex].dot(to_eye) / distance : 0.0f;
    }
    for (std::size_t face = 0; face < face_facings_.size(); ++face) {
        const Face& corners = topology_.faces[face];
        const float a = vertex_facings_[corners[0]], b = vertex_facings_[corners[1]], c = vertex_facings_[corners[2]];
        const float low = std::min({a, b, c}), high = std::max({a, b, c});
        // the facing is 0 if the corners have different signs, because the outline then passes through the face
        face_facings_[face] = std::max({low, -high, 0.0f});
    }
}

// Returns the share of an edge's bulge that is used with a viewpoint: 1 for an edge on the outline or the boundary, 0
// if both faces clearly point toward the viewer or away. The bulge is invisible then.
float Base::outline_share(std::size_t edge) const {
    const auto& faces = topology_.edge_faces[edge];
    if (faces[1] < 0) {
        return 1.0f;
    }
    const float facing = std::min(face_facings_[faces[0]], face_facings_[faces[1]]);
    const float x = std::max(1.0f - facing / inner_facing, 0.0f);
    // smoothstep, so that bulges do not jump when the camera turns
    return x * x * (3.0f - 2.0f * x);
}

void Base::measure(std::span<const Vector3> positions, std::span<const Vector3> normals, std::span<const float> roundness,
                   std::span<const HeightSource> sources, const SurfaceOptions& options) {
    if (!options.curved) {
        std::fill(bulges_.begin(), bulges_.end(), Vector3(0.0f, 0.0f, 0.0f));
        std::fill(levels_.begin(), levels_.end(), 1);
        return;
    }
    if (options.viewpoint) {
        measure_facings(positions, normals, options.viewpoint->eye);
    }
    smoothing_.measure(positions, sources);
    for (std::size_t edge = 0; edge < bulges_.size(); ++edge) {
        const float share = options.viewpoint ? outline_share(edge) : 1.0f;
        const std::int32_t a = topology_.edges[edge][0], b = topology_.edges[edge][1];
        const bool smooth = smoothing_.share(a) > 0.0f || smoothing_.share(b) > 0.0f;
        if (share == 0.0f && !smooth) {
            bulges_[edge].setZero();
            levels_[edge] = 1;
            continue;
        }
        const Vector3 along = positions[b] - positions[a];
        const auto bend = [&](std::int32_t vertex) {
            const Vector3 round = normals[vertex] * (share * curvature * roundness[vertex] * along.dot(normals[vertex]));
            return smooth ? smoothing_.end_offset(a, b, vertex, along, normals[vertex], round, roundness[vertex]) : round;
        };
        bulges_[edge] = bend(b) - bend(a);
        levels_[edge] = options.viewpoint
                            ? visible_parts(bulges_[edge], options.viewpoint->eye - 0.5f * (positions[a] + positions[b]),
                                            *options.viewpoint, options.base_level)
                            : options.base_level;
    }
}

}  // namespace ruckle
