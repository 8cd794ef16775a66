// runs: buddy allocator for short arrays ("runs") in one buffer. A run for at least 5 items reserves less than twice as
// many items.
//
// Example:
//     ruckle::Runs runs;
//     const auto link = [&](std::int32_t item) -> std::int32_t& { return items[item]; };
//     const std::int32_t first = runs.take(ruckle::Runs::length_for(20), link);  // items first to first + 31
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ruckle {

// Allocates runs of 8, 16, 32, 64 or 128 items. A run is a part of a block of 128 items that has been halved
// repeatedly, so that no run crosses the end of a block. Free runs of equal length form a linked list. The caller
// provides its memory: link(item), with the first item of a free run, returns a reference to an integer in which Runs
// stores the first item of the next free run (-1: none).
class Runs {
  public:
    static constexpr std::int32_t block = 128, shortest = 8;

    Runs() { free_.fill(-1); }

    // Returns an upper bound of the number of blocks that `capacity` runs of changing lengths use.
    static std::size_t block_count(int capacity) {
        return capacity == 0 ? 0 : 2 * static_cast<std::size_t>(capacity) + class_count;
    }

    // Returns the length of the shortest run for `count` items, 1 to 128.
    static std::int32_t length_for(std::int32_t count) { return shortest << class_of(count); }

    // Allocates a run of `length` items (8 to 128, a power of two) from the shortest free run that is long enough, or
    // from a new block. The unused part becomes free runs. Returns the index of the first item.
    template <class Link>
    std::int32_t take(std::int32_t length, const Link& link) {
        // use the shortest free run that is long enough
        std::size_t size = class_of(length);
        while (size + 1 < class_count && free_[size] < 0) {
            ++size;
        }
        const std::int32_t first = free_[size] >= 0 ? free_[size] : end_;
        if (first == end_) {
            end_ += block;
        } else {
            free_[size] = link(first);
        }
        for (std::int32_t half = (shortest << size) / 2; half >= length; half /= 2) {
            give_back(first + half, half, link);
        }
        return first;
    }
    // Frees a run. Free runs are not joined.
    template <class Link>
    void give_back(std::int32_t first, std::int32_t length, const Link& link) {
        std::int32_t& free = free_[class_of(length)];
        link(first) = free;
        free = first;
    }

  private:
    static constexpr std::size_t class_count = 5;
    static std::size_t class_of(std::int32_t count) {
        return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(count - 1) / shortest));
    }

    std::array<std::int32_t, class_count> free_;  // first free run of each length; -1 if there is none
    std::int32_t end_ = 0;                        // index after the last item of all blocks in use
};

}  // namespace ruckle
