// Replaces pthread_create in a program and in the libraries that share it.
#include "failing_threads.h"

#include <cerrno>

#include <dlfcn.h>
#include <pthread.h>

static int allowed = -1, started = 0;

void fail_threads_after(int count) {
    allowed = count;
    started = 0;
}

int started_thread_count() {
    return started;
}

extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                             void* (*run)(void*), void* argument) noexcept {
    if (allowed >= 0 && started >= allowed) {
        return EAGAIN;
    }
    ++started;
    static const auto system = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return system(thread, attributes, run, argument);
}
