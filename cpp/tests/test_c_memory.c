/* Calls functions of all headers of the C interface while one allocation, or all allocations from this one on, fail in
 * malloc, in any thread. Repeats this for each allocation.
 *
 *     test_c_memory                     all numbers of threads, every 41st allocation
 *     test_c_memory 3 0 5000 1          three threads, allocations 0 to 4999 */
#include <math.h>

#include "failing_malloc.h"
#include "ruckle/ruckle_c_cloth.h"
#include "ruckle/ruckle_c_garment.h"
#include "ruckle/ruckle_c_poses.h"
#include "ruckle/ruckle_c_upsampling.h"
#include "sheet.h"

enum { frame_count = 6, bone_count = 2, angle_count = 3, corner_count = 4, large_side = 66, most_state = 1 << 20 };
enum { large_count = large_side * large_side, large_face_count = 2 * (large_side - 1) * (large_side - 1) };

static int32_t large_faces[3 * large_face_count];
static float large[3 * large_count], rest[3 * vertex_count], shares[bone_count * vertex_count],
    mixed[corner_count * vertex_count];
static float heights[1 << 16], barycentric[3 * vertex_count], distances[vertex_count], ones[vertex_count];
static int32_t bound[vertex_count], numbers[vertex_count];
static int16_t details[3 * angle_count * vertex_count];
static unsigned char state[most_state], again[most_state];
static int threads = 1;
static long refusal_count = 0;

/* Returns true if the call has succeeded. Otherwise checks that memory is exhausted, or that an object is missing
   because its creation has failed. */
static int done(ruckle_status status) {
    const char* sentence = ruckle_error_message();
    CHECK(status == RUCKLE_OK || status == RUCKLE_NO_RESOURCES || status == RUCKLE_NULL_ARGUMENT);
    CHECK(status == RUCKLE_OK || strchr(sentence, ':'));
    refusal_count += status == RUCKLE_NO_RESOURCES;
    return status == RUCKLE_OK;
}

static const float dt = 1.0f / 30.0f;

