// parameter: the description of one option.
//
// cpp/options/NAME.toml declares the options of one folder of the core, such as paths. `make options` generates
// NAME/parameters.h: a struct of options, and a table that describes the options. The C interface, Python, the command
// line, sliders, sweeps and the guide read this table. Error messages about invalid values also use it.
//
//     [WrinklerOptions.tau]
//     default = 1.4
//     range = "> 1"
//     help = "Compression above which wrinkles form."
//
// An option of type std::optional without a value is not set. The library then derives the value from its input.
//
// Example:
//     ruckle::WrinklerOptions options;
//     options.tau = 1.2f;  // 0.9 would throw "tau: expected a finite number above 1, got 0.9"
//     ruckle::require_in_range(ruckle::wrinkler_parameters, options);
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace ruckle {

enum class ParameterKind {
    number,
    length,  // a number with the unit mesh units
    integer,
    flag,    // true or false
    choice,  // one of several words
    matrix,  // a (3, 3) matrix of numbers
    vector,  // a vector of 3 numbers
};

// The finite numbers between two limits. with_least and with_most are true if the limit itself is allowed.
struct Range {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool with_least = true, with_most = true;

    bool contains(double value) const;
};
// above, at_least and between return the ranges (least, ∞), [least, ∞) and [least, most].
constexpr Range above(double least) {
    return {.least = least, .with_least = false};
}
constexpr Range at_least(double least) {
    return {.least = least};
}
constexpr Range between(double least, double most) {
    return {.least = least, .most = most};
}

struct Parameter {
    const char* name;        // name of the option in every language
    const char* group = "";  // heading of this option in lists
    const char* unit = "";   // unit, such as "mesh units", "seconds", "per 1/30 s"; empty: no unit
    Range range{};
    // name of another parameter of the table; the value must not exceed the value of that parameter. Or empty
    const char* ceiling = "";
    // description of how the value is derived if it is not set; empty: the option always has a value
    const char* derived = "";
    double height_percent = 0.0;             // for a derived length: its value in percent of the character's height
    std::span<const char* const> choices{};  // words of a choice, in the order of the option's enumeration
    const char* help = "";                   // description of the option in one sentence

    ParameterKind kind = ParameterKind::number;
    // NaN if the value is derived, or is a matrix or vector
    double default_value = std::numeric_limits<double>::quiet_NaN();
};

// Returns the shortest decimal number that rounds to the float: 0.05, not 0.0500000007.
constexpr double shortest_decimal(float value) {
    const double half = value < 0.0f ? -0.5 : 0.5;
    for (double scale = 1.0; scale < 1e9 && value > -1e6f && value < 1e6f; scale *= 10.0) {
        const double decimal = static_cast<double>(static_cast<std::int64_t>(static_cast<double>(value) * scale + half)) / scale;
        if (static_cast<float>(decimal) == value) {
            return decimal;
        }
    }
    return static_cast<double>(value);
}

// A row of an option table: the description of an option, and the struct member that contains the value. `Others` are
// the types of members that are enumerations, matrices or vectors.
template <class Options, class... Others>
struct Option {
    std::variant<float Options::*, std::optional<float> Options::*, int Options::*, std::uint64_t Options::*, bool Options::*,
                 Others Options::*...>
        member;
    Parameter parameter;

    // Returns the value of the option as a number; for a choice, its index. Empty if the option is not set, or is a
    // matrix or vector.
    constexpr std::optional<double> number(const Options& options) const {
        return std::visit([&](auto at) { return as_number(options.*at); }, member);
    }

  private:
    static constexpr std::optional<double> as_number(float value) { return shortest_decimal(value); }
    static constexpr std::optional<double> as_number(const std::optional<float>& value) {
        return value ? as_number(*value) : std::nullopt;
    }
    // an integer that would be rounded to 2^64 becomes the largest double below 2^64, so that it is in the range of the
    // option
    static constexpr std::optional<double> as_number(std::uint64_t value) {
        return value < 0xfffffffffffff800 ? static_cast<double>(value) : 0x1.fffffffffffffp63;
    }
    template <class Value>
    static constexpr std::optional<double> as_number(const Value& value) {
        if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
            return static_cast<double>(value);
        }
        return std::nullopt;
    }
};

// Returns the description of the parameter with this name, which the table must contain.
template <class Table>
constexpr const Parameter& described(const Table& table, std::string_view name) {
    const auto* row = std::begin(table);
    while (name != row->parameter.name) {
        ++row;
    }
    return row->parameter;
}

// Throws std::invalid_argument if the value is outside the parameter's range or above its ceiling.
void require_in_range(const Parameter& parameter, double value, std::optional<double> ceiling = {});

// Checks the options of a table like the function above: all options that are set and have a number as their value.
template <class Options, class... Others, std::size_t count>
void require_in_range(const Option<Options, Others...> (&table)[count], const Options& options) {
    for (const auto& option : table) {
        std::optional<double> ceiling;
        for (const auto& other : table) {
            if (std::string_view(option.parameter.ceiling) == other.parameter.name) {
                ceiling = other.number(options);
            }
        }
        if (const auto value = option.number(options); value && option.parameter.kind != ParameterKind::choice) {
            require_in_range(option.parameter, *value, ceiling);
        }
    }
}

// Throws std::invalid_argument if `given`, a new value of the option `name`, differs from `now`, the value at
// construction.
void require_kept(const char* name, double now, double given);

// Calls the function above for the options with these names.
template <class Options, class... Others, std::size_t count>
void require_kept(const Option<Options, Others...> (&table)[count], const Options& now, const Options& given,
                  std::initializer_list<std::string_view> names) {
    for (const auto& option : table) {
        for (const std::string_view name : names) {
            if (name == option.parameter.name) {
                require_kept(option.parameter.name, option.number(now).value_or(0.0), option.number(given).value_or(0.0));
            }
        }
    }
}

}  // namespace ruckle
