// packed_lines: the drawn lines of one step as tables hold them, with the faces that they reach (path_heights.h).
//
// A table between two steps holds the lines of both. The later lines of one table are the earlier lines of the next one. Kept from
// table to table, they are neither derived, searched nor packed a second time. Lines are fixed to the cloth at rest, so that
// only the unit of their sizes may have to change.
//
// Example:
//     std::vector<ruckle::Word> table;
//     surface.write_texels(table, path_heights.carried_words());
//     path_heights.append_texels(table);
//     ruckle::PackedLines packed;  // one per character
//     path_heights.keep_later(packed);  // for DrawnLines::packed of the next table
#pragma once

#include <cstdint>
#include <vector>

#include "ruckle/surface/texels.h"

namespace ruckle {

struct PackedLines {
    std::vector<Word> points;              // (P, 4) in cells of the box around the cloth at rest, and in units
    std::vector<Word> weights;             // (P)
    std::vector<Word> normals;             // (N, 2) of the points from which faces turn away
    std::vector<std::int32_t> faces;       // (F) that the points reach, ascending
    std::vector<std::int32_t> ends;        // (F) end of each face's list in the runs
    std::vector<Word> runs;                // numbers of points and of normals begin at 0
    std::vector<float> bends;              // (F) largest bend of the points of each face, 1 / mesh units
    float largest = 0.0f, highest = 0.0f;  // half width or height; height: mesh units
    float unit = 0.0f;                     // of the sizes, mesh units: a power of two

    std::size_t size() const { return weights.size(); }
    void clear();
    // Changes the unit to another power of two, at least as large as every size.
    void set_unit(float wanted);
};

}  // namespace ruckle
