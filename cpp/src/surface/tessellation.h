// OpenGL's pattern for a tessellated triangle with equal spacing. It consists of nested triangles. Each has two
// segments fewer per side than the triangle around it. Only the outermost ring depends on the levels of the edges.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ruckle/types.h"

namespace ruckle {

// The part of the pattern inside the outermost ring, for one inner level. Vertices are numbered from the outermost
// nested triangle inward. In each triangle, they begin at the corner next to corner 0 of the face, and continue along
// the sides 0, 1, 2.
struct InnerPattern {
    std::array<std::vector<float>, 3> barycentric;
    std::vector<Face> faces;

    int vertex_count() const { return static_cast<int>(barycentric[0].size()); }
};

// Returns the number of vertices inside the face for an inner level, >= 1.
inline int inner_vertex_count(int inner_level) {
    return (3 * inner_level * inner_level + 6 * inner_level + 4) / 4 - 3 * inner_level;
}

// Returns the pattern inside a face. inner_level >= 1; level 1 does not have vertices inside.
InnerPattern inner_pattern(int inner_level);

// A side of a triangle as input of `stitch`: the numbers of its segment_count + 1 vertices.
struct Side {
    int segment_count;
    int first;   // number of vertex 0
    int last;    // number of vertex segment_count, which is the first one of the next side
    int step;    // increment between the numbers of inner vertices, 1 or -1
    int second;  // number of vertex 1

    std::int32_t operator[](int i) const { return i == 0 ? first : i == segment_count ? last : second + (i - 1) * step; }
};

// Fills the strip between a side of a triangle and the parallel side of the nested triangle, which has around - 2
// segments. The side itself has `around` segments, or another number if it is an edge of the face with its own level.
// Writes outer.segment_count + inner.segment_count faces and returns the end of the output.
Face* stitch(const Side& outer, const Side& inner, int around, Face* faces);

}  // namespace ruckle
