/* Garments: all layers in one object, with vertex buffers of engines, alone and in crowds. */
#include <math.h>

#include "counting_new.h"
#include "ruckle/ruckle_c_garment.h"
#include "sheet.h"

enum { floats_per_vertex = 8 };

static const float dt = 1.0f / 30.0f;
static uint16_t indices[3 * face_count];
static float rest[3 * vertex_count], interleaved[floats_per_vertex * vertex_count + 1];

/* Returns the sheet, squeezed to this share of its width, as an interleaved buffer at an unaligned address. */
static const void* vertex_buffer(float share) {
    char* bytes = (char*)interleaved + 1;
    int v;
    squeezed(share);
    for (v = 0; v < vertex_count; ++v) {
        memcpy(bytes + sizeof(float) * floats_per_vertex * (size_t)v, positions + 3 * v, 3 * sizeof(float));
    }
    return bytes;
}

static const int32_t stride = floats_per_vertex * sizeof(float);

static float share_of(int frame) {
    return frame < 10 ? 1.0f - 0.03f * (float)frame : 0.7f;
}

static ruckle_wave_options waving(void) {
    ruckle_wave_options options;
    ruckle_waves_default_options(&options);
    options.r_min = 0.3f;
    return options;
}

static ruckle_garment* made(const ruckle_options* paths, const ruckle_wave_options* waves) {
    ruckle_garment_mesh mesh = {NULL, 0, vertex_count, indices, 2, face_count, 1};
    ruckle_garment* garment = NULL;
    mesh.rest = vertex_buffer(1.0f);
    mesh.stride = stride;
    CHECK(ruckle_garment_create(&mesh, paths, waves, &garment) == RUCKLE_OK);
    return garment;
}

static void step(ruckle_garment* garment, int frame) {
    CHECK(ruckle_garment_step(garment, vertex_buffer(share_of(frame)), stride, dt) == RUCKLE_OK);
}

static void test_exact_a_garment_with_paths_is_a_wrinkler(void) {
    const ruckle_options options = wrinkling();
    ruckle_garment* garment = made(&options, NULL);
    ruckle_wrinkler* wrinkler = NULL;
    ruckle_fine_mesh fine, expected;
    int frame;
    CHECK(ruckle_create(faces, face_count, vertex_count, &options, &wrinkler) == RUCKLE_OK);
    CHECK(ruckle_set_rest(wrinkler, rest, vertex_count) == RUCKLE_OK);
    for (frame = 0; frame < 30; ++frame) {
        step(garment, frame);
        CHECK(ruckle_step(wrinkler, squeezed(share_of(frame)), vertex_count, dt) == RUCKLE_OK);
    }
    CHECK(ruckle_garment_displace(garment, NULL, &fine) == RUCKLE_OK);
    CHECK(ruckle_displace(wrinkler, positions, vertex_count, NULL, &expected) == RUCKLE_OK);
    CHECK(ruckle_wrinkle_count(wrinkler) > 0 && fine.vertex_count == expected.vertex_count);
    CHECK(memcmp(fine.positions, expected.positions, 3 * sizeof(float) * (size_t)fine.vertex_count) == 0);
    CHECK(ruckle_wrinkle_count(ruckle_garment_wrinkler(garment)) == ruckle_wrinkle_count(wrinkler));
    CHECK(!ruckle_compression(ruckle_garment_wrinkler(garment)) && !ruckle_axis(ruckle_garment_wrinkler(garment)));
    CHECK(ruckle_garment_waves(garment) == NULL && ruckle_garment_vertex_count(garment) == vertex_count);
    CHECK(memcmp(ruckle_garment_faces(garment), faces, sizeof faces) == 0 && ruckle_garment_face_count(garment) == face_count);
    ruckle_destroy(wrinkler);
    ruckle_garment_destroy(garment);
}

static void test_exact_a_garment_with_waves_is_waves(void) {
    const ruckle_wave_options options = waving();
    static float found[6 * vertex_count], expected[6 * vertex_count];
    ruckle_garment* garment = made(NULL, &options);
    ruckle_waves* waves = NULL;
    int frame;
    CHECK(ruckle_waves_create(faces, face_count, rest, vertex_count, NULL, &options, &waves) == RUCKLE_OK);
    for (frame = 0; frame < 20; ++frame) {
        step(garment, frame);
        CHECK(ruckle_waves_step(waves, squeezed(share_of(frame)), vertex_count, dt, NULL) == RUCKLE_OK);
    }
    CHECK(ruckle_garment_write_waves(garment, found) == RUCKLE_OK);
    CHECK(ruckle_waves_copy_vertices(waves, expected) == RUCKLE_OK);
    CHECK(memcmp(found, expected, sizeof found) == 0 && expected[6 * 40 + 5] > 0.0f);
    ruckle_waves_destroy(waves);
    ruckle_garment_destroy(garment);
}

