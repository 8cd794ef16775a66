/* Wrinklers with a clock, which step less often than pictures are displayed. */
#include "sheet.h"

enum { most_state = 1 << 20, picture_count = 40 };

static const float dt = 1.0f / 60.0f;

static ruckle_wrinkler* made(float interval) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler* wrinkler = NULL;
    CHECK(ruckle_create(faces, face_count, vertex_count, &options, &wrinkler) == RUCKLE_OK);
    CHECK(ruckle_set_clock(wrinkler, interval, 0.0f) == RUCKLE_OK);
    return wrinkler;
}

/* Displays the pictures [first, end). Returns the number of steps. */
static int play(ruckle_wrinkler* wrinkler, int first, int end) {
    int picture, step_count = 0;
    for (picture = first; picture < end; ++picture) {
        const float share = picture < 20 ? 1.0f - 0.02f * (float)picture : 0.6f;
        CHECK(ruckle_step(wrinkler, squeezed(share), vertex_count, dt) == RUCKLE_OK);
        CHECK(ruckle_blend_share(wrinkler) >= 0.0f && ruckle_blend_share(wrinkler) <= 1.0f);
        step_count += ruckle_has_stepped(wrinkler);
    }
    return step_count;
}

static void test_exact_steps_of_an_interval(void) {
    ruckle_wrinkler* wrinkler = made(4.0f * dt);
    CHECK(play(wrinkler, 0, picture_count) == picture_count / 4);
    CHECK(ruckle_wrinkle_count(wrinkler) > 0);
    CHECK(ruckle_set_clock(wrinkler, 0.0f, 0.0f) == RUCKLE_OK);
    /* at the latest after the current interval, every picture is a step */
    CHECK(play(wrinkler, 20, 24) >= 1);
    CHECK(play(wrinkler, 24, 29) == 5);
    ruckle_destroy(wrinkler);
}

static void test_property_a_restored_clock_goes_on_with_the_same_bytes(void) {
    static char state[most_state], later[most_state], again[most_state];
    ruckle_wrinkler *wrinkler = made(4.0f * dt), *other = made(4.0f * dt);
    size_t size;
    play(wrinkler, 0, 22);
    size = ruckle_state_size(wrinkler);
    CHECK(ruckle_save_state(wrinkler, state, most_state) == RUCKLE_OK);
    CHECK(ruckle_save_state(wrinkler, later, size - 1) == RUCKLE_TOO_SMALL);
    play(other, 0, 3);
    CHECK(ruckle_restore_state(other, state, size) == RUCKLE_OK);
    CHECK(play(wrinkler, 22, picture_count) == play(other, 22, picture_count));
    CHECK(ruckle_save_state(wrinkler, later, most_state) == RUCKLE_OK);
    CHECK(ruckle_save_state(other, again, most_state) == RUCKLE_OK);
    CHECK(memcmp(later, again, ruckle_state_size(wrinkler)) == 0);
    CHECK_FAILS(ruckle_restore_state(other, state, 7), RUCKLE_BAD_STATE, "state: not a state of a wrinkler with a clock");
    CHECK(ruckle_restore_state(other, state, size - 1) == RUCKLE_BAD_STATE);
    ruckle_destroy(wrinkler);
    ruckle_destroy(other);
}

static void test_reject_intervals_and_offsets(void) {
    ruckle_wrinkler* wrinkler = made(0.1f);
    CHECK_FAILS(ruckle_set_clock(NULL, 0.1f, 0.0f), RUCKLE_NULL_ARGUMENT, "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_set_clock(wrinkler, 1.5f, 0.0f), RUCKLE_OUT_OF_RANGE, "interval: expected seconds in [0, 1], got 1.5");
    CHECK_FAILS(ruckle_set_clock(wrinkler, 0.1f, 1.0f), RUCKLE_OUT_OF_RANGE, "offset: expected a share in [0, 1), got 1");
    CHECK(ruckle_has_stepped(NULL) == 0 && ruckle_blend_share(NULL) == 0.0f);
    ruckle_destroy(wrinkler);
}

int main(void) {
    make_sheet();
    test_exact_steps_of_an_interval();
    test_property_a_restored_clock_goes_on_with_the_same_bytes();
    test_reject_intervals_and_offsets();
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
