// Keeps an edge and a face of one cloth apart after they have crossed once.
//
// Vertex-face pairs (self_contact.h) miss edges that cross other edges, and parts of the cloth that are close at rest
// and touch in a sharp fold. Pairs of an edge and a face detect both. Testing all pairs of the cloth would take many
// times longer, although very few ever touch. Therefore a pair is added only when its edge crosses its face and impact
// zones roll the crossing back (impact_zones.h). update_pairs() removes the pair if edge and face are far apart again.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/simulation/crossings.h"

namespace ruckle {

// Returns the two ends of the edge, then the three corners of the face.
std::array<std::int32_t, 5> corners_of(const Crossing& pair, const Topology& topology);

class EdgeContact {
  public:
    // distance: m, distance between layers. friction: largest tangential correction, divided by the missing distance.
    EdgeContact(const Topology& topology, std::span<const Vector3> rest, float distance, float friction);

    // Adds a pair if it is new and the list is not full. Edge and face must not cross when update_pairs() is called next.
    void hold(const Crossing& pair);
    // Computes the closest points and the direction of separation of each pair from the current points. Removes pairs
    // whose distance is above self_reach · distance or below least_edge_distance. points: rows as in sweeps.h.
    void update_pairs(std::span<const float> points);
    // Updates the closest points and the direction of each pair; call it in every substep. A pair that has just
    // crossed, or is closer than least_edge_distance, retains its earlier direction and weights.
    void follow(std::span<const float> points);
    // Separates pairs that are closer than their wanted distance (edge_share and edge_rest in limits.h) by moving their
    // vertices, with friction: by self_push of the missing distance, at most half the distance between layers. step:
    // duration of a substep, s.
    void solve(std::span<const float> predicted, std::span<const float> velocities, float step, std::span<float> points) const;

    const std::vector<Crossing>& pairs() const { return pairs_; }
    void restore(std::span<const Crossing> pairs) { pairs_.assign(pairs.begin(), pairs.end()); }

  private:
    // The vertices of a pair, their weights in the closest points (negative for the face), the direction of separation
    // from the face to the edge, and the wanted and current distances, m.
    struct Parting {
        std::array<std::int32_t, 5> vertices;
        std::array<float, 5> shares;
        Vector3 direction;
        float distance, apart;
    };

    Parting parting_of(const Crossing& pair) const;
    static void measure(std::span<const float> points, Parting& parting);

    const Topology& topology_;
    std::vector<Vector3> rest_;
    float distance_, friction_;
    std::vector<Crossing> pairs_;    // all pairs, sorted by edge, then by face
    std::vector<Parting> partings_;  // one per pair, computed by update_pairs() and updated by follow()
};

}  // namespace ruckle
