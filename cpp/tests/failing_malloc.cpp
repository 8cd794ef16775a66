// Replaces malloc and related functions in a program and in the libraries that share it. GNU C library only.
#include "failing_malloc.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

static std::atomic<long> count{0}, live{0}, first_failure{-1};
static std::atomic<bool> keeps_failing{false};

void fail_malloc_at(long number, int and_after) {
    count = 0;
    keeps_failing = and_after != 0;
    first_failure = number;
}

long malloc_count() {
    return count;
}

long live_block_count() {
    return live;
}

static bool fails() {
    const long number = count.fetch_add(1), first = first_failure.load();
    const bool failing = first >= 0 && (number == first || (number > first && keeps_failing));
    if (failing) {
        errno = ENOMEM;
    }
    return failing;
}

static void* counted(void* memory) {
    live += memory != nullptr;
    return memory;
}

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

[[gnu::visibility("default")]] void* malloc(std::size_t size) {
    return fails() ? nullptr : counted(__libc_malloc(size));
}

[[gnu::visibility("default")]] void* calloc(std::size_t item_count, std::size_t size) {
    return fails() ? nullptr : counted(__libc_calloc(item_count, size));
}

[[gnu::visibility("default")]] void* realloc(void* memory, std::size_t size) {
    if (fails()) {
        return nullptr;
    }
    void* moved = __libc_realloc(memory, size);
    live += (memory == nullptr) - (moved == nullptr);
    return moved;
}

[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t size) {
    return fails() ? nullptr : counted(__libc_memalign(alignment, size));
}

[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return memalign(alignment, size);
}

[[gnu::visibility("default")]] int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    *memory = memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

[[gnu::visibility("default")]] void free(void* memory) {
    live -= memory != nullptr;
    __libc_free(memory);
}
}
