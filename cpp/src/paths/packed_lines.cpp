#include "ruckle/paths/packed_lines.h"

#include <cmath>

#include "numeric/packing.h"

namespace ruckle {

void PackedLines::clear() {
    points.clear(), weights.clear(), normals.clear();
    faces.clear(), ends.clear(), runs.clear(), bends.clear();
    largest = highest = 0.0f;
}

void PackedLines::set_unit(float wanted) {
    const int steps = std::ilogb(wanted) - std::ilogb(unit);
    for (std::size_t i = 0; i < size() && steps != 0; ++i) {
        Word& sizes = points[texel_words * i + 2];
        const Word width = sizes & 0xffffu, height = sizes >> 16;
        // widths are rounded down, because a point must not affect faces that do not list the point
        sizes = steps < 0 ? width << -steps | height << (16 - steps)
                          : width >> steps | (height + (Word{1} << (steps - 1))) >> steps << 16;
        // weights contain the factor 1 / unit²
        weights[i] = half_of(std::ldexp(float_of(weights[i] & 0xffffu), -2 * steps)) | (weights[i] & 0xffff0000u);
    }
    unit = wanted;
}

}  // namespace ruckle
