// texels: the table that shaders read (layout: shaders/common/cloth_table.glsl), packed as far as the picture allows.
//
// A table is one buffer, because each upload has a fixed cost: 32-bit words, four per texel. Positions are floats, so that
// shaders draw the positions of the core. Quantities relative to them take 12 to 20 bits each: the error of the drawn surface is
// below 1e-3 r_min. Every part starts at a new texel; the first two texels hold the offsets.
//
// Example:
//     std::vector<ruckle::Word> table;
//     surface.write_texels(table);
//     draw(table);  // upload it as texels of four words
#pragma once

#include <cstddef>
#include <cstdint>

#include "ruckle/mesh/topology.h"

namespace ruckle {

// An integer, a float, or two numbers of 16 bits, the first of them in the lower half.
using Word = std::uint32_t;

inline constexpr std::size_t texel_words = 4;

// Number of texels for this many words.
constexpr std::size_t texels_for(std::size_t words) {
    return (words + texel_words - 1) / texel_words;
}

// Word offsets of the parts of a surface in its table. The lists of faces without runs, and the normals of creased faces, follow at
// `parted`.
struct SurfaceLayout {
    explicit SurfaceLayout(const Topology& topology)
        : edges(faces + texel_words * texels_for(topology.faces.size() + 1)),
          vertices(edges + texel_words * texels_for(edge_words * topology.edges.size())),
          records(vertices + texel_words * static_cast<std::size_t>(topology.vertex_count)),
          parted(records + texel_words * texels_for(static_cast<std::size_t>(topology.vertex_count))) {}

    static constexpr std::size_t lines = 4, faces = 8;  // header words of PathHeights; words of faces
    static constexpr std::size_t edge_words = 2;
    // flag of a face's word: its list begins with the offset of the normals of its corners
    static constexpr Word has_normals = 1u << 31;
    std::size_t edges, vertices, records, parted;
};

}  // namespace ruckle
