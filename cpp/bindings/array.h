// Every check of a NumPy argument and its message; views both ways without a copy.
//
// Arguments must already have the exact type and be C-contiguous: casts and copies are the Python layer's, where they
// can be seen.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "numeric/kernels.h"
#include "ruckle/types.h"

namespace ruckle::bindings {

namespace py = pybind11;

// The extent of one axis: a number, or a letter that names a free extent in messages.
struct Extent {
    const char* name;  // null: fixed
    py::ssize_t size;
    Extent(const char* free_name) : name(free_name), size(-1) {}
    Extent(py::ssize_t fixed_size) : name(nullptr), size(fixed_size) {}
    Extent(const char* known_name, py::ssize_t known_size) : name(known_name), size(known_size) {}
};

inline std::string describe_shape(std::span<const Extent> shape) {
    std::string text = "(";
    for (std::size_t k = 0; k < shape.size(); ++k) {
        text += k ? ", " : "";
        if (shape[k].name) {
            text += shape[k].name;
            text += shape[k].size >= 0 ? " = " + std::to_string(shape[k].size) : "";
        } else {
            text += std::to_string(shape[k].size);
        }
    }
    return text + (shape.size() == 1 ? ",)" : ")");
}

inline std::string describe(py::handle value) {
    if (!py::isinstance<py::array>(value)) {
        return std::string(py::str(py::type::of(value).attr("__name__")));
    }
    return std::string(py::str(value.attr("dtype"))) + " " + std::string(py::str(value.attr("shape")));
}

// The argument as an array of Scalar with this shape, or ValueError:
// "faces: expected int32 array of shape (T, 3), got float64 (120, 4)".
template <class Scalar>
py::array_t<Scalar> require_array(py::handle value, const char* name, std::initializer_list<Extent> shape) {
    const std::span<const Extent> extents(shape.begin(), shape.size());
    bool fits = py::isinstance<py::array>(value) && py::dtype::of<Scalar>().is(py::reinterpret_borrow<py::array>(value).dtype());
    if (fits) {
        const auto array = py::reinterpret_borrow<py::array>(value);
        fits = array.ndim() == static_cast<py::ssize_t>(extents.size()) && (array.flags() & py::array::c_style);
        for (py::ssize_t k = 0; fits && k < array.ndim(); ++k) {
            fits = extents[static_cast<std::size_t>(k)].size < 0 || array.shape(k) == extents[static_cast<std::size_t>(k)].size;
        }
    }
    if (!fits) {
        throw std::invalid_argument(std::string(name) + ": expected C-contiguous " +
                                    std::string(py::str(py::dtype::of<Scalar>())) + " array of shape " + describe_shape(extents) +
                                    ", got " + describe(value));
    }
    return py::reinterpret_borrow<py::array_t<Scalar>>(value);
}

// As above, and every element finite.
inline py::array_t<float> require_finite(py::handle value, const char* name, std::initializer_list<Extent> shape) {
    const auto array = require_array<float>(value, name, shape);
    if (!kernels().all_finite(array.data(), array.size())) {
        for (py::ssize_t i = 0; i < array.size(); ++i) {
            if (!(array.data()[i] - array.data()[i] == 0.0f)) {
                throw std::invalid_argument(std::string(name) + ": element " + std::to_string(i / array.shape(array.ndim() - 1)) +
                                            " holds " + std::to_string(array.data()[i]) + "; every number must be finite");
            }
        }
    }
    return array;
}

// The array's memory as count = size / (elements per Item) items.
template <class Item, class Scalar>
std::span<const Item> items(const py::array_t<Scalar>& array) {
    return {reinterpret_cast<const Item*>(array.data()), static_cast<std::size_t>(array.nbytes()) / sizeof(Item)};
}
template <class Item, class Scalar>
std::span<Item> mutable_items(py::array_t<Scalar>& array) {
    return {reinterpret_cast<Item*>(array.mutable_data()), static_cast<std::size_t>(array.nbytes()) / sizeof(Item)};
}

template <class Scalar>
py::array_t<Scalar> new_array(std::initializer_list<py::ssize_t> shape) {
    return py::array_t<Scalar>(py::array::ShapeContainer(shape));
}

// A read-only view of memory that owner keeps alive.
template <class Scalar>
py::array_t<Scalar> view(const void* memory, std::initializer_list<py::ssize_t> shape, py::handle owner) {
    py::array_t<Scalar> array(py::array::ShapeContainer(shape), static_cast<const Scalar*>(memory), owner);
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
}

// Other Python threads run meanwhile: the core touches no Python object.
template <class Work>
auto without_gil(Work&& work) {
    const py::gil_scoped_release release;
    return std::forward<Work>(work)();
}

}  // namespace ruckle::bindings
