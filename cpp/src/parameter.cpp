#include "ruckle/parameter.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace ruckle {

namespace {

// Returns a number as text. Nine digits suffice to distinguish any two floats.
std::string text_of(double value, int digits = 9) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return text;
}

// Returns "a number", "a finite length", "an integer" and so on. "finite" is omitted if the range is bounded.
std::string noun(const Parameter& parameter, bool is_bounded) {
    if (parameter.kind == ParameterKind::integer) {
        return "an integer";
    }
    const std::string_view unit = parameter.unit;
    const char* of = parameter.kind == ParameterKind::length ? "length" : unit == "seconds" ? "number of seconds" : "number";
    return std::string(is_bounded ? "a " : "a finite ") + of;
}

// Returns a description of the allowed values, for error messages.
std::string expected(const Parameter& parameter, std::optional<double> ceiling) {
    const auto& [least, most, with_least, with_most] = parameter.range;
    if (std::isfinite(most)) {
        return noun(parameter, true) + " in " + (with_least ? "[" : "(") + text_of(least, 6) + ", " + text_of(most, 6) +
               (with_most ? "]" : ")");
    }
    const std::string from = (with_least ? " of at least " : " above ") + text_of(least);
    return noun(parameter, ceiling.has_value()) + from +
           (ceiling ? std::string(" and at most ") + parameter.ceiling + " = " + text_of(*ceiling) : "");
}

}  // namespace

bool Range::contains(double value) const {
    return std::isfinite(value) && (with_least ? value >= least : value > least) && (with_most ? value <= most : value < most);
}

void require_in_range(const Parameter& parameter, double value, std::optional<double> ceiling) {
    if (!parameter.range.contains(value) || (ceiling && value > *ceiling)) {
        throw std::invalid_argument(std::string(parameter.name) + ": expected " + expected(parameter, ceiling) + ", got " +
                                    text_of(value));
    }
}

void require_kept(const char* name, double now, double given) {
    if (now != given) {
        throw std::invalid_argument(std::string(name) + ": cannot change after construction; expected " + text_of(now) +
                                    ", got " + text_of(given));
    }
}

}  // namespace ruckle
