// An object of the core that Python threads may share, and the methods common to all stateful objects.
#pragma once

#include <mutex>
#include <utility>

#include "array.h"

namespace ruckle::bindings {

template <class Core>
struct Shared {
    template <class... Arguments>
    explicit Shared(Arguments&&... arguments) : core(std::forward<Arguments>(arguments)...) {}

    // Returns the result of work(core), which runs with the mutex locked and the GIL released. A thread must not hold
    // the GIL while it waits for the mutex, because the owner of the mutex may need the GIL.
    template <class Work>
    auto alone(const Work& work) {
        return without_gil([&] {
            const std::scoped_lock lock(mutex);
            return work(core);
        });
    }

    // Like `alone`, but also returns the lock, which protects the results of a step until they are copied.
    template <class Work>
    auto hold(const Work& work) {
        std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
        auto result = without_gil([&] {
            lock.lock();
            return work(core);
        });
        return std::pair(std::move(lock), result);
    }

    Core core;
    std::mutex mutex;
};

// Adds reset, state, restore and frame_count to the class of a Shared object.
template <class Object, class... Options>
void bind_state(py::class_<Object, Options...>& shown) {
    using Core = decltype(Object::core);
    if constexpr (requires(Core& core) { core.reset(); }) {
        shown.def("reset", [](Object& shared) { shared.alone([](Core& core) { core.reset(); }); });
    }
    shown.def("state", [](Object& shared) { return bytes_of(shared.alone([](Core& core) { return core.state(); })); });
    shown.def(
        "restore",
        [](Object& shared, const py::bytes& state) {
            shared.alone([bytes = state_view(state)](Core& core) { core.restore(bytes); });
        },
        Names("state"));
    if constexpr (requires(Core& core) { core.frame_count(); }) {
        shown.def_property_readonly("frame_count",
                                    [](Object& shared) { return shared.alone([](Core& core) { return core.frame_count(); }); });
    }
}

}  // namespace ruckle::bindings
