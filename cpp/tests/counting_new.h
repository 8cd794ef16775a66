// Counts allocations, and makes them fail on demand: with operator new of the whole program (counting_new.cpp), or with
// the memory hooks of the library ruckle_c (counting_hooks.cpp).
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of allocations since the start of the program. */
long allocation_count(void);

/* Makes all allocations fail after `count` further allocations; -1: none fails. */
void fail_allocations_after(long count);

/* Calls the C interface again and again: the first allocation fails, then the second, and so on, until the call
 * succeeds. Sets `refused` to the number of failures; `unchanged` must be true after each. */
#define FAIL_EACH_ALLOCATION(refused, call, unchanged)                                    \
    do {                                                                                  \
        ruckle_status answer = RUCKLE_NO_RESOURCES;                                       \
        for (refused = 0; answer != RUCKLE_OK; refused += answer != RUCKLE_OK) {          \
            fail_allocations_after(refused);                                              \
            answer = (call);                                                              \
            fail_allocations_after(-1);                                                   \
            CHECK(answer == RUCKLE_OK || (answer == RUCKLE_NO_RESOURCES && (unchanged))); \
        }                                                                                 \
    } while (0)

#ifdef __cplusplus
}
#endif
