// Layers of cloth that keep a distance from each other: vertices against faces of the same mesh.
//
// Pairs that may touch within a frame are gathered at its start, from a grid of the vertices, and again when the cloth has
// not gone on as it moved then. Vertices that are neighbors of a face at rest are in none. Each pair keeps the side on which
// its vertex was found, over later gatherings too, so that a vertex that has gone through for a moment is brought back. Cloth
// that is tangled at the start stays so.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "simulation/closest_point.h"
#include "simulation/sweeps.h"

namespace ruckle {

struct SelfPair {
    std::int32_t vertex, face;
    std::int32_t side;  // of the face's normal: 1 or -1; 0 while not known
};

class SelfContact {
  public:
    SelfContact(const Topology& topology, std::span<const Vector3> rest, float distance, float friction);

    // Points and velocities are rows as in sweeps.h. Looks as far as the cloth comes within a time in seconds, if it goes on
    // as it moves.
    void gather(const SweepKernels& sweeps, std::span<const float> points, std::span<const float> velocities, float time);
    // Whether the cloth has moved so differently since then, the time before, that layers may have met unseen.
    bool is_outdated(const SweepKernels& sweeps, std::span<const float> points, float time) const;
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

    void find_neighbors(std::span<const Vector3> rest);
    bool sort_vertices(std::span<const float> points, std::span<const float> velocities);
    std::span<const std::int32_t> look_around(const SweepKernels& sweeps, std::int32_t face, std::span<const float> points,
                                              std::span<const float> velocities, float reach, float time);
    void gather_face(const SweepKernels& sweeps, std::int32_t face, std::span<const float> points,
                     std::span<const float> velocities, float time);
    bool are_neighbors(std::int32_t vertex, std::int32_t face) const;
    void keep_sides();
    void solve_pair(SelfPair& pair, const float* predicted, const float* velocities, float step, float* points) const;

    const std::vector<Face>& faces_;
    float distance_, reach_, friction_, cell_;
    std::vector<std::int32_t> neighbor_starts_, neighbors_;  // of faces, in order
    Grid grid_;
    std::vector<std::int32_t> cell_starts_, sorted_, found_;
    std::array<std::vector<float>, 3> sorted_points_, sorted_velocities_;
    Eigen::Array3f fastest_difference_ = Eigen::Array3f::Zero();  // of the velocities of two vertices, along each axis
    std::vector<float> gathered_points_, gathered_velocities_;    // rows at the last gathering
    std::vector<SelfPair> pairs_, older_;
    int dropped_count_ = 0;
};

}  // namespace ruckle