static void make_inputs(void) {
    int v, k, s, r, c;
    make_sheet();
    memcpy(rest, squeezed(1.0f), sizeof rest);
    for (r = 0, k = 0; r + 1 < large_side; ++r) {
        for (c = 0; c + 1 < large_side; ++c, k += 6) {
            const int32_t v0 = r * large_side + c;
            const int32_t square[6] = {v0, v0 + 1, v0 + large_side, v0 + 1, v0 + large_side + 1, v0 + large_side};
            memcpy(large_faces + k, square, sizeof square);
        }
    }
    for (v = 0; v < large_count; ++v) {
        large[3 * v] = (float)(v % large_side), large[3 * v + 1] = (float)(v / large_side);
    }
    for (v = 0; v < 3 * face_count; ++v) {
        bound[faces[v]] = v / 3;
    }
    for (v = 0; v < vertex_count; ++v) {
        const float x = (float)(v % columns) / (columns - 1), y = (float)(v / columns) / (rows - 1);
        const float weights[corner_count] = {(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y};
        memcpy(mixed + corner_count * v, weights, sizeof weights);
        shares[2 * v] = 1 - x, shares[2 * v + 1] = x;
        numbers[v] = v, ones[v] = 1.0f, distances[v] = 0.5f;
        for (k = 0; k < 3; ++k) {
            barycentric[3 * v + k] = faces[3 * bound[v] + k] == v ? 1.0f : 0.0f;
        }
        for (s = 0; s < angle_count; ++s) {
            details[3 * (s * vertex_count + v) + 2] = (int16_t)(1000 * (s - 1));
        }
    }
    for (k = 0; k < (int)(sizeof heights / sizeof *heights); ++k) {
        heights[k] = 0.1f * sinf(0.7f * (float)k);
    }
}

/* Saves the state of an object. Returns its size, or 0 after a failure. */
static size_t saved(const void* object, size_t size, ruckle_status (*save)(const void*, void*, size_t), unsigned char* bytes) {
    CHECK(size <= most_state);
    if (!object || !done(save(object, bytes, size))) {
        return 0;
    }
    return size;
}

static ruckle_status save_wrinkler(const void* o, void* b, size_t n) {
    return ruckle_save_state(o, b, n);
}
static ruckle_status save_modulator(const void* o, void* b, size_t n) {
    return ruckle_modulator_save_state(o, b, n);
}
static ruckle_status save_upsampler(const void* o, void* b, size_t n) {
    return ruckle_upsampler_save_state(o, b, n);
}
static ruckle_status save_poses(const void* o, void* b, size_t n) {
    return ruckle_pose_synthesizer_save_state(o, b, n);
}
static ruckle_status save_cloth(const void* o, void* b, size_t n) {
    return ruckle_cloth_save_state(o, b, n);
}
static ruckle_status save_waves(const void* o, void* b, size_t n) {
    return ruckle_waves_save_state(o, b, n);
}
static ruckle_status save_garment(const void* o, void* b, size_t n) {
    return ruckle_garment_save_state(o, b, n);
}

/* Checks that a failed restore has not changed the object. again: state of the object before. */
#define RESTORE(object, restore, size_of, save)                                       \
    do {                                                                              \
        const size_t size = saved(object, size_of(object), save, again);              \
        if (size && !done(restore(object, state, state_size))) {                      \
            static unsigned char after[most_state];                                   \
            CHECK(size_of(object) == size && save(object, after, size) == RUCKLE_OK); \
            CHECK(memcmp(after, again, size) == 0);                                   \
        }                                                                             \
    } while (0)

/* Runs wrinkles, and displaces the mesh by them together with the heights of a modulator. */
static void use_wrinkles(void) {
    ruckle_options options = wrinkling();
    ruckle_topology* topology = NULL;
    ruckle_wrinkler *alone = NULL, *shared = NULL;
    ruckle_pattern_grid* grid = NULL;
    ruckle_modulator* modulator = NULL;
    ruckle_modulator_options chosen;
    ruckle_height_source source;
    ruckle_fine_mesh fine;
    ruckle_table table;
    int32_t welded[3 * face_count];
    size_t state_size;
    int frame, stepped = 0, reached;
    options.threads = threads;
    ruckle_modulator_default_options(&chosen);
    chosen.threads = threads;
    done(ruckle_weld(rest, vertex_count, faces, face_count, welded));
    done(ruckle_create(faces, face_count, vertex_count, &options, &alone));
    done(ruckle_create_topology(faces, face_count, vertex_count, &topology));
    done(ruckle_create_shared(topology, &options, &shared));
    done(ruckle_set_rest(alone, rest, vertex_count));
    done(ruckle_pattern_grid_create(faces, face_count, rest, vertex_count, 0.25f, &grid));
    CHECK(ruckle_pattern_grid_node_count(grid) <= (int32_t)(sizeof heights / sizeof *heights));
    done(ruckle_modulator_create(grid, heights, 1, NULL, &chosen, &modulator));
    for (frame = 0; frame < frame_count; ++frame) {
        const float* moved = squeezed(1.0f - 0.06f * (float)frame);
        const int before = ruckle_frame_count(alone);
        const int ok = done(ruckle_step(alone, moved, vertex_count, dt));
        /* after a step that runs out of memory, the wrinkler is reset */
        CHECK(!alone || ruckle_frame_count(alone) == (ok ? before + 1 : 0));
        /* only the first steps of a wrinkler and of a thread allocate */
        CHECK(ok || !alone || stepped == 0);
        stepped += ok;
        done(ruckle_step(shared, moved, vertex_count, dt));
        CHECK(!modulator || ruckle_modulator_step(modulator, moved, vertex_count, dt, NULL, NULL) == RUCKLE_OK);
    }
    CHECK(!alone || !shared || stepped == 0 || ruckle_point_count(alone) >= 2 * ruckle_wrinkle_count(alone));
    reached = done(ruckle_modulator_heights(modulator, positions, vertex_count, &source));
    if (done(ruckle_displace_layers(alone, positions, vertex_count, NULL, &source, reached, &fine))) {
        CHECK(fine.vertex_count >= vertex_count && isfinite(fine.positions[0]));
    }
    done(ruckle_displace(shared, positions, vertex_count, NULL, &fine));
    done(ruckle_make_table(shared, positions, vertex_count, NULL, &table));
    state_size = saved(alone, ruckle_state_size(alone), save_wrinkler, state);
    if (state_size) {
        done(ruckle_step(alone, rest, vertex_count, dt));
        RESTORE(alone, ruckle_restore_state, ruckle_state_size, save_wrinkler);
        RESTORE(shared, ruckle_restore_state, ruckle_state_size, save_wrinkler);
    }
    state_size = saved(modulator, ruckle_modulator_state_size(modulator), save_modulator, state);
    if (state_size) {
        ruckle_modulator_step(modulator, rest, vertex_count, dt, NULL, NULL);
        RESTORE(modulator, ruckle_modulator_restore_state, ruckle_modulator_state_size, save_modulator);
    }
    ruckle_modulator_destroy(modulator);
    ruckle_pattern_grid_destroy(grid);
    ruckle_destroy(alone);
    ruckle_destroy(shared);
    ruckle_destroy_topology(topology);
}

/* A mesh that is so large that the stages of a step use several threads. */
static void use_large_mesh(void) {
    ruckle_options options;
    ruckle_wrinkler* wrinkler = NULL;
    int frame;
    ruckle_default_options(&options);
    options.threads = threads;
    /* only the wrinkling field, without wrinkles */
    options.r_min = 0.0f;
    done(ruckle_create(large_faces, large_face_count, large_count, &options, &wrinkler));
    for (frame = 0; frame < 2; ++frame) {
        done(ruckle_step(wrinkler, large, large_count, dt));
    }
    ruckle_destroy(wrinkler);
}

static ruckle_wave_options waving(void) {
    ruckle_wave_options options;
    ruckle_waves_default_options(&options);
    options.r_min = 0.3f;
    options.threads = threads;
    return options;
}

static void use_waves(void) {
    const ruckle_wave_options options = waving();
    static float rest_texels[4 * (vertex_count + face_count)], profile[4], height;
    static uint32_t texels[4 * vertex_count];
    ruckle_waves *waves = NULL, *clone = NULL;
    ruckle_height_source source;
    size_t state_size;
    int frame, reached = 0;
    done(ruckle_waves_create(faces, face_count, rest, vertex_count, ones, &options, &waves));
    done(ruckle_waves_clone(waves, &clone));
    for (frame = 0; frame < frame_count; ++frame) {
        const float* moved = squeezed(1.0f - 0.06f * (float)frame);
        CHECK(!waves || ruckle_waves_step(waves, moved, vertex_count, dt, NULL) == RUCKLE_OK);
        CHECK(!clone || ruckle_waves_step(clone, moved, vertex_count, dt, NULL) == RUCKLE_OK);
        CHECK(!waves || ruckle_waves_write_texels(waves, texels) == RUCKLE_OK);
        reached = done(ruckle_waves_heights(waves, moved, vertex_count, &source));
    }
    CHECK(!reached || source.add);
    done(ruckle_waves_sample(waves, bound, barycentric, 1, &height, NULL));
    done(ruckle_waves_write_rest_texels(waves, rest_texels, profile));
    state_size = saved(waves, ruckle_waves_state_size(waves), save_waves, state);
    if (state_size) {
        ruckle_waves_reset(waves);
        RESTORE(waves, ruckle_waves_restore_state, ruckle_waves_state_size, save_waves);
    }
    done(ruckle_waves_set_paint(waves, distances));
    done(ruckle_waves_set_options(waves, &options));
    ruckle_waves_destroy(clone);
    ruckle_waves_destroy(waves);
}

/* Reads all results of a garment that has stepped. */
static void read_garment(ruckle_garment* garment) {
    static float written[12 * vertex_count];
    ruckle_fine_mesh fine;
    ruckle_table table;
    done(ruckle_garment_write_waves(garment, written));
    done(ruckle_garment_write_vertices(garment, written));
    done(ruckle_garment_write_strains(garment, written));
    if (done(ruckle_garment_displace(garment, NULL, &fine))) {
        CHECK(fine.vertex_count >= vertex_count && isfinite(fine.positions[0]));
    }
    done(ruckle_garment_make_table(garment, NULL, &table));
}

static void use_crowd(ruckle_garment* garment, ruckle_garment* clone) {
    const float away[2] = {1.0f, 20.0f};
    static float strains[8 * vertex_count];
    static uint32_t texels[64 * 4 * RUCKLE_TABLE_WIDTH];
    ruckle_garment_frame frames[2];
    ruckle_crowd* crowd = NULL;
    int frame, k;
    done(ruckle_crowd_create(NULL, &crowd));
    for (frame = 0; frame < frame_count; ++frame) {
        memset(frames, 0, sizeof frames);
        for (k = 0; k < 2; ++k) {
            frames[k].garment = k ? clone : garment;
            frames[k].positions = squeezed(1.0f - 0.06f * (float)frame);
            frames[k].dt = dt;
            frames[k].strains = strains;
            frames[k].texels = texels;
            frames[k].row_capacity = 64;
        }
        const ruckle_status status = frame % 2 || !crowd ? ruckle_garments_step(frames, 2, NULL, NULL)
                                                         : ruckle_crowd_step(crowd, frames, away, 2, 1e5f, NULL, NULL);
        CHECK(status == RUCKLE_TOO_SMALL || done(status) || status == RUCKLE_NO_RESOURCES);
        CHECK(status != RUCKLE_OK || (frames[0].status == RUCKLE_OK && frames[1].status == RUCKLE_OK));
    }
    ruckle_crowd_destroy(crowd);
}

/* Garments with every layer: alone, with fine cloth, and in a crowd. */
static void use_garments(void) {
    const ruckle_garment_mesh mesh = {rest, 0, vertex_count, faces, 4, face_count, 0};
    const ruckle_garment_shape shape = {vertex_count, face_count, faces, bound, barycentric};
    const ruckle_wave_options waves = waving();
    ruckle_options paths = wrinkling();
    ruckle_garment *garment = NULL, *clone = NULL, *shaped = NULL;
    ruckle_pattern_grid* grid = NULL;
    ruckle_modulator* pattern = NULL;
    ruckle_modulator_options chosen;
    size_t state_size;
    int frame;
    paths.threads = threads;
    ruckle_modulator_default_options(&chosen);
    chosen.threads = threads;
    done(ruckle_garment_create(&mesh, &paths, &waves, &garment));
    done(ruckle_garment_clone(garment, &clone));
    done(ruckle_garment_clone(garment, &shaped));
    done(ruckle_pattern_grid_create(faces, face_count, rest, vertex_count, 0.25f, &grid));
    done(ruckle_modulator_create(grid, heights, 1, NULL, &chosen, &pattern));
    if (garment && pattern) {
        done(ruckle_garment_set_pattern(garment, pattern));
    }
    const int has_shape = shaped && done(ruckle_garment_set_shape(shaped, &shape));
    for (frame = 0; frame < frame_count; ++frame) {
        const float* moved = squeezed(1.0f - 0.06f * (float)frame);
        done(ruckle_garment_step(garment, moved, 0, dt));
        if (has_shape) {
            done(ruckle_garment_step_shape(shaped, moved, 0, moved, 0, dt));
        }
    }
    if (garment && done(ruckle_garment_step(garment, positions, 0, dt))) {
        read_garment(garment);
    }
    if (has_shape && done(ruckle_garment_step_shape(shaped, positions, 0, positions, 0, dt))) {
        ruckle_fine_mesh fine;
        done(ruckle_garment_displace(shaped, NULL, &fine));
    }
    state_size = saved(garment, ruckle_garment_state_size(garment), save_garment, state);
    if (state_size) {
        ruckle_garment_reset(garment);
        RESTORE(garment, ruckle_garment_restore_state, ruckle_garment_state_size, save_garment);
    }
    done(ruckle_garment_set_paint(garment, distances));
    done(ruckle_garment_set_options(garment, &paths, &waves));
    if (garment && clone) {
        use_crowd(garment, clone);
    }
    ruckle_garment_destroy(clone);
    ruckle_garment_destroy(shaped);
    ruckle_garment_destroy(garment);
    ruckle_modulator_destroy(pattern);
    ruckle_pattern_grid_destroy(grid);
}

/* Restores a garment while memory is exhausted from each allocation of the call on. A failure does not change the
 * garment. */
static void restore_without_memory(void) {
    const ruckle_garment_mesh mesh = {rest, 0, vertex_count, faces, 4, face_count, 0};
    const ruckle_wave_options waves = waving();
    const ruckle_options paths = wrinkling();
    static unsigned char after[most_state];
    ruckle_garment* garment = NULL;
    ruckle_status status = RUCKLE_NO_RESOURCES;
    size_t state_size, size;
    long number;
    CHECK(ruckle_garment_create(&mesh, &paths, &waves, &garment) == RUCKLE_OK);
    for (number = 0; number < frame_count; ++number) {
        CHECK(ruckle_garment_step(garment, squeezed(1.0f - 0.06f * (float)number), 0, dt) == RUCKLE_OK);
    }
    state_size = saved(garment, ruckle_garment_state_size(garment), save_garment, state);
    ruckle_garment_destroy(garment);
    for (number = 0; status != RUCKLE_OK; ++number) {
        /* a new garment each time, because a restored garment keeps memory for the next call */
        CHECK(ruckle_garment_create(&mesh, &paths, &waves, &garment) == RUCKLE_OK);
        size = saved(garment, ruckle_garment_state_size(garment), save_garment, again);
        fail_malloc_at(number, 1);
        status = ruckle_garment_restore_state(garment, state, state_size);
        fail_malloc_at(-1, 0);
        CHECK(status == RUCKLE_OK || status == RUCKLE_NO_RESOURCES);
        if (status != RUCKLE_OK) {
            CHECK(ruckle_garment_state_size(garment) == size && save_garment(garment, after, size) == RUCKLE_OK);
            CHECK(memcmp(after, again, size) == 0);
        }
        ruckle_garment_destroy(garment);
    }
    CHECK(number > 2);
}

static void use_cloth(void) {
    const ruckle_rounded_cone cone = {{1.0f, -1.0f, 1.0f}, 0.5f, {6.0f, -1.0f, 6.0f}, 0.5f};
    const ruckle_cloth_inputs inputs = {NULL, NULL, 0, 1, &cone, 0.0f};
    const float body[15] = {0, 0, -2, 8, 0, -2, 0, 8, -2, 8, 8, -2, 4, 4, -1}, both[10] = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
    const int32_t body_faces[12] = {0, 1, 4, 1, 3, 4, 3, 2, 4, 2, 0, 4};
    const ruckle_wearer wearer = {bone_count, shares, 1, &cone, numbers, 5, 4, body, body_faces, both};
    float bones[12 * bone_count] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    ruckle_cloth_options options;
    ruckle_cloth *cloth = NULL, *worn = NULL;
    size_t state_size;
    int frame;
    ruckle_cloth_default_options(&options);
    options.self_distance = 0.1f, options.substeps = 2, options.threads = threads;
    done(ruckle_cloth_create(rest, vertex_count, faces, face_count, NULL, &options, &cloth));
    done(ruckle_cloth_create_worn(rest, vertex_count, faces, face_count, NULL, &wearer, &options, &worn));
    for (frame = 0; frame < frame_count; ++frame) {
        bones[3] = 0.01f * (float)frame;
        CHECK(!cloth || ruckle_cloth_step(cloth, &inputs, dt) == RUCKLE_OK);
        CHECK(!worn || ruckle_cloth_step_posed(worn, bones, bone_count, dt, NULL) == RUCKLE_OK);
    }
    state_size = saved(cloth, ruckle_cloth_state_size(cloth), save_cloth, state);
    if (state_size) {
        CHECK(ruckle_cloth_place(cloth, rest, NULL) == RUCKLE_OK);
        RESTORE(cloth, ruckle_cloth_restore_state, ruckle_cloth_state_size, save_cloth);
    }
    ruckle_cloth_reset(cloth);
    ruckle_cloth_reset(worn);
    ruckle_cloth_destroy(cloth);
    ruckle_cloth_destroy(worn);
}

static void use_upsampler(void) {
    const float corners[3 * corner_count] = {0, 0, 0, 8, 0, 0, 0, 8, 0, 8, 8, 0}, hertz = 1.0f;
    const ruckle_upsampling_model model = {corner_count, vertex_count, face_count, 1, mixed, faces, ones, shares, &hertz};
    static float normals[3 * vertex_count];
    ruckle_upsampler_options options;
    ruckle_upsampler *upsampler = NULL, *none = NULL;
    size_t state_size;
    int frame;
    ruckle_upsampler_default_options(&options);
    options.threads = threads;
    done(ruckle_upsampler_create(&model, &options, &upsampler));
    CHECK(ruckle_upsampler_create_from_memory("PK\3\4", 4, &options, &none) != RUCKLE_OK && !none);
    for (frame = 0; frame < frame_count; ++frame) {
        CHECK(!upsampler || ruckle_upsampler_step(upsampler, corners, corner_count, dt, 1.0f, rest) == RUCKLE_OK);
    }
    done(ruckle_upsampler_write_normals(upsampler, normals));
    state_size = saved(upsampler, ruckle_upsampler_state_size(upsampler), save_upsampler, state);
    if (state_size) {
        ruckle_upsampler_reset(upsampler);
        RESTORE(upsampler, ruckle_upsampler_restore_state, ruckle_upsampler_state_size, save_upsampler);
    }
    ruckle_upsampler_destroy(upsampler);
}

static void use_poses(void) {
    const double angles[angle_count] = {-1.0, 0.0, 1.0};
    const ruckle_pose_joint joint = {"elbow",
                                     0,
                                     1,
                                     RUCKLE_HINGE,
                                     {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                     {angle_count, 1, 1},
                                     {angles, NULL, NULL},
                                     vertex_count,
                                     numbers,
                                     ones,
                                     details,
                                     1e-3f};
    static const float nothing[3 * vertex_count];
    const ruckle_pose_examples examples = {vertex_count, face_count, faces,      rest, vertex_count, face_count, faces,    bound,
                                           barycentric,  nothing,    bone_count, 1,    &joint,       shares,     distances};
    float bones[12 * bone_count] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    ruckle_pose_synthesizer* synthesizer = NULL;
    size_t state_size;
    int frame;
    done(ruckle_pose_synthesizer_create(&examples, NULL, &synthesizer));
    for (frame = 0; frame < frame_count; ++frame) {
        const float angle = 0.2f * (float)frame, c = cosf(angle), s = sinf(angle);
        bones[17] = c, bones[18] = -s, bones[21] = s, bones[22] = c;
        CHECK(!synthesizer || ruckle_pose_synthesizer_step(synthesizer, rest, vertex_count, bones, bone_count) == RUCKLE_OK);
    }
    state_size = saved(synthesizer, ruckle_pose_synthesizer_state_size(synthesizer), save_poses, state);
    if (state_size) {
        ruckle_pose_synthesizer_reset(synthesizer);
        RESTORE(synthesizer, ruckle_pose_synthesizer_restore_state, ruckle_pose_synthesizer_state_size, save_poses);
    }
    ruckle_pose_synthesizer_destroy(synthesizer);
}

static void use_everything(void) {
    use_wrinkles();
    use_upsampler();
    use_poses();
    use_cloth();
    use_waves();
    use_garments();
    use_large_mesh();
}

/* Runs everything twice for each allocation: first only this allocation fails, then this and all later ones. Returns
 * the number of allocations without failures. */
static long fail_each(long first, long end, long step) {
    long number, total, most = 0, live;
    int and_after;
    fail_malloc_at(-1, 0);
    use_everything();
    total = malloc_count();
    live = live_block_count();
    for (number = first; number < end && number < total; number += step) {
        for (and_after = 0; and_after < 2; ++and_after) {
            fail_malloc_at(number, and_after);
            use_everything();
            fail_malloc_at(-1, 0);
            most = live_block_count() > most ? live_block_count() : most;
        }
    }
    /* the thread still has its scratch memory, whose size is equal in all runs, and the message of its last error */
    CHECK(most <= live + 8);
    /* without failing allocations, everything works again */
    refusal_count = 0;
    use_everything();
    CHECK(refusal_count == 0);
    return total;
}

int main(int argument_count, char** arguments) {
    const int fewest = argument_count == 5 ? atoi(arguments[1]) : 1, most = argument_count == 5 ? fewest : 3;
    const long first = argument_count == 5 ? atol(arguments[2]) : 0, end = argument_count == 5 ? atol(arguments[3]) : 1L << 30;
    const long step = argument_count == 5 ? atol(arguments[4]) : 41;
    make_inputs();
    restore_without_memory();
    for (threads = fewest; threads <= most; ++threads) {
        const long total = fail_each(first, end, step);
        CHECK(total > 2000);
        printf("%d threads: %ld allocations\n", threads, total);
    }
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
