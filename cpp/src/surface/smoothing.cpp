#include "surface/smoothing.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "constants.h"

namespace ruckle {

Smoothing::Smoothing(const Topology& topology)
    : topology_(topology),
      maps_(static_cast<std::size_t>(topology.vertex_count)),
      areas_(static_cast<std::size_t>(topology.vertex_count)) {}

bool Smoothing::has_share(const Face& corners) const {
    return shares_[corners[0]] > 0.0f || shares_[corners[1]] > 0.0f || shares_[corners[2]] > 0.0f;
}

// Writes maps_, areas_ and the shares. The map from rest (deformation gradient) of a triangle with the edges e1, e2 and
// the normal n, at rest ē1, ē2 and n̄, is
//     (e1 (ē2 × n̄)ᵀ + e2 (n̄ × ē1)ᵀ) / (2 area at rest) + n n̄ᵀ.
// maps_ has the weighted sum of the maps of the triangles around each vertex. The weight is twice the area at rest,
// which cancels the division in the map.
void Smoothing::measure(std::span<const Vector3> positions, std::span<const HeightSource> sources) {
    shares_ = {};
    for (const HeightSource& source : sources) {
        if (source.smoothing.empty()) {
            continue;
        }
        if (shares_.empty()) {
            shares_ = source.smoothing, rest_ = source.rest;
            continue;
        }
        // several sources with smoothing, such as two states of one layer that are blended: uses the larger share at
        // each vertex
        merged_.assign(shares_.begin(), shares_.end());
        std::transform(merged_.begin(), merged_.end(), source.smoothing.begin(), merged_.begin(),
                       [](float a, float b) { return std::max(a, b); });
        shares_ = merged_;
    }
    if (shares_.empty()) {
        return;
    }
    std::fill(maps_.begin(), maps_.end(), Matrix3::Zero());
    std::fill(areas_.begin(), areas_.end(), 0.0f);
    for (const Face& corners : topology_.faces) {
        if (!has_share(corners)) {
            continue;
        }
        const Vector3 first = positions[corners[1]] - positions[corners[0]],
                      second = positions[corners[2]] - positions[corners[0]];
        const Vector3 first_rest = rest_[corners[1]] - rest_[corners[0]], second_rest = rest_[corners[2]] - rest_[corners[0]];
        const Vector3 across = first.cross(second), across_rest = first_rest.cross(second_rest);
        const float area = across.norm(), area_rest = across_rest.norm();
        if (!(area > 0.0f && area_rest > 0.0f && std::isfinite(area) && std::isfinite(area_rest))) {
            continue;
        }
        const Vector3 normal_rest = across_rest / area_rest;
        const Matrix3 map = first * second_rest.cross(normal_rest).transpose() +
                            second * normal_rest.cross(first_rest).transpose() + across * (across_rest / area).transpose();
        for (const std::int32_t vertex : corners) {
            maps_[vertex] += map;
            areas_[vertex] += area_rest;
        }
    }
}

Vector3 Smoothing::end_offset(std::int32_t a, std::int32_t b, std::int32_t vertex, const Vector3& along, const Vector3& normal,
                              const Vector3& round, float roundness) const {
    const float share = shares_[vertex];
    // returns the unsmoothed value without smoothing, or if all faces around the vertex are degenerate
    if (!(share > 0.0f && areas_[vertex] > 0.0f)) {
        return round;
    }
    const Vector3 carried = maps_[vertex] * ((rest_[b] - rest_[a]) / areas_[vertex]);
    const Vector3 turned = along - (carried - normal * normal.dot(carried));
    const float most = most_turning * along.norm(), size = turned.norm();
    const float limited = size > most ? most / size : 1.0f;
    return (1.0f - share) * round + (0.5f * share * roundness * limited) * turned;
}

}  // namespace ruckle
