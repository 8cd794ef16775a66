/* Wrinkles from examples, called from C: results, steps without allocations, all errors. */
#include "ruckle/ruckle_c_poses.h"

#include <math.h>

#include "counting_new.h"
#include "sheet.h"

enum { bone_count = 2, angle_count = 3 };

/* A sheet that is its own fine mesh, with a hinge about x. Its details rise by one mesh unit per radian of the
   hinge. */
static int32_t bound_faces[vertex_count], moved[vertex_count];
static float barycentric[3 * vertex_count], rest_details[3 * vertex_count], weights[vertex_count];
static float skin_weights[bone_count * vertex_count], skin_distances[vertex_count];
static int16_t details[angle_count * 3 * vertex_count];
static const double angles[angle_count] = {-1.0, 0.0, 1.0};
static ruckle_pose_joint joint;

static ruckle_pose_examples examples(void) {
    ruckle_pose_examples made = {0};
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int v, k, s;
    squeezed(1.0f);
    memset(barycentric, 0, sizeof barycentric);
    for (v = 0; v < 3 * face_count; ++v) {
        bound_faces[faces[v]] = v / 3;
    }
    for (v = 0; v < vertex_count; ++v) {
        for (k = 0; k < 3; ++k) {
            barycentric[3 * v + k] = faces[3 * bound_faces[v] + k] == v ? 1.0f : 0.0f;
        }
        moved[v] = v, weights[v] = 1.0f, skin_distances[v] = 0.5f;
        skin_weights[2 * v] = 1.0f, skin_weights[2 * v + 1] = 0.0f;
        for (s = 0; s < angle_count; ++s) {
            details[3 * (s * vertex_count + v) + 2] = (int16_t)(1000 * (s - 1));
        }
    }
    memset(&joint, 0, sizeof joint);
    joint.name = "elbow", joint.child_bone = 1, joint.kind = RUCKLE_HINGE, joint.step = 0.001f;
    memcpy(joint.axes, identity, sizeof identity);
    joint.angle_counts[0] = angle_count, joint.angles[0] = angles;
    joint.vertex_count = vertex_count, joint.vertices = moved, joint.weights = weights, joint.details = details;
    made.coarse_vertex_count = vertex_count, made.coarse_face_count = face_count, made.coarse_faces = faces;
    made.coarse_rest = positions, made.vertex_count = vertex_count, made.face_count = face_count, made.faces = faces;
    made.bound_faces = bound_faces, made.barycentric = barycentric, made.rest_details = rest_details;
    made.bone_count = bone_count, made.joint_count = 1, made.joints = &joint;
    made.skin_weights = skin_weights, made.skin_distances = skin_distances;
    return made;
}

static ruckle_pose_synthesizer* make(const ruckle_pose_options* options) {
    const ruckle_pose_examples given = examples();
    ruckle_pose_synthesizer* made = NULL;
    CHECK(ruckle_pose_synthesizer_create(&given, options, &made) == RUCKLE_OK);
    return made;
}

/* Returns two bones; the second is rotated about x. */
static const float* bent(float angle) {
    static float bones[12 * bone_count];
    const float c = cosf(angle), s = sinf(angle);
    const float both[12 * bone_count] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, c, -s, 0, 0, s, c, 0};
    memcpy(bones, both, sizeof both);
    return bones;
}

static ruckle_status step(ruckle_pose_synthesizer* synthesizer, float angle) {
    return ruckle_pose_synthesizer_step(synthesizer, positions, vertex_count, bent(angle), bone_count);
}

