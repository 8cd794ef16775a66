/* A malloc for whole programs. It counts allocations and makes them fail on demand, in any thread. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the allocation `number` fail, counted from 0 from this call on. number -1: none fails. and_after: if not 0,
   all later allocations fail, too. */
void fail_malloc_at(long number, int and_after);

/* Returns the number of allocations since the last call of fail_malloc_at. */
long malloc_count(void);

/* Returns the number of blocks that are allocated now. */
long live_block_count(void);

#ifdef __cplusplus
}
#endif
