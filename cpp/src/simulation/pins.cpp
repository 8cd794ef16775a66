#include "simulation/pins.h"

namespace ruckle {

Pins::Pins(MovingCloth& cloth) : cloth_(cloth), last_(cloth.row_count), next_(cloth.row_count) {
    for (std::size_t v = 0; v < cloth_.vertex_count; ++v) {
        if (cloth_.attachment[v] > 0.0f) {
            (cloth_.attachment[v] < 1.0f ? pulled_ : pinned_).push_back(static_cast<std::int32_t>(v));
        }
    }
}

void Pins::place() {
    for (std::size_t v = 0; v < cloth_.vertex_count; ++v) {
        last_.vector(v) = cloth_.points.vector(v);
    }
}

void Pins::shift(const Vector3& by) {
    for (std::size_t v = 0; v < cloth_.vertex_count; ++v) {
        last_.vector(v) -= by;
    }
}

void Pins::take(std::span<const Vector3> pins) {
    // vertices without a new pin keep the old pin
    next_ = last_;
    for (std::size_t v = 0; v < pins.size(); ++v) {
        if (cloth_.attachment[v] > 0.0f) {
            next_.vector(v) = pins[static_cast<std::size_t>(cloth_.numbering.given[v])] - cloth_.origin;
        }
    }
}

void Pins::move(float share, PartWorker& worker) {
    worker.vertices(pinned_, [&](std::size_t v) {
        const Vector3 way = next_.vector(v) - last_.vector(v);
        cloth_.points.vector(v) = last_.vector(v) + way * share;
        // air forces and contact with other layers use the velocity of a pinned vertex
        cloth_.velocities.vector(v) = way / cloth_.dt;
    });
}

void Pins::pull(float share, PartWorker& worker) {
    worker.vertices(pulled_, [&](std::size_t v) {
        // k / (1 + k) is below 1, so the spring never overshoots its pin
        const float rate = cloth_.options.attachment_rate * cloth_.attachment[v] * cloth_.h, k = rate * rate;
        const Vector3 pin = last_.vector(v) + (next_.vector(v) - last_.vector(v)) * share;
        cloth_.points.vector(v) += (pin - cloth_.points.vector(v)) * (k / (1.0f + k));
    });
}

}  // namespace ruckle
