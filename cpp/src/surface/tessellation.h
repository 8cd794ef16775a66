// OpenGL's pattern for a tessellated triangle, equal spacing: nested triangles, each with two segments less per side than
// the one around it. Only the outermost ring depends on the levels of the edges.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ruckle/types.h"

namespace ruckle {

// The part inside the outermost ring, by the triangle's inner level. Vertices are numbered from the outermost nested triangle
// inward; each starts at the corner next to the face's corner 0 and runs along its sides 0, 1, 2.
struct InnerPattern {
    std::array<std::vector<float>, 3> barycentric;
    std::vector<Face> faces;

    int vertex_count() const { return static_cast<int>(barycentric[0].size()); }
};

// Number of vertices inside the face in the pattern of this inner level, >= 1.
inline int inner_vertex_count(int inner_level) {
    return (3 * inner_level * inner_level + 6 * inner_level + 4) / 4 - 3 * inner_level;
}

// inner_level >= 1; level 1 has an empty inside.
InnerPattern inner_pattern(int inner_level);

// Side of a nested triangle as seen by `stitch`: vertex i of segment_count + 1, by number.
struct Side {
    int segment_count;
    int first;   // number of vertex 0
    int last;    // number of vertex segment_count: the next side's first
    int step;    // from vertex to vertex
    int second;  // number of vertex 1; those between follow by step

    std::int32_t operator[](int i) const { return i == 0 ? first : i == segment_count ? last : second + (i - 1) * step; }
};

// Joins a side of a triangle to the parallel side of the nested one, which has `around` - 2 segments if the outer one has `around`.
// Writes outer.segment_count + inner.segment_count faces and returns the end of the output.
Face* stitch(const Side& outer, const Side& inner, int around, Face* faces);

}  // namespace ruckle
