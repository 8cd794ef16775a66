// operator new and delete of the shared C library. They are not exported, so that only the library uses them. The
// library contains its own copy of the C++ runtime, so that all of its memory is allocated here.
#include "support/allocator.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace ruckle {

namespace {

AllocatorHooks hooks;
std::atomic<long> block_count{0};

void* allocate_or_null(std::size_t size, std::size_t alignment) noexcept {
    size = size > 0 ? size : 1;
    void* memory = nullptr;
    if (hooks.allocate) {
        memory = hooks.allocate(hooks.user, size, alignment);
    } else if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
        memory = std::malloc(size);
    } else {
        // the size is rounded up to a multiple of the alignment, as the C standard requires
        memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    }
    if (memory) {
        block_count.fetch_add(1, std::memory_order_relaxed);
    }
    return memory;
}

void* allocate(std::size_t size, std::size_t alignment) {
    if (void* const memory = allocate_or_null(size, alignment)) {
        return memory;
    }
    throw std::bad_alloc();
}

void release(void* memory) noexcept {
    if (memory) {
        block_count.fetch_sub(1, std::memory_order_relaxed);
        hooks.release ? hooks.release(hooks.user, memory) : std::free(memory);
    }
}

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

long set_allocator(const AllocatorHooks& given) {
    const long count = block_count.load();
    if (count == 0) {
        hooks = given;
    }
    return count;
}

}  // namespace ruckle

void* operator new(std::size_t size) {
    return ruckle::allocate(size, ruckle::usual);
}
void* operator new[](std::size_t size) {
    return ruckle::allocate(size, ruckle::usual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return ruckle::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return ruckle::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return ruckle::allocate_or_null(size, ruckle::usual);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return ruckle::allocate_or_null(size, ruckle::usual);
}
void operator delete(void* memory) noexcept {
    ruckle::release(memory);
}
void operator delete[](void* memory) noexcept {
    ruckle::release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    ruckle::release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    ruckle::release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    ruckle::release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    ruckle::release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    ruckle::release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    ruckle::release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    ruckle::release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
    ruckle::release(memory);
}