static void test_property_waves_get_less_below_paths(void) {
    const ruckle_wave_options waves = waving();
    ruckle_options paths = wrinkling();
    ruckle_garment *both, *alone = made(NULL, &waves);
    static float vertices_of_both[6 * vertex_count], vertices_of_alone[6 * vertex_count];
    double sum = 0.0, sum_alone = 0.0;
    int frame, v;
    paths.tau = paths.grow_tau = 1.05f;
    both = made(&paths, &waves);
    for (frame = 0; frame < 60; ++frame) {
        /* the sheet is squeezed so slightly that the slope of the waves is far from its limit */
        const void* vertices = vertex_buffer(frame < 10 ? 1.0f - 0.01f * (float)frame : 0.9f);
        CHECK(ruckle_garment_step(both, vertices, stride, dt) == RUCKLE_OK);
        CHECK(ruckle_garment_step(alone, vertices, stride, dt) == RUCKLE_OK);
    }
    CHECK(ruckle_garment_write_waves(both, vertices_of_both) == RUCKLE_OK);
    CHECK(ruckle_garment_write_waves(alone, vertices_of_alone) == RUCKLE_OK);
    for (v = 0; v < vertex_count; ++v) {
        sum += vertices_of_both[6 * v + 5];
        sum_alone += vertices_of_alone[6 * v + 5];
    }
    CHECK(sum > 0.0 && sum < 0.9 * sum_alone);
    ruckle_garment_destroy(both);
    ruckle_garment_destroy(alone);
}

static void test_exact_strain_and_its_direction(void) {
    const ruckle_wave_options waves = waving();
    static float strains[8 * vertex_count], vertices[12 * vertex_count], attributes[6 * vertex_count];
    ruckle_garment* garment = made(NULL, &waves);
    int v;
    CHECK(ruckle_garment_step(garment, vertex_buffer(0.6f), stride, dt) == RUCKLE_OK);
    CHECK(ruckle_garment_write_strains(garment, strains) == RUCKLE_OK);
    for (v = 0; v < vertex_count; ++v) {
        const float* s = strains + 8 * v;
        CHECK(fabsf(s[3] + 0.4f) < 1e-5f && fabsf(s[7]) < 1e-5f);
        CHECK(fabsf(fabsf(s[0]) - 1.0f) < 1e-5f && fabsf(s[1]) < 1e-4f && fabsf(s[2]) < 1e-4f);
        CHECK(fabsf(fabsf(s[5]) - 1.0f) < 1e-5f);
    }
    CHECK(ruckle_garment_write_vertices(garment, vertices) == RUCKLE_OK);
    CHECK(ruckle_garment_write_waves(garment, attributes) == RUCKLE_OK);
    for (v = 0; v < vertex_count; ++v) {
        const float* normal = vertices + 12 * v + 9;
        CHECK(memcmp(vertices + 12 * v, attributes + 6 * v, 6 * sizeof(float)) == 0);
        CHECK(memcmp(vertices + 12 * v + 6, positions + 3 * v, 3 * sizeof(float)) == 0);
        CHECK(normal[0] == 0.0f && normal[1] == 0.0f && fabsf(normal[2] - 1.0f) < 1e-6f);
    }
    /* the sheet is at rest again, so its strain is 0 */
    CHECK(ruckle_garment_step(garment, vertex_buffer(1.0f), stride, dt) == RUCKLE_OK);
    CHECK(ruckle_garment_write_strains(garment, strains) == RUCKLE_OK);
    for (v = 0; v < vertex_count; ++v) {
        CHECK(fabsf(strains[8 * v + 3]) < 1e-6f && fabsf(strains[8 * v + 7]) < 1e-6f);
    }
    ruckle_garment_destroy(garment);
}

