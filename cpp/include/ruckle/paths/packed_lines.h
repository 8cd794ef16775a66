// packed_lines: the drawn lines of one step in the format of GPU tables, and the faces that they reach
// (path_heights.h).
//
// A table for a frame between two steps contains the lines of both steps. The lines of the later step are the lines of
// the earlier step in the next table. PackedLines stores these lines, so that they are not computed, searched and
// packed again. Lines are fixed to the cloth at rest, so only the unit of their sizes may change.
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
    // (P, 4) packed position (cell of a grid in the box around the cloth at rest), half width, height and direction of
    // each point
    std::vector<Word> points;
    std::vector<Word> weights;        // (P) packed weight and slope (path_heights.h) of each point
    std::vector<Word> normals;        // (N, 2) packed normals of the points for which some face turns away
    std::vector<std::int32_t> faces;  // (F) faces that the points reach, ascending
    std::vector<std::int32_t> ends;   // (F) for each face, the index in `runs` after its last run
    // packed runs of consecutive points, face by face; numbers of points and of normals begin at 0
    std::vector<Word> runs;
    // (F) largest bend (curvature of the cross-section) of the points of each face, 1 / mesh units
    std::vector<float> bends;
    float largest = 0.0f, highest = 0.0f;  // largest half width or height; largest height: mesh units
    float unit = 0.0f;                     // unit of half widths and heights, mesh units: a power of two

    std::size_t size() const { return weights.size(); }
    // Removes all lines. The unit does not change.
    void clear();
    // Converts half widths, heights and weights to the unit `wanted`, mesh units: a power of two that is at least as
    // large as every half width and height. Half widths are rounded down.
    void set_unit(float wanted);
};

}  // namespace ruckle
