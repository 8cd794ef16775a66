// An operator new that fails on demand: every allocation of this program counts.
#include <cstddef>
#include <cstdlib>
#include <new>

static long allocations_left = -1;

extern "C" void fail_allocations_after(long count) {
    allocations_left = count;
}

static void* allocate(std::size_t size, std::size_t alignment) {
    if (allocations_left == 0) {
        throw std::bad_alloc();
    }
    allocations_left -= allocations_left > 0;
    // aligned_alloc wants a multiple of the alignment
    void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment + (size == 0) * alignment);
    if (!memory) {
        throw std::bad_alloc();
    }
    return memory;
}

void* operator new(std::size_t size) {
    return allocate(size, alignof(std::max_align_t));
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
