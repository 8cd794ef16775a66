// Edges and faces of one cloth that have tried to pass through each other, and are kept apart since.
//
// Pairs of vertices and faces (self_contact.h) do not see an edge that passes another edge, nor what lies close together at rest and
// meets in a sharp fold. All such pairs would be many times as many, of which hardly any ever touch: so a pair is held from the moment
// at which an edge has passed a face and was taken back (impact_zones.h), until both are far from each other again.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/simulation/crossings.h"

namespace ruckle {

// The ends of the edge, then the corners of the face.
std::array<std::int32_t, 5> corners_of(const Crossing& pair, const Topology& topology);

class EdgeContact {
  public:
    EdgeContact(const Topology& topology, std::span<const Vector3> rest, float distance, float friction);

    // Points are rows as in sweeps.h. The pair must not cross where next look() is called.
    void hold(const Crossing& pair);
    // Looks where pairs are closest, and in which direction they are to be parted, without what was known before; lets go of pairs that
    // are far apart, or cross after all.
    void look(std::span<const float> points);
    // The same, but pairs that are on each other's other side for a moment are parted as before. In every substep: what is closest goes
    // along the edges.
    void follow(std::span<const float> points);
    void solve(std::span<const float> predicted, std::span<const float> velocities, float step, std::span<float> points) const;

    const std::vector<Crossing>& pairs() const { return pairs_; }
    void restore(std::span<const Crossing> pairs) { pairs_.assign(pairs.begin(), pairs.end()); }

  private:
    // Of the edge's ends and the face's corners: how they move the points that are closest, apart along a direction.
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
    std::vector<Crossing> pairs_;    // in order
    std::vector<Parting> partings_;  // of these, as of the last look
};

}  // namespace ruckle
