// Converts option structs to Python dicts of plain values and back, with the names and types in the option tables
// (ruckle/parameter.h).
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "array.h"
#include "ruckle/parameter.h"

namespace ruckle::bindings {

// Returns the index of a word among the choices of a parameter. Throws std::invalid_argument if it is not a choice.
inline std::size_t index_of(const std::string& word, const Parameter& parameter) {
    const auto found = std::ranges::find(parameter.choices, word);
    if (found == parameter.choices.end()) {
        std::string words;
        for (const char* choice : parameter.choices) {
            words += std::string(words.empty() ? "\"" : ", \"") + choice + "\"";
        }
        throw std::invalid_argument(std::string(parameter.name) + ": expected one of " + words + ", got \"" + word + "\"");
    }
    return static_cast<std::size_t>(found - parameter.choices.begin());
}

template <std::size_t rows, std::size_t columns>
using Matrix = std::array<std::array<float, columns>, rows>;

template <class Value>
void read(py::handle given, const Parameter& parameter, Value& value) {
    if constexpr (std::is_enum_v<Value>) {
        value = static_cast<Value>(index_of(py::cast<std::string>(given), parameter));
    } else {
        value = py::cast<Value>(given);
    }
}
inline void read(py::handle given, const Parameter& parameter, Vector3& value) {
    value = items<Vector3>(copy_finite(given, parameter.name, {3}))[0];
}
template <std::size_t rows, std::size_t columns>
void read(py::handle given, const Parameter& parameter, Matrix<rows, columns>& value) {
    const auto numbers = require_array<float>(given, parameter.name, {rows, columns});
    std::copy_n(numbers.data(), rows * columns, &value[0][0]);
}

// Returns the options with the values of the dict; options that are not in the dict have their defaults.
template <class Options, class... Others, std::size_t count>
Options options_from(const Option<Options, Others...> (&table)[count], const py::dict& given) {
    Options options;
    for (const auto& [member, parameter] : table) {
        if (given.contains(parameter.name)) {
            std::visit([&, about = parameter](auto at) { read(given[about.name], about, options.*at); }, member);
        }
    }
    return options;
}

template <class Value>
py::object written(const Value& value, const Parameter& parameter) {
    if constexpr (std::is_enum_v<Value>) {
        return py::str(parameter.choices[static_cast<std::size_t>(value)]);
    } else if constexpr (std::is_same_v<Value, float>) {
        return py::float_(shortest_decimal(value));
    } else {
        return py::cast(value);
    }
}
inline py::object written(const std::optional<float>& value, const Parameter& parameter) {
    return value ? written(*value, parameter) : py::none();
}
inline py::object written(const Vector3& value, const Parameter&) {
    return py::make_tuple(shortest_decimal(value[0]), shortest_decimal(value[1]), shortest_decimal(value[2]));
}
template <std::size_t rows, std::size_t columns>
py::object written(const Matrix<rows, columns>& value, const Parameter&) {
    auto numbers = new_array<float>({rows, columns});
    std::copy_n(&value[0][0], rows * columns, numbers.mutable_data());
    numbers.attr("flags").attr("writeable") = false;
    return numbers;
}

// Returns a dict of all options by name; None for options that are not set.
template <class Options, class... Others, std::size_t count>
py::dict dict_of(const Option<Options, Others...> (&table)[count], const Options& options) {
    py::dict values;
    for (const auto& [member, parameter] : table) {
        values[parameter.name] = std::visit([&, about = parameter](auto at) { return written(options.*at, about); }, member);
    }
    return values;
}

// Returns the rows of a table, from which ruckle.parameters creates Parameter objects.
template <class Options, class... Others, std::size_t count>
Rows rows_of(const Option<Options, Others...> (&table)[count]) {
    // in the order of ParameterKind
    constexpr const char* kinds[] = {"number", "length", "integer", "flag", "choice", "matrix", "vector"};
    const py::dict defaults = dict_of(table, Options{});
    Rows rows;
    for (const auto& [member, parameter] : table) {
        py::dict row;
        row["name"] = parameter.name;
        row["group"] = parameter.group;
        row["kind"] = kinds[static_cast<std::size_t>(parameter.kind)];
        row["unit"] = parameter.unit;
        row["least"] = parameter.range.least;
        row["most"] = parameter.range.most;
        row["with_least"] = parameter.range.with_least;
        row["with_most"] = parameter.range.with_most;
        row["ceiling"] = parameter.ceiling;
        row["choices"] = py::tuple(py::cast(std::vector<std::string>(parameter.choices.begin(), parameter.choices.end())));
        row["default"] = defaults[parameter.name];
        row["derived"] = parameter.derived;
        row["height_percent"] = parameter.height_percent;
        row["help"] = parameter.help;
        rows.append(row);
    }
    return rows;
}

}  // namespace ruckle::bindings
