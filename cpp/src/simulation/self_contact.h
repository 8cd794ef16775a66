// Layers of cloth that keep a distance from each other: vertices against faces of the same mesh.
//
// Pairs that may touch are kept from frame to frame. What has gone elsewhere than it was expected to, strays, is looked for again
// every few substeps, and what it may touch takes the place of its pairs; where much strays, as in cloth that falls or swings,
// all pairs are gathered anew. Vertices that are neighbors of a face at rest are in no pair. Each pair keeps the side on which its
// vertex was found, over later gatherings too, so that a vertex that has gone through for a moment is brought back. Cloth that
// is tangled at the start stays so.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/point4.h"
#include "simulation/contact_kernels.h"
#include "simulation/limits.h"
#include "simulation/vertex_grid.h"

namespace ruckle {

struct SelfPair {
    std::int32_t vertex, face;
    std::int32_t side;  // of the face's normal: 1 or -1; 0 while not known
};

// What layers know of each other from frame to frame.
struct SelfMemory {
    std::vector<SelfPair> pairs;
    std::vector<float> points;  // rows: where vertices were when their pairs were found
};

// When pairs are gathered, s.
struct GatherTimes {
    float since;    // the frame's start
    float to_next;  // until the next call
    float to_end;   // of the frame
};

class SelfContact {
  public:
    // row_count: of points, which the kernels take in whole blocks
    SelfContact(const Topology& topology, std::span<const Vector3> rest, std::size_t row_count, float distance, float friction);

    // Points and velocities are rows as in sweeps.h. Looks for the pairs of what has gone elsewhere than it was expected to, as far
    // as it comes if it goes on as it moves.
    void gather(std::span<const float> points, std::span<const float> velocities, const GatherTimes& times);
    void solve(std::span<const float> predicted, std::span<const float> velocities, float step, std::span<float> points);

    // After a frame of so many seconds: all are expected to rest from here on.
    void end_frame(float time);
    // The origin of coordinates has moved.
    void shift(const Vector3& by);

    const std::vector<SelfPair>& pairs() const { return pairs_; }
    const std::vector<float>& gathered_points() const { return gathered_points_; }
    void save(SelfMemory& memory) const;
    void restore(const SelfMemory& memory);
    void forget();                                        // all pairs, as of cloth that has been put elsewhere
    int dropped_count() const { return dropped_count_; }  // pairs for which there was no room since the last gathering

  private:
    // Rounds in which vertices may be parted from several faces, by their bits.
    static constexpr std::size_t most_rounds = 64;
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
        Approach approach;
        std::vector<SelfPair>& found;
        std::size_t most;  // to be found: the rest is dropped, and counted
    };

    void find_neighbors(std::span<const Vector3> rest);
    MovingBox box_of(std::int32_t face, const Approach& approach) const;
    MovingBox box_around(std::int32_t vertex, const Approach& approach) const;
    std::span<const std::int32_t> faces_of(std::int32_t vertex) const;
    bool are_neighbors(std::int32_t vertex, std::int32_t face) const;
    void expect(std::size_t vertex, std::span<const float> points, std::span<const float> velocities, float since);
    void lose_all();
    void stop_strays(float since);
    void go_on(float time, std::span<float> points) const;
    void gather_all(const Search& search);
    void gather_around(std::span<const std::int32_t> strays, const Approach& approach);
    bool lay_grid();
    void meet_vertices(std::int32_t face, const Search& search);
    void meet_faces(std::int32_t vertex, const Search& search);
    void put_candidates(std::size_t begin, const Search& search);
    void choose(const Search& search);
    void keep_sides();
    void join();
    void put_in_columns(std::size_t first);
    std::span<const std::int32_t> arrange(std::span<const std::int32_t> pairs);
    void take_sides();

    const Topology& topology_;
    const std::vector<Face>& faces_;
    const ContactKernels& kernels_;
    float distance_, reach_, corner_reach_, friction_;
    std::vector<std::int32_t> neighbor_starts_, neighbors_;  // of faces, in order
    // rows at the frame's start, as if all had gone on like this since its start; and where they would be now
    std::vector<float> gathered_points_, gathered_velocities_, expected_;
    VertexGrid grid_;
    std::vector<std::int32_t> all_;  // vertices
    std::vector<std::int32_t> stray_vertices_, stray_faces_;
    std::size_t stray_count_ = 0;  // of those vertices, since the last gathering
    std::vector<std::uint8_t> is_stray_, is_stray_face_;
    std::vector<SelfPair> pairs_, older_, found_;
    Columns columns_;  // of the pairs
    std::vector<SelfPair> candidates_;
    Columns candidate_columns_;
    std::vector<FoundPair> chosen_;
    std::vector<std::int32_t> touching_;
    std::vector<std::uint64_t> taken_rounds_;    // of vertices, one bit each
    std::vector<std::int32_t> rounds_, blocks_;  // of pairs that touch, and these in blocks
    std::array<std::int32_t, most_rounds + pair_chunk> round_ends_;
    int dropped_count_ = 0;
};

}  // namespace ruckle
