/* Simulated cloth, called from C: free fall, cloth that bones hold, steps without allocations, all errors. */
#include "ruckle/ruckle_c_cloth.h"

#include <math.h>

#include "counting_new.h"
#include "sheet.h"

enum { bone_count = 2 };

static float weights[bone_count * vertex_count], attachment[vertex_count];
static const ruckle_rounded_cone limb = {{4.0f, 0.0f, -1.0f}, 0.3f, {4.0f, 8.0f, -1.0f}, 0.2f};
static const int32_t limb_bone = 1;

/* Returns the wearer of a sheet in the xy plane. The upper row of the sheet, and a limb behind it, move with the second
   bone. */
static ruckle_wearer wearer(void) {
    ruckle_wearer worn = {0};
    int v;
    squeezed(1.0f);
    for (v = 0; v < vertex_count; ++v) {
        attachment[v] = v >= vertex_count - columns ? 1.0f : 0.0f;
        weights[2 * v] = 0.0f, weights[2 * v + 1] = 1.0f;
    }
    worn.bone_count = bone_count, worn.weights = weights;
    worn.cone_count = 1, worn.cones = &limb, worn.cone_bones = &limb_bone;
    return worn;
}

static ruckle_cloth* make_worn(void) {
    const ruckle_wearer worn = wearer();
    ruckle_cloth* made = NULL;
    CHECK(ruckle_cloth_create_worn(positions, vertex_count, faces, face_count, attachment, &worn, NULL, &made) == RUCKLE_OK);
    return made;
}

static ruckle_cloth* make_free(void) {
    ruckle_cloth* made = NULL;
    squeezed(1.0f);
    CHECK(ruckle_cloth_create(positions, vertex_count, faces, face_count, NULL, NULL, &made) == RUCKLE_OK);
    return made;
}

/* Returns two bones; the second is moved along x. */
static const float* moved(float way) {
    static float bones[12 * bone_count];
    const float both[12 * bone_count] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, way, 0, 1, 0, 0, 0, 0, 1, 0};
    memcpy(bones, both, sizeof both);
    return bones;
}

static void test_free_cloth_falls(void) {
    ruckle_cloth_options options;
    ruckle_cloth* cloth = NULL;
    ruckle_cloth_stats stats;
    ruckle_cloth_timings timings;
    int frame, v;
    ruckle_cloth_default_options(&options);
    CHECK(fabsf(options.material.density - 0.15f) < 1e-6f && options.substeps == 16);
    options.material.damping = options.material.air_drag = 0.0f;
    squeezed(1.0f);
    CHECK(ruckle_cloth_create(positions, vertex_count, faces, face_count, NULL, &options, &cloth) == RUCKLE_OK);
    for (frame = 0; frame < 30; ++frame) {
        CHECK(ruckle_cloth_step(cloth, NULL, 1.0f / 60.0f) == RUCKLE_OK);
    }
    /* g t² / 2 after half a second, plus the error of the substeps */
    for (v = 0; v < vertex_count; ++v) {
        const float fallen = positions[3 * v + 1] - ruckle_cloth_positions(cloth)[3 * v + 1];
        CHECK(fabsf(fallen - 0.5f * 9.81f * 0.25f * (1.0f + 1.0f / 480.0f)) < 1e-3f);
        CHECK(fabsf(ruckle_cloth_velocities(cloth)[3 * v + 1] + 9.81f * 0.5f) < 1e-3f);
    }
    CHECK(ruckle_cloth_vertex_count(cloth) == vertex_count && ruckle_cloth_frame_count(cloth) == 30);
    CHECK(ruckle_cloth_get_stats(cloth, &stats) == RUCKLE_OK && fabsf(stats.largest_speed - 9.81f * 0.5f) < 1e-3f);
    CHECK(ruckle_cloth_get_timings(cloth, &timings) == RUCKLE_OK && timings.total > 0.0);
    ruckle_cloth_reset(cloth);
    CHECK(fabsf(ruckle_cloth_positions(cloth)[1] - positions[1]) < 1e-6f && ruckle_cloth_velocities(cloth)[1] == 0.0f);
    CHECK(ruckle_cloth_place(cloth, squeezed(0.5f), NULL) == RUCKLE_OK && ruckle_cloth_positions(cloth)[3] == 0.5f);
    ruckle_cloth_destroy(cloth);
}

