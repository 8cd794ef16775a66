#include "simulation/numbering.h"

#include <algorithm>
#include <numeric>

#include "simulation/limits.h"
#include "simulation/rows.h"

namespace ruckle {

namespace {

// Neighbors of each vertex along edges, in ascending order.
struct Neighbors {
    explicit Neighbors(const Topology& topology) : starts(static_cast<std::size_t>(topology.vertex_count) + 1, 0) {
        for (const auto& [a, b] : topology.edges) {
            ++starts[static_cast<std::size_t>(a) + 1];
            ++starts[static_cast<std::size_t>(b) + 1];
        }
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        vertices.resize(2 * topology.edges.size());
        std::vector<std::int32_t> next(starts.begin(), starts.end() - 1);
        // edges are sorted, so the first loop adds the neighbours with smaller indices, the second those with larger
        // indices
        for (const auto& [a, b] : topology.edges) {
            vertices[static_cast<std::size_t>(next[static_cast<std::size_t>(b)]++)] = a;
        }
        for (const auto& [a, b] : topology.edges) {
            vertices[static_cast<std::size_t>(next[static_cast<std::size_t>(a)]++)] = b;
        }
    }
    std::span<const std::int32_t> of(std::int32_t vertex) const {
        const auto v = static_cast<std::size_t>(vertex);
        return std::span(vertices).subspan(static_cast<std::size_t>(starts[v]),
                                           static_cast<std::size_t>(starts[v + 1] - starts[v]));
    }

    std::vector<std::int32_t> starts, vertices;
};

// Appends `from` and all vertices that are connected with it to `order`, nearest first (breadth-first search), and
// marks them in `reached`.
void spread(const Neighbors& neighbors, std::int32_t from, std::vector<bool>& reached, std::vector<std::int32_t>& order) {
    std::size_t next = order.size();
    order.push_back(from);
    reached[static_cast<std::size_t>(from)] = true;
    for (; next < order.size(); ++next) {
        for (const std::int32_t v : neighbors.of(order[next])) {
            if (!reached[static_cast<std::size_t>(v)]) {
                reached[static_cast<std::size_t>(v)] = true;
                order.push_back(v);
            }
        }
    }
}

// Returns the vertices of one component after the other. Within a component, they are sorted by the number of edges
// from one of its ends, nearest first, so that neighbouring vertices get close numbers.
std::vector<std::int32_t> number_along(const Topology& topology) {
    const Neighbors neighbors(topology);
    std::vector<bool> found(static_cast<std::size_t>(topology.vertex_count)), numbered = found;
    std::vector<std::int32_t> order, there;
    for (std::int32_t v = 0; v < topology.vertex_count; ++v) {
        if (!found[static_cast<std::size_t>(v)]) {
            there.clear();
            // the last vertex is farthest from the first, so it is an end of the component
            spread(neighbors, v, found, there);
            spread(neighbors, there.back(), numbered, order);
        }
    }
    return order;
}

}  // namespace

Numbering::Numbering(const Topology& topology)
    : given(static_cast<std::size_t>(topology.vertex_count)),
      given_faces(topology.faces.size()),
      part_count(1),
      first_spare(static_cast<std::int64_t>(whole_blocks(given.size()))) {
    while (part_count < most_parts && topology.vertex_count / (2 * part_count) >= least_part) {
        part_count *= 2;
    }
    // rounded to whole blocks; nearest, so that the last part is about as large as the others
    part_size = std::max(sweep_block, (topology.vertex_count / part_count + sweep_block / 2) / sweep_block * sweep_block);
    std::iota(given_faces.begin(), given_faces.end(), 0);
    if (part_count == 1) {
        std::iota(given.begin(), given.end(), 0);
        faces = topology.faces;
        return;
    }
    given = number_along(topology);
    for (std::int64_t part = 0; part < part_count; ++part) {
        // input order within a part: meshes are usually made row by row, so vertices of a block have similar strain
        const auto begin = given.begin() + part * part_size;
        std::sort(begin, part + 1 < part_count ? begin + part_size : given.end());
    }
    std::vector<std::int32_t> own(given.size());
    for (std::size_t v = 0; v < given.size(); ++v) {
        own[static_cast<std::size_t>(given[v])] = static_cast<std::int32_t>(v);
    }
    const auto own_face = [&](std::int32_t face) {
        const Face& f = topology.faces[static_cast<std::size_t>(face)];
        return Face(own[static_cast<std::size_t>(f[0])], own[static_cast<std::size_t>(f[1])],
                    own[static_cast<std::size_t>(f[2])]);
    };
    // faces in ascending order of their smallest vertex number, so that faces of one block are close in memory and in the
    // cloth
    std::stable_sort(given_faces.begin(), given_faces.end(),
                     [&](std::int32_t a, std::int32_t b) { return own_face(a).minCoeff() < own_face(b).minCoeff(); });
    faces.reserve(topology.faces.size());
    for (const std::int32_t face : given_faces) {
        faces.push_back(own_face(face));
    }
}

}  // namespace ruckle
