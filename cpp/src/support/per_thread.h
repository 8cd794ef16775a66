// One object of a type per thread. of_this_thread throws if memory is exhausted; thread_local would end the process.
#pragma once

#if defined(__unix__) || defined(__APPLE__)
#include <memory>
#include <new>

#include <pthread.h>
#define RUCKLE_HAS_THREAD_KEYS
#endif

namespace ruckle {

#ifdef RUCKLE_HAS_THREAD_KEYS

// A thread-specific key of the system (pthread): each thread stores one pointer.
class ThreadKey {
  public:
    using End = void (*)(void*);
    // end: function that is called with the pointer of a thread when the thread ends. Throws std::bad_alloc if the
    // system cannot create more keys.
    explicit ThreadKey(End end) : end_(end) {
        if (pthread_key_create(&key_, end) != 0) {
            throw std::bad_alloc();
        }
    }
    // Calls `end` for this thread, because the system does not do so for the thread that ends the process or unloads
    // the library.
    ~ThreadKey() {
        if (void* object = get()) {
            end_(object);
            pthread_setspecific(key_, nullptr);
        }
        pthread_key_delete(key_);
    }
    ThreadKey(const ThreadKey&) = delete;
    ThreadKey& operator=(const ThreadKey&) = delete;

    void* get() const { return pthread_getspecific(key_); }
    // Stores the pointer of this thread. Throws std::bad_alloc.
    void set(void* object) const {
        if (pthread_setspecific(key_, object) != 0) {
            throw std::bad_alloc();
        }
    }

  private:
    pthread_key_t key_;
    End end_;
};

// Returns the object of the calling thread. It is created at the first call and destroyed when the thread ends. Throws
// std::bad_alloc.
template <class T>
T& of_this_thread() {
    static const ThreadKey key([](void* object) { delete static_cast<T*>(object); });
    if (void* object = key.get()) {
        return *static_cast<T*>(object);
    }
    auto made = std::make_unique<T>();
    key.set(made.get());
    return *made.release();
}

#else

template <class T>
T& of_this_thread() {
    thread_local T object;
    return object;
}

#endif

}  // namespace ruckle
