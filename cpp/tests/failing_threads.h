/* A pthread_create for whole programs on Linux. It counts threads and fails on demand. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the creation of threads fail after this many; -1: it does not fail. */
void fail_threads_after(int count);

/* Returns the number of threads that have started since the last call of fail_threads_after. */
int started_thread_count(void);

#ifdef __cplusplus
}
#endif