static void test_bones_hold_cloth_and_push_it(void) {
    ruckle_cloth* cloth = make_worn();
    const float wind[3] = {0.0f, 0.0f, -6.0f};
    int frame, v;
    for (frame = 0; frame < 40; ++frame) {
        CHECK(ruckle_cloth_step_posed(cloth, moved(0.01f * (float)frame), bone_count, 1.0f / 60.0f, wind) == RUCKLE_OK);
    }
    for (v = vertex_count - columns; v < vertex_count; ++v) {
        CHECK(fabsf(ruckle_cloth_positions(cloth)[3 * v] - positions[3 * v] - 0.39f) < 1e-5f);
    }
    /* the wind presses the cloth against the limb, but the cloth remains outside of the limb */
    for (v = 0; v < vertex_count; ++v) {
        const float* x = ruckle_cloth_positions(cloth) + 3 * v;
        if (x[1] > 0.0f && x[1] < 8.0f) {
            CHECK(hypotf(x[0] - 4.39f, x[2] + 1.0f) > 0.2f);
        }
    }
    ruckle_cloth_reset(cloth);
    CHECK(ruckle_cloth_step_posed(cloth, moved(5.0f), bone_count, 1.0f / 60.0f, NULL) == RUCKLE_OK);
    CHECK(fabsf(ruckle_cloth_positions(cloth)[0] - 5.0f) < 0.01f);
    ruckle_cloth_destroy(cloth);
}

static void test_refused_frames_change_nothing(void) {
    ruckle_cloth *plain = make_worn(), *disturbed = make_worn();
    float broken[12 * bone_count];
    int frame;
    memcpy(broken, moved(0.0f), sizeof broken);
    broken[12] = NAN;
    for (frame = 0; frame < 12; ++frame) {
        CHECK_FAILS(ruckle_cloth_step_posed(disturbed, broken, bone_count, 1.0f / 60.0f, NULL), RUCKLE_NOT_FINITE,
                    "inputs: pins of attached vertices, wind, cones and bones must be finite, and radii at least 0");
        CHECK(ruckle_cloth_step_posed(disturbed, moved(1000.0f), 1, 1.0f / 60.0f, NULL) == RUCKLE_BAD_BONES);
        if (frame > 0) {
            CHECK(ruckle_cloth_step_posed(disturbed, moved(1e4f), bone_count, 1.0f / 60.0f, NULL) == RUCKLE_EXPLODED);
        }
        CHECK(ruckle_cloth_step_posed(plain, moved(0.01f * (float)frame), bone_count, 1.0f / 60.0f, NULL) == RUCKLE_OK);
        CHECK(ruckle_cloth_step_posed(disturbed, moved(0.01f * (float)frame), bone_count, 1.0f / 60.0f, NULL) == RUCKLE_OK);
        CHECK(memcmp(ruckle_cloth_positions(plain), ruckle_cloth_positions(disturbed), sizeof positions) == 0);
    }
    ruckle_cloth_destroy(plain);
    ruckle_cloth_destroy(disturbed);
}

static void test_states_go_back(void) {
    ruckle_cloth *cloth = make_worn(), *other = make_worn();
    char state[1 << 16];
    float later[3 * vertex_count];
    int frame;
    CHECK(ruckle_cloth_state_size(NULL) == 0);
    for (frame = 0; frame < 12; ++frame) {
        CHECK(ruckle_cloth_step_posed(cloth, moved(0.01f * (float)frame), bone_count, 1.0f / 60.0f, NULL) == RUCKLE_OK);
        if (frame == 7) {
            CHECK(ruckle_cloth_state_size(cloth) <= sizeof state);
            CHECK(ruckle_cloth_save_state(cloth, state, sizeof state) == RUCKLE_OK);
        }
    }
    memcpy(later, ruckle_cloth_positions(cloth), sizeof later);
    CHECK(ruckle_cloth_restore_state(other, state, ruckle_cloth_state_size(cloth)) == RUCKLE_OK);
    CHECK(ruckle_cloth_frame_count(other) == 8);
    for (frame = 8; frame < 12; ++frame) {
        CHECK(ruckle_cloth_step_posed(other, moved(0.01f * (float)frame), bone_count, 1.0f / 60.0f, NULL) == RUCKLE_OK);
    }
    CHECK(memcmp(later, ruckle_cloth_positions(other), sizeof later) == 0);
    CHECK_FAILS(ruckle_cloth_restore_state(cloth, "no state", 9), RUCKLE_BAD_STATE,
                "state: expected bytes saved by a ClothSimulation, got 9 other bytes");
    CHECK(ruckle_cloth_save_state(cloth, state, 9) == RUCKLE_TOO_SMALL);
    ruckle_cloth_destroy(cloth);
    ruckle_cloth_destroy(other);
}

