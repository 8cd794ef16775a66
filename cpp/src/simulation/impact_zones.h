// Cloth that has just passed through itself is taken back: the net below all contact between layers.
//
// Every few substeps all crossings are looked for. Where an edge has come to pass through a face, all five vertices become a zone, zones
// that meet become one, and all of a zone goes from where it was at the last look as the zone does on average, with less and less of
// what its vertices went besides, until nothing crosses any more: in the end it moves as one piece, which it could do without
// crossing (Provot 1997, "Collision and self-collision handling in cloth model dedicated to design garments"; Bridson,
// Fedkiw and Anderson 2002, "Robust treatment of collisions, contact and friction for cloth animation", 7.4, who solve for such zones
// alone). Momentum is kept; what moves apart within a zone comes to rest in it. The edges and faces are kept apart from then on.
//
// Cloth that is tangled where it is put down, or where pins or bodies leave it no other way, stays so: tangles are left alone, to come
// out as they may, and are counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/crossing_search.h"
#include "simulation/edge_contact.h"

namespace ruckle {

class ImpactZones {
  public:
    // blocks: of the same topology
    ImpactZones(const Topology& topology, ClothBlocks& blocks, std::span<const Vector3> rest, std::size_t row_count,
                float distance, float friction);

    // Points and velocities are rows as in sweeps.h. Cloth is put down somewhere, with what tangles it has there.
    void place(std::span<const float> points);
    // Where all is now is where later looks take back to.
    void begin(std::span<const float> points);
    // Whether something has gone so far since then that it is time to look.
    bool is_due(std::span<const float> points) const;
    // Takes back what has crossed since then; whether so far that it pulls at what is around. What has been taken back stays so until
    // the next look.
    bool look(std::span<float> points, std::span<float> velocities);
    std::span<const std::int32_t> zone_vertices() const { return zone_vertices_; }

    EdgeContact& edge_contact() { return edge_contact_; }
    const EdgeContact& edge_contact() const { return edge_contact_; }
    // Crossings that are left, as of the last look.
    const std::vector<Crossing>& tangles() const { return tangles_; }
    void restore(std::span<const Crossing> tangles, std::span<const Crossing> pairs);

  private:
    // A vertex of a zone: where it came, how fast it was, and how much is left of what it went besides its zone. Zones are trees of
    // members.
    struct Member {
        std::int32_t vertex, parent;
        Vector3 point, velocity;
        float share;
        int round;  // in which that was last lessened
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
    float way_, pull_;          // m
    std::vector<float> start_;  // rows
    std::vector<Crossing> found_, tangles_;
    std::vector<std::uint8_t> tangled_;    // (V)
    std::vector<std::int32_t> member_of_;  // (V), -1 for none
    std::vector<Member> members_;
    std::vector<Motion> motions_;  // of the zones, at their roots
    std::vector<std::int32_t> zone_vertices_;
};

}  // namespace ruckle
