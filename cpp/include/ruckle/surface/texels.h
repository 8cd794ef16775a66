// texels: the table that shaders read (shaders/common/cloth_table.glsl says what stands where), as packed as the drawn surface allows.
//
// A table is one piece, because every upload has its price: words of 32 bits, four to a texel. Positions are floats, so that what is
// drawn lies where the core puts it; what is measured from them takes 12 to 20 bits a number: the drawn surface is off by less than 1e-3
// r_min. Every part begins with a texel of its own; the first two texels say where.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ruckle/mesh/topology.h"

namespace ruckle {

// A whole number, a float, or two numbers of 16 bits, the first of them in the lower half.
using Word = std::uint32_t;

inline constexpr std::size_t texel_words = 4;

// Texels that hold so many words.
constexpr std::size_t texels_for(std::size_t words) {
    return (words + texel_words - 1) / texel_words;
}

// Where the parts of a surface stand in its table, in words; the lists of faces without runs, and the normals of creased faces, follow at
// `parted`.
struct SurfaceLayout {
    explicit SurfaceLayout(const Topology& topology)
        : edges(faces + texel_words * texels_for(topology.faces.size() + 1)),
          vertices(edges + texel_words * texels_for(edge_words * topology.edges.size())),
          records(vertices + texel_words * static_cast<std::size_t>(topology.vertex_count)),
          parted(records + texel_words * texels_for(static_cast<std::size_t>(topology.vertex_count))) {}

    static constexpr std::size_t lines = 4, faces = 8;  // what PathHeights says of its parts; faces
    static constexpr std::size_t edge_words = 2;
    // of a face's word: its list begins with the place of the normals of its corners
    static constexpr Word has_normals = 1u << 31;
    std::size_t edges, vertices, records, parted;
};

}  // namespace ruckle
