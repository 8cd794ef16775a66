// Self-contact: separates vertices from faces of the same mesh, so that layers of cloth have a distance.
//
// Pairs that may touch are stored between frames. At the start of each frame, and within a frame if necessary, pairs
// are searched again around vertices that have left their predicted paths. The search radius includes the predicted
// approach of vertex and face until the end of the frame. A vertex and a face that are close at rest are never a pair.
// Each pair stores the side of the face on which its vertex was found first. A vertex that has passed through the face
// is moved back to this side. Cloth that intersects itself at the start continues to intersect itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "simulation/cloth_blocks.h"
#include "simulation/contact_kernels.h"
#include "simulation/limits.h"

namespace ruckle {

struct SelfPair {
    std::int32_t vertex, face;
    std::int32_t side;  // side of the vertex along the face's normal: 1 or -1; 0 if not known yet
};

class SelfContact {
  public:
    // blocks: built from the same topology
    SelfContact(const Topology& topology, ClothBlocks& blocks, std::span<const Vector3> rest, std::size_t row_count,
                float distance, float friction);

    // Searches again for pairs around vertices that left their predicted paths, for the rest of the frame; other pairs
    // remain. Searches around all vertices if more than 1 / stray_share of them left their paths, or if the last search
    // dropped pairs. Known sides remain. Does nothing if no vertex has left its path, or if points or velocities are
    // not finite. Points and velocities are rows as in sweeps.h. since, left: time from the start of the frame, and to
    // its end, s.
    void search_pairs(std::span<const float> points, std::span<const float> velocities, float since, float left);
    // Returns true if a vertex is farther than self_way · distance from its predicted position, so that a search cannot
    // wait for the next frame.
    bool is_due(std::span<const float> points, float since);
    // Ends a frame of `time` seconds: predicted positions advance to the end of the frame, and predicted velocities
    // become 0. The next search includes vertices whose predicted position overflows.
    void end_frame(float time);
    // Separates touching pairs, with friction, and sets unknown sides. step: duration of a substep, s.
    void solve(std::span<const float> predicted, std::span<const float> velocities, float step, std::span<float> points);

    std::size_t pair_count() const { return pairs_.size(); }
    std::size_t most_pairs() const { return most_pairs_; }
    // returns a pair with its current side
    SelfPair pair(std::size_t index) const;
    const std::vector<float>& gathered_points() const { return gathered_points_; }  // rows: predicted positions of the vertices
    void restore(std::span<const SelfPair> pairs, std::span<const float> gathered_points);
    void forget();  // removes all pairs; the next search covers all vertices
    // subtracts `by` from stored points, because the origin of coordinates has moved
    void shift(const Vector3& by);
    int dropped_count() const { return dropped_count_; }  // pairs of the last search that were dropped because the list was full

  private:
    // Largest number of rounds (groups of pairs without a common vertex) per chunk that share one 64-bit mask in
    // taken_rounds_. A pair that does not fit into them gets a round of its own.
    static constexpr std::size_t most_rounds = 64;
    // Pairs in columns; the last column entry is an empty pair of spare vertices, for padding.
    struct Columns {
        explicit Columns(std::size_t capacity);
        void put(std::size_t index, const SelfPair& pair, const Face& face);
        PairColumns arrays() const;
        std::array<std::vector<std::int32_t>, 4> corners;
        std::vector<float> sides;
    };

    void find_neighbors(std::span<const Vector3> rest);
    bool are_neighbors(const SelfPair& pair) const;
    std::size_t find_strays(std::span<const float> points, float since, float distance);
    void expect(std::size_t vertex, std::span<const float> points, std::span<const float> velocities, float since);
    void search(const Sweep& sweep, float flatness, const Approach& approach);
    void search_around(std::span<const std::int32_t> strays, const Sweep& sweep, const Approach& approach);
    void meet_both(std::size_t block, std::size_t other, const Sweep& sweep, const Approach& approach);
    void meet(std::size_t vertices_of, std::size_t faces_of, const Sweep& sweep, const Approach& approach);
    void sort_pairs();
    void keep_sides();
    void put_in_columns();
    std::span<const std::int32_t> arrange(std::span<const std::int32_t> pairs);

    const std::vector<Face>& faces_;
    ClothBlocks& blocks_;
    const ContactKernels& kernels_;
    std::size_t vertex_count_, most_pairs_;
    float distance_, friction_;
    // for each face, sorted: vertices that are close to it at rest
    std::vector<std::int32_t> neighbor_starts_, neighbors_;
    // current pairs, and pairs before the last search; sorted by face, then by vertex
    std::vector<SelfPair> pairs_, older_;
    Columns columns_;  // pairs_ in columns, with current sides
    std::vector<SelfPair> unsorted_;
    // predicted motion of each vertex since its last search: position extrapolated back to the start of the frame, and
    // velocity
    std::vector<float> gathered_points_, gathered_velocities_;
    std::vector<std::int32_t> strays_;
    std::vector<std::int32_t> face_ends_;  // end of each face's pairs in pairs_
    std::vector<std::int32_t> touching_;
    std::vector<std::uint64_t> taken_rounds_;  // for each vertex: mask of the rounds that use it, one bit per round
    // round of each touching pair; touching pairs, sorted by rounds and padded to blocks
    std::vector<std::int32_t> rounds_, blocked_;
    std::array<std::int32_t, most_rounds + pair_chunk> round_ends_;
    int dropped_count_ = 0;
};

}  // namespace ruckle
