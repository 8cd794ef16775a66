/* A pthread_create for whole programs on Linux. It counts threads and fails on demand. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Makes pthread_create fail after `count` further threads have started; -1: it does not fail. */
void fail_threads_after(int count);

/* Returns the number of threads that have started since the last call of fail_threads_after. */
int started_thread_count(void);

#ifdef __cplusplus
}
#endif
