/* Learned upsampling, called from C: results, steps without allocations, all errors. The sheet is the fine mesh, and
 * its corners are the coarse cloth. Python writes model files, and tests the functions that read them. */
#include "ruckle/ruckle_c_upsampling.h"

#include <math.h>

#include "counting_new.h"
#include "sheet.h"

enum { corner_count = 4 };

static float weights[vertex_count * corner_count], attachment[vertex_count], waves[2 * vertex_count];
static const float once_per_second = 1.0f;
static const float corners[3 * corner_count] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 4, 4, 0};

/* Each fine vertex is a weighted mean of the corners, according to its position in the sheet. */
static ruckle_upsampling_model mixing(void) {
    const ruckle_upsampling_model model = {corner_count, vertex_count, face_count, 0, weights, faces, NULL, NULL, NULL};
    int v;
    for (v = 0; v < vertex_count; ++v) {
        const float x = (float)(v % columns) / (columns - 1), y = (float)(v / columns) / (rows - 1);
        const float mixed[corner_count] = {(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y};
        memcpy(weights + corner_count * v, mixed, sizeof mixed);
        attachment[v] = v < columns ? 1.0f : 0.0f;
        waves[v] = 0.25f * x;
    }
    return model;
}

static ruckle_upsampler* make_upsampler(const ruckle_upsampling_model* model, const ruckle_upsampler_options* options) {
    ruckle_upsampler* upsampler = NULL;
    CHECK(ruckle_upsampler_create(model, options, &upsampler) == RUCKLE_OK);
    return upsampler;
}

static void test_the_sheet_lies_between_its_corners(void) {
    const ruckle_upsampling_model model = mixing();
    ruckle_upsampler* upsampler = make_upsampler(&model, NULL);
    ruckle_upsampler_timings timings;
    static float normals[3 * vertex_count];
    int v, k;
    /* the upsampler remains valid after the arrays change */
    memset(weights, 0, sizeof weights);
    CHECK(ruckle_upsampler_step(upsampler, corners, corner_count, 1.0f / 30.0f, 1.0f, NULL) == RUCKLE_OK);
    for (v = 0; v < vertex_count; ++v) {
        const float* found = ruckle_upsampler_positions(upsampler) + 3 * v;
        CHECK(fabsf(found[0] - 0.5f * (float)(v % columns)) < 1e-3f && fabsf(found[1] - 0.5f * (float)(v / columns)) < 1e-3f);
    }
    CHECK(ruckle_upsampler_write_normals(upsampler, normals) == RUCKLE_OK);
    for (v = 0; v < vertex_count; ++v) {
        CHECK(fabsf(normals[3 * v + 2] - 1.0f) < 1e-4f);
    }
    CHECK(ruckle_upsampler_coarse_vertex_count(upsampler) == corner_count && ruckle_upsampler_frame_count(upsampler) == 1);
    CHECK(ruckle_upsampler_fine_vertex_count(upsampler) == vertex_count);
    CHECK(ruckle_upsampler_fine_face_count(upsampler) == face_count);
    for (k = 0; k < 3 * face_count; ++k) {
        CHECK(ruckle_upsampler_fine_faces(upsampler)[k] == faces[k]);
    }
    CHECK(ruckle_upsampler_get_timings(upsampler, &timings) == RUCKLE_OK && timings.total >= timings.multiply);
    /* only models from files contain these arrays */
    CHECK(!ruckle_upsampler_holders(upsampler) && !ruckle_upsampler_barycentric(upsampler));
    CHECK(!ruckle_upsampler_coarse_faces(upsampler) && ruckle_upsampler_coarse_face_count(upsampler) == 0);
    ruckle_upsampler_destroy(upsampler);
}

static void test_waves_and_pins(void) {
    ruckle_upsampling_model model = mixing();
    ruckle_upsampler_options options;
    ruckle_upsampler* upsampler;
    float first[3], second[3];
    char state[256];
    int frame;
    model.attachment = attachment;
    model.oscillation_count = 1;
    model.oscillations = waves;
    model.frequencies = &once_per_second;
    ruckle_upsampler_default_options(&options);
    options.precision = RUCKLE_SINGLE;
    upsampler = make_upsampler(&model, &options);
    squeezed(2.0f);
    /* after a quarter of a second the oscillation has its largest height; the first row is at its pins */
    for (frame = 0; frame < 2; ++frame) {
        CHECK(ruckle_upsampler_step(upsampler, corners, corner_count, 0.25f, 2.0f, positions) == RUCKLE_OK);
    }
    CHECK(fabsf(ruckle_upsampler_positions(upsampler)[3 * (2 * columns - 1) + 2] - 0.5f) < 1e-5f);
    CHECK(memcmp(ruckle_upsampler_positions(upsampler), positions, sizeof(float) * 3 * columns) == 0);
    /* a restored upsampler has the largest height again after another quarter of a second */
    CHECK(ruckle_upsampler_state_size(upsampler) <= sizeof state && ruckle_upsampler_state_size(NULL) == 0);
    CHECK(ruckle_upsampler_save_state(upsampler, state, sizeof state) == RUCKLE_OK);
    for (frame = 0; frame < 2; ++frame) {
        CHECK(ruckle_upsampler_step(upsampler, corners, corner_count, 0.25f, 2.0f, NULL) == RUCKLE_OK);
        memcpy(second, frame == 0 ? ruckle_upsampler_positions(upsampler) + 3 * (2 * columns - 1) : second, sizeof second);
    }
    CHECK(ruckle_upsampler_restore_state(upsampler, state, ruckle_upsampler_state_size(upsampler)) == RUCKLE_OK);
    CHECK(ruckle_upsampler_frame_count(upsampler) == 2);
    CHECK(ruckle_upsampler_step(upsampler, corners, corner_count, 0.25f, 2.0f, NULL) == RUCKLE_OK);
    CHECK(memcmp(second, ruckle_upsampler_positions(upsampler) + 3 * (2 * columns - 1), sizeof second) == 0);
    CHECK_FAILS(ruckle_upsampler_restore_state(upsampler, "no state", 9), RUCKLE_BAD_STATE,
                "state: expected bytes saved by an Upsampler, got 9 other bytes");
    ruckle_upsampler_reset(upsampler);
    CHECK(ruckle_upsampler_frame_count(upsampler) == 0);
    CHECK(ruckle_upsampler_step(upsampler, corners, corner_count, 0.25f, 2.0f, NULL) == RUCKLE_OK);
    memcpy(first, ruckle_upsampler_positions(upsampler) + 3 * (2 * columns - 1), sizeof first);
    CHECK(first[2] == 0.0f);
    ruckle_upsampler_destroy(upsampler);
}

static void test_refused_frames_change_nothing(void) {
    ruckle_upsampling_model model = mixing();
    ruckle_upsampler* upsampler;
    float broken[3 * corner_count];
    model.attachment = attachment;
    upsampler = make_upsampler(&model, NULL);
    memcpy(broken, corners, sizeof corners);
    broken[4] = NAN;
    squeezed(1.0f);
    positions[1] = INFINITY;
    CHECK_FAILS(ruckle_upsampler_step(NULL, corners, corner_count, 1.0f, 1.0f, NULL), RUCKLE_NULL_ARGUMENT,
                "upsampler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_upsampler_step(upsampler, NULL, corner_count, 1.0f, 1.0f, NULL), RUCKLE_NULL_ARGUMENT,
                "positions: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_upsampler_step(upsampler, corners, 3, 1.0f, 1.0f, NULL), RUCKLE_WRONG_VERTEX_COUNT,
                "positions: expected 4 vertices, got 3");
    CHECK_FAILS(ruckle_upsampler_step(upsampler, corners, corner_count, 0.0f, 1.0f, NULL), RUCKLE_WRONG_TIME,
                "dt: expected a number of seconds in (0, 1e6], got 0");
    CHECK_FAILS(ruckle_upsampler_step(upsampler, broken, corner_count, 1.0f, 1.0f, NULL), RUCKLE_NOT_FINITE,
                "positions: vertex 1 is not finite (4, nan, 0)");
    CHECK_FAILS(ruckle_upsampler_step(upsampler, corners, corner_count, 1.0f, INFINITY, NULL), RUCKLE_NOT_FINITE,
                "gain: expected a finite number, got inf");
    CHECK_FAILS(ruckle_upsampler_step(upsampler, corners, corner_count, 1.0f, 1.0f, positions), RUCKLE_NOT_FINITE,
                "pins: expected finite positions of the attached ones of 81 fine vertices");
    CHECK(ruckle_upsampler_frame_count(upsampler) == 0);
    CHECK_FAILS(ruckle_upsampler_write_normals(upsampler, NULL), RUCKLE_NULL_ARGUMENT, "normals: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_upsampler_get_timings(upsampler, NULL), RUCKLE_NULL_ARGUMENT, "timings: expected a pointer, got NULL");
    ruckle_upsampler_destroy(upsampler);
    ruckle_upsampler_destroy(NULL);
    ruckle_upsampler_reset(NULL);
    CHECK(ruckle_upsampler_fine_vertex_count(NULL) == 0 && !ruckle_upsampler_positions(NULL));
}

static void refuse(ruckle_upsampling_model model, ruckle_status status, const char* sentence) {
    ruckle_upsampler* upsampler = (ruckle_upsampler*)&model;
    CHECK_FAILS(ruckle_upsampler_create(&model, NULL, &upsampler), status, sentence);
    CHECK(!upsampler);
}

static void test_models_that_are_unsound(void) {
    const ruckle_upsampling_model sound = mixing();
    ruckle_upsampling_model model = sound;
    ruckle_upsampler_options options;
    ruckle_upsampler* upsampler;
    CHECK_FAILS(ruckle_upsampler_create(&sound, NULL, NULL), RUCKLE_NULL_ARGUMENT, "upsampler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_upsampler_create(NULL, NULL, &upsampler), RUCKLE_NULL_ARGUMENT, "model: expected a pointer, got NULL");
    model.rows = NULL;
    refuse(model, RUCKLE_NULL_ARGUMENT, "rows: expected a pointer, got NULL");
    model = sound;
    model.fine_faces = NULL;
    refuse(model, RUCKLE_NULL_ARGUMENT, "fine_faces: expected a pointer, got NULL");
    model = sound;
    model.coarse_vertex_count = 0;
    refuse(model, RUCKLE_BAD_OPTION, "model: expected at least one coarse and one fine vertex, got 0 and 81");
    model = sound;
    model.oscillation_count = -1;
    refuse(model, RUCKLE_BAD_OPTION, "model: expected counts of at least 0, got 128 faces and -1 oscillations");
    model.oscillation_count = 1;
    model.frequencies = &once_per_second;
    refuse(model, RUCKLE_NULL_ARGUMENT, "oscillations: expected a pointer, got NULL");
    model.oscillations = waves;
    model.frequencies = NULL;
    refuse(model, RUCKLE_NULL_ARGUMENT, "frequencies: expected a pointer, got NULL");
    weights[0] = 3.0f;
    refuse(sound, RUCKLE_BAD_OPTION, "rows: expected rows of sum 1, got 3.000000 at 0");
    mixing();
    faces[0] = vertex_count;
    refuse(sound, RUCKLE_BAD_MESH, ruckle_error_message());
    make_sheet();
    ruckle_upsampler_default_options(&options);
    options.precision = 2;
    CHECK_FAILS(ruckle_upsampler_create(&sound, &options, &upsampler), RUCKLE_BAD_OPTION,
                "precision: expected a ruckle_precision, 0 or 1, got 2");
    ruckle_upsampler_default_options(&options);
    options.threads = 0;
    CHECK(ruckle_upsampler_create(&sound, &options, &upsampler) == RUCKLE_BAD_OPTION);
}

static void test_bytes_that_are_no_file(void) {
    ruckle_upsampler* upsampler;
    CHECK_FAILS(ruckle_upsampler_create_from_memory(NULL, 0, NULL, &upsampler), RUCKLE_NULL_ARGUMENT,
                "file: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_upsampler_create_from_memory(corners, sizeof corners, NULL, NULL), RUCKLE_NULL_ARGUMENT,
                "upsampler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_upsampler_create_from_memory(corners, sizeof corners, NULL, &upsampler), RUCKLE_BAD_FILE,
                "file: is not an NPZ archive, or is truncated");
    CHECK_FAILS(ruckle_upsampler_create_from_memory(corners, 3, NULL, &upsampler), RUCKLE_BAD_FILE,
                "file: is not an NPZ archive, or is truncated");
    CHECK(!upsampler);
}

static void test_parameters_describe_the_options(void) {
    ruckle_parameter parameter;
    ruckle_upsampler_options options;
    ruckle_upsampler_default_options(&options);
    CHECK(options.precision == RUCKLE_HALF && options.rate == 1.0f && options.threads == 1);
    CHECK(ruckle_upsampler_parameter_count() == 4);
    CHECK(ruckle_upsampler_get_parameter(0, &parameter) == RUCKLE_OK && strcmp(parameter.name, "precision") == 0);
    CHECK(parameter.choice_count == 2 && strcmp(parameter.choices[RUCKLE_SINGLE], "single") == 0);
    CHECK_FAILS(ruckle_upsampler_get_parameter(4, &parameter), RUCKLE_OUT_OF_RANGE,
                "index: expected one of 4 parameters, from 0, got 4");
}

/* Follows the example in the header: a wrinkler of the fine mesh reads the fine positions. */
static void test_wrinkles_stand_on_the_fine_mesh(void) {
    const ruckle_upsampling_model model = mixing();
    const ruckle_options options = wrinkling();
    ruckle_upsampler* upsampler = make_upsampler(&model, NULL);
    ruckle_wrinkler* wrinkler = NULL;
    float pushed[3 * corner_count];
    int frame, k;
    CHECK(ruckle_create(ruckle_upsampler_fine_faces(upsampler), ruckle_upsampler_fine_face_count(upsampler),
                        ruckle_upsampler_fine_vertex_count(upsampler), &options, &wrinkler) == RUCKLE_OK);
    for (frame = 0; frame < 4; ++frame) {
        for (k = 0; k < 3 * corner_count; ++k) {
            pushed[k] = 2.0f * corners[k] * (k % 3 == 0 ? 1.0f - 0.12f * (float)frame : 1.0f);
        }
        CHECK(ruckle_upsampler_step(upsampler, pushed, corner_count, 1.0f / 30.0f, 1.0f, NULL) == RUCKLE_OK);
        CHECK(ruckle_step(wrinkler, ruckle_upsampler_positions(upsampler), vertex_count, 1.0f / 30.0f) == RUCKLE_OK);
    }
    CHECK(ruckle_wrinkle_count(wrinkler) > 0);
    ruckle_destroy(wrinkler);
    ruckle_upsampler_destroy(upsampler);
}

/* Lets the first allocation fail, then the second, and so on. Steps and normals do not allocate. */
static void test_memory_that_runs_out(void) {
    const ruckle_upsampling_model model = mixing();
    ruckle_upsampler* upsampler = NULL;
    static float normals[3 * vertex_count];
    long refused;
    FAIL_EACH_ALLOCATION(refused, ruckle_upsampler_create(&model, NULL, &upsampler), !upsampler);
    CHECK(refused > 5);
    fail_allocations_after(0);
    CHECK(ruckle_upsampler_step(upsampler, corners, corner_count, 1.0f, 1.0f, NULL) == RUCKLE_OK);
    CHECK(ruckle_upsampler_write_normals(upsampler, normals) == RUCKLE_OK);
    fail_allocations_after(-1);
    ruckle_upsampler_destroy(upsampler);
}

int main(void) {
    make_sheet();
    test_the_sheet_lies_between_its_corners();
    test_waves_and_pins();
    test_refused_frames_change_nothing();
    test_models_that_are_unsound();
    test_bytes_that_are_no_file();
    test_parameters_describe_the_options();
    test_wrinkles_stand_on_the_fine_mesh();
    test_memory_that_runs_out();
    return failures != 0;
}
