// Checks NumPy arguments, with the messages of all errors, and converts arrays to spans and back without a copy.
//
// Arguments must have the exact type, and be C-contiguous and aligned: the Python layer has already cast them. Other
// threads may write into an argument while a call runs without the GIL. Therefore offsets, indices and loop bounds are
// copied before they are checked, so that such writes can make results wrong, but cannot cause invalid memory accesses.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numeric/finite.h"
#include "ruckle/types.h"
#include "typed.h"

namespace ruckle::bindings {

// The extent of one axis in a check, with its text in messages: a number ("3"), a letter for a free extent ("T"), or a
// letter with its number ("T = 120").
struct Extent {
    const char* name;  // null: the extent is the number `size`
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

template <class Scalar>
bool is_array_of(py::handle value) {
    if (!py::isinstance<py::array>(value)) {
        return false;
    }
    const auto array = py::reinterpret_borrow<py::array>(value);
    constexpr int needed = int{py::array::c_style} | int{py::detail::npy_api::NPY_ARRAY_ALIGNED_};
    return py::dtype::of<Scalar>().equal(array.dtype()) && (array.flags() & needed) == needed;
}

inline bool has_shape(const py::array& array, std::span<const Extent> shape) {
    bool fits = array.ndim() == static_cast<py::ssize_t>(shape.size());
    for (py::ssize_t k = 0; fits && k < array.ndim(); ++k) {
        fits = shape[static_cast<std::size_t>(k)].size < 0 || array.shape(k) == shape[static_cast<std::size_t>(k)].size;
    }
    return fits;
}

// Returns the argument as an array of Scalar. Raises ValueError if its type or shape is wrong: "faces: expected an
// array of shape (T, 3), got (120, 4)".
template <class Scalar>
py::array_t<Scalar> require_array(py::handle value, const char* name, std::initializer_list<Extent> shape) {
    const std::span<const Extent> extents(shape.begin(), shape.size());
    // the Python layer has already cast the type, so usually only the shape is wrong
    if (!is_array_of<Scalar>(value)) {
        throw std::invalid_argument(std::string(name) + ": expected a C-contiguous " +
                                    std::string(py::str(py::dtype::of<Scalar>())) + " array of shape " + describe_shape(extents) +
                                    ", got " + describe(value));
    }
    if (!has_shape(py::reinterpret_borrow<py::array>(value), extents)) {
        throw std::invalid_argument(std::string(name) + ": expected an array of shape " + describe_shape(extents) + ", got " +
                                    std::string(py::str(value.attr("shape"))));
    }
    return py::reinterpret_borrow<py::array_t<Scalar>>(value);
}

// Like require_array, but returns a copy, which other threads cannot change between a check and its use.
template <class Scalar>
py::array_t<Scalar> copy_array(py::handle value, const char* name, std::initializer_list<Extent> shape) {
    const auto array = require_array<Scalar>(value, name, shape);
    py::array_t<Scalar> copy(py::array::ShapeContainer(array.shape(), array.shape() + array.ndim()));
    std::copy_n(array.data(), array.size(), copy.mutable_data());
    return copy;
}

inline py::array_t<float> require_all_finite(py::array_t<float> array, const char* name) {
    if (!all_finite(std::span(array.data(), static_cast<std::size_t>(array.size())))) {
        for (py::ssize_t i = 0; i < array.size(); ++i) {
            if (!(array.data()[i] - array.data()[i] == 0.0f)) {
                throw std::invalid_argument(std::string(name) + ": element " +
                                            std::to_string(i / (array.size() / array.shape(0))) + " holds " +
                                            std::to_string(array.data()[i]) + "; every number must be finite");
            }
        }
    }
    return array;
}

// require_finite returns the array, copy_finite a copy. Both raise ValueError if the type or shape is wrong, or if an
// element is not finite.
inline py::array_t<float> require_finite(py::handle value, const char* name, std::initializer_list<Extent> shape) {
    return require_all_finite(require_array<float>(value, name, shape), name);
}
inline py::array_t<float> copy_finite(py::handle value, const char* name, std::initializer_list<Extent> shape) {
    return require_all_finite(copy_array<float>(value, name, shape), name);
}

// Return a copy of an optional argument, or an empty array for None.
template <class Scalar>
py::array_t<Scalar> optional_array(py::handle value, const char* name, std::initializer_list<Extent> shape) {
    return value.is_none() ? py::array_t<Scalar>() : copy_array<Scalar>(value, name, shape);
}
inline py::array_t<float> optional_finite(py::handle value, const char* name, std::initializer_list<Extent> shape) {
    return require_all_finite(optional_array<float>(value, name, shape), name);
}

// Returns the number of vertices as an int. Raises ValueError if it is out of range.
inline int require_vertex_count(py::ssize_t vertex_count) {
    if (vertex_count < 0 || vertex_count > most_vertices) {
        throw std::invalid_argument("vertex_count: expected an integer in [0, " + std::to_string(most_vertices) + "], got " +
                                    std::to_string(vertex_count));
    }
    return static_cast<int>(vertex_count);
}

inline py::array_t<std::int32_t> require_faces(py::handle faces) {
    return copy_array<std::int32_t>(faces, "faces", {"T", 3});
}

// Both functions return a view of the array's memory, with one or more Scalars per Item. They do not change reference
// counts, so they may be called without the GIL.
template <class Item, class Scalar>
std::span<const Item> items(const py::array_t<Scalar>& array) {
    return {reinterpret_cast<const Item*>(array.data()), static_cast<std::size_t>(array.size()) * sizeof(Scalar) / sizeof(Item)};
}
template <class Item, class Scalar>
std::span<Item> mutable_items(py::array_t<Scalar>& array) {
    return {reinterpret_cast<Item*>(array.mutable_data()),
            static_cast<std::size_t>(array.size()) * sizeof(Scalar) / sizeof(Item)};
}

template <class Scalar>
py::array_t<Scalar> new_array(std::initializer_list<py::ssize_t> shape) {
    return py::array_t<Scalar>(py::array::ShapeContainer(shape));
}

// Returns a read-only array that is a view of the memory of `owner`, and keeps `owner` alive.
template <class Scalar>
py::array_t<Scalar> view(const void* memory, const std::vector<py::ssize_t>& shape, py::handle owner) {
    py::array_t<Scalar> array(shape, static_cast<const Scalar*>(memory), owner);
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
}
// Returns a view of a vector with the axes (count, *entry). By default, an Item of several Scalars has one axis.
template <class Scalar, class Item>
py::array_t<Scalar> view(const std::vector<Item>& values, py::handle owner, std::vector<py::ssize_t> entry = {}) {
    if (sizeof(Item) > sizeof(Scalar) && entry.empty()) {
        entry = {sizeof(Item) / sizeof(Scalar)};
    }
    entry.insert(entry.begin(), static_cast<py::ssize_t>(values.size()));
    return view<Scalar>(values.data(), entry, owner);
}
// Returns the getter of a property: a view of a member, which keeps the object alive.
template <class Scalar, class Class, class Item>
auto view_of(std::vector<Item> Class::* member, std::vector<py::ssize_t> entry = {}) {
    return [member, entry](py::object self) { return view<Scalar>(self.cast<const Class&>().*member, self, entry); };
}

// Returns an array with a copy of values, of one or more Scalars each.
template <class Scalar, class Values>
py::array_t<Scalar> copied(const Values& values, std::initializer_list<py::ssize_t> shape) {
    auto array = new_array<Scalar>(shape);
    std::copy_n(reinterpret_cast<const Scalar*>(std::data(values)), array.size(), array.mutable_data());
    return array;
}

// Calls work() without the GIL, so that other Python threads can run. This is safe, because the core does not use
// Python objects.
template <class Work>
auto without_gil(Work&& work) {
    const py::gil_scoped_release release;
    return std::forward<Work>(work)();
}

// Returns an array of Items, of one or more Scalars each, which work(span) has filled without the GIL.
template <class Scalar, class Item = Scalar, class Work>
py::array_t<Scalar> computed(std::initializer_list<py::ssize_t> shape, const Work& work) {
    auto array = new_array<Scalar>(shape);
    without_gil([&, out = mutable_items<Item>(array)] { work(out); });
    return array;
}

// Returns a saved state as Python bytes (a copy).
inline py::bytes bytes_of(const std::vector<std::byte>& state) {
    return {reinterpret_cast<const char*>(state.data()), state.size()};
}
inline std::span<const std::byte> state_view(const py::bytes& state) {
    return std::as_bytes(std::span<const char>(std::string_view(state)));
}

// Each of these functions throws an error that names the first wrong number.
inline void require_indices(std::span<const std::int32_t> indices, py::ssize_t count, const char* name) {
    const auto wrong = std::ranges::find_if(indices, [count](std::int32_t index) { return index < 0 || index >= count; });
    if (wrong != indices.end()) {
        throw std::invalid_argument(std::string(name) + ": expected numbers from 0 to " + std::to_string(count - 1) + ", got " +
                                    std::to_string(*wrong));
    }
}
inline void require_corners(std::span<const Face> faces, py::ssize_t vertex_count) {
    for (std::size_t face = 0; face < faces.size(); ++face) {
        for (const std::int32_t vertex : faces[face]) {
            if (vertex < 0 || vertex >= vertex_count) {
                throw MeshError("faces, positions: face " + std::to_string(face) + " names vertex " + std::to_string(vertex) +
                                "; there are " + std::to_string(vertex_count) + " positions");
            }
        }
    }
}
inline void require_labels(std::span<const std::uint8_t> labels, const char* name) {
    const auto wrong = std::ranges::find_if(labels, [](std::uint8_t label) { return label >= label_count; });
    if (wrong != labels.end()) {
        throw std::invalid_argument(std::string(name) + ": triangle " + std::to_string(wrong - labels.begin()) + " has label " +
                                    std::to_string(*wrong) + "; labels are 0, 1 and 2");
    }
}
inline void require_share(float value, const char* name) {
    if (!(value >= 0.0f && value <= 1.0f)) {
        throw std::invalid_argument(std::string(name) + ": expected a number in [0, 1], got " + std::to_string(value));
    }
}

inline void require_above(float value, float least, const char* name, const char* range) {
    if (!(std::isfinite(value) && value > least)) {
        throw std::invalid_argument(std::string(name) + ": expected " + range + ", got " + std::to_string(value));
    }
}
inline void require_at_least_0(float value, const char* name) {
    if (!(std::isfinite(value) && value >= 0.0f)) {
        throw std::invalid_argument(std::string(name) + ": expected a finite number of at least 0, got " + std::to_string(value));
    }
}

inline int require_threads(int threads) {
    if (threads < 1) {
        throw std::invalid_argument("threads: expected an integer of at least 1, got " + std::to_string(threads));
    }
    return threads;
}

// Locks the mutex without holding the GIL, and returns a read-only copy of the Items from values(), as an array (count,
// *entry) of Scalars.
template <class Scalar, class Values>
py::array_t<Scalar> locked_copy(std::mutex& mutex, const Values& values, std::vector<py::ssize_t> entry) {
    // never wait for a mutex with the GIL, because the owner of the mutex may need the GIL to finish
    py::gil_scoped_release release;
    const std::scoped_lock lock(mutex);
    const auto items = values();
    const py::gil_scoped_acquire acquire;
    entry.insert(entry.begin(), static_cast<py::ssize_t>(items.size()));
    py::array_t<Scalar> array(entry);
    std::copy_n(reinterpret_cast<const Scalar*>(items.data()), array.size(), array.mutable_data());
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
}

}  // namespace ruckle::bindings
