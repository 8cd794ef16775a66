#include "simulation/moment_tracking.h"

#include <algorithm>

#include "simulation/limits.h"

namespace ruckle {

MomentTracking::MomentTracking(MovingCloth& cloth, std::span<const float> tests, int test_count)
    : cloth_(cloth), tracking_(tests, test_count, cloth.points.values()), untouched_(cloth.row_count) {
    touched_.reserve(cloth.vertex_count);
}

std::size_t MomentTracking::target_count() const {
    return 3 * static_cast<std::size_t>(cloth_.options.substeps * tracking_.test_count());
}

std::span<const double> MomentTracking::targets_of(int substep) const {
    const auto count = 3 * static_cast<std::size_t>(tracking_.test_count());
    return targets_.subspan(static_cast<std::size_t>(substep) * count, count);
}

void MomentTracking::follow(int substep) {
    // Tracking converts the targets from the world's origin to the cloth's origin. One round is enough, because the
    // move is exact up to rounding.
    tracking_.apply(cloth_.sweeps, cloth_.team.pool(), targets_of(substep), cloth_.origin.cast<double>(), {},
                    cloth_.points.values());
}

float MomentTracking::residual(int substep) {
    return static_cast<float>(tracking_.residual(cloth_.sweeps, cloth_.team.pool(), targets_of(substep),
                                                 cloth_.origin.cast<double>(), cloth_.points.values()));
}

void MomentTracking::end_contact() {
    touched_.clear();
    for (std::size_t v = 0; v < cloth_.vertex_count; ++v) {
        // compares bits, because unmoved vertices are identical
        if (!std::equal(cloth_.points[v], cloth_.points[v] + 3, untouched_[v])) {
            touched_.push_back(static_cast<std::int32_t>(v));
        }
    }
}

void MomentTracking::follow_around_contact(int substep) {
    if (touched_.empty()) {
        return;
    }
    // an inverse mass of 0 excludes a vertex from tracking
    for (const std::int32_t v : touched_) {
        cloth_.points[static_cast<std::size_t>(v)][3] = 0.0f;
    }
    // the inverse matrix (T W Tᵀ)⁻¹ was computed with all vertices, so each round restores the residual only in part
    const TrackedRange range{contact_tolerance, largest_contact_residual};
    for (int round = 0; round < contact_rounds; ++round) {
        if (!tracking_.apply(cloth_.sweeps, cloth_.team.pool(), targets_of(substep), cloth_.origin.cast<double>(), range,
                             cloth_.points.values())) {
            break;
        }
    }
    for (const std::int32_t v : touched_) {
        cloth_.points[static_cast<std::size_t>(v)][3] = untouched_[static_cast<std::size_t>(v)][3];
    }
}

}  // namespace ruckle