/* Checks on two triangles with a seam that both copies of a vertex have equal rows. */
static void test_exact_seams_get_equal_rows(void) {
    const float split[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const uint16_t apart[6] = {0, 1, 2, 3, 4, 5};
    const ruckle_garment_mesh mesh = {split, 0, 6, apart, 2, 2, 1};
    const ruckle_wave_options waves = waving();
    float moved[18], strains[48], attributes[36];
    ruckle_garment* garment = NULL;
    int v;
    memcpy(moved, split, sizeof moved);
    for (v = 0; v < 6; ++v) {
        moved[3 * v] *= 0.8f;
    }
    CHECK(ruckle_garment_create(&mesh, NULL, &waves, &garment) == RUCKLE_OK);
    CHECK(ruckle_garment_step(garment, moved, 0, dt) == RUCKLE_OK);
    CHECK(ruckle_garment_write_strains(garment, strains) == RUCKLE_OK);
    CHECK(ruckle_garment_write_waves(garment, attributes) == RUCKLE_OK);
    CHECK(memcmp(strains + 8, strains + 24, 8 * sizeof(float)) == 0 &&
          memcmp(strains + 16, strains + 40, 8 * sizeof(float)) == 0);
    CHECK(memcmp(attributes + 6, attributes + 18, 6 * sizeof(float)) == 0 && strains[8 + 3] < -0.19f);
    ruckle_garment_destroy(garment);
}

/* Writes the heights at the vertices of a fixed fine mesh. Returns their number. */
static int heights_of(ruckle_garment* garment, float* heights) {
    static int32_t levels[4 * face_count];
    ruckle_surface_options options;
    ruckle_fine_mesh fine;
    int e;
    ruckle_default_surface_options(&options);
    for (e = 0; e < 4 * face_count; ++e) {
        levels[e] = 4;
    }
    options.edge_levels = levels;
    CHECK(ruckle_garment_displace(garment, &options, &fine) == RUCKLE_OK && fine.vertex_count <= 1 << 12);
    memcpy(heights, fine.heights, sizeof(float) * (size_t)fine.vertex_count);
    return fine.vertex_count;
}

static float largest_change(const float* a, const float* b, int count) {
    float most = 0.0f;
    int i;
    for (i = 0; i < count; ++i) {
        most = fmaxf(most, fabsf(a[i] - b[i]));
    }
    return most;
}

/* Changes options, paint or both on cloth that does not move. Checks that heights change by at most `bound` per frame,
   and that they reach new values. */
static void check_change(const ruckle_options* paths, const ruckle_wave_options* waves, const ruckle_options* next_paths,
                         const ruckle_wave_options* next_waves, const float* paint, float bound) {
    static float before[1 << 12], after[1 << 12], last[1 << 12];
    ruckle_garment* garment = made(paths, waves);
    float first = 0.0f, all;
    int frame, count;
    for (frame = 0; frame < 60; ++frame) {
        step(garment, frame);
    }
    count = heights_of(garment, before);
    memcpy(last, before, sizeof last);
    CHECK(ruckle_garment_set_options(garment, next_paths, next_waves) == RUCKLE_OK);
    if (paint) {
        CHECK(ruckle_garment_set_paint(garment, paint) == RUCKLE_OK);
    }
    for (frame = 60; frame < 120; ++frame) {
        step(garment, frame);
        heights_of(garment, after);
        first = fmaxf(first, largest_change(last, after, count));
        memcpy(last, after, sizeof last);
    }
    all = largest_change(before, after, count);
    CHECK(first <= bound && all > 2.0f * bound);
    ruckle_garment_destroy(garment);
}

static void test_property_changes_do_not_jump(void) {
    const ruckle_options paths = wrinkling();
    const ruckle_wave_options waves = waving();
    static float none[vertex_count];
    ruckle_options higher = paths;
    ruckle_wave_options lower = waves;
    higher.amplitude = 0.2f;
    lower.gain = 0.1f;
    lower.irregularity = 0.0f;
    /* paths change by at most 0.13 r_min per frame at samples, and by slightly more in weighted means of samples */
    check_change(&paths, NULL, &higher, NULL, NULL, 0.2f * paths.r_min);
    check_change(NULL, &waves, NULL, &lower, NULL, waves.calm * waves.r_min);
    check_change(NULL, &waves, NULL, NULL, none, waves.calm * waves.r_min);
    /* paint changes heights by a twelfth per frame */
    check_change(&paths, NULL, NULL, NULL, none, 0.25f * paths.r_min);
}

static void test_exact_paint_before_the_first_frame_hides_all(void) {
    const ruckle_options paths = wrinkling();
    static float none[vertex_count], heights[1 << 12];
    ruckle_garment* garment = made(&paths, NULL);
    int frame, i, count;
    CHECK(ruckle_garment_set_paint(garment, none) == RUCKLE_OK);
    for (frame = 0; frame < 30; ++frame) {
        step(garment, frame);
    }
    CHECK(ruckle_wrinkle_count(ruckle_garment_wrinkler(garment)) > 0);
    for (i = 0, count = heights_of(garment, heights); i < count; ++i) {
        CHECK(heights[i] == 0.0f);
    }
    ruckle_garment_destroy(garment);
}

/* A job system that runs tasks in reverse order. */
static void backward(void* user, int32_t count, void (*task)(void*, int32_t), void* context) {
    int32_t i;
    ++*(int*)user;
    for (i = count; i-- > 0;) {
        task(context, i);
    }
}

static void lazy(void* user, int32_t count, void (*task)(void*, int32_t), void* context) {
    (void)user;
    (void)count;
    task(context, 0);
}

enum { crowd_size = 5, most_rows = 64, row_words = 4 * RUCKLE_TABLE_WIDTH };

static void test_property_a_crowd_is_many_garments(void) {
    const ruckle_options paths = wrinkling();
    const ruckle_wave_options waves = waving();
    static float attributes[crowd_size][6 * vertex_count], strains[crowd_size][8 * vertex_count], alone[6 * vertex_count];
    static uint32_t texels[crowd_size][most_rows * row_words];
    ruckle_garment *first = made(&paths, &waves), *lone = made(&paths, &waves);
    ruckle_garment_frame frames[crowd_size];
    ruckle_table table;
    int i, frame, calls = 0;
    long allocations = 0;
    memset(frames, 0, sizeof frames);
    for (i = 0; i < crowd_size; ++i) {
        frames[i].garment = i == 0 ? first : NULL;
        CHECK(i == 0 || ruckle_garment_clone(first, &frames[i].garment) == RUCKLE_OK);
        frames[i].stride = stride;
        frames[i].dt = dt;
        frames[i].waves = attributes[i];
        frames[i].strains = strains[i];
        frames[i].texels = texels[i];
        frames[i].row_capacity = most_rows;
    }
    for (frame = 0; frame < 60; ++frame) {
        for (i = 0; i < crowd_size; ++i) {
            frames[i].positions = vertex_buffer(share_of(frame));
        }
        CHECK(ruckle_garments_step(frames, crowd_size, backward, &calls) == RUCKLE_OK);
        /* counts from frame 45 on: the motion is repeated, and buffers have already grown */
        allocations = frame == 45 ? allocation_count() : allocations;
    }
    CHECK(allocation_count() == allocations && calls == 60);
    for (frame = 0; frame < 60; ++frame) {
        step(lone, frame);
        CHECK(ruckle_garment_make_table(lone, NULL, &table) == RUCKLE_OK);
    }
    CHECK(ruckle_garment_write_waves(lone, alone) == RUCKLE_OK && ruckle_garment_make_table(lone, NULL, &table) == RUCKLE_OK);
    for (i = 0; i < crowd_size; ++i) {
        CHECK(frames[i].status == RUCKLE_OK && frames[i].row_count == table.row_count);
        CHECK(memcmp(attributes[i], alone, sizeof alone) == 0);
        CHECK(memcmp(texels[i], table.texels, sizeof(uint32_t) * row_words * (size_t)table.row_count) == 0);
        CHECK(frames[i].source_texel[0] == table.source_texels[0] && frames[i].source_texel[1] == -1);
    }
    /* one frame is rejected, all others are done */
    frames[2].dt = -1.0f;
    CHECK_FAILS(ruckle_garments_step(frames, crowd_size, NULL, NULL), RUCKLE_WRONG_TIME,
                "frames[2]: dt: expected a number of seconds in (0, 1e6], got -1");
    CHECK(frames[2].status == RUCKLE_WRONG_TIME && frames[4].status == RUCKLE_OK);
    frames[2].dt = dt;
    frames[3].row_capacity = 1;
    CHECK(ruckle_garments_step(frames, crowd_size, NULL, NULL) == RUCKLE_TOO_SMALL && frames[3].row_count > 1);
    CHECK(strstr(ruckle_error_message(), "frames[3]: texels: expected room for ") == ruckle_error_message());
    CHECK_FAILS(ruckle_garments_step(frames, crowd_size, lazy, NULL), RUCKLE_OUT_OF_RANGE,
                "for_each: must call the task for each of 5 frames, but frame 1 was left out");
    CHECK(ruckle_garments_step(NULL, 0, NULL, NULL) == RUCKLE_OK);
    for (i = 0; i < crowd_size; ++i) {
        ruckle_garment_destroy(frames[i].garment);
    }
    ruckle_garment_destroy(lone);
}

static void test_property_a_restored_garment_goes_on_with_the_same_bits(void) {
    const ruckle_options paths = wrinkling();
    const ruckle_wave_options waves = waving();
    static float found[6 * vertex_count], again[6 * vertex_count];
    ruckle_garment* garment = made(&paths, &waves);
    const size_t room = 1 << 20;
    char* state = malloc(room);
    size_t size;
    int frame, k;
    for (frame = 0; frame < 20; ++frame) {
        step(garment, frame);
    }
    size = ruckle_garment_state_size(garment);
    CHECK(size < room && ruckle_garment_save_state(garment, state, room) == RUCKLE_OK);
    for (k = 0; k < 2; ++k) {
        for (frame = 20; frame < 30; ++frame) {
            step(garment, 2 * frame);
        }
        CHECK(ruckle_garment_write_waves(garment, k == 0 ? found : again) == RUCKLE_OK);
        if (k == 0) {
            CHECK(ruckle_garment_restore_state(garment, state, size) == RUCKLE_OK);
            CHECK_FAILS(ruckle_garment_write_waves(garment, again), RUCKLE_BAD_STATE,
                        "garment: expected a step before its results are read");
        }
    }
    CHECK(memcmp(found, again, sizeof found) == 0);
    CHECK_FAILS(ruckle_garment_restore_state(garment, state, 20), RUCKLE_BAD_STATE,
                "state: not a state of a garment with these layers");
    /* the waves in the state are damaged, so the paths, which were restored before the waves, are rolled back */
    state[size - 1] ^= 1;
    CHECK(ruckle_garment_restore_state(garment, state, size) == RUCKLE_BAD_STATE);
    CHECK(ruckle_frame_count(ruckle_garment_wrinkler(garment)) == 30);
    CHECK(ruckle_garment_save_state(garment, state, 10) == RUCKLE_TOO_SMALL);
    free(state);
    ruckle_garment_reset(garment);
    CHECK(ruckle_frame_count(ruckle_garment_wrinkler(garment)) == 0);
    ruckle_garment_destroy(garment);
}

static void test_exact_a_pattern_joins(void) {
    const ruckle_options paths = wrinkling();
    ruckle_pattern_grid* grid = NULL;
    ruckle_modulator* pattern = NULL;
    ruckle_garment* garment = made(&paths, NULL);
    ruckle_fine_mesh fine;
    static float heights[1 << 16];
    float with = 0.0f, without = 0.0f;
    int frame, i;
    CHECK(ruckle_pattern_grid_create(ruckle_garment_faces(garment), face_count, rest, vertex_count, 0.25f, &grid) == RUCKLE_OK);
    for (i = 0; i < ruckle_pattern_grid_node_count(grid); ++i) {
        heights[i] = 0.3f * sinf(2.0f * (float)i);
    }
    CHECK(ruckle_modulator_create(grid, heights, 1, NULL, NULL, &pattern) == RUCKLE_OK);
    for (frame = 0; frame < 60; ++frame) {
        step(garment, frame);
        if (frame == 29) {
            CHECK(ruckle_garment_displace(garment, NULL, &fine) == RUCKLE_OK);
            for (i = 0; i < fine.vertex_count; ++i) {
                without = fminf(without, fine.heights[i]);
            }
            CHECK(ruckle_garment_set_pattern(garment, pattern) == RUCKLE_OK);
        }
    }
    CHECK(ruckle_garment_displace(garment, NULL, &fine) == RUCKLE_OK);
    for (i = 0; i < fine.vertex_count; ++i) {
        with = fminf(with, fine.heights[i]);
    }
    /* paths are only raised outwards; the pattern also has negative heights */
    CHECK(without > -0.01f && with < -0.01f);
    ruckle_garment_destroy(garment);
    ruckle_modulator_destroy(pattern);
    ruckle_pattern_grid_destroy(grid);
}

static void test_reject_every_mistake(void) {
    const ruckle_options paths = wrinkling();
    const ruckle_wave_options waves = waving();
    ruckle_garment_mesh mesh = {rest, 0, vertex_count, indices, 3, face_count, 0};
    ruckle_garment *garment = NULL, *plain = made(NULL, NULL);
    ruckle_options other = paths;
    ruckle_wave_options other_waves = waves;
    float result[8 * vertex_count], bad[vertex_count] = {2.0f};
    CHECK_FAILS(ruckle_garment_create(&mesh, NULL, NULL, &garment), RUCKLE_BAD_OPTION,
                "index_size: expected 2 or 4 bytes, got 3");
    mesh.index_size = 2;
    mesh.stride = 8;
    CHECK_FAILS(ruckle_garment_create(&mesh, NULL, NULL, &garment), RUCKLE_BAD_OPTION,
                "stride: expected 0 or at least 12 bytes, got 8");
    mesh.stride = 0;
    mesh.rest = NULL;
    CHECK_FAILS(ruckle_garment_create(&mesh, NULL, NULL, &garment), RUCKLE_NULL_ARGUMENT,
                "mesh.rest: expected a pointer, got NULL");
    mesh.rest = rest;
    CHECK(ruckle_garment_create(&mesh, &paths, &waves, &garment) == RUCKLE_OK);
    CHECK_FAILS(ruckle_garment_write_strains(garment, result), RUCKLE_BAD_STATE,
                "garment: expected a step before its results are read");
    other.threads = 2;
    CHECK_FAILS(ruckle_garment_set_options(garment, &other, NULL), RUCKLE_BAD_OPTION,
                "threads: cannot change after construction; expected 1, got 2");
    other = paths;
    other.r_min = 0.0f;
    CHECK_FAILS(ruckle_garment_set_options(garment, &other, NULL), RUCKLE_BAD_OPTION,
                "r_min: expected a length above 0, as at construction");
    other_waves.sharpness = 0.4f;
    CHECK_FAILS(ruckle_garment_set_options(garment, NULL, &other_waves), RUCKLE_BAD_OPTION,
                "sharpness: cannot change after construction; expected 0.2, got 0.4");
    CHECK_FAILS(ruckle_garment_set_options(plain, &paths, NULL), RUCKLE_BAD_OPTION,
                "paths: expected NULL, because the garment was made without this layer");
    CHECK_FAILS(ruckle_garment_set_paint(garment, bad), RUCKLE_BAD_OPTION,
                "paint: expected a number in [0, 1] for each of 81 vertices");
    CHECK_FAILS(ruckle_garment_set_paint(plain, bad), RUCKLE_BAD_OPTION,
                "paint: expected numbers in [0, 1], got 2.000000 at vertex 0");
    CHECK_FAILS(ruckle_garment_step(garment, rest, 4, dt), RUCKLE_BAD_OPTION, "stride: expected 0 or at least 12 bytes, got 4");
    CHECK_FAILS(ruckle_garment_step(garment, rest, 0, 0.0f), RUCKLE_WRONG_TIME,
                "dt: expected a number of seconds in (0, 1e6], got 0");
    CHECK(ruckle_garment_step(plain, rest, 0, dt) == RUCKLE_OK);
    CHECK_FAILS(ruckle_garment_write_waves(plain, result), RUCKLE_BAD_OPTION,
                "garment: expected a garment with waves, got one without");
    ruckle_garment_destroy(garment);
    ruckle_garment_destroy(plain);
    ruckle_garment_destroy(NULL);
    CHECK(ruckle_garment_vertex_count(NULL) == 0 && ruckle_garment_state_size(NULL) == 0);
}

int main(void) {
    int i;
    make_sheet();
    memcpy(rest, squeezed(1.0f), sizeof rest);
    for (i = 0; i < 3 * face_count; ++i) {
        indices[i] = (uint16_t)faces[i];
    }
    test_exact_a_garment_with_paths_is_a_wrinkler();
    test_exact_a_garment_with_waves_is_waves();
    test_property_waves_get_less_below_paths();
    test_exact_strain_and_its_direction();
    test_exact_seams_get_equal_rows();
    test_property_changes_do_not_jump();
    test_exact_paint_before_the_first_frame_hides_all();
    test_property_a_crowd_is_many_garments();
    test_property_a_restored_garment_goes_on_with_the_same_bits();
    test_exact_a_pattern_joins();
    test_reject_every_mistake();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
