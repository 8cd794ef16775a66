// Layers of one cloth that are kept apart: contact of vertices with faces (self_contact.h), contact of edges
// (edge_contact.h), rollback of crossings (impact_zones.h). One thread solves contact, because most pairs share
// vertices.
#pragma once

#include <span>
#include <vector>

#include "simulation/cloth_blocks.h"
#include "simulation/elasticity.h"
#include "simulation/impact_zones.h"
#include "simulation/moving_cloth.h"
#include "simulation/self_contact.h"

namespace ruckle {

// Data of the layers that persist between frames.
struct LayerPairs {
    std::vector<SelfPair> self_pairs;
    std::vector<float> gathered_points;  // rows: predicted positions, see SelfContact
    std::vector<Crossing> edge_pairs, tangles;
};

class SeparatedLayers {
  public:
    // rest: (V) in the order of the numbering.
    SeparatedLayers(MovingCloth& cloth, Elasticity& elasticity, std::span<const Vector3> rest);

    void place();
    void shift(const Vector3& by) { self_contact_.shift(by); }

    // Call begin_frame first, and accept_frame or refuse_frame at the end. refuse_frame restores the pairs of the last
    // frame.
    void begin_frame();
    void refuse_frame() { restore(saved_); }
    void accept_frame() { self_contact_.end_frame(cloth_.dt); }

    // Stages of a substep. follow_edges updates the closest points of edge pairs. keep_apart separates vertices from
    // faces, keep_edges_apart edges from faces. take_back_crossings rolls crossings back after all stages that move the
    // cloth, if a vertex has moved far, and always in the last substep, so that frames do not show crossings.
    void follow_edges() { impact_zones_.edge_contact().follow(cloth_.points.values()); }
    void keep_apart(int substep);
    void keep_edges_apart();
    void take_back_crossings(int substep);

    const SelfContact& self_contact() const { return self_contact_; }
    const std::vector<Crossing>& edge_pairs() const { return impact_zones_.edge_contact().pairs(); }
    // crossings that remained after the last search
    const std::vector<Crossing>& tangles() const { return impact_zones_.tangles(); }
    void restore(const LayerPairs& pairs);

  private:
    void follow_zones();

    MovingCloth& cloth_;
    Elasticity& elasticity_;
    ClothBlocks blocks_;
    SelfContact self_contact_;
    ImpactZones impact_zones_;
    // (V) inverse masses of zone vertices, while follow_zones() holds them fixed; else 0
    std::vector<float> held_masses_;
    LayerPairs saved_;
};

}  // namespace ruckle
