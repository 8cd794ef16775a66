/* A malloc for whole programs: it counts, and fails on demand, in any thread. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* From now on allocation `number` fails, counted from 0, and all later ones if and_after is not 0; -1 for none. */
void fail_malloc_at(long number, int and_after);

/* Allocations since then. */
long malloc_count(void);

/* Blocks that are allocated and not freed. */
long live_block_count(void);

#ifdef __cplusplus
}
#endif
