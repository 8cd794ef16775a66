#include "simulation/cone_contact.h"

#include <algorithm>

#include "simulation/limits.h"

namespace ruckle {

ConeContact::ConeContact(MovingCloth& cloth) : cloth_(cloth) {
    // reserve memory for any frame, because steps must not allocate
    last_.reserve(most_cones);
    next_.reserve(most_cones);
    steps_.reserve(most_cones);
}

bool ConeContact::fits(std::span<const RoundedCone> cones) const {
    return (last_.empty() || cones.size() == last_.size()) && cones.size() <= most_cones;
}

void ConeContact::take(std::span<const RoundedCone> cones, bool first) {
    next_.assign(cones.begin(), cones.end());
    if (first) {
        last_.assign(cones.begin(), cones.end());
    }
}

void ConeContact::push_out(float before, float now) {
    if (next_.empty()) {
        return;
    }
    // the motion of the cones is computed once per substep, because it is equal for all vertices
    steps_.clear();
    for (std::size_t c = 0; c < next_.size(); ++c) {
        ConeStep step = cone_step(last_[c], next_[c], before, now, cloth_.origin);
        const float ends = std::max(Vector3::Map(step.first_move).norm(), Vector3::Map(step.second_move).norm());
        const float way = ends + cloth_.fastest_speed * cloth_.h;
        const float radius = step.first_radius + std::min(step.radius_change, 0.0f) + cloth_.options.material.thickness;
        step.samples = std::clamp(static_cast<int>(way / (sample_way * std::max(radius, 1e-6f))) + 1, 1, most_samples);
        steps_.push_back(step);
    }
    const ContactFactors factors = cloth_.contact_factors();
    cloth_.team.run([&](PartWorker& worker) {
        worker.rows([&](std::int64_t begin, std::int64_t end) {
            cloth_.sweeps.push_out_of_cones(steps_.data(), static_cast<int>(steps_.size()), factors, cloth_.velocities.data(),
                                            cloth_.points.data(), cloth_.predicted.data(), begin, end);
        });
    });
}

}  // namespace ruckle