static void refuse_worn(const ruckle_wearer* worn, ruckle_status status, const char* sentence) {
    ruckle_cloth* none = (ruckle_cloth*)&failures;
    CHECK_FAILS(ruckle_cloth_create_worn(positions, vertex_count, faces, face_count, attachment, worn, NULL, &none), status,
                sentence);
    CHECK(!none);
}

static void test_refused_wearers(void) {
    ruckle_wearer worn = wearer();
    const int32_t wrong_bone = 2;
    refuse_worn(NULL, RUCKLE_NULL_ARGUMENT, "wearer: expected a pointer, got NULL");
    worn.weights = NULL;
    refuse_worn(&worn, RUCKLE_NULL_ARGUMENT, "weights: expected a pointer, got NULL");
    worn = wearer(), worn.cone_bones = NULL;
    refuse_worn(&worn, RUCKLE_NULL_ARGUMENT, "cone_bones: expected a pointer, got NULL");
    worn = wearer(), worn.bone_count = -1;
    refuse_worn(&worn, RUCKLE_BAD_OPTION, "wearer: expected counts of at least 0");
    worn = wearer(), worn.bone_count = 0;
    refuse_worn(&worn, RUCKLE_BAD_OPTION, "bone_count: expected at least 1, got 0");
    worn = wearer(), worn.cone_bones = &wrong_bone;
    refuse_worn(&worn, RUCKLE_BAD_OPTION, "cone_bones: expected bones below 2, got 2");
    worn = wearer(), worn.body_vertex_count = vertex_count, worn.body = positions, worn.body_weights = weights;
    refuse_worn(&worn, RUCKLE_BAD_OPTION, "body_faces: expected the triangles of 81 body vertices, got none");
    worn = wearer(), weights[7] = -1.0f;
    refuse_worn(&worn, RUCKLE_BAD_OPTION, "weights: expected finite shares of at least 0, got -1.000000 of vertex 3");
}

