// An operator new for whole programs: it counts allocations, and fails on demand.
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