static void test_details_follow_the_angle(void) {
    ruckle_pose_synthesizer* synthesizer = make(NULL);
    ruckle_pose_stats stats;
    ruckle_pose_timings timings;
    char state[256];
    int v;
    CHECK(ruckle_pose_synthesizer_vertex_count(synthesizer) == vertex_count &&
          ruckle_pose_synthesizer_joint_count(synthesizer) == 1);
    CHECK(step(synthesizer, 0.6f) == RUCKLE_OK);
    for (v = 0; v < vertex_count; ++v) {
        const float* fine = ruckle_pose_synthesizer_positions(synthesizer) + 4 * v;
        const float* normal = ruckle_pose_synthesizer_normals(synthesizer) + 3 * v;
        CHECK(fabsf(fine[0] - positions[3 * v]) < 1e-5f && fabsf(fine[2] - 0.6f) < 1e-3f && fine[3] == 0.0f);
        CHECK(fabsf(normal[2] - 1.0f) < 1e-5f);
    }
    CHECK(fabs(ruckle_pose_synthesizer_angles(synthesizer)[0] - 0.6) < 1e-6 &&
          ruckle_pose_synthesizer_outside(synthesizer)[0] == 0.0);
    CHECK(step(synthesizer, 1.5f) == RUCKLE_OK);
    CHECK(fabs(ruckle_pose_synthesizer_outside(synthesizer)[0] - 0.5) < 1e-6);
    CHECK(ruckle_pose_synthesizer_get_stats(synthesizer, &stats) == RUCKLE_OK && stats.moved == 1 && stats.clamped == 1);
    CHECK(ruckle_pose_synthesizer_get_timings(synthesizer, &timings) == RUCKLE_OK && timings.total > 0.0);
    CHECK(ruckle_pose_synthesizer_frame_count(synthesizer) == 2);
    CHECK(ruckle_pose_synthesizer_state_size(synthesizer) <= sizeof state && ruckle_pose_synthesizer_state_size(NULL) == 0);
    CHECK(ruckle_pose_synthesizer_save_state(synthesizer, state, sizeof state) == RUCKLE_OK);
    ruckle_pose_synthesizer_reset(synthesizer);
    CHECK(ruckle_pose_synthesizer_frame_count(synthesizer) == 0);
    CHECK(ruckle_pose_synthesizer_restore_state(synthesizer, state, ruckle_pose_synthesizer_state_size(synthesizer)) ==
          RUCKLE_OK);
    CHECK(ruckle_pose_synthesizer_frame_count(synthesizer) == 2);
    state[30] ^= 1;
    CHECK_FAILS(ruckle_pose_synthesizer_restore_state(synthesizer, state, ruckle_pose_synthesizer_state_size(synthesizer)),
                RUCKLE_BAD_STATE, "state: expected the bytes that were saved, got some that have changed since");
    ruckle_pose_synthesizer_destroy(synthesizer);
}

static void test_details_fade_where_the_cloth_leaves_its_skin(void) {
    ruckle_pose_options options;
    ruckle_pose_synthesizer* synthesizer;
    ruckle_pose_stats stats;
    int v;
    ruckle_pose_default_options(&options);
    options.trust = 1.0f;
    synthesizer = make(&options);
    /* cloth of the examples is at most half a unit from its skinned position; at one unit, details are halved */
    for (v = 0; v < vertex_count; ++v) {
        positions[3 * v + 1] += 1.0f;
    }
    CHECK(step(synthesizer, 1.0f) == RUCKLE_OK);
    CHECK(fabsf(ruckle_pose_synthesizer_positions(synthesizer)[4 * 40 + 2] - 0.5f) < 1e-3f);
    CHECK(ruckle_pose_synthesizer_get_stats(synthesizer, &stats) == RUCKLE_OK && stats.faded == vertex_count);
    squeezed(1.0f);
    CHECK(step(synthesizer, 1.0f) == RUCKLE_OK);
    CHECK(fabsf(ruckle_pose_synthesizer_positions(synthesizer)[4 * 40 + 2] - 1.0f) < 1e-3f);
    CHECK(ruckle_pose_synthesizer_get_stats(synthesizer, &stats) == RUCKLE_OK && stats.faded == 0);
    ruckle_pose_synthesizer_destroy(synthesizer);
}

