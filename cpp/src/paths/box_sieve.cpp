#include "paths/box_sieve.h"

#include <cmath>

namespace ruckle {

BoxSieve::BoxSieve(int boxes) : words_(static_cast<std::size_t>(6 * slab_count * ((boxes + 63) / 64))) {}

void BoxSieve::build(std::span<const std::int32_t> numbers, std::span<const Vector3> centers, std::span<const Vector3> halves) {
    end_ = 0;
    Vector3 low = Vector3::Constant(INFINITY), high = -low;
    for (const std::int32_t i : numbers) {
        end_ = std::max(end_, i + 1);
        low = low.cwiseMin(centers[i] - halves[i]);
        high = high.cwiseMax(centers[i] + halves[i]);
    }
    low_ = low;
    for (int axis = 0; axis < 3; ++axis) {
        const float scale = static_cast<float>(slab_count) / (high[axis] - low[axis]);
        // flat, or so large that lengths overflow: one slab for all
        slabs_per_length_[axis] = std::isfinite(scale) ? scale : 0.0f;
    }
    word_count_ = (end_ + 63) / 64;
    // only the words in use, of the room for a full pool
    std::fill_n(words_.begin(), row_start(3, begun, 0), 0u);
    for (const std::int32_t i : numbers) {
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        for (int axis = 0; axis < 3; ++axis) {
            row(axis, begun, slab_of(axis, centers[i][axis] - halves[i][axis]))[i / 64] |= bit;
            row(axis, unended, slab_of(axis, centers[i][axis] + halves[i][axis]))[i / 64] |= bit;
        }
    }
    // what has begun in a slab has begun in all behind it, and the other way around for ends
    for (int axis = 0; axis < 3; ++axis) {
        std::uint64_t *forth = row(axis, begun, 0), *back = row(axis, unended, slab_count - 1);
        for (int k = 0; k < (slab_count - 1) * word_count_; ++k) {
            forth[k + word_count_] |= forth[k];
        }
        for (int k = word_count_ - 1; k >= -(slab_count - 2) * word_count_; --k) {
            back[k - word_count_] |= back[k];
        }
    }
}

bool BoxSieve::add(std::int32_t number, const Vector3& center, const Vector3& half) {
    end_ = std::max(end_, number + 1);
    const int word = number / 64;
    if (word >= word_count_) {
        // beyond the words of the last build: any_near shows such boxes always, which is cheap for 64 of them
        return end_ <= 64 * (word_count_ + 1);
    }
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    for (int axis = 0; axis < 3; ++axis) {
        // further on its bit is set already, by an earlier position of the same box
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
