#include "simulation/air.h"

#include "simulation/limits.h"

namespace ruckle {

void Air::take(std::span<const Vector3> wind) {
    // air drag also acts in still air
    blows_ = cloth_.options.material.air_drag > 0.0f || !wind.empty();
    wind_ = wind.empty() ? Vector3(Vector3::Zero()) : wind[0];
    is_uniform_ = wind.size() <= 1;
    for (std::size_t v = 0; !is_uniform_ && v < cloth_.vertex_count; ++v) {
        at_vertices_.vector(v) = wind[static_cast<std::size_t>(cloth_.numbering.given[v])];
    }
}

void Air::blow(PartWorker& worker) {
    if (!blows_) {
        return;
    }
    const ClothMaterial& m = cloth_.options.material;
    // skin / (1 + skin): share of the relative velocity that skin friction removes (sweeps.h). It is equal for all
    // faces, because mass and friction are both proportional to the area.
    const float skin = cloth_.h * 0.5f * air_density * skin_drag / m.density;
    // 1/4 = 1/2 · 1/2: the drag equation has half the air density, and the kernel multiplies by twice the area
    const AirFactors factors{cloth_.h * 0.25f * air_density * m.air_drag, skin / (1.0f + skin), {wind_[0], wind_[1], wind_[2]}};
    const float* at_vertices = is_uniform_ ? nullptr : at_vertices_.data();
    const Triangles& triangles = cloth_.constraints.faces;
    worker.sweep(triangles.batches, [&, faces = triangles.arrays()](std::int64_t begin, std::int64_t end) {
        cloth_.sweeps.push_by_air(faces, cloth_.points.data(), at_vertices, factors, cloth_.velocities.data(), begin, end);
    });
}

}  // namespace ruckle
