// Implements ruckle_set_allocator. It works only in the shared library, which has its own operator new.
#include "c_call.h"
#include "support/allocator.h"

ruckle_status ruckle_set_allocator(const ruckle_allocator* allocator) {
    using namespace ruckle::c;
    if (allocator && (!allocator->allocate || !allocator->release)) {
        return fail_null(!allocator->allocate ? "allocate" : "release");
    }
#ifdef RUCKLE_OWN_MEMORY
    ruckle::AllocatorHooks hooks;
    if (allocator) {
        hooks = {allocator->allocate, allocator->release, allocator->user};
    }
    if (const long count = ruckle::set_allocator(hooks)) {
        return fail(RUCKLE_BAD_STATE, "allocator: must be set before any other call; %ld blocks are in use", count);
    }
    return RUCKLE_OK;
#else
    return fail(RUCKLE_NO_RESOURCES, "allocator: this build of the library has no hooks for memory");
#endif
}
