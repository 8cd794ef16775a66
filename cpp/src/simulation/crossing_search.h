// The search for edges of cloth that pass through its faces: ruckle/simulation/crossings.h.
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

    // All crossings of the points, rows as in sweeps.h, in order. Crossings beyond the capacity of `found` are dropped. Allocates
    // nothing.
    void find(std::span<const float> points, std::vector<Crossing>& found);
    // The crossings in and around the blocks that contain the moved vertices.
    void find_around(std::span<const std::int32_t> moved, std::span<const float> points, std::vector<Crossing>& found);

  private:
    void meet_both(std::size_t block, std::size_t other, const Sweep& here, std::vector<Crossing>& found);
    void meet(std::size_t edges_of, std::size_t faces_of, const Sweep& here, std::vector<Crossing>& found);

    const Topology& topology_;
    ClothBlocks& blocks_;
};

}  // namespace ruckle