static void test_refused_frames_change_nothing(void) {
    ruckle_pose_synthesizer *plain = make(NULL), *disturbed = make(NULL);
    float bones[12 * bone_count];
    memcpy(bones, bent(0.3f), sizeof bones);
    CHECK(step(plain, 0.5f) == RUCKLE_OK && step(disturbed, 0.5f) == RUCKLE_OK);
    CHECK_FAILS(ruckle_pose_synthesizer_step(disturbed, positions, 3, bones, bone_count), RUCKLE_WRONG_VERTEX_COUNT,
                "positions: expected 81 vertices, got 3");
    CHECK_FAILS(ruckle_pose_synthesizer_step(disturbed, positions, vertex_count, bones, 5), RUCKLE_BAD_BONES,
                "bones: expected 2 bones, got 5");
    bones[17] = 3.0f;
    CHECK_FAILS(ruckle_pose_synthesizer_step(disturbed, positions, vertex_count, bones, bone_count), RUCKLE_BAD_BONES,
                "bones: a bone of joint elbow scales one way more than another, or shears; bones must be rigid");
    bones[17] = NAN;
    CHECK_FAILS(ruckle_pose_synthesizer_step(disturbed, positions, vertex_count, bones, bone_count), RUCKLE_NOT_FINITE,
                "bones: a bone of joint elbow is not finite");
    positions[3 * 9 + 1] = INFINITY;
    CHECK_FAILS(step(disturbed, 0.3f), RUCKLE_NOT_FINITE, "positions: vertex 9 is not finite (0, inf, 0)");
    CHECK(memcmp(ruckle_pose_synthesizer_positions(plain), ruckle_pose_synthesizer_positions(disturbed),
                 4 * vertex_count * sizeof(float)) == 0);
    ruckle_pose_synthesizer_destroy(plain);
    ruckle_pose_synthesizer_destroy(disturbed);
}

static void test_parameters_describe_the_options(void) {
    ruckle_parameter parameter;
    ruckle_pose_options options;
    ruckle_pose_default_options(&options);
    CHECK(options.merge == RUCKLE_MERGE_ENERGY && options.strength == 1.0f && options.trust == 0.0f);
    CHECK(ruckle_pose_parameter_count() == 3);
    CHECK(ruckle_pose_get_parameter(0, &parameter) == RUCKLE_OK && strcmp(parameter.name, "merge") == 0);
    CHECK(strcmp(parameter.choices[RUCKLE_MERGE_PAPER], "paper") == 0);
    CHECK(ruckle_pose_get_parameter(2, &parameter) == RUCKLE_OK && parameter.kind == RUCKLE_LENGTH);
    CHECK_FAILS(ruckle_pose_get_parameter(3, &parameter), RUCKLE_OUT_OF_RANGE,
                "index: expected one of 3 parameters, from 0, got 3");
}

/* Checks that examples with one mistake are rejected. */
static void refuse(const ruckle_pose_examples* given, const ruckle_pose_options* options, ruckle_status status,
                   const char* sentence) {
    ruckle_pose_synthesizer* none = NULL;
    CHECK_FAILS(ruckle_pose_synthesizer_create(given, options, &none), status, sentence);
    CHECK(!none);
}

