// Defines algorithms of std::ranges that are missing in the standard library of Debian's Emscripten (libc++ 14). CMake includes this
// file before each source.
#pragma once
#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000
#include <algorithm>
#include <functional>
#include <iterator>

// Defines the range version of an algorithm of std, without projections.
#define RUCKLE_OVER_RANGE(name)                                        \
    template <class Range, class... Rest>                              \
    constexpr auto name(Range&& range, Rest... rest) {                 \
        return std::name(std::begin(range), std::end(range), rest...); \
    }

namespace std::ranges {

RUCKLE_OVER_RANGE(all_of)
RUCKLE_OVER_RANGE(any_of)
RUCKLE_OVER_RANGE(none_of)
RUCKLE_OVER_RANGE(copy)
RUCKLE_OVER_RANGE(copy_if)
RUCKLE_OVER_RANGE(count)
RUCKLE_OVER_RANGE(count_if)
RUCKLE_OVER_RANGE(equal)
RUCKLE_OVER_RANGE(fill)
RUCKLE_OVER_RANGE(find_if)
RUCKLE_OVER_RANGE(find_if_not)
RUCKLE_OVER_RANGE(for_each)
RUCKLE_OVER_RANGE(is_sorted)
RUCKLE_OVER_RANGE(lower_bound)
RUCKLE_OVER_RANGE(max_element)
RUCKLE_OVER_RANGE(min_element)
RUCKLE_OVER_RANGE(nth_element)
RUCKLE_OVER_RANGE(replace)
RUCKLE_OVER_RANGE(replace_if)
RUCKLE_OVER_RANGE(reverse)
RUCKLE_OVER_RANGE(upper_bound)

template <class Range, class Value, class Member = identity>
constexpr auto find(Range&& range, const Value& value, Member member = {}) {
    return std::find_if(std::begin(range), std::end(range), [&](const auto& one) { return invoke(member, one) == value; });
}

template <class In, class Out>
struct in_out {
    In in;
    Out out;
};

template <class Range, class Result, class Function>
constexpr auto transform(Range&& range, Result result, Function function) {
    using In = decltype(std::end(range));
    return in_out<In, Result>{std::end(range), std::transform(std::begin(range), std::end(range), result, function)};
}
template <class First, class Second, class Result, class Function>
constexpr void transform(First&& first, Second&& second, Result result, Function function) {
    std::transform(std::begin(first), std::end(first), std::begin(second), result, function);
}

template <class Less, class Member>
constexpr auto by_member(Less less, Member member) {
    return [=](const auto& a, const auto& b) { return less(invoke(member, a), invoke(member, b)); };
}
template <class Range, class Less = std::less<>, class Member = identity>
constexpr void sort(Range&& range, Less less = {}, Member member = {}) {
    std::sort(std::begin(range), std::end(range), by_member(less, member));
}
template <class Range, class Less = std::less<>, class Member = identity>
constexpr void stable_sort(Range&& range, Less less = {}, Member member = {}) {
    std::stable_sort(std::begin(range), std::end(range), by_member(less, member));
}

}  // namespace std::ranges

#undef RUCKLE_OVER_RANGE
#endif
