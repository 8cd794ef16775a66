// Which of many boxes may be near a point: one bit per box, sifted 64 boxes at a time.
//
// Space is cut into slabs along each axis. For each slab two sets of bits say which boxes begin in it or before, and which end in
// it or behind; a box overlaps a range when along every axis it begins before the range's end and ends behind its beginning. So
// six words give, for 64 boxes at once, all that may be near, and hardly more.
//
// Building takes time proportional to the boxes. Asking takes some ten instructions per 64 boxes, without a branch that depends on
// where they lie, and then what it takes to look at those nearby: of the 4096 paths there may be at most, the first part costs
// less than looking at ten. Nothing allocates after construction.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "constants.h"
#include "ruckle/paths/path.h"
#include "ruckle/room.h"
#include "ruckle/types.h"

namespace ruckle {

class BoxSieve {
  public:
    // boxes: their numbers are in [0, boxes)
    explicit BoxSieve(int boxes);

    // Forgets all boxes and takes these: number i is box_of(i).
    template <class BoxOf>
    void build(std::span<const std::int32_t> numbers, const BoxOf& box_of);

    // Takes one more box, or another position of a box that has changed. False when so many came since the last build that another
    // should follow: they are always shown.
    bool add(std::int32_t number, const Box& box);

    // Shows visit the number of every box that lies within distance of this one along each axis, and some more, until it returns
    // true; returns whether it did.
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

    // Far out there is no other slab than the first and the last. The comparisons are such that NaN ends in the first, too.
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
    int word_count_ = 0;    // of each set
    std::int32_t end_ = 0;  // numbers from 64 word_count_ to here came after the build, and are always shown
    Room<std::uint64_t> words_;
};

template <class BoxOf>
void BoxSieve::build(std::span<const std::int32_t> numbers, const BoxOf& box_of) {
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
        // flat, or so large that lengths overflow: one slab for all
        slabs_per_length_[axis] = std::isfinite(scale) ? scale : 0.0f;
    }
    word_count_ = (end_ + 63) / 64;
    // only the words in use, of the room for a full pool
    std::fill_n(words_.begin(), row_start(3, begun, 0), 0u);
    for (const std::int32_t i : numbers) {
        const auto& [center, half] = box_of(i);
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        for (int axis = 0; axis < 3; ++axis) {
            row(axis, begun, slab_of(axis, center[axis] - half[axis]))[i / 64] |= bit;
            row(axis, unended, slab_of(axis, center[axis] + half[axis]))[i / 64] |= bit;
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

}  // namespace ruckle
