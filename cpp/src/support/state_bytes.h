// Writes and reads the numbers of a saved state, in the byte order of the machine.
//
// The reader validates each number, because invalid input must not become an index or a loop bound. It copies a number
// before validating it, because another thread may change the bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include "ruckle/types.h"

namespace ruckle {

template <class Item>
struct ScalarIn {
    using type = Item;
};
template <class Item>
    requires requires { typename Item::Scalar; }
struct ScalarIn<Item> {
    using type = typename Item::Scalar;
};
template <class Items>
using ScalarOf = typename ScalarIn<std::remove_cv_t<std::ranges::range_value_t<Items>>>::type;

// Writes numbers into a buffer. Skips numbers that do not fit, but counts their bytes; without a buffer, it only
// counts.
class StateWriter {
  public:
    static constexpr bool loads = false;

    explicit StateWriter(std::span<std::byte> room = {}) : room_(room) {}

    std::size_t size() const { return size_; }
    template <class Number, class... Allowed>
    void number(const Number& value, const Allowed&...) {
        numbers(std::span(&value, 1));
    }
    template <std::ranges::contiguous_range Items, class... Allowed>
    void numbers(const Items& items, const Allowed&...) {
        static_assert(std::is_arithmetic_v<ScalarOf<Items>>);
        const auto bytes = std::as_bytes(std::span(std::ranges::data(items), std::ranges::size(items)));
        size_ += bytes.size();
        if (bytes.size() <= room_.size()) {
            std::copy(bytes.begin(), bytes.end(), room_.begin());
            room_ = room_.subspan(bytes.size());
        }
    }

  private:
    std::span<std::byte> room_;
    std::size_t size_ = 0;
};

// Throws StateError if `right` is false. what: name of the value for the message.
inline void require_state(bool right, const char* what) {
    if (!right) {
        throw StateError(std::string("state: expected the bytes that were saved, got bytes with an impossible value: ") + what);
    }
}

// Reads numbers. Throws StateError if the bytes end too early or a number is out of range.
class StateReader {
  public:
    static constexpr bool loads = true;

    explicit StateReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    bool empty() const { return rest_.empty(); }
    template <class Number>
    Number number() {
        Number value;
        numbers(std::span(&value, 1));
        return value;
    }
    template <class Number>
    void number(Number& value, std::type_identity_t<Number> least, std::type_identity_t<Number> most, const char* what) {
        numbers(std::span(&value, 1), least, most, what);
    }
    template <std::ranges::contiguous_range Items>
    void numbers(Items&& items) {
        // every bit pattern is a valid number, except for bool
        static_assert(std::is_arithmetic_v<ScalarOf<Items>> && !std::is_same_v<ScalarOf<Items>, bool>);
        const auto bytes = std::as_writable_bytes(std::span(std::ranges::data(items), std::ranges::size(items)));
        require_state(bytes.size() <= rest_.size(), "the length");
        std::copy_n(rest_.begin(), bytes.size(), bytes.begin());
        rest_ = rest_.subspan(bytes.size());
    }
    // Reads values. Throws StateError if a value is not in [least, most] or is NaN; what: name of the value for the
    // message.
    template <std::ranges::contiguous_range Items, class Scalar = ScalarOf<Items>>
    void numbers(Items&& items, std::type_identity_t<Scalar> least, std::type_identity_t<Scalar> most, const char* what) {
        numbers(items);
        const auto* first = reinterpret_cast<const Scalar*>(std::ranges::data(items));
        const std::size_t count = std::ranges::size(items) * sizeof(*std::ranges::data(items)) / sizeof(Scalar);
        require_state(std::all_of(first, first + count, [=](Scalar value) { return value >= least && value <= most; }), what);
    }

  private:
    std::span<const std::byte> rest_;
};

inline constexpr float largest_float = std::numeric_limits<float>::max();
// Largest number of frames in a saved state. It is larger than any real number of frames, and small enough that an int
// does not overflow if counting continues.
inline constexpr int most_saved_frames = 1 << 30;

}  // namespace ruckle
