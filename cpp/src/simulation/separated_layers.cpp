#include "simulation/separated_layers.h"

#include <utility>

#include "simulation/limits.h"

namespace ruckle {

SeparatedLayers::SeparatedLayers(MovingCloth& cloth, Elasticity& elasticity, std::span<const Vector3> rest)
    : cloth_(cloth),
      elasticity_(elasticity),
      blocks_(cloth.topology),
      self_contact_(cloth.topology, blocks_, rest, cloth.row_count, cloth.options.self_distance,
                    cloth.options.material.dynamic_friction),
      impact_zones_(cloth.topology, blocks_, rest, cloth.row_count, cloth.options.self_distance,
                    cloth.options.material.dynamic_friction),
      held_masses_(cloth.vertex_count) {
    // reserve memory for any frame, because steps must not allocate
    saved_.self_pairs.reserve(self_contact_.most_pairs());
    saved_.gathered_points = self_contact_.gathered_points();
    saved_.edge_pairs.reserve(edge_pairs().capacity());
    saved_.tangles.reserve(tangles().capacity());
}

void SeparatedLayers::place() {
    self_contact_.forget();
    impact_zones_.place(cloth_.points.values());
}

void SeparatedLayers::restore(const LayerPairs& pairs) {
    self_contact_.restore(pairs.self_pairs, pairs.gathered_points);
    impact_zones_.restore(pairs.tangles, pairs.edge_pairs);
}

void SeparatedLayers::begin_frame() {
    saved_.self_pairs.clear();
    for (std::size_t i = 0; i < self_contact_.pair_count(); ++i) {
        saved_.self_pairs.push_back(self_contact_.pair(i));
    }
    saved_.gathered_points = self_contact_.gathered_points();
    saved_.edge_pairs = edge_pairs();
    saved_.tangles = tangles();
    impact_zones_.begin(cloth_.points.values());
}

void SeparatedLayers::keep_apart(int substep) {
    const float since = cloth_.h * static_cast<float>(substep);
    // within a frame, tests every self_interval substeps whether vertices left their predicted paths, and then searches
    if (substep == 0 || (substep % self_interval == 0 && self_contact_.is_due(cloth_.points.values(), since))) {
        self_contact_.search_pairs(cloth_.points.values(), cloth_.velocities.values(), since, cloth_.dt - since);
    }
    self_contact_.solve(cloth_.predicted.values(), cloth_.velocities.values(), cloth_.h, cloth_.points.values());
}

void SeparatedLayers::keep_edges_apart() {
    impact_zones_.edge_contact().solve(cloth_.predicted.values(), cloth_.velocities.values(), cloth_.h, cloth_.points.values());
}

void SeparatedLayers::take_back_crossings(int substep) {
    std::vector<float>&points = cloth_.points.values(), &velocities = cloth_.velocities.values();
    if (substep + 1 != cloth_.options.substeps && !impact_zones_.is_due(points)) {
        return;
    }
    if (impact_zones_.roll_back_crossings(points, velocities)) {
        follow_zones();
        impact_zones_.roll_back_crossings(points, velocities);
    }
    impact_zones_.begin(points);
}

// Moves the cloth around zones to its strain limits without changing velocities; zone vertices are fixed meanwhile.
// Otherwise the strain limits of the next substep would throw the cloth.
void SeparatedLayers::follow_zones() {
    const auto swap_masses = [&] {
        for (const std::int32_t vertex : impact_zones_.zone_vertices()) {
            const auto v = static_cast<std::size_t>(vertex);
            std::swap(cloth_.points[v][3], held_masses_[v]);
        }
    };
    swap_masses();
    elasticity_.pull_together(zone_sweeps);
    swap_masses();
}

}  // namespace ruckle
