#include "simulation/moving_cloth.h"

#include <limits>

#include "simulation/limits.h"

namespace ruckle {

MovingCloth::MovingCloth(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> given_attachment,
                         const ClothOptions& given)
    : options(given),
      numbering(Topology(faces, static_cast<int>(rest.size()))),
      topology(numbering.faces, static_cast<int>(rest.size())),
      constraints(topology, numbering, numbering.arrange(rest), numbering.arrange(given_attachment), given),
      vertex_count(rest.size()),
      row_count(whole_blocks(static_cast<std::size_t>(numbering.first_spare + numbering.part_count))),
      attachment(complete(given_attachment)),
      points(row_count),
      velocities(row_count),
      predicted(row_count),
      team(numbering, given.threads) {
    for (std::size_t v = 0; v < vertex_count; ++v) {
        // No constraint moves a vertex with an inverse mass of 0, so kernels do not have to test for pins. Vertices
        // without faces and extremely light vertices also get 0.
        const float mass = constraints.masses[v];
        points[v][3] = mass >= least_mass && attachment[v] < 1.0f ? 1.0f / mass : 0.0f;
    }
}

// Returns the attachment in the order of the numbering; zeros (all free) if none is given.
std::vector<float> MovingCloth::complete(std::span<const float> given) const {
    std::vector<float> arranged = numbering.arrange(given);
    arranged.resize(vertex_count, 0.0f);
    return arranged;
}

Vector3 MovingCloth::recenter() {
    Vector3 low = points.vector(0), high = low;
    for (std::size_t v = 1; v < vertex_count; ++v) {
        low = low.cwiseMin(points.vector(v));
        high = high.cwiseMax(points.vector(v));
    }
    const Vector3 center = 0.5f * (low + high);
    if (center.cwiseAbs().maxCoeff() <= origin_reach) {
        return Vector3::Zero();
    }
    const Vector3 by = center.array().round();
    for (std::size_t v = 0; v < vertex_count; ++v) {
        points.vector(v) -= by;
    }
    origin += by;
    return by;
}

ContactFactors MovingCloth::contact_factors() const {
    const ClothMaterial& m = options.material;
    // only for cloth that rests in creases may the contact distance become negative: for other cloth, a fast knee may
    // seem to overlap with its far side for some substeps
    const float overlap = rests_in_creases() ? deepest_contact : 0.0f;
    return {.thickness = m.thickness + options.margin,
            .static_friction = m.static_friction,
            .dynamic_friction = m.dynamic_friction,
            .step = h,
            .push = push_speed * h,
            .overlap = overlap,
            .press = is_tracked ? press_speed * h : std::numeric_limits<float>::max(),
            .layers = 0.5f * options.self_distance};
}

}  // namespace ruckle
