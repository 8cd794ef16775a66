// Vertex numbers inside the simulator. Large cloth is renumbered along its length and divided into parts: ranges of
// vertices such that few elements have vertices in two parts. A thread processes the elements within a part without
// synchronization (part_team.h). The parts depend on the mesh but not on the number of threads, so that results are the
// same for any number of threads. Small cloth is one part and keeps its input numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"

namespace ruckle {

struct Numbering {
    explicit Numbering(const Topology& topology);

    // Returns vertex values of the input mesh in the order of the numbering. Empty values remain empty and mean a
    // default.
    template <class Value>
    std::vector<Value> arrange(std::span<const Value> values) const {
        std::vector<Value> arranged;
        arranged.reserve(values.size());
        for (std::size_t v = 0; v < values.size(); ++v) {
            arranged.push_back(values[static_cast<std::size_t>(given[v])]);
        }
        return arranged;
    }
    std::int64_t part_of(std::int32_t vertex) const { return std::min<std::int64_t>(vertex / part_size, part_count - 1); }

    std::vector<std::int32_t> given;        // (V) input number of each vertex
    std::vector<Face> faces;                // (T) with the new vertex numbers
    std::vector<std::int32_t> given_faces;  // (T) input number of each face
    int part_count;                         // number of parts, a power of two
    std::int64_t first_spare;               // row of the spare vertex of part 0, after whole blocks of vertices (rows.h)
    // number of vertices in a part, a multiple of sweep_block; the last part has the remainder
    std::int64_t part_size;
};

}  // namespace ruckle
