// Python objects with the types that appear in signatures and in the stub python/ruckle/_core.pyi. The Python layer
// guarantees these types. pybind11 does not convert or reject arguments, because the messages of array.h are better.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/typing.h>

#include <cstring>
#include <string>
#include <vector>

namespace ruckle::bindings {

namespace py = pybind11;

// Base of the types below: accepts any Python object.
struct Unchecked : py::object {
    Unchecked() : py::object(py::none()) {}
    Unchecked(py::handle value, borrowed_t borrowed) : py::object(value, borrowed) {}
    Unchecked(py::handle value, stolen_t stolen) : py::object(value, stolen) {}
    static bool check_(py::handle) { return true; }
};

template <class Scalar>
struct Array : Unchecked {
    using Unchecked::Unchecked;
};
template <class Scalar>
struct ArrayOrNone : Unchecked {
    using Unchecked::Unchecked;
};
struct TopologyObject : Unchecked {
    using Unchecked::Unchecked;
};
struct MeshObject : Unchecked {  // a Topology or a Refinement
    using Unchecked::Unchecked;
};

// The parameters of a bound function in Python's notation: "faces, positions, previous=None, *, texels!". None is the
// only possible default. An argument with ! is never converted.
struct Names {
    explicit Names(const char* signature) {
        for (const char* at = signature; *at;) {
            const char* end = at + std::strcspn(at, ",");
            const std::string word(at, end);
            const std::size_t length = word.find_first_of("=!");
            names.push_back({word.substr(0, length), word.ends_with("=None"), word.ends_with("!")});
            at = end + std::strspn(end, ", ");
        }
    }
    struct Name {
        std::string text;
        bool is_optional, is_exact;
    };
    std::vector<Name> names;
};

using OptionsDict = py::typing::Dict<py::str, py::handle>;
using MaterialDict = py::typing::Dict<py::str, py::float_>;
using Rows = py::typing::List<OptionsDict>;
using Floats = py::array_t<float>;
using Ints = py::array_t<std::int32_t>;
using StretchTuple = py::typing::Tuple<Array<float>, Array<float>, Array<float>, Array<float>, Array<bool>>;

}  // namespace ruckle::bindings

namespace pybind11::detail {

template <>
struct process_attribute<ruckle::bindings::Names> : process_attribute_default<ruckle::bindings::Names> {
    // pybind11 copies the names before this object is destroyed
    static void init(const ruckle::bindings::Names& given, function_record* record) {
        const std::size_t count = record->nargs_pos;  // all parameters are positional until a * is processed
        for (const auto& [text, is_optional, is_exact] : given.names) {
            if (text == "*") {
                process_attribute<kw_only>::init({}, record);
            } else if (is_optional) {
                process_attribute<arg_v>::init(arg(text.c_str()) = none(), record);
            } else {
                process_attribute<arg>::init(arg(text.c_str()).noconvert(is_exact), record);
            }
        }
        if (record->args.size() != count) {
            pybind11_fail(std::string(record->name) + ": as many names as parameters are needed");
        }
    }
};

template <class Scalar>
struct handle_type_name<ruckle::bindings::Array<Scalar>> {
    static constexpr auto name = const_name("numpy.typing.NDArray[") + npy_format_descriptor<Scalar>::name + const_name("]");
};
template <class Scalar>
struct handle_type_name<ruckle::bindings::ArrayOrNone<Scalar>> {
    static constexpr auto name = handle_type_name<ruckle::bindings::Array<Scalar>>::name + const_name(" | None");
};
template <>
struct handle_type_name<ruckle::bindings::TopologyObject> {
    static constexpr auto name = const_name("ruckle._core.Topology");
};
template <>
struct handle_type_name<ruckle::bindings::MeshObject> {
    static constexpr auto name = const_name("ruckle._core.Topology | ruckle._core.Refinement");
};

}  // namespace pybind11::detail
