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

#ifdef __cplusplus
}
#endif
