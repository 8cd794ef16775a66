/* The C interface, called from C, while memory or threads are exhausted. */
#include "counting_new.h"
#ifdef __linux__
#include "failing_threads.h"
#endif
#include "sheet.h"

/* A restore that runs out of memory does not change a new wrinkler. With enough memory, the restore succeeds. */
static void test_memory_that_runs_out_while_restoring(const ruckle_wrinkler* seasoned) {
    const ruckle_options options = wrinkling();
    const size_t size = ruckle_state_size(seasoned);
    char *state = malloc(size), *again = malloc(size);
    ruckle_wrinkler* fresh = NULL;
    long refused;
    CHECK(ruckle_create(faces, face_count, vertex_count, &options, &fresh) == RUCKLE_OK);
    CHECK(ruckle_save_state(seasoned, state, size) == RUCKLE_OK);
    FAIL_EACH_ALLOCATION(refused, ruckle_restore_state(fresh, state, size), ruckle_frame_count(fresh) == 0);
    CHECK(refused > 0 && ruckle_save_state(fresh, again, size) == RUCKLE_OK && memcmp(state, again, size) == 0);
    free(state);
    free(again);
    ruckle_destroy(fresh);
}

/* Lets the first allocation fail, then the second, and so on, until the call succeeds. */
static void test_memory_that_runs_out(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler* wrinkler = NULL;
    ruckle_fine_mesh fine;
    int32_t welded[3 * face_count];
    long count, refused;
    squeezed(1.0f);
    FAIL_EACH_ALLOCATION(refused, ruckle_create(faces, face_count, vertex_count, &options, &wrinkler), !wrinkler);
    CHECK(refused > 10 && strcmp(ruckle_error_message(), "memory: the system has no memory left") == 0);
    FAIL_EACH_ALLOCATION(refused, ruckle_step(wrinkler, positions, vertex_count, 1.0f / 30.0f),
                         ruckle_frame_count(wrinkler) == 0);
    CHECK(refused > 0 && ruckle_frame_count(wrinkler) == 1);
    FAIL_EACH_ALLOCATION(refused, ruckle_weld(positions, vertex_count, faces, face_count, welded), 1);
    CHECK(refused > 0 && memcmp(welded, faces, sizeof welded) == 0);
    /* later steps do not allocate */
    fail_allocations_after(0);
    for (count = 1; count < 40; ++count) {
        CHECK(ruckle_step(wrinkler, squeezed(count < 10 ? 1.0f - 0.04f * (float)count : 0.6f), vertex_count, 1.0f / 30.0f) ==
              RUCKLE_OK);
    }
    fail_allocations_after(-1);
    CHECK(ruckle_wrinkle_count(wrinkler) > 0);
    FAIL_EACH_ALLOCATION(refused, ruckle_displace(wrinkler, positions, vertex_count, NULL, &fine), 1);
    CHECK(refused > 0 && fine.face_count > face_count);
    test_memory_that_runs_out_while_restoring(wrinkler);
    ruckle_destroy(wrinkler);
}

#ifdef __linux__
/* Lets the start of each thread fail. Already started threads end, and the next wrinkler can start all its threads. */
static void test_threads_that_cannot_start(void) {
    enum { side = 65, squares = (side - 1) * (side - 1), wanted = 6 };
    static int32_t many[6 * squares];
    ruckle_options options = wrinkling();
    ruckle_wrinkler* wrinkler = NULL;
    char sentence[80];
    int32_t allowed, i;
    for (i = 0; i < squares; ++i) {
        const int32_t v = i / (side - 1) * side + i % (side - 1);
        const int32_t square[6] = {v, v + 1, v + side, v + 1, v + side + 1, v + side};
        memcpy(many + 6 * i, square, sizeof square);
    }
    options.threads = wanted;
    for (allowed = 0; allowed + 1 < wanted; ++allowed) {
        fail_threads_after(allowed);
        snprintf(sentence, sizeof sentence, "threads: the system starts only %d of %d; use fewer, or raise the system's limit",
                 allowed + 1, wanted);
        CHECK_FAILS(ruckle_create(many, 2 * squares, side * side, &options, &wrinkler), RUCKLE_NO_RESOURCES, sentence);
        CHECK(!wrinkler && started_thread_count() == allowed);
    }
    fail_threads_after(-1);
    CHECK(ruckle_create(many, 2 * squares, side * side, &options, &wrinkler) == RUCKLE_OK);
    CHECK(started_thread_count() == wanted - 1);
    ruckle_destroy(wrinkler);
}
#endif

int main(void) {
    make_sheet();
    test_memory_that_runs_out();
#ifdef __linux__
    test_threads_that_cannot_start();
#endif
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
