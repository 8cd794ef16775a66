// texels: layout of the GPU table, the buffer from which shaders draw a surface (shaders/common/cloth_table.glsl).
//
// A table is one buffer of 32-bit words, four per texel. Everything is in one buffer, because each upload has a fixed
// cost. Positions are floats, equal to those of the core. Values that are relative to positions, such as heights, are
// packed into 12 to 20 bits each. The error of the drawn surface is below 1e-3 r_min. Each part begins at a new texel.
// The first three texels are the header.
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

// An integer, a float, or two 16-bit numbers, of which the first is in the lower half.
using Word = std::uint32_t;

inline constexpr std::size_t texel_words = 4;

// Returns the number of texels for this many words.
constexpr std::size_t texels_for(std::size_t words) {
    return (words + texel_words - 1) / texel_words;
}

// Word offsets of the parts of a surface's table. The parts before `edges` contain positions, normals and other data
// that change in every frame. If the base is flat, the other parts change only when the layers make a step. `lists`
// contains the lists of the faces in a table without wrinkle paths.
struct SurfaceLayout {
    // parted_count   number of faces with separate corner normals, because of creases
    // carried_words  number of words for data of a source that change with the positions (PathHeights::carried_words);
    //                a multiple of texel_words
    SurfaceLayout(const Topology& topology, std::size_t parted_count, std::size_t carried_words)
        : parted_normals(vertices + texel_words * static_cast<std::size_t>(topology.vertex_count)),
          carried(parted_normals + texel_words * texels_for(3 * parted_count)),
          edges(carried + carried_words),
          faces(edges + texel_words * texels_for(edge_words * topology.edges.size())),
          records(faces + texel_words * texels_for(topology.faces.size() + 1)),
          lists(records + texel_words * texels_for(static_cast<std::size_t>(topology.vertex_count))) {}

    // Indices of header words. Their contents: first word of the edges, of the faces and of the records; largest
    // component of a bulge (offset of a curved edge from its chord), which is the unit of the bulges.
    static constexpr std::size_t edges_word = 0, faces_word = 1, records_word = 2, bulge_unit = 3;
    // Indices of header words that PathHeights writes. Their contents: first texel, unit and first weight of the lines
    // (words 4 to 6); blend share of the later lines; first point of the later lines; first word of the gradient
    // matrices ("carriers"); first texel of the rest data.
    static constexpr std::size_t lines = 4, share = 7, later = 8, carriers_word = 9, rest = 10;
    static constexpr std::size_t header = 12, vertices = header;
    static constexpr std::size_t edge_words = 2;
    // Flag in the word of a face. If it is set, the list of the face begins with the word offset of its corner normals.
    static constexpr Word has_normals = 1u << 31;
    std::size_t parted_normals, carried, edges, faces, records, lists;
};

}  // namespace ruckle
