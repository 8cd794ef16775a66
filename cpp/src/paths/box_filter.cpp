// Insertion into the masks of a box filter; see box_filter.h.
#include "paths/box_filter.h"

#include <cmath>

namespace ruckle {

BoxFilter::BoxFilter(int boxes) : words_(static_cast<std::size_t>(6 * slab_count * ((boxes + 63) / 64))) {}

bool BoxFilter::add(std::int32_t number, const Box& box) {
    const auto& [center, half] = box;
    end_ = std::max(end_, number + 1);
    const int word = number / 64;
    if (word >= word_count_) {
        // the masks of the last build do not have a bit for this box, so every query visits it. This is cheap for up to
        // 64 such boxes
        return end_ <= 64 * (word_count_ + 1);
    }
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    for (int axis = 0; axis < 3; ++axis) {
        // stop at a bit that is already set: the box was added before, at another position, so the bits of all further
        // slabs are set already
        for (int k = slab_of(axis, center[axis] - half[axis]); k < slab_count && !(row(axis, begun, k)[word] & bit); ++k) {
            row(axis, begun, k)[word] |= bit;
        }
        for (int k = slab_of(axis, center[axis] + half[axis]); k >= 0 && !(row(axis, unended, k)[word] & bit); --k) {
            row(axis, unended, k)[word] |= bit;
        }
    }
    return true;
}

}  // namespace ruckle
