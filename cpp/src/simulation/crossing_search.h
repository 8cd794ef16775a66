// Searches a mesh for edges that pass through its faces: ruckle/simulation/crossings.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/simulation/crossings.h"
#include "simulation/cloth_blocks.h"

namespace ruckle {

class CrossingSearch {
  public:
    // blocks: built from the same topology
    CrossingSearch(const Topology& topology, ClothBlocks& blocks);

    // Replaces `found` by all crossings of the mesh, sorted. points: rows as in sweeps.h. Drops crossings if the
    // capacity of `found` is reached, and does not allocate.
    void find(std::span<const float> points, std::vector<Crossing>& found);
    // Replaces `found` by the crossings inside the blocks with moved vertices, and between these blocks and all blocks,
    // sorted.
    void find_around(std::span<const std::int32_t> moved, std::span<const float> points, std::vector<Crossing>& found);

  private:
    void meet_both(std::size_t block, std::size_t other, const Sweep& here, std::vector<Crossing>& found);
    void meet(std::size_t edges_of, std::size_t faces_of, const Sweep& here, std::vector<Crossing>& found);

    const Topology& topology_;
    ClothBlocks& blocks_;
};

}  // namespace ruckle
