/* Patterns, called from C: results, steps without allocations, all errors. */
#include "ruckle/ruckle_c_patterns.h"

#include <math.h>

#include "counting_new.h"
#include "sheet.h"

/* Returns waves along x at the nodes of a grid over the sheet. */
static float* waves(const ruckle_pattern_grid* grid) {
    const int32_t count = ruckle_pattern_grid_node_count(grid);
    const float* where = ruckle_pattern_grid_barycentric(grid);
    float* heights = malloc(sizeof(float) * (size_t)count);
    int32_t i, k;
    squeezed(1.0f);
    for (i = 0; i < count; ++i) {
        const int32_t* face = faces + 3 * ruckle_pattern_grid_faces(grid)[i];
        float x = 0.0f;
        for (k = 0; k < 3; ++k) {
            x += where[3 * i + k] * positions[3 * face[k]];
        }
        heights[i] = sinf(3.14159265f * x);
    }
    return heights;
}

static ruckle_pattern_grid* make_grid(void) {
    ruckle_pattern_grid* grid = NULL;
    CHECK(ruckle_pattern_grid_create(faces, face_count, squeezed(1.0f), vertex_count, 0.25f, &grid) == RUCKLE_OK);
    return grid;
}

static ruckle_modulator* make_modulator(const ruckle_modulator_options* options) {
    ruckle_pattern_grid* grid = make_grid();
    float* heights = waves(grid);
    ruckle_modulator* modulator = NULL;
    CHECK(ruckle_modulator_create(grid, heights, 1, NULL, options, &modulator) == RUCKLE_OK);
    /* the modulator remains valid after both are destroyed */
    free(heights);
    ruckle_pattern_grid_destroy(grid);
    return modulator;
}

