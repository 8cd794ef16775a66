// Allocator of the C library. The library uses operator new and delete from support/allocator.cpp, which call these
// hooks.
#pragma once

#include <cstddef>

namespace ruckle {

struct AllocatorHooks {
    void* (*allocate)(void* user, std::size_t size, std::size_t alignment) = nullptr;
    void (*release)(void* user, void* memory) = nullptr;
    void* user = nullptr;
};

// Replaces the hooks if no block is allocated; null hooks: malloc and free. Returns the number of allocated blocks, so
// 0 if the hooks were replaced.
long set_allocator(const AllocatorHooks& hooks);

}  // namespace ruckle
