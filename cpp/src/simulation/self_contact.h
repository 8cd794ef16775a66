// Layers of cloth that keep a distance from each other: vertices against faces of the same mesh.
//
// Pairs that may touch within a frame are gathered at its start, from a grid of the vertices. Where the cloth has not gone on as it
// moved then, strays are looked for again, and what they may touch is added. Vertices that are neighbors of a face at rest are in
// no pair. Each pair keeps the side on which its vertex was found, over later gatherings too, so that a vertex that has gone
// through for a moment is brought back. Cloth that is tangled at the start stays so.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/point4.h"
#include "simulation/contact_kernels.h"
#include "simulation/vertex_grid.h"

namespace ruckle {

struct SelfPair {
    std::int32_t vertex, face;
    std::int32_t side;  // of the face's normal: 1 or -1; 0 while not known
};

class SelfContact {
  public:
    // row_count: of points, which the kernels take in whole blocks
    SelfContact(const Topology& topology, std::span<const Vector3> rest, std::size_t row_count, float distance, float friction);

    // Points and velocities are rows as in sweeps.h. Looks as far as the cloth comes within a time in seconds, if it goes on
    // as it moves; since: the frame's start.
    void gather(std::span<const float> points, std::span<const float> velocities, float since, float time);
    // The same for what has moved so differently that layers may have met unseen.
    void gather_strays(std::span<const float> points, std::span<const float> velocities, float since, float time);
    void solve(std::span<const float> predicted, std::span<const float> velocities, float step, std::span<float> points);

    const std::vector<SelfPair>& pairs() const { return pairs_; }
    void restore(std::span<const SelfPair> pairs);
    int dropped_count() const { return dropped_count_; }  // pairs for which there was no room since the last gathering

  private:
    // Columns of pairs, padded for the kernels.
    struct Columns {
        explicit Columns(std::size_t capacity);
        void put(std::size_t index, const SelfPair& pair, const Face& face);
        PairColumns arrays() const;
        std::array<std::vector<std::int32_t>, 4> corners;
        std::vector<float> sides;
    };
    // What pairs are looked for, and where they go.
    struct Search {
        std::span<const float> points;
        Approach approach;
        std::vector<SelfPair>& found;
        std::size_t most;  // to be found: the rest is dropped, and counted
    };

    void find_neighbors(std::span<const Vector3> rest);
    MovingBox box_of(std::int32_t face, const Search& search) const;
    bool are_neighbors(std::int32_t vertex, std::int32_t face) const;
    void expect(std::size_t vertex, std::span<const float> points, std::span<const float> velocities, float since);
    void gather_all(const Search& search);
    void gather_around_strays(const Search& search);
    bool lay_grid(std::span<const float> points);
    void meet(std::int32_t face, std::span<const std::int32_t> slots, const VertexList& vertices, const Search& search);
    void choose(const Search& search);
    void keep_sides();
    void join();
    void put_in_columns(std::size_t first);
    void solve_pair(std::size_t index, const float* predicted, const float* velocities, float step, float* points);

    const std::vector<Face>& faces_;
    const ContactKernels& kernels_;
    float distance_, reach_, friction_;
    std::vector<std::int32_t> neighbor_starts_, neighbors_;  // of faces, in order
    std::vector<float> gathered_points_,
        gathered_velocities_;  // rows at the frame's start, as if all had gone on like this since its start
    VertexGrid grid_;
    std::vector<std::int32_t> all_;  // vertices
    VertexGrid strays_;
    std::vector<std::int32_t> stray_vertices_;
    std::vector<bool> is_stray_;
    std::vector<SelfPair> pairs_, older_;
    Columns columns_;  // of the pairs
    std::vector<SelfPair> candidates_;
    Columns candidate_columns_;
    std::vector<FoundPair> chosen_;
    std::vector<std::int32_t> touching_;
    int dropped_count_ = 0;
};

}  // namespace ruckle
