// Finds boxes that may be near a query box (broad phase), with bit masks over 64 boxes.
//
// Each axis is divided into slabs. A slab has two masks: boxes that begin in this slab or before it, and boxes that end
// in this slab or after it. A box overlaps a range if, on each axis, it begins before the end of the range and ends
// after the beginning of the range. So the bitwise AND of six words marks the candidates among 64 boxes.
//
// The time of a build is proportional to the number of boxes. A query takes about ten instructions per 64 boxes without
// unpredictable branches, plus its calls of `visit`. For the maximum of 4096 paths, the instructions take less time
// than ten of these calls. Nothing allocates after construction.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "constants.h"
#include "ruckle/paths/path.h"
#include "ruckle/raw_buffer.h"
#include "ruckle/types.h"

namespace ruckle {

class BoxFilter {
  public:
    // Box numbers are in [0, boxes).
    explicit BoxFilter(int boxes);

    // Replaces all boxes. The new boxes have the given numbers; box_of(i) returns box i.
    template <class BoxOf>
    void build(std::span<const std::int32_t> numbers, const BoxOf& box_of);

    // Adds a box, or a further position of a box that has moved; queries then find the box at each of its positions. A
    // box whose number is too large for the masks of the last build is visited by every query. Returns false if there
    // are too many of these boxes: the filter must then be built again before the next query.
    bool add(std::int32_t number, const Box& box);

    // Calls visit(number) for every box within `distance` of the query box on each axis, and possibly for other boxes,
    // until a call returns true. Returns true if a call returned true.
    template <class Visit>
    bool any_near(const Vector3& center, const Vector3& half, float distance, const Visit& visit) const {
        std::array<const std::uint64_t*, 6> rows;
        for (int axis = 0; axis < 3; ++axis) {
            const float padded = half[axis] + rounding_margin * distance + coordinate_rounding * std::abs(center[axis]);
            rows[2 * axis] = row(axis, begun, slab_of(axis, center[axis] + padded));
            rows[2 * axis + 1] = row(axis, unended, slab_of(axis, center[axis] - padded));
        }
        for (int word = 0; word < word_count_; ++word) {
            std::uint64_t near = rows[0][word] & rows[1][word] & rows[2][word] & rows[3][word] & rows[4][word] & rows[5][word];
            for (; near != 0; near &= near - 1) {
                if (visit(64 * word + std::countr_zero(near))) {
                    return true;
                }
            }
        }
        for (std::int32_t number = 64 * word_count_; number < end_; ++number) {
            if (visit(number)) {
                return true;
            }
        }
        return false;
    }

  private:
    static constexpr int slab_count = 64;
    enum Side { begun, unended };

    // Returns the slab of a coordinate, clamped to the first and last slab; 0 for NaN.
    int slab_of(int axis, float x) const {
        const float slab = (x - low_[axis]) * slabs_per_length_[axis];
        return static_cast<int>(std::min(std::max(0.0f, slab), static_cast<float>(slab_count - 1)));
    }
    std::size_t row_start(int axis, Side side, int slab) const {
        return static_cast<std::size_t>(((2 * axis + side) * slab_count + slab) * word_count_);
    }
    const std::uint64_t* row(int axis, Side side, int slab) const { return words_.begin() + row_start(axis, side, slab); }
    std::uint64_t* row(int axis, Side side, int slab) { return words_.begin() + row_start(axis, side, slab); }

    Vector3 low_ = Vector3::Zero(), slabs_per_length_ = Vector3::Zero();
    int word_count_ = 0;  // words per mask
    // the masks have no bits for the boxes [64 word_count_, end_); every query visits these boxes
    std::int32_t end_ = 0;
    RawBuffer<std::uint64_t> words_;
};

template <class BoxOf>
void BoxFilter::build(std::span<const std::int32_t> numbers, const BoxOf& box_of) {
    end_ = 0;
    Vector3 low = Vector3::Constant(INFINITY), high = -low;
    for (const std::int32_t i : numbers) {
        end_ = std::max(end_, i + 1);
        const auto& [center, half] = box_of(i);
        low = low.cwiseMin(center - half);
        high = high.cwiseMax(center + half);
    }
    low_ = low;
    for (int axis = 0; axis < 3; ++axis) {
        const float scale = static_cast<float>(slab_count) / (high[axis] - low[axis]);
        // all boxes are in slab 0 of an axis if their extent on this axis is 0 or overflows
        slabs_per_length_[axis] = std::isfinite(scale) ? scale : 0.0f;
    }
    word_count_ = (end_ + 63) / 64;
    // clear only the words that masks of this build use
    std::fill_n(words_.begin(), row_start(3, begun, 0), 0u);
    for (const std::int32_t i : numbers) {
        const auto& [center, half] = box_of(i);
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        for (int axis = 0; axis < 3; ++axis) {
            row(axis, begun, slab_of(axis, center[axis] - half[axis]))[i / 64] |= bit;
            row(axis, unended, slab_of(axis, center[axis] + half[axis]))[i / 64] |= bit;
        }
    }
    // a box that begins in a slab has also begun in all slabs with a larger index. A box that ends in a slab has not
    // ended in any slab with a smaller index, so these masks are filled in reverse order
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

}  // namespace ruckle