static void test_refused_cloth_and_frames(void) {
    ruckle_cloth_options options;
    ruckle_cloth_material material;
    const char* name = NULL;
    ruckle_cloth_inputs inputs = {0};
    ruckle_cloth *cloth = make_free(), *worn = make_worn(), *none = NULL;
    const float dt = 1.0f / 60.0f;
    float still[3 * vertex_count];
    ruckle_cloth_default_options(&options);
    options.substeps = 0;
    CHECK_FAILS(ruckle_cloth_create(positions, vertex_count, faces, face_count, NULL, &options, &none), RUCKLE_BAD_OPTION,
                "substeps: expected an integer in [1, 256], got 0");
    CHECK(ruckle_cloth_create(NULL, vertex_count, faces, face_count, NULL, NULL, &none) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_cloth_create(positions, vertex_count, NULL, face_count, NULL, NULL, &none) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_cloth_create(positions, vertex_count, faces, face_count, NULL, NULL, NULL) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_cloth_create(positions, 3, faces, face_count, NULL, NULL, &none) == RUCKLE_BAD_MESH && !none);
    CHECK_FAILS(ruckle_cloth_find_material("tweed", &material), RUCKLE_BAD_OPTION,
                "name: expected one of cotton, interlock, jacket, rib, ponte, sweater, swimwear, tablecloth, blanket, denim, "
                "pants, got 'tweed'");
    CHECK(ruckle_cloth_get_fabric(0, &name, &material) == RUCKLE_OK && !strcmp(name, "cotton") && material.density == 0.15f);
    CHECK(ruckle_cloth_get_fabric(-1, &name, &material) == RUCKLE_OUT_OF_RANGE);
    CHECK(ruckle_cloth_get_fabric(ruckle_cloth_fabric_count(), &name, &material) == RUCKLE_OUT_OF_RANGE);
    CHECK(ruckle_cloth_get_fabric(0, NULL, &material) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_cloth_find_material("denim", &material) == RUCKLE_OK && material.density == 0.324f);
    CHECK(ruckle_cloth_step(NULL, NULL, dt) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_cloth_step(cloth, NULL, 0.0f) == RUCKLE_WRONG_TIME);
    CHECK_FAILS(ruckle_cloth_step(worn, NULL, dt), RUCKLE_BAD_OPTION,
                "cloth: has a wearer; call ruckle_cloth_step_posed, which moves the wearer by bones");
    CHECK_FAILS(ruckle_cloth_step_posed(cloth, moved(0.0f), bone_count, dt, NULL), RUCKLE_BAD_OPTION,
                "cloth: has no wearer; call ruckle_cloth_step, or create it by ruckle_cloth_create_worn");
    CHECK(ruckle_cloth_step_posed(worn, NULL, bone_count, dt, NULL) == RUCKLE_NULL_ARGUMENT);
    CHECK_FAILS(ruckle_cloth_step_posed(worn, moved(0.0f), 3, dt, NULL), RUCKLE_BAD_BONES, "bones: expected 2 bones, got 3");
    inputs.wind = positions, inputs.wind_count = 5;
    CHECK(ruckle_cloth_step(cloth, &inputs, dt) == RUCKLE_BAD_OPTION);
    inputs.wind_count = -1;
    CHECK(ruckle_cloth_step(cloth, &inputs, dt) == RUCKLE_BAD_OPTION);
    CHECK(ruckle_cloth_place(worn, positions, NULL) == RUCKLE_BAD_OPTION);
    memcpy(still, positions, sizeof still);
    still[4] = INFINITY;
    CHECK_FAILS(ruckle_cloth_place(cloth, still, NULL), RUCKLE_NOT_FINITE,
                "positions and velocities: every number must be finite");
    CHECK(ruckle_cloth_place(cloth, NULL, NULL) == RUCKLE_NULL_ARGUMENT);
    ruckle_cloth_destroy(cloth);
    ruckle_cloth_destroy(worn);
}

/* Lets the first allocation fail, then the second, and so on. Steps do not allocate. */
static void test_memory_that_runs_out(void) {
    const ruckle_wearer worn = wearer();
    ruckle_cloth* cloth = NULL;
    long count, refused;
    FAIL_EACH_ALLOCATION(
        refused, ruckle_cloth_create_worn(positions, vertex_count, faces, face_count, attachment, &worn, NULL, &cloth), !cloth);
    CHECK(refused > 20);
    fail_allocations_after(0);
    for (count = 0; count < 20; ++count) {
        CHECK(ruckle_cloth_step_posed(cloth, moved(0.002f * (float)count), bone_count, 1.0f / 60.0f, NULL) == RUCKLE_OK);
    }
    fail_allocations_after(-1);
    ruckle_cloth_destroy(cloth);
}

static void test_null_where_it_is_allowed(void) {
    ruckle_cloth_stats stats;
    ruckle_cloth_timings timings;
    ruckle_cloth* cloth = make_free();
    ruckle_cloth_destroy(NULL);
    ruckle_cloth_reset(NULL);
    ruckle_cloth_default_options(NULL);
    CHECK(ruckle_cloth_vertex_count(NULL) == 0 && ruckle_cloth_frame_count(NULL) == 0);
    CHECK(!ruckle_cloth_positions(NULL) && !ruckle_cloth_velocities(NULL));
    CHECK(ruckle_cloth_get_stats(NULL, &stats) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_cloth_get_stats(cloth, NULL) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_cloth_get_timings(NULL, &timings) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_cloth_get_timings(cloth, NULL) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_cloth_find_material(NULL, NULL) == RUCKLE_NULL_ARGUMENT);
    ruckle_cloth_destroy(cloth);
}

int main(void) {
    make_sheet();
    test_free_cloth_falls();
    test_bones_hold_cloth_and_push_it();
    test_refused_frames_change_nothing();
    test_states_go_back();
    test_refused_wearers();
    test_refused_cloth_and_frames();
    test_memory_that_runs_out();
    test_null_where_it_is_allowed();
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
