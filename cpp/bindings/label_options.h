// Labeling options from their Python form.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "array.h"
#include "ruckle/field/label.h"

namespace ruckle::bindings {

inline LabelMethod label_method(const std::string& name) {
    constexpr std::pair<const char*, LabelMethod> methods[] = {{"exact", LabelMethod::exact},
                                                               {"expansion", LabelMethod::expansion},
                                                               {"swap", LabelMethod::swap},
                                                               {"independent", LabelMethod::independent}};
    for (const auto& [known, method] : methods) {
        if (name == known) {
            return method;
        }
    }
    throw std::invalid_argument("method: expected one of \"exact\", \"expansion\", \"swap\", \"independent\", got \"" + name +
                                "\"");
}

// pairwise is a (3, 3) float32 array.
inline LabelOptions label_options(py::handle pairwise, const std::string& method) {
    const auto costs = require_array<float>(pairwise, "pairwise", {3, 3});
    LabelOptions options;
    std::copy_n(costs.data(), 9, &options.pairwise[0][0]);
    options.method = label_method(method);
    require_solvable(options);
    return options;
}

}  // namespace ruckle::bindings
