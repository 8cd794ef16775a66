// The allocator of the C library: operator new and delete of all its code, which a caller may redirect (support/allocator.cpp).
#pragma once

#include <cstddef>

namespace ruckle {

struct AllocatorHooks {
    void* (*allocate)(void* user, std::size_t size, std::size_t alignment) = nullptr;
    void (*release)(void* user, void* memory) = nullptr;
    void* user = nullptr;
};

// Replaces the hooks; null functions mean malloc and free. Returns the number of blocks in use, and changes nothing unless it is 0.
long set_allocator(const AllocatorHooks& hooks);

}  // namespace ruckle
