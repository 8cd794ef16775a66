// Layers of cloth that keep a distance from each other: vertices against faces of the same mesh.
//
// Pairs that may touch soon are gathered now and then, from a grid of the vertices. Each keeps the side on which its vertex
// was found, over later gatherings too, so that a vertex that has gone through for a moment is brought back. Cloth that is
// tangled at the start stays so.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "simulation/closest_point.h"

namespace ruckle {

struct SelfPair {
    std::int32_t vertex, face;
    std::int32_t side;  // of the face's normal: 1 or -1; 0 while not known
};

class SelfContact {
  public:
    SelfContact(const Topology& topology, std::span<const Vector3> rest, float distance, float friction);

    // Points are rows as in sweeps.h.
    void gather(std::span<const float> points);
    void solve(std::span<const float> predicted, std::span<const float> velocities, float step, std::span<float> points);

    const std::vector<SelfPair>& pairs() const { return pairs_; }
    void restore(std::span<const SelfPair> pairs);
    int dropped_count() const { return dropped_count_; }  // pairs for which there was no room in the last gathering

  private:
    struct Grid {
        Eigen::Array3f low;
        float cell;
        Eigen::Array3i count;
        std::int32_t index(const Eigen::Array3i& c) const { return (c[0] * count[1] + c[1]) * count[2] + c[2]; }
        Eigen::Array3i cell_of(const Eigen::Array3f& p) const;
    };

    void sort_vertices(std::span<const float> points);
    void gather_face(std::int32_t face, std::span<const float> points);
    void keep_sides();
    void solve_pair(SelfPair& pair, const float* predicted, const float* velocities, float step, float* points) const;

    const std::vector<Face>& faces_;
    std::vector<Eigen::Array3f> rest_;
    float distance_, reach_, friction_, cell_;
    Grid grid_;
    std::vector<std::int32_t> cell_starts_, sorted_;
    std::vector<Point4> sorted_points_;
    std::vector<SelfPair> pairs_, older_;
    int dropped_count_ = 0;
};

}  // namespace ruckle
