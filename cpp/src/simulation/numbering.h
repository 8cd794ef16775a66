// The numbers that vertices have inside the simulator. Large cloth is numbered along itself, so that it falls into parts, each a
// range of vertices, that few elements join. What lies within parts is nobody else's business: threads take whole parts
// (part_team.h). Parts depend on the mesh alone, and so do the results. Small cloth is one part, and keeps its numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"

namespace ruckle {

struct Numbering {
    explicit Numbering(const Topology& topology);

    // Values of vertices in this order, from the given one.
    template <class Value>
    std::vector<Value> arrange(std::span<const Value> values) const {
        std::vector<Value> arranged;
        arranged.reserve(values.size());
        // none stand for a default
        for (std::size_t v = 0; v < values.size(); ++v) {
            arranged.push_back(values[static_cast<std::size_t>(given[v])]);
        }
        return arranged;
    }
    std::int64_t part_of(std::int32_t vertex) const { return std::min<std::int64_t>(vertex / part_size, part_count - 1); }

    std::vector<std::int32_t> given;        // (V) the number that each vertex was given
    std::vector<Face> faces;                // (T) of these vertices
    std::vector<std::int32_t> given_faces;  // (T) the number that each was given
    int part_count;                         // a power of two
    std::int64_t first_spare;               // the row of part 0's spare vertex, behind whole blocks of vertices (rows.h)
    std::int64_t part_size;                 // vertices of a part, whole blocks; the last one has what is left
};

}  // namespace ruckle
