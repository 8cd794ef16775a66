// packed_lines: the drawn lines of one step in the format of GPU tables, with the faces that they reach
// (path_heights.h).
//
// A table between two steps contains the lines of both steps. The later lines of one table are the earlier lines of the
// next table. PackedLines stores these lines, so that they are not computed, searched and packed again. Lines are fixed
// to the cloth at rest, so that only the unit of their sizes may change.
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
    // (P, 4) packed positions in cells of the box around the cloth at rest, sizes and directions
    std::vector<Word> points;
    std::vector<Word> weights;             // (P) packed weight and slope of each point
    std::vector<Word> normals;             // (N, 2) normals of the points from which some faces turn away
    std::vector<std::int32_t> faces;       // (F) faces that the points reach, ascending
    std::vector<std::int32_t> ends;        // (F) end of each face's list in the runs
    std::vector<Word> runs;                // packed runs; numbers of points and of normals begin at 0
    std::vector<float> bends;              // (F) largest bend of the points of each face, 1 / mesh units
    float largest = 0.0f, highest = 0.0f;  // largest half width or height; largest height: mesh units
    float unit = 0.0f;                     // unit of the sizes, mesh units: a power of two

    std::size_t size() const { return weights.size(); }
    void clear();
    // Changes the unit to `wanted`, a power of two that is at least as large as every size.
    void set_unit(float wanted);
};

}  // namespace ruckle
