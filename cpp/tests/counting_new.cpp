// Replaces operator new in a program and in the libraries that share it.
#include "counting_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

static std::atomic<long> count{0};
static std::atomic<long> failing_from{-1};

long allocation_count() {
    return count;
}

void fail_allocations_after(long allowed) {
    failing_from = allowed < 0 ? -1 : count + allowed;
}

static void* try_to_allocate(std::size_t size, std::size_t alignment) {
    const long number = count++;
    // aligned_alloc requires a multiple of the alignment
    const std::size_t room = (size + alignment - 1) / alignment * alignment + (size == 0) * alignment;
    return failing_from >= 0 && number >= failing_from ? nullptr : std::aligned_alloc(alignment, room);
}

static void* allocate(std::size_t size, std::size_t alignment) {
    void* memory = try_to_allocate(size, alignment);
    if (!memory) {
        throw std::bad_alloc();
    }
    return memory;
}

void* operator new(std::size_t size) {
    return allocate(size, alignof(std::max_align_t));
}
// this operator is replaced, too, because std::stable_sort allocates its buffers with it
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return try_to_allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
