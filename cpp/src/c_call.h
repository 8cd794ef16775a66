// Common parts of all functions of the C interface. They convert errors to a status and a message, and arrays to views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>

#include "ruckle/mesh/topology.h"
#include "ruckle/parameter.h"
#include "ruckle/ruckle_c.h"
#include "ruckle/types.h"

// Returns RUCKLE_NULL_ARGUMENT from the calling function if one of these parameters is a null pointer.
#define RUCKLE_REQUIRE(...)                                                                     \
    if (const ruckle_status missing = ruckle::c::require_pointers(#__VA_ARGS__, __VA_ARGS__)) { \
        return missing;                                                                         \
    }

// Defines a function that returns a property of an object. The function returns 0 or NULL if the object is NULL.
#define RUCKLE_ANSWER(type, function, kind, object, answer)               \
    type function(const ruckle_##kind* object) {                          \
        return object ? static_cast<type>(answer) : static_cast<type>(0); \
    }

namespace ruckle::c {

// Stores a message for ruckle_error_message, separately for each thread. Returns `status`. The functions below do the
// same for frequent errors.
[[gnu::format(printf, 2, 3)]] ruckle_status fail(ruckle_status status, const char* format, ...);
ruckle_status fail_null(const char* name);
ruckle_status fail_not_finite(std::span<const Vector3> positions);
ruckle_status fail_count(std::int32_t vertex_count, std::int32_t face_count);
// Returns RUCKLE_OK if both counts are equal, otherwise an error.
ruckle_status check_vertex_count(std::int32_t expected, std::int32_t vertex_count);
ruckle_status fail_memory();
const char* last_sentence();  // message of the last failure on this thread; empty if no call has failed

// Calls a function and returns its status. An exception is converted to a status and a message; derived classes are
// caught first.
template <class Call>
ruckle_status guarded(const Call& call) noexcept {
    try {
        return call();
    } catch (const MeshError& error) {
        return fail(RUCKLE_BAD_MESH, "%s", error.what());
    } catch (const StateError& error) {
        return fail(RUCKLE_BAD_STATE, "%s", error.what());
    } catch (const FileError& error) {
        return fail(RUCKLE_BAD_FILE, "%s", error.what());
    } catch (const std::invalid_argument& error) {
        return fail(RUCKLE_BAD_OPTION, "%s", error.what());
    } catch (const std::bad_alloc&) {
        return fail_memory();
    } catch (const std::exception& error) {
        // other exceptions of the standard library: a thread cannot start, or an array is too large
        return fail(RUCKLE_NO_RESOURCES, "%s", error.what());
    }
}

// Saves the state of an object of the C interface in `state`. Fails without writing if `capacity` is too small. The
// object's member `core` is a Wrinkler, a Modulator or another stateful class.
template <class Object>
ruckle_status save_state(const char* name, const Object* object, void* state, std::size_t capacity) {
    if (!object || !state) {
        return fail_null(!object ? name : "state");
    }
    const std::size_t size = object->core.state_size();
    // check the size before each call, because it may change with every frame
    if (capacity < size) {
        return fail(RUCKLE_TOO_SMALL, "state: expected room for %zu bytes, got %zu", size, capacity);
    }
    return guarded([&] {
        object->core.save({static_cast<std::byte*>(state), size});
        return RUCKLE_OK;
    });
}
// Restores the state of an object from `size` bytes.
template <class Object>
ruckle_status restore_state(const char* name, Object* object, const void* state, std::size_t size) {
    if (!object || !state) {
        return fail_null(!object ? name : "state");
    }
    return guarded([&] {
        object->core.restore({static_cast<const std::byte*>(state), size});
        return RUCKLE_OK;
    });
}

// Writes the result of get() to the caller's variable. Fails if the object or the variable is NULL.
template <class Object, class Result, class Get>
ruckle_status give(const char* name, const Object* object, const char* what, Result* result, const Get& get) {
    if (!object || !result) {
        return fail_null(!object ? name : what);
    }
    *result = get();
    return RUCKLE_OK;
}

// Returns an error for the first null pointer, or RUCKLE_OK. `names` lists the parameters, separated by commas, for the
// message.
template <class... Pointers>
ruckle_status require_pointers(const char* names, const Pointers*... pointers) {
    const void* all[] = {pointers...};
    for (const void* pointer : all) {
        const char* end = names + std::strcspn(names, ",");
        if (!pointer) {
            return fail(RUCKLE_NULL_ARGUMENT, "%.*s: expected a pointer, got NULL", static_cast<int>(end - names), names);
        }
        names = end + std::strspn(end, ", ");
    }
    return RUCKLE_OK;
}

// Returns a view of a caller's array; empty for NULL. The next functions return views with the core's types, which have
// the memory layout of the caller's arrays.
template <class Item>
std::span<const Item> as_span(const Item* items, std::size_t count) {
    return {items, items ? count : 0};
}
std::span<const Vector3> as_positions(const float* positions, std::int32_t count);
std::span<const Face> as_faces(const std::int32_t* faces, std::int32_t count);
bool is_finite(const Vector3& position);

// Converts an option from C. RUCKLE_UNSET, which is not a valid length, becomes an empty std::optional.
std::optional<float> set(float value);

// Converts the description of a parameter to C.
ruckle_parameter described(const Parameter& found);

// Writes the description of row `index` of a table of options to *parameter. Fails if the index is out of range.
template <class Row, std::size_t count>
ruckle_status describe(const Row (&table)[count], std::int32_t index, ruckle_parameter* parameter) {
    if (!parameter) {
        return fail_null("parameter");
    }
    if (index < 0 || index >= static_cast<std::int32_t>(count)) {
        return fail(RUCKLE_OUT_OF_RANGE, "index: expected one of %zu parameters, from 0, got %d", count, index);
    }
    *parameter = described(table[index].parameter);
    return RUCKLE_OK;
}

}  // namespace ruckle::c
