/* A malloc for whole programs. It counts allocations and makes them fail on demand, in any thread. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Makes allocation `number` fail, counted from 0 from now on, and all later ones if and_after is not 0; -1: none fails.
   */
void fail_malloc_at(long number, int and_after);

/* Returns the number of allocations since the last call of fail_malloc_at. */
long malloc_count(void);

/* Returns the number of blocks that are allocated now. */
long live_block_count(void);

#ifdef __cplusplus
}
#endif