static void test_refusals_of_examples(void) {
    ruckle_pose_examples given = examples();
    ruckle_pose_options options;
    float lost = barycentric[4];
    CHECK_FAILS(ruckle_pose_synthesizer_create(&given, NULL, NULL), RUCKLE_NULL_ARGUMENT,
                "synthesizer: expected a pointer, got NULL");
    refuse(NULL, NULL, RUCKLE_NULL_ARGUMENT, "examples: expected a pointer, got NULL");
    given.bound_faces = NULL;
    refuse(&given, NULL, RUCKLE_NULL_ARGUMENT, "bound_faces: expected a pointer, got NULL");
    given = examples();
    given.vertex_count = -1;
    refuse(&given, NULL, RUCKLE_BAD_MESH, "faces: expected counts of at least 0, got -1 vertices and 128 faces");
    given = examples();
    given.bone_count = -2;
    refuse(&given, NULL, RUCKLE_BAD_OPTION, "joints: expected counts of at least 0, got -2 bones and 1 joints");
    given = examples();
    barycentric[4] = NAN;
    refuse(&given, NULL, RUCKLE_NOT_FINITE, "coarse_rest, barycentric, rest_details: every number must be finite");
    barycentric[4] = lost;
    bound_faces[7] = face_count;
    refuse(&given, NULL, RUCKLE_BAD_OPTION, "coarse_faces: vertex 7 names face 128, allowed are 0 to 127");
    given = examples();
    joint.angles[0] = NULL;
    refuse(&given, NULL, RUCKLE_NULL_ARGUMENT, "joints: joint 0: angles: expected a pointer, got NULL");
    given = examples();
    joint.kind = 2;
    refuse(&given, NULL, RUCKLE_BAD_OPTION, "joints: joint 0: kind: expected a ruckle_joint_kind, 0 or 1, got 2");
    given = examples();
    joint.angle_counts[0] = 0;
    refuse(&given, NULL, RUCKLE_BAD_OPTION, "joints: joint 0: expected a count of at least 0 vertices and 1 angle of every axis");
    given = examples();
    joint.child_bone = 2;
    refuse(&given, NULL, RUCKLE_BAD_OPTION, "joint elbow: expected bones below 2");
    given = examples();
    ruckle_pose_default_options(&options);
    options.merge = 4;
    refuse(&given, &options, RUCKLE_BAD_OPTION, "merge: expected a ruckle_merge, 0 to 3, got 4");
    ruckle_pose_default_options(&options);
    options.strength = 3.0f;
    refuse(&given, &options, RUCKLE_BAD_OPTION, "strength: expected a number in [0, 2], got 3");
    ruckle_pose_default_options(&options);
    options.trust = 0.1f;
    given.skin_weights = NULL;
    refuse(&given, &options, RUCKLE_BAD_OPTION, "trust: expected 0 where the examples have no skin of the coarse cloth");
    given = examples();
    skin_distances[3] = -1.0f;
    refuse(&given, &options, RUCKLE_BAD_OPTION, "skin: expected finite positions, and weights and distances of at least 0");
}

/* Lets the first allocation fail, then the second, and so on. Steps do not allocate. */
static void test_memory_that_runs_out(void) {
    const ruckle_pose_examples given = examples();
    ruckle_pose_synthesizer* synthesizer = NULL;
    long count, refused;
    FAIL_EACH_ALLOCATION(refused, ruckle_pose_synthesizer_create(&given, NULL, &synthesizer), !synthesizer);
    CHECK(refused > 20);
    fail_allocations_after(0);
    for (count = 0; count < 20; ++count) {
        CHECK(step(synthesizer, 0.05f * (float)count) == RUCKLE_OK);
    }
    fail_allocations_after(-1);
    ruckle_pose_synthesizer_destroy(synthesizer);
}

static void test_null_where_it_is_allowed(void) {
    ruckle_pose_stats stats;
    ruckle_pose_timings timings;
    ruckle_pose_synthesizer* synthesizer = make(NULL);
    ruckle_pose_synthesizer_destroy(NULL);
    ruckle_pose_synthesizer_reset(NULL);
    ruckle_pose_default_options(NULL);
    CHECK(ruckle_pose_synthesizer_vertex_count(NULL) == 0 && ruckle_pose_synthesizer_joint_count(NULL) == 0);
    CHECK(ruckle_pose_synthesizer_frame_count(NULL) == 0 && !ruckle_pose_synthesizer_positions(NULL));
    CHECK(!ruckle_pose_synthesizer_normals(NULL) && !ruckle_pose_synthesizer_angles(NULL));
    CHECK(!ruckle_pose_synthesizer_outside(NULL));
    CHECK_FAILS(ruckle_pose_synthesizer_get_stats(NULL, &stats), RUCKLE_NULL_ARGUMENT,
                "synthesizer: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_pose_synthesizer_get_timings(NULL, &timings), RUCKLE_NULL_ARGUMENT,
                "synthesizer: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_pose_synthesizer_get_timings(synthesizer, NULL), RUCKLE_NULL_ARGUMENT,
                "timings: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_pose_synthesizer_step(synthesizer, positions, vertex_count, NULL, bone_count), RUCKLE_NULL_ARGUMENT,
                "bones: expected a pointer, got NULL");
    ruckle_pose_synthesizer_destroy(synthesizer);
}

int main(void) {
    make_sheet();
    test_details_follow_the_angle();
    test_details_fade_where_the_cloth_leaves_its_skin();
    test_refused_frames_change_nothing();
    test_parameters_describe_the_options();
    test_refusals_of_examples();
    test_memory_that_runs_out();
    test_null_where_it_is_allowed();
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
