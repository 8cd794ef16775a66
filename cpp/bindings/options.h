// Options from and to their Python form, by the tables that describe them: dicts of plain values.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <vector>

#include "array.h"
#include "ruckle/field/label.h"
#include "ruckle/field/parameters.h"
#include "ruckle/parameter.h"

namespace ruckle::bindings {

// The place of a word among those that a choice allows.
inline std::size_t place_of(const std::string& word, const Parameter& parameter) {
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

template <class Value>
void read(py::handle given, const Parameter&, Value& value) {
    value = py::cast<Value>(given);
}
template <>
inline void read(py::handle given, const Parameter&, std::optional<float>& value) {
    value = py::cast<float>(given);
}
template <>
inline void read(py::handle given, const Parameter& parameter, PairwiseCosts& value) {
    const auto costs = require_array<float>(given, parameter.name, {3, 3});
    std::copy_n(costs.data(), 9, &value[0][0]);
}
template <>
inline void read(py::handle given, const Parameter& parameter, LabelMethod& value) {
    value = static_cast<LabelMethod>(place_of(py::cast<std::string>(given), parameter));
}

// The default options with those of the dict in their places.
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

inline py::object written(float value, const Parameter&) {
    return py::float_(shortest_decimal(value));
}
inline py::object written(const std::optional<float>& value, const Parameter& parameter) {
    return value ? written(*value, parameter) : py::none();
}
inline py::object written(bool value, const Parameter&) {
    return py::bool_(value);
}
inline py::object written(int value, const Parameter&) {
    return py::int_(value);
}
inline py::object written(std::uint64_t value, const Parameter&) {
    return py::int_(value);
}
inline py::object written(LabelMethod value, const Parameter& parameter) {
    return py::str(parameter.choices[static_cast<std::size_t>(value)]);
}
inline py::object written(const PairwiseCosts& value, const Parameter&) {
    auto costs = new_array<float>({3, 3});
    std::copy_n(&value[0][0], 9, costs.mutable_data());
    costs.attr("flags").attr("writeable") = false;
    return costs;
}

// All options by their names; None for those that are not set.
template <class Options, class... Others, std::size_t count>
py::dict dict_of(const Option<Options, Others...> (&table)[count], const Options& options) {
    py::dict values;
    for (const auto& [member, parameter] : table) {
        values[parameter.name] = std::visit([&, about = parameter](auto at) { return written(options.*at, about); }, member);
    }
    return values;
}

// The rows of a table, from which ruckle.parameters makes a Parameter each.
template <class Options, class... Others, std::size_t count>
py::list rows_of(const Option<Options, Others...> (&table)[count]) {
    constexpr const char* kinds[] = {"number", "length", "integer", "flag", "choice", "matrix"};  // as ParameterKind
    const py::dict defaults = dict_of(table, Options{});
    py::list rows;
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

// pairwise is a (3, 3) float32 array.
inline LabelOptions label_options(py::handle pairwise, const std::string& method) {
    const auto options = options_from(label_parameters, py::dict(py::arg("pairwise") = pairwise, py::arg("method") = method));
    require_solvable(options);
    return options;
}

}  // namespace ruckle::bindings
