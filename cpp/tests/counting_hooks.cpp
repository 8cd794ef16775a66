// Counts the allocations of the library ruckle_c with its hooks (ruckle_set_allocator), because the library does not
// use the operator new of the program.
#include "counting_new.h"

#include <atomic>
#include <cstdlib>

#include "ruckle/ruckle_c.h"

static std::atomic<long> count{0};
static std::atomic<long> failing_from{-1};

long allocation_count() {
    return count;
}

void fail_allocations_after(long allowed) {
    failing_from = allowed < 0 ? -1 : count + allowed;
}

static void* allocate(void*, size_t size, size_t alignment) {
    const long number = count++;
    // aligned_alloc requires a multiple of the alignment
    const size_t room = (size + alignment - 1) / alignment * alignment;
    return failing_from >= 0 && number >= failing_from ? nullptr : std::aligned_alloc(alignment, room);
}

static void release(void*, void* memory) {
    std::free(memory);
}

// set before main() runs, because main() uses the library
static const ruckle_allocator hooks{allocate, release, nullptr};
static const bool is_set = ruckle_set_allocator(&hooks) == RUCKLE_OK || (std::abort(), false);
