/* A pthread_create for whole programs on Linux: it counts threads, and fails on demand. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* After this many threads every further one fails; -1 for none. */
void fail_threads_after(int count);

/* Threads that have started since then. */
int started_thread_count(void);

#ifdef __cplusplus
}
#endif