/* Checks that the mesh above the squeezed sheet has the area of the sheet at rest. */
static void test_the_sheet_keeps_its_area(void) {
    ruckle_modulator_options options;
    ruckle_modulator* modulator;
    ruckle_wrinkler* wrinkler = NULL;
    ruckle_options without_wrinkles;
    ruckle_height_source source;
    ruckle_fine_mesh fine;
    double area = 0.0;
    float low = 1e9f, high = 0.0f;
    int32_t i, k;
    ruckle_modulator_default_options(&options);
    options.slack = 0.0f;
    modulator = make_modulator(&options);
    without_wrinkles = wrinkling();
    without_wrinkles.r_min = 0.0f;
    CHECK(ruckle_create(faces, face_count, vertex_count, &without_wrinkles, &wrinkler) == RUCKLE_OK);
    CHECK(ruckle_step(wrinkler, squeezed(0.8f), vertex_count, 1.0f / 30.0f) == RUCKLE_OK);
    CHECK(ruckle_modulator_step(modulator, squeezed(0.8f), vertex_count, 1.0f / 30.0f, NULL, NULL) == RUCKLE_OK);
    CHECK(ruckle_modulator_frame_count(modulator) == 1 && ruckle_modulator_pattern_count(modulator) == 1);
    for (i = 0; i < vertex_count; ++i) {
        const float* factors = ruckle_modulator_factors(modulator) + 4 * i;
        CHECK(factors[1] == 0.0f && factors[2] == 0.0f && factors[3] == 0.0f);
        low = fminf(low, factors[0]), high = fmaxf(high, factors[0]);
    }
    CHECK(low > 0.5f && high < 1.5f * low);
    for (i = 0; i < face_count; ++i) {
        CHECK(fabsf(ruckle_modulator_weights(modulator)[i] - 1.0f) < 1e-6f);
        CHECK(fabsf(ruckle_modulator_targets(modulator)[i] - 1.0f) < 1e-5f);
    }
    CHECK(ruckle_modulator_heights(modulator, positions, vertex_count, &source) == RUCKLE_OK);
    CHECK(ruckle_displace_layers(wrinkler, positions, vertex_count, NULL, &source, 1, &fine) == RUCKLE_OK);
    for (i = 0; i < fine.face_count; ++i) {
        double e[2][3], cross[3];
        for (k = 0; k < 3; ++k) {
            e[0][k] = (double)(fine.positions[3 * fine.faces[3 * i + 1] + k] - fine.positions[3 * fine.faces[3 * i] + k]);
            e[1][k] = (double)(fine.positions[3 * fine.faces[3 * i + 2] + k] - fine.positions[3 * fine.faces[3 * i] + k]);
        }
        for (k = 0; k < 3; ++k) {
            cross[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
        }
        area += 0.5 * sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
    }
    /* without patterns the area would be 51.2 */
    CHECK(fabs(area - 64.0) < 0.02 * 64.0);
    ruckle_modulator_destroy(modulator);
    ruckle_destroy(wrinkler);
}

/* Returns the row of a member in ruckle_members; NULL if the member is not listed. */
static const ruckle_member* described(const char* structure, const char* name) {
    int32_t count = 0, i;
    const ruckle_member* members = ruckle_members(&count);
    for (i = 0; i < count; ++i) {
        if (!strcmp(members[i].structure, structure) && !strcmp(members[i].name, name)) {
            return members + i;
        }
    }
    return NULL;
}

#define CHECK_MEMBER(structure, member)                                                                                       \
    do {                                                                                                                      \
        const ruckle_member* found = described(#structure, #member);                                                          \
        const structure* none = NULL;                                                                                         \
        CHECK(found && found->offset == (int32_t)offsetof(structure, member) && found->size == (int32_t)sizeof none->member); \
    } while (0)

/* Checks that structs have equal layouts in C and in C++. */
static void test_structs_are_as_the_library_describes_them(void) {
    CHECK_MEMBER(ruckle_options, threads);
    CHECK_MEMBER(ruckle_options, pairwise);
    CHECK_MEMBER(ruckle_wrinkle, heights);
    CHECK_MEMBER(ruckle_fine_mesh, face_coarse_faces);
    CHECK_MEMBER(ruckle_height_source, write_texels);
    CHECK_MEMBER(ruckle_modulator_options, threads);
    CHECK_MEMBER(ruckle_modulator_stats, flat_patterns);
    CHECK(described("ruckle_options", "")->size == (int32_t)sizeof(ruckle_options));
    CHECK(!strcmp(described("ruckle_wrinkle", "edges")->type, "const int32_t*"));
    CHECK(!described("ruckle_options", "colour") && ruckle_members(NULL));
}

/* Checks that the numbers for shaders start with the factors of each vertex, as floats. */
static void test_the_table_for_shaders_holds_patterns(void) {
    ruckle_modulator* modulator = make_modulator(NULL);
    ruckle_wrinkler* wrinkler = NULL;
    ruckle_options options = wrinkling();
    ruckle_height_source source;
    ruckle_table table;
    const int32_t stride = 5; /* texels per vertex, with one pattern */
    int32_t i, count;
    float* texels;
    CHECK(ruckle_create(faces, face_count, vertex_count, &options, &wrinkler) == RUCKLE_OK);
    CHECK(ruckle_step(wrinkler, squeezed(0.8f), vertex_count, 1.0f / 30.0f) == RUCKLE_OK);
    CHECK(ruckle_modulator_step(modulator, squeezed(0.8f), vertex_count, 1.0f / 30.0f, NULL, NULL) == RUCKLE_OK);
    CHECK(ruckle_modulator_heights(modulator, positions, vertex_count, &source) == RUCKLE_OK);
    CHECK(ruckle_make_table_layers(wrinkler, positions, vertex_count, NULL, &source, 1, &table) == RUCKLE_OK);
    CHECK(table.source_texels[0] + stride * vertex_count == table.texel_count);
    for (i = 0; i < vertex_count; ++i) {
        const uint32_t* texel = table.texels + 4 * (table.source_texels[0] + stride * i);
        CHECK(!memcmp(texel, ruckle_modulator_factors(modulator) + 4 * i, 4 * sizeof(float)));
    }
    count = ruckle_modulator_pattern_texel_count(modulator);
    CHECK(count > 2 * face_count);
    texels = calloc((size_t)count, 4 * sizeof(float));
    CHECK(ruckle_modulator_write_pattern_texels(modulator, texels) == RUCKLE_OK);
    for (i = 0; i < face_count; ++i) {
        CHECK(texels[8 * i] == (float)faces[3 * i] && texels[8 * i + 2] == (float)faces[3 * i + 2]);
    }
    CHECK_FAILS(ruckle_make_table_layers(wrinkler, positions, vertex_count, NULL, NULL, 1, &table), RUCKLE_NULL_ARGUMENT,
                "sources: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_make_table_layers(wrinkler, positions, vertex_count, NULL, &source, -1, &table), RUCKLE_BAD_OPTION,
                "source_count: expected at least 0, got -1");
    source.write_texels = NULL;
    CHECK_FAILS(ruckle_make_table_layers(wrinkler, positions, vertex_count, NULL, &source, 1, &table), RUCKLE_BAD_OPTION,
                "sources: source 0 has no function `write_texels`");
    CHECK(ruckle_modulator_pattern_texel_count(NULL) == 0);
    CHECK_FAILS(ruckle_modulator_write_pattern_texels(modulator, NULL), RUCKLE_NULL_ARGUMENT,
                "texels: expected a pointer, got NULL");
    free(texels);
    ruckle_destroy(wrinkler);
    ruckle_modulator_destroy(modulator);
}

static void test_refused_frames_change_nothing_and_a_reset_begins_anew(void) {
    ruckle_modulator *plain = make_modulator(NULL), *disturbed = make_modulator(NULL);
    float left[face_count], first[4];
    float reference[4 * face_count] = {0};
    int frame, i;
    for (i = 0; i < face_count; ++i) {
        left[i] = 1.0f;
    }
    for (frame = 0; frame < 6; ++frame) {
        CHECK(ruckle_modulator_step(plain, squeezed(1.0f - 0.05f * (float)frame), vertex_count, 1.0f / 30.0f, NULL, left) ==
              RUCKLE_OK);
        CHECK(ruckle_modulator_step(disturbed, positions, vertex_count, 1.0f / 30.0f, NULL, NULL) == RUCKLE_OK);
        CHECK_FAILS(ruckle_modulator_step(disturbed, positions, 3, 1.0f, NULL, NULL), RUCKLE_WRONG_VERTEX_COUNT,
                    "positions: expected 81 vertices, got 3");
        CHECK_FAILS(ruckle_modulator_step(disturbed, positions, vertex_count, 0.0f, NULL, NULL), RUCKLE_WRONG_TIME,
                    "dt: expected a number of seconds in (0, 1e6], got 0");
        left[9] = 1.5f;
        CHECK_FAILS(ruckle_modulator_step(disturbed, positions, vertex_count, 1.0f, NULL, left), RUCKLE_NOT_FINITE,
                    "remaining: expected a number in (0, 1] for each triangle, got 1.5");
        left[9] = 1.0f;
        reference[4 * 7 + 1] = NAN;
        CHECK_FAILS(ruckle_modulator_step(disturbed, positions, vertex_count, 1.0f, reference, NULL), RUCKLE_NOT_FINITE,
                    "reference: triangle 7 is not finite");
        positions[3 * 9 + 1] = INFINITY;
        CHECK_FAILS(ruckle_modulator_step(disturbed, positions, vertex_count, 1.0f, NULL, NULL), RUCKLE_NOT_FINITE,
                    "positions: vertex 9 is not finite (0, inf, 0)");
    }
    CHECK(memcmp(ruckle_modulator_factors(plain), ruckle_modulator_factors(disturbed), 4 * vertex_count * sizeof(float)) == 0);
    ruckle_modulator_reset(plain);
    CHECK(ruckle_modulator_frame_count(plain) == 0);
    CHECK(ruckle_modulator_step(plain, squeezed(0.75f), vertex_count, 1.0f / 30.0f, NULL, NULL) == RUCKLE_OK);
    memcpy(first, ruckle_modulator_factors(plain), sizeof first);
    /* after a reset, factors have their final values in the first frame; those of the other modulator approach them */
    CHECK(first[0] > ruckle_modulator_factors(disturbed)[0] && first[0] > 0.0f);
    ruckle_modulator_destroy(plain);
    ruckle_modulator_destroy(disturbed);
}

static void test_a_restored_modulator_goes_on_with_the_same_bits(void) {
    ruckle_modulator *played = make_modulator(NULL), *fresh = make_modulator(NULL);
    const size_t size = ruckle_modulator_state_size(played);
    char *state = malloc(size), *later = malloc(size), *again = malloc(size);
    int frame, run;
    long allocations = 0;
    for (frame = 0; frame < 5; ++frame) {
        ruckle_modulator_step(played, squeezed(1.0f - 0.05f * (float)frame), vertex_count, 1.0f / 30.0f, NULL, NULL);
    }
    CHECK(ruckle_modulator_save_state(played, state, size) == RUCKLE_OK);
    for (run = 0; run < 3; ++run) {
        ruckle_modulator* restored = run == 1 ? fresh : played;
        CHECK(run == 0 || ruckle_modulator_restore_state(restored, state, size) == RUCKLE_OK);
        CHECK(ruckle_modulator_frame_count(restored) == 5);
        for (frame = 5; frame < 9; ++frame) {
            ruckle_modulator_step(restored, squeezed(1.0f - 0.05f * (float)frame), vertex_count, 1.0f / 60.0f, NULL, NULL);
        }
        CHECK(ruckle_modulator_save_state(restored, run == 0 ? later : again, size) == RUCKLE_OK);
        CHECK(run == 0 || memcmp(later, again, size) == 0);
    }
    CHECK(memcmp(state, later, size) != 0);
    /* after the first restore of an object, further restores do not allocate */
    allocations = allocation_count();
    CHECK(ruckle_modulator_restore_state(played, state, size) == RUCKLE_OK);
    CHECK(ruckle_modulator_save_state(played, again, size) == RUCKLE_OK && allocation_count() == allocations);
    CHECK(ruckle_modulator_save_state(played, state, 10) == RUCKLE_TOO_SMALL);
    state[size - 1] ^= 1;
    CHECK_FAILS(ruckle_modulator_restore_state(played, state, size), RUCKLE_BAD_STATE,
                "state: expected the bytes that were saved, got some that have changed since");
    CHECK_FAILS(ruckle_modulator_restore_state(played, NULL, size), RUCKLE_NULL_ARGUMENT, "state: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_save_state(NULL, state, size), RUCKLE_NULL_ARGUMENT, "modulator: expected a pointer, got NULL");
    CHECK(ruckle_modulator_state_size(NULL) == 0);
    free(state);
    free(later);
    free(again);
    ruckle_modulator_destroy(played);
    ruckle_modulator_destroy(fresh);
}

static void test_paint_holds_the_patterns_down(void) {
    ruckle_pattern_grid* grid = make_grid();
    float *heights = waves(grid), paint[vertex_count];
    ruckle_modulator* modulator = NULL;
    int i;
    for (i = 0; i < vertex_count; ++i) {
        paint[i] = i < vertex_count / 2 ? 0.0f : 1.0f;
    }
    CHECK(ruckle_modulator_create(grid, heights, 1, paint, NULL, &modulator) == RUCKLE_OK);
    CHECK(ruckle_modulator_step(modulator, squeezed(0.8f), vertex_count, 1.0f / 30.0f, NULL, NULL) == RUCKLE_OK);
    for (i = 0; i < vertex_count; ++i) {
        CHECK((ruckle_modulator_factors(modulator)[4 * i] > 0.0f) == (paint[i] > 0.0f));
    }
    ruckle_modulator_destroy(modulator);
    paint[3] = -0.5f;
    CHECK_FAILS(ruckle_modulator_create(grid, heights, 1, paint, NULL, &modulator), RUCKLE_BAD_OPTION,
                "paint: expected a number in [0, 1] for each of 81 vertices");
    CHECK(!modulator);
    free(heights);
    ruckle_pattern_grid_destroy(grid);
}

static void test_parameters_describe_the_options(void) {
    ruckle_parameter parameter;
    ruckle_modulator_options options;
    int32_t i, found = 0;
    ruckle_modulator_default_options(&options);
    CHECK(options.highest == RUCKLE_UNSET && options.r_min == RUCKLE_UNSET && options.threads == 1);
    CHECK(options.conserve == RUCKLE_CONSERVE_LENGTH);
    CHECK(ruckle_modulator_parameter_count() == 12);
    for (i = 0; i < ruckle_modulator_parameter_count(); ++i) {
        CHECK(ruckle_modulator_get_parameter(i, &parameter) == RUCKLE_OK && parameter.name[0] && parameter.help[0]);
        if (strcmp(parameter.name, "slack") == 0) {
            CHECK((float)parameter.default_value == options.slack && parameter.least == 0.0 && parameter.most == 1.0);
            ++found;
        } else if (strcmp(parameter.name, "conserve") == 0) {
            CHECK(parameter.kind == RUCKLE_CHOICE && parameter.choice_count == 2);
            CHECK(strcmp(parameter.choices[RUCKLE_CONSERVE_AREA], "area") == 0);
            ++found;
        }
    }
    CHECK(found == 2);
    CHECK_FAILS(ruckle_modulator_get_parameter(0, NULL), RUCKLE_NULL_ARGUMENT, "parameter: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_get_parameter(12, &parameter), RUCKLE_OUT_OF_RANGE,
                "index: expected one of 12 parameters, from 0, got 12");
}

/* Lets the first allocation fail, then the second, and so on. Later steps do not allocate. */
static void test_memory_that_runs_out(void) {
    ruckle_pattern_grid *grid = NULL, *kept = make_grid();
    float* heights = waves(kept);
    ruckle_modulator* modulator = NULL;
    ruckle_height_source source;
    long count, refused;
    FAIL_EACH_ALLOCATION(refused, ruckle_pattern_grid_create(faces, face_count, positions, vertex_count, 0.25f, &grid), !grid);
    CHECK(refused > 5);
    FAIL_EACH_ALLOCATION(refused, ruckle_modulator_create(grid, heights, 1, NULL, NULL, &modulator), !modulator);
    CHECK(refused > 5);
    fail_allocations_after(0);
    for (count = 0; count < 20; ++count) {
        CHECK(ruckle_modulator_step(modulator, squeezed(1.0f - 0.01f * (float)count), vertex_count, 1.0f / 30.0f, NULL, NULL) ==
              RUCKLE_OK);
    }
    fail_allocations_after(-1);
    FAIL_EACH_ALLOCATION(refused, ruckle_modulator_heights(modulator, positions, vertex_count, &source), 1);
    CHECK(refused > 0);
    /* later calls for the heights do not allocate either */
    fail_allocations_after(0);
    CHECK(ruckle_modulator_heights(modulator, positions, vertex_count, &source) == RUCKLE_OK);
    fail_allocations_after(-1);
    free(heights);
    ruckle_modulator_destroy(modulator);
    ruckle_pattern_grid_destroy(grid);
    ruckle_pattern_grid_destroy(kept);
}

static void test_refusals_of_a_grid(void) {
    ruckle_pattern_grid* grid = NULL;
    CHECK_FAILS(ruckle_pattern_grid_create(faces, face_count, positions, vertex_count, 1.0f, NULL), RUCKLE_NULL_ARGUMENT,
                "grid: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_pattern_grid_create(NULL, face_count, positions, vertex_count, 1.0f, &grid), RUCKLE_NULL_ARGUMENT,
                "faces: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_pattern_grid_create(faces, face_count, NULL, vertex_count, 1.0f, &grid), RUCKLE_NULL_ARGUMENT,
                "rest: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_pattern_grid_create(faces, face_count, squeezed(1.0f), -1, 1.0f, &grid), RUCKLE_BAD_MESH,
                "faces: expected counts of at least 0, got -1 vertices and 128 faces");
    CHECK(ruckle_pattern_grid_create(faces, face_count, positions, vertex_count - 1, 1.0f, &grid) == RUCKLE_BAD_MESH);
    CHECK(ruckle_pattern_grid_create(faces, face_count, positions, vertex_count, 0.0f, &grid) == RUCKLE_BAD_OPTION);
    CHECK(strstr(ruckle_error_message(), "spacing: expected a finite length above 0, got ") == ruckle_error_message());
    positions[0] = NAN;
    CHECK_FAILS(ruckle_pattern_grid_create(faces, face_count, positions, vertex_count, 1.0f, &grid), RUCKLE_NOT_FINITE,
                "positions: vertex 0 is not finite (nan, 0, 0)");
    CHECK(!grid);
}

static void test_refusals_of_a_modulator(void) {
    ruckle_pattern_grid* grid = make_grid();
    float* heights = waves(grid);
    ruckle_modulator *none = NULL, *modulator = make_modulator(NULL);
    ruckle_modulator_options options;
    ruckle_modulator_timings timings;
    ruckle_modulator_stats stats;
    ruckle_height_source source;
    CHECK_FAILS(ruckle_modulator_create(grid, heights, 1, NULL, NULL, NULL), RUCKLE_NULL_ARGUMENT,
                "modulator: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_create(NULL, heights, 1, NULL, NULL, &none), RUCKLE_NULL_ARGUMENT,
                "grid: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_create(grid, NULL, 1, NULL, NULL, &none), RUCKLE_NULL_ARGUMENT,
                "heights: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_create(grid, heights, 5, NULL, NULL, &none), RUCKLE_BAD_OPTION,
                "pattern_count: expected an integer in [1, 4], got 5");
    heights[0] += 1e25f;
    CHECK_FAILS(
        ruckle_modulator_create(grid, heights, 1, NULL, NULL, &none), RUCKLE_BAD_OPTION,
        "heights: expected at most 1e15, before and after scaling to a root mean square slope of 1, got more in pattern 0");
    heights[0] = 0.0f;
    ruckle_modulator_default_options(&options);
    options.slack = 1.0f;
    CHECK(ruckle_modulator_create(grid, heights, 1, NULL, &options, &none) == RUCKLE_BAD_OPTION);
    CHECK(strstr(ruckle_error_message(), "slack: ") == ruckle_error_message());
    ruckle_modulator_default_options(&options);
    options.conserve = 2;
    CHECK_FAILS(ruckle_modulator_create(grid, heights, 1, NULL, &options, &none), RUCKLE_BAD_OPTION,
                "conserve: expected a ruckle_conserve, 0 or 1, got 2");
    heights[4] = NAN;
    CHECK_FAILS(ruckle_modulator_create(grid, heights, 1, NULL, NULL, &none), RUCKLE_BAD_OPTION,
                "heights: every number must be finite");
    CHECK_FAILS(ruckle_modulator_step(NULL, positions, vertex_count, 1.0f, NULL, NULL), RUCKLE_NULL_ARGUMENT,
                "modulator: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_step(modulator, NULL, vertex_count, 1.0f, NULL, NULL), RUCKLE_NULL_ARGUMENT,
                "positions: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_heights(NULL, positions, vertex_count, &source), RUCKLE_NULL_ARGUMENT,
                "modulator: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_heights(modulator, NULL, vertex_count, &source), RUCKLE_NULL_ARGUMENT,
                "positions: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_heights(modulator, positions, vertex_count, NULL), RUCKLE_NULL_ARGUMENT,
                "source: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_heights(modulator, positions, 80, &source), RUCKLE_WRONG_VERTEX_COUNT,
                "positions: expected 81 vertices, got 80");
    positions[2] = NAN;
    CHECK_FAILS(ruckle_modulator_heights(modulator, positions, vertex_count, &source), RUCKLE_NOT_FINITE,
                "positions: vertex 0 is not finite (0, 0, nan)");
    CHECK_FAILS(ruckle_modulator_get_timings(NULL, &timings), RUCKLE_NULL_ARGUMENT, "modulator: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_modulator_get_stats(modulator, NULL), RUCKLE_NULL_ARGUMENT, "stats: expected a pointer, got NULL");
    CHECK(ruckle_modulator_step(modulator, squeezed(0.9f), vertex_count, 1.0f, NULL, NULL) == RUCKLE_OK);
    CHECK(ruckle_modulator_get_timings(modulator, &timings) == RUCKLE_OK && timings.total > 0.0);
    CHECK(ruckle_modulator_get_stats(modulator, &stats) == RUCKLE_OK && stats.degenerate == 0 && stats.flat_patterns == 0);
    free(heights);
    ruckle_modulator_destroy(modulator);
    ruckle_pattern_grid_destroy(grid);
}

static void test_null_where_it_is_allowed(void) {
    ruckle_pattern_grid_destroy(NULL);
    ruckle_modulator_destroy(NULL);
    ruckle_modulator_reset(NULL);
    ruckle_modulator_default_options(NULL);
    CHECK(ruckle_pattern_grid_node_count(NULL) == 0 && !ruckle_pattern_grid_faces(NULL));
    CHECK(!ruckle_pattern_grid_barycentric(NULL) && !ruckle_modulator_factors(NULL) && !ruckle_modulator_weights(NULL));
    CHECK(!ruckle_modulator_targets(NULL) && ruckle_modulator_frame_count(NULL) == 0);
    CHECK(ruckle_modulator_pattern_count(NULL) == 0);
}

int main(void) {
    make_sheet();
    test_the_sheet_keeps_its_area();
    test_structs_are_as_the_library_describes_them();
    test_the_table_for_shaders_holds_patterns();
    test_refused_frames_change_nothing_and_a_reset_begins_anew();
    test_a_restored_modulator_goes_on_with_the_same_bits();
    test_paint_holds_the_patterns_down();
    test_parameters_describe_the_options();
    test_memory_that_runs_out();
    test_refusals_of_a_grid();
    test_refusals_of_a_modulator();
    test_null_where_it_is_allowed();
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
