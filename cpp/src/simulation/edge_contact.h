// Edges and faces of one cloth that have tried to pass through each other, and are kept apart from then on.
//
// Vertex-face pairs (self_contact.h) miss edges that pass other edges. They also miss parts that are close at rest and meet in a
// sharp fold. Watching all such pairs would cost many times more, and very few ever touch. So a pair is held only after an edge has
// passed a face and was rolled back (impact_zones.h). It is released if both are far apart again.
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

    // Points are rows as in sweeps.h. The pair must not cross at the next call of look().
    void hold(const Crossing& pair);
    // Finds the closest points and the direction of separation of each pair, independent of earlier results. Releases pairs that
    // are far apart, or that cross.
    void look(std::span<const float> points);
    // The same, but pairs that are briefly on the wrong side are separated in the earlier direction. Call it in every substep: the
    // closest points move along the edges.
    void follow(std::span<const float> points);
    void solve(std::span<const float> predicted, std::span<const float> velocities, float step, std::span<float> points) const;

    const std::vector<Crossing>& pairs() const { return pairs_; }
    void restore(std::span<const Crossing> pairs) { pairs_.assign(pairs.begin(), pairs.end()); }

  private:
    // Vertices of the edge and the face, and their shares in the closest points, which separate along a direction.
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
    std::vector<Parting> partings_;  // of these pairs, from the last look
};

}  // namespace ruckle
