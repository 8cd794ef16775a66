// Counts allocations, and fails them on demand: an operator new for whole programs (counting_new.cpp), or the hooks of the C
// library (counting_hooks.cpp).
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Allocations since the start of the program. */
long allocation_count(void);

/* After this many allocations every further one fails; -1 for none. */
void fail_allocations_after(long count);

#ifdef __cplusplus
}
#endif
