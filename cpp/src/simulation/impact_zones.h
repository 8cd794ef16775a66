// Impact zones: roll back cloth that has just passed through itself, where all other contact between layers has failed.
//
// All crossings are searched if the cloth has moved far since the last search, and at the end of each frame. If an edge
// has passed through a face, all five vertices become a zone, and zones with common vertices are merged. A zone moves
// from its last safe position by the average motion of its vertices. Their motion relative to the zone is reduced until
// nothing crosses. In the limit the zone translates as a whole, which cannot create crossings between its own vertices
// (Provot 1997, "Collision and self-collision handling in cloth model dedicated to design garments"; Bridson, Fedkiw
// and Anderson 2002, "Robust treatment of collisions, contact and friction for cloth animation", 7.4, who use only
// rigid zones). Momentum is conserved; velocities that separate vertices of a zone are lost. After that, edge_contact.h
// separates these edges and faces.
//
// Cloth may cross itself when it is placed, or because of pins or bodies. Such crossings ("tangles") are listed and
// counted but not removed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/crossing_search.h"
#include "simulation/edge_contact.h"

namespace ruckle {

class ImpactZones {
  public:
    // blocks: built from the same topology
    ImpactZones(const Topology& topology, ClothBlocks& blocks, std::span<const Vector3> rest, std::size_t row_count,
                float distance, float friction);

    // Stores the crossings of placed cloth as tangles. Points and velocities are rows as in sweeps.h.
    void place(std::span<const float> points);
    // Stores the current positions as the safe positions for later rollbacks.
    void begin(std::span<const float> points);
    // Returns true if a vertex has moved by more than zone_way mean edge lengths since begin(), relative to the mean
    // motion, so that a search is due.
    bool is_due(std::span<const float> points) const;
    // Searches all crossings. A crossing is new if none of its vertices belongs to a tangle. Rolls vertices of new
    // crossings back towards their safe positions, gives them the mean velocity of their zone, and adds the crossing
    // pairs to edge_contact(). Stores the crossings that remain as tangles. Returns true if a rollback is so long that
    // neighbouring edges must follow (zone_pull). Does nothing and returns false if points are not finite.
    bool roll_back_crossings(std::span<float> points, std::span<float> velocities);
    // vertices that the last call of roll_back_crossings() has rolled back
    std::span<const std::int32_t> zone_vertices() const { return zone_vertices_; }

    EdgeContact& edge_contact() { return edge_contact_; }
    const EdgeContact& edge_contact() const { return edge_contact_; }
    // Crossings that remained after the last search.
    const std::vector<Crossing>& tangles() const { return tangles_; }
    void restore(std::span<const Crossing> tangles, std::span<const Crossing> pairs);

  private:
    // A vertex of a zone: position and velocity before the rollback, and the remaining share of its motion relative to
    // the zone. The members of a zone form a tree (union-find); `parent` is an index of members.
    struct Member {
        std::int32_t vertex, parent;
        Vector3 point, velocity;
        float share;
        int round;  // last round in which the share was reduced
    };
    struct Motion {
        Eigen::Vector3d way, velocity;
        double mass;
    };

    std::size_t root(std::size_t member);
    std::size_t member_of(std::int32_t vertex, std::span<const float> points, std::span<const float> velocities);
    void mark_tangles(std::uint8_t mark);
    bool is_tangled(const Crossing& crossing) const;
    bool grow_zones(int round, std::span<const float> points, std::span<const float> velocities);
    void lessen_shares();
    void move_zones(std::span<float> points, std::span<float> velocities);
    bool pulls_far(std::span<const float> points) const;
    void end_zones();

    const Topology& topology_;
    CrossingSearch search_;
    EdgeContact edge_contact_;
    // m, motion after which a search is due; rollback after which the surrounding cloth must follow
    float way_, pull_;
    std::vector<float> start_;  // rows: safe positions
    std::vector<Crossing> found_, tangles_;
    std::vector<std::uint8_t> tangled_;    // (V) 1 while the vertex belongs to a tangle, during roll_back_crossings()
    std::vector<std::int32_t> member_of_;  // (V) index of each vertex in members_; -1: not in a zone
    std::vector<Member> members_;
    std::vector<Motion> motions_;  // mass-weighted motion and mass of each zone, at the index of its root
    std::vector<std::int32_t> zone_vertices_;
};

}  // namespace ruckle
