// The allocator of the C library. All its code uses operator new and delete of support/allocator.cpp, which call these hooks.
#pragma once

#include <cstddef>

namespace ruckle {

struct AllocatorHooks {
    void* (*allocate)(void* user, std::size_t size, std::size_t alignment) = nullptr;
    void (*release)(void* user, void* memory) = nullptr;
    void* user = nullptr;
};

// Replaces the hooks; null functions: malloc and free. Returns the number of allocated blocks. If it is not 0, nothing changes.
long set_allocator(const AllocatorHooks& hooks);

}  // namespace ruckle
