#include "surface/tessellation.h"

#include <algorithm>

namespace ruckle {

namespace {

// Returns side k of the nested triangle with `segments` per side whose vertices begin at `first`. With 0 segments, the
// triangle is a single vertex.
Side ring_side(int first, int segments, int k) {
    const int count = 3 * segments;
    const int start = first + k * segments;
    return {segments, start, count == 0 ? first : first + (k + 1) * segments % count, 1, start + 1};
}

}  // namespace

Face* stitch(const Side& outer, const Side& inner, int around, Face* faces) {
    // returns the position of a segment's midpoint, as a share of the side
    const auto middle = [](int segment, int count) { return (static_cast<float>(segment) + 0.5f) / static_cast<float>(count); };
    int i = 0, j = 0;
    while (i < outer.segment_count || j < inner.segment_count) {
        // advance on the side whose next segment midpoint comes first. In the pattern, the inner side begins one of
        // `around` equal parts after the start of the outer side
        const bool outward =
            j == inner.segment_count || (i < outer.segment_count && middle(i, outer.segment_count) < middle(j + 1, around));
        if (outward) {
            *faces++ = {outer[i], outer[i + 1], inner[j]};
            ++i;
        } else {
            *faces++ = {outer[i], inner[j + 1], inner[j]};
            ++j;
        }
    }
    return faces;
}

InnerPattern inner_pattern(int inner_level) {
    InnerPattern pattern;
    const auto append = [&](const std::array<float, 3>& b) {
        for (int k = 0; k < 3; ++k) {
            pattern.barycentric[k].push_back(b[k]);
        }
    };
    // the first vertex of each nested triangle, from the outermost to the innermost
    std::vector<int> firsts;
    for (int segments = inner_level - 2; segments >= 0; segments -= 2) {
        firsts.push_back(pattern.vertex_count());
        // the corners of the nested triangle are on the lines from the centroid to the face's corners, at the share
        // segments / inner_level
        const float scale = static_cast<float>(segments) / static_cast<float>(inner_level), low = (1.0f - scale) / 3.0f;
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < segments; ++i) {
                const float x = static_cast<float>(i) / static_cast<float>(segments);
                std::array<float, 3> b{low, low, low};
                b[k] += scale * (1.0f - x);
                b[(k + 1) % 3] += scale * x;
                append(b);
            }
        }
        if (segments == 0) {
            append({1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f});
        }
    }
    for (std::size_t ring = 0; ring < firsts.size(); ++ring) {
        const int segments = inner_level - 2 - 2 * static_cast<int>(ring);
        // with an odd level the innermost nested triangle is a face, with an even level a vertex
        if (segments == 1) {
            pattern.faces.push_back({firsts[ring], firsts[ring] + 1, firsts[ring] + 2});
        }
        if (segments < 2) {
            break;
        }
        for (int k = 0; k < 3; ++k) {
            std::array<Face, 128> row;
            const Face* end =
                stitch(ring_side(firsts[ring], segments, k), ring_side(firsts[ring + 1], segments - 2, k), segments, row.data());
            pattern.faces.insert(pattern.faces.end(), row.data(), const_cast<Face*>(end));
        }
    }
    return pattern;
}

}  // namespace ruckle
