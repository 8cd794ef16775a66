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

// Returns the status of a call from the calling function if the call fails.
#define RUCKLE_TRY(call)                        \
    if (const ruckle_status failure = (call)) { \
        return failure;                         \
    }

// Returns RUCKLE_NULL_ARGUMENT from the calling function if one of these parameters is a null pointer.
#define RUCKLE_REQUIRE(...) RUCKLE_TRY(ruckle::c::require_pointers(#__VA_ARGS__, __VA_ARGS__))

// Sets *result to NULL, so that the caller may destroy it after a failure. Returns an error if `result` is NULL.
#define RUCKLE_RESULT(result) \
    RUCKLE_REQUIRE(result)    \
    *result = nullptr;

// Defines a function that returns a property of an object. The function returns 0 or NULL if the object is NULL.
#define RUCKLE_ANSWER(type, function, kind, object, answer)               \
    type function(const ruckle_##kind* object) {                          \
        return object ? static_cast<type>(answer) : static_cast<type>(0); \
    }

// Defines a function that writes numbers of the last step, its timings or stats, to the caller's struct.
#define RUCKLE_NUMBERS(function, kind, object, type, numbers)                                          \
    ruckle_status function(const ruckle_##kind* object, type* numbers) {                               \
        return give(#object, object, #numbers, numbers, [&] { return to_c(object->core.numbers()); }); \
    }

// Defines the functions that all layers have: destroy, reset, frame_count, and state_size, save_state, restore_state.
#define RUCKLE_LAYER(kind, object)                                                                        \
    void ruckle_##kind##_destroy(ruckle_##kind* object) {                                                 \
        delete object;                                                                                    \
    }                                                                                                     \
    void ruckle_##kind##_reset(ruckle_##kind* object) {                                                   \
        reset(object);                                                                                    \
    }                                                                                                     \
    RUCKLE_ANSWER(int32_t, ruckle_##kind##_frame_count, kind, object, object->core.frame_count())         \
    RUCKLE_ANSWER(size_t, ruckle_##kind##_state_size, kind, object, object->core.state_size())            \
    ruckle_status ruckle_##kind##_save_state(const ruckle_##kind* object, void* state, size_t capacity) { \
        return save_state(#object, object, state, capacity);                                              \
    }                                                                                                     \
    ruckle_status ruckle_##kind##_restore_state(ruckle_##kind* object, const void* state, size_t size) {  \
        return restore_state(#object, object, state, size);                                               \
    }

namespace ruckle::c {

// Stores a message for ruckle_error_message, separately for each thread. Returns `status`. The functions below do the
// same for frequent errors.
[[gnu::format(printf, 2, 3)]] ruckle_status fail(ruckle_status status, const char* format, ...);
ruckle_status fail_null(const char* name);
ruckle_status fail_not_finite(std::span<const Vector3> positions);
ruckle_status fail_count(std::int32_t vertex_count, std::int32_t face_count);
ruckle_status fail_time(float dt);
ruckle_status fail_memory();
// These functions return RUCKLE_OK, or an error if a count is negative, a position is not finite, or counts differ.
ruckle_status check_counts(std::int32_t vertex_count, std::int32_t face_count);
ruckle_status check_finite(std::span<const Vector3> positions);
ruckle_status check_vertex_count(std::int32_t expected, std::int32_t vertex_count);
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

// Sets *result to the object that create() returns, or returns the error of its exception.
template <class Object, class Create>
ruckle_status create_object(Object** result, const Create& create) noexcept {
    return guarded([&] {
        *result = create();
        return RUCKLE_OK;
    });
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
// Restores the state of an object from `size` bytes, then calls its member `refresh` if it has one.
template <class Object>
ruckle_status restore_state(const char* name, Object* object, const void* state, std::size_t size) {
    if (!object || !state) {
        return fail_null(!object ? name : "state");
    }
    constexpr bool refreshes = requires(Object& restored) { restored.refresh(); };
    return guarded([&] {
        object->core.restore({static_cast<const std::byte*>(state), size});
        if constexpr (refreshes) {
            object->refresh();
        }
        return RUCKLE_OK;
    });
}

// Resets an object by its member `reset`, or else its core. NULL is allowed.
template <class Object>
void reset(Object* object) {
    if (!object) {
        return;
    }
    if constexpr (requires(Object& found) { found.reset(); }) {
        object->reset();
    } else {
        object->core.reset();
    }
}

// Converts the status of a layer's step after its counts were checked. not_finite() returns the error that names the
// number that is not finite.
template <class Fail>
ruckle_status answer(StepStatus status, float dt, const Fail& not_finite) {
    switch (status) {
        case StepStatus::done: return RUCKLE_OK;
        case StepStatus::wrong_vertex_count: return RUCKLE_WRONG_VERTEX_COUNT;
        case StepStatus::not_finite: return not_finite();
        // no default case, so that the compiler warns about a missing status
        case StepStatus::wrong_time: break;
    }
    return fail_time(dt);
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
