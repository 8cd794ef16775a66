/* The C interface, called from C: results and all errors. */
#include <math.h>

#include "sheet.h"

/* Returns a wrinkler after `count` frames of a sheet that is squeezed to 0.6 of its width and then does not move. */
static ruckle_wrinkler* play(const ruckle_options* options, int count) {
    ruckle_wrinkler* wrinkler = NULL;
    int frame;
    CHECK(ruckle_create(faces, face_count, vertex_count, options, &wrinkler) == RUCKLE_OK);
    for (frame = 0; frame < count; ++frame) {
        const float share = frame < 10 ? 1.0f - 0.04f * (float)frame : 0.6f;
        CHECK(ruckle_step(wrinkler, squeezed(share), vertex_count, 1.0f / 30.0f) == RUCKLE_OK);
    }
    return wrinkler;
}

static void test_a_squeezed_sheet_wrinkles_across_the_squeeze(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler* wrinkler = play(&options, 40);
    ruckle_stats stats;
    ruckle_timings timings;
    int i, k;
    CHECK(ruckle_vertex_count(wrinkler) == vertex_count && ruckle_face_count(wrinkler) == face_count);
    CHECK(ruckle_edge_count(wrinkler) == vertex_count + face_count - 1);
    CHECK(ruckle_frame_count(wrinkler) == 40);
    CHECK(ruckle_get_stats(wrinkler, &stats) == RUCKLE_OK && ruckle_get_timings(wrinkler, &timings) == RUCKLE_OK);
    CHECK(stats.wrinkles == ruckle_wrinkle_count(wrinkler) && stats.wrinkles > 0);
    CHECK(stats.compression_labels + stats.rest_labels + stats.stretch_labels == face_count);
    CHECK(timings.total > 0.0 && timings.stretch >= 0.0 && timings.total >= timings.label);
    for (i = 0; i < face_count; ++i) {
        const float* axis = ruckle_axis(wrinkler) + 2 * i;
        CHECK(ruckle_labels(wrinkler)[i] <= 2);
        CHECK(ruckle_compression(wrinkler)[i] > 1.3f);
        CHECK(fabsf(axis[0] * axis[0] + axis[1] * axis[1] - 1.0f) < 1e-4f);
        /* the first edge of the reference triangle is along x */
        CHECK(ruckle_reference(wrinkler)[4 * i] > 0.0f && fabsf(ruckle_reference(wrinkler)[4 * i + 2]) < 1e-3f);
    }
    for (i = 0; i < ruckle_wrinkle_count(wrinkler); ++i) {
        ruckle_wrinkle wrinkle;
        CHECK(ruckle_get_wrinkle(wrinkler, i, &wrinkle) == RUCKLE_OK);
        CHECK(wrinkle.point_count >= 2 && wrinkle.crest > 0.0f && wrinkle.perimeter > wrinkle.width && wrinkle.age >= 0.0f);
        for (k = 0; k < wrinkle.point_count; ++k) {
            const int32_t* edge = ruckle_edges(wrinkler) + 2 * wrinkle.edges[k];
            const float expected = wrinkle.t[k] * positions[3 * edge[0] + 1] + (1.0f - wrinkle.t[k]) * positions[3 * edge[1] + 1];
            CHECK(edge[0] < edge[1] && fabsf(wrinkle.points[3 * k + 1] - expected) < 1e-4f);
            CHECK(wrinkle.widths[k] > 0.0f && wrinkle.heights[k] >= 0.0f);
            CHECK(k + 1 == wrinkle.point_count || (wrinkle.faces[k] >= 0 && wrinkle.faces[k] < face_count));
        }
        /* wrinkles are parallel to y */
        CHECK(fabsf(wrinkle.points[0] - wrinkle.points[3 * (wrinkle.point_count - 1)]) <
              fabsf(wrinkle.points[1] - wrinkle.points[3 * (wrinkle.point_count - 1) + 1]));
    }
    ruckle_destroy(wrinkler);
}

static void test_flat_arrays_hold_the_same_wrinkles(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler* wrinkler = play(&options, 40);
    const int32_t count = ruckle_wrinkle_count(wrinkler), point_count = ruckle_point_count(wrinkler);
    ruckle_wrinkle_arrays arrays = {0}, partial = {0};
    int32_t i, k, past_the_end = -7;
    arrays.wrinkle_capacity = count;
    arrays.point_capacity = point_count;
    arrays.ids = malloc(sizeof(int64_t) * (size_t)count);
    arrays.offsets = malloc(sizeof(int32_t) * (size_t)(count + 1));
    arrays.edges = malloc(sizeof(int32_t) * (size_t)point_count);
    arrays.t = malloc(sizeof(float) * (size_t)point_count);
    arrays.points = malloc(3 * sizeof(float) * (size_t)point_count);
    arrays.widths = malloc(sizeof(float) * (size_t)point_count);
    arrays.heights = malloc(sizeof(float) * (size_t)point_count);
    CHECK(ruckle_copy_wrinkles(wrinkler, &arrays) == RUCKLE_OK);
    CHECK(arrays.offsets[0] == 0 && arrays.offsets[count] == point_count);
    for (i = 0; i < count; ++i) {
        const int32_t first = arrays.offsets[i];
        ruckle_wrinkle wrinkle;
        CHECK(ruckle_get_wrinkle(wrinkler, i, &wrinkle) == RUCKLE_OK);
        CHECK(wrinkle.id == arrays.ids[i] && wrinkle.point_count == arrays.offsets[i + 1] - first);
        for (k = 0; k < wrinkle.point_count; ++k) {
            CHECK(wrinkle.edges[k] == arrays.edges[first + k] && wrinkle.t[k] == arrays.t[first + k]);
            CHECK(wrinkle.widths[k] == arrays.widths[first + k] && wrinkle.heights[k] == arrays.heights[first + k]);
            CHECK(memcmp(wrinkle.points + 3 * k, arrays.points + 3 * (first + k), 3 * sizeof(float)) == 0);
        }
    }
    /* every array may be null */
    partial.wrinkle_capacity = count;
    partial.point_capacity = point_count;
    CHECK(ruckle_copy_wrinkles(wrinkler, &partial) == RUCKLE_OK);
    /* if an array is too small, the call does not write anything */
    partial.offsets = &past_the_end;
    partial.point_capacity = point_count - 1;
    CHECK(ruckle_copy_wrinkles(wrinkler, &partial) == RUCKLE_TOO_SMALL && past_the_end == -7);
    partial.point_capacity = point_count;
    partial.wrinkle_capacity = count - 1;
    CHECK(ruckle_copy_wrinkles(wrinkler, &partial) == RUCKLE_TOO_SMALL && past_the_end == -7);
    CHECK(strstr(ruckle_error_message(), "arrays: expected room for ") == ruckle_error_message());
    free(arrays.ids), free(arrays.offsets), free(arrays.edges), free(arrays.t);
    free(arrays.points), free(arrays.widths), free(arrays.heights);
    ruckle_destroy(wrinkler);
}

static void test_refused_frames_change_nothing_and_a_reset_begins_anew(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler *plain = play(&options, 40), *disturbed = play(&options, 20);
    int64_t last;
    int frame;
    ruckle_wrinkle wrinkle;
    CHECK(ruckle_step(disturbed, positions, vertex_count - 1, 1.0f) == RUCKLE_WRONG_VERTEX_COUNT);
    positions[7] = NAN;
    CHECK(ruckle_step(disturbed, positions, vertex_count, 1.0f) == RUCKLE_NOT_FINITE);
    CHECK(ruckle_step(disturbed, squeezed(0.1f), vertex_count, -1.0f) == RUCKLE_WRONG_TIME);
    for (frame = 20; frame < 40; ++frame) {
        CHECK(ruckle_step(disturbed, squeezed(0.6f), vertex_count, 1.0f / 30.0f) == RUCKLE_OK);
    }
    CHECK(memcmp(ruckle_compression(plain), ruckle_compression(disturbed), face_count * sizeof(float)) == 0);
    CHECK(memcmp(ruckle_labels(plain), ruckle_labels(disturbed), face_count) == 0);
    CHECK(ruckle_point_count(plain) == ruckle_point_count(disturbed) && ruckle_point_count(plain) > 0);
    CHECK(ruckle_get_wrinkle(plain, ruckle_wrinkle_count(plain) - 1, &wrinkle) == RUCKLE_OK);
    last = wrinkle.id;
    CHECK(ruckle_get_wrinkle(disturbed, ruckle_wrinkle_count(plain) - 1, &wrinkle) == RUCKLE_OK);
    CHECK(wrinkle.id == last);
    ruckle_reset(plain);
    CHECK(ruckle_frame_count(plain) == 0 && ruckle_wrinkle_count(plain) == 0);
    ruckle_destroy(plain);
    ruckle_destroy(disturbed);
}

static void test_a_rest_pose_gives_the_first_frame_its_wrinkles(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler* wrinkler = NULL;
    ruckle_wrinkle wrinkle;
    CHECK(ruckle_create(faces, face_count, vertex_count, &options, &wrinkler) == RUCKLE_OK);
    CHECK(ruckle_set_rest(wrinkler, squeezed(1.0f), vertex_count) == RUCKLE_OK);
    CHECK(ruckle_step(wrinkler, squeezed(0.6f), vertex_count, 1.0f / 30.0f) == RUCKLE_OK);
    CHECK(ruckle_frame_count(wrinkler) == 1 && ruckle_wrinkle_count(wrinkler) > 0);
    CHECK(ruckle_get_wrinkle(wrinkler, 0, &wrinkle) == RUCKLE_OK && wrinkle.fade == 1.0f && wrinkle.age == 0.0f);
    /* a rejected pose does not change anything; without a pose, the first frame is the rest pose */
    CHECK(ruckle_set_rest(wrinkler, positions, vertex_count - 1) == RUCKLE_WRONG_VERTEX_COUNT);
    positions[7] = NAN;
    CHECK(ruckle_set_rest(wrinkler, positions, vertex_count) == RUCKLE_NOT_FINITE);
    CHECK(ruckle_set_rest(NULL, positions, vertex_count) == RUCKLE_NULL_ARGUMENT);
    CHECK(ruckle_frame_count(wrinkler) == 1);
    CHECK(ruckle_set_rest(wrinkler, NULL, 0) == RUCKLE_OK && ruckle_frame_count(wrinkler) == 0);
    CHECK(ruckle_step(wrinkler, squeezed(0.6f), vertex_count, 1.0f / 30.0f) == RUCKLE_OK && ruckle_wrinkle_count(wrinkler) == 0);
    ruckle_destroy(wrinkler);
}

static void test_the_fine_mesh_rises_over_the_coarse_one(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler* wrinkled = play(&options, 40);
    ruckle_fine_mesh fine;
    float highest = 0.0f, crest = 0.0f;
    int32_t i, k, upright = 0;
    CHECK(ruckle_displace(wrinkled, squeezed(0.6f), vertex_count, NULL, &fine) == RUCKLE_OK);
    CHECK(fine.vertex_count > 4 * vertex_count && fine.face_count > 4 * face_count);
    for (i = 0; i < fine.vertex_count; ++i) {
        const float* b = fine.barycentric + 3 * i;
        const int32_t* corner = faces + 3 * fine.coarse_faces[i];
        const float z = fine.positions[3 * i + 2];
        highest = fine.heights[i] > highest ? fine.heights[i] : highest;
        CHECK(fine.coarse_faces[i] >= 0 && fine.coarse_faces[i] < face_count && fabsf(b[0] + b[1] + b[2] - 1.0f) < 1e-5f);
        for (k = 0; k < 2; ++k) {
            const float base =
                b[0] * positions[3 * corner[0] + k] + b[1] * positions[3 * corner[1] + k] + b[2] * positions[3 * corner[2] + k];
            CHECK(fabsf(fine.positions[3 * i + k] - base) < 1e-4f);
        }
        /* the sheet is flat, so wrinkles rise along its normal */
        CHECK(fabsf(z - fine.heights[i]) < 1e-4f && fine.heights[i] >= 0.0f);
        upright += fine.normals[3 * i + 2] > 0.99f;
    }
    CHECK(upright > 0 && upright < fine.vertex_count);
    for (i = 0; i < fine.face_count; ++i) {
        CHECK(fine.face_coarse_faces[i] >= 0 && fine.face_coarse_faces[i] < face_count);
        for (k = 0; k < 3; ++k) {
            CHECK(fine.faces[3 * i + k] >= 0 && fine.faces[3 * i + k] < fine.vertex_count);
        }
    }
    for (i = 0; i < ruckle_wrinkle_count(wrinkled); ++i) {
        ruckle_wrinkle wrinkle;
        CHECK(ruckle_get_wrinkle(wrinkled, i, &wrinkle) == RUCKLE_OK);
        crest = wrinkle.crest > crest ? wrinkle.crest : crest;
    }
    CHECK(highest > 0.7f * crest && highest < 1.2f * crest);
    ruckle_destroy(wrinkled);
}

static void test_the_fine_mesh_is_as_fine_as_asked(void) {
    const ruckle_options options = wrinkling();
    ruckle_options without = wrinkling();
    ruckle_wrinkler *wrinkled = play(&options, 40), *flat;
    int32_t levels[512], i;
    ruckle_surface_options surface;
    ruckle_fine_mesh fine, coarse, finer;
    without.r_min = 0.0f;
    flat = play(&without, 40);
    CHECK(ruckle_displace(wrinkled, squeezed(0.6f), vertex_count, NULL, &fine) == RUCKLE_OK);
    ruckle_default_surface_options(&surface);
    surface.edge_length = 0.1f;
    i = fine.face_count;
    CHECK(ruckle_displace(wrinkled, positions, vertex_count, &surface, &finer) == RUCKLE_OK && finer.face_count > i);
    CHECK(ruckle_displace(flat, positions, vertex_count, NULL, &coarse) == RUCKLE_OK);
    CHECK(coarse.vertex_count == vertex_count && coarse.face_count == face_count);
    CHECK(memcmp(coarse.faces, faces, sizeof faces) == 0 && memcmp(coarse.positions, positions, sizeof positions) == 0);
    surface.curved = 1;
    /* with three parts per edge, OpenGL's pattern is a ring of 12 triangles around one triangle */
    surface.base_level = 3;
    CHECK(ruckle_displace(flat, positions, vertex_count, &surface, &coarse) == RUCKLE_OK && coarse.face_count == 13 * face_count);

    CHECK_FAILS(ruckle_displace(NULL, positions, vertex_count, NULL, &fine), RUCKLE_NULL_ARGUMENT,
                "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_displace(flat, NULL, vertex_count, NULL, &fine), RUCKLE_NULL_ARGUMENT,
                "positions: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_displace(flat, positions, vertex_count, NULL, NULL), RUCKLE_NULL_ARGUMENT,
                "mesh: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_displace(flat, positions, 3, NULL, &fine), RUCKLE_WRONG_VERTEX_COUNT,
                "positions: expected 81 vertices, got 3");
    /* with fixed edge levels, the faces do not depend on the heights */
    surface.edge_levels = memset(levels, 0, sizeof levels);
    CHECK_FAILS(ruckle_displace(flat, positions, vertex_count, &surface, &fine), RUCKLE_BAD_OPTION,
                "edge_levels: expected integers in [1, 64], got 0");
    CHECK(ruckle_edge_count(wrinkled) <= (int32_t)(sizeof levels / sizeof *levels));
    for (i = 0; i < ruckle_edge_count(wrinkled); ++i) {
        levels[i] = 3;
    }
    CHECK(ruckle_displace(wrinkled, positions, vertex_count, &surface, &fine) == RUCKLE_OK && fine.face_count == 13 * face_count);
    surface.edge_levels = NULL;
    surface.base_level = 65;
    CHECK_FAILS(ruckle_displace(flat, positions, vertex_count, &surface, &fine), RUCKLE_BAD_OPTION,
                "base_level: expected an integer in [1, 64], got 65");
    surface.edge_length = -1.0f;
    CHECK_FAILS(ruckle_displace(flat, positions, vertex_count, &surface, &fine), RUCKLE_BAD_OPTION,
                "edge_length: expected a finite length of at least 0, got -1");
    positions[0] = NAN;
    CHECK_FAILS(ruckle_displace(flat, positions, vertex_count, NULL, &fine), RUCKLE_NOT_FINITE,
                "positions: vertex 0 is not finite (nan, 0, 0)");
    ruckle_destroy(wrinkled);
    ruckle_destroy(flat);
}

/* A height source of the caller: waves along x over all triangles except the last. */
typedef struct waves {
    float size;
    long asked;
} waves;

static void test_the_table_holds_what_shaders_read(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler* wrinkled = play(&options, 40);
    ruckle_table table;
    int32_t i, reached = 0;
    CHECK(ruckle_make_table(wrinkled, squeezed(0.6f), vertex_count, NULL, &table) == RUCKLE_OK);
    CHECK(table.row_count == (table.texel_count + RUCKLE_TABLE_WIDTH - 1) / RUCKLE_TABLE_WIDTH);
    const uint32_t* words = table.texels;
    for (i = 0; i < face_count; ++i) {
        const uint32_t* lists = words + words[1] + i;
        const uint32_t first = (lists[0] & 0x7fffffffu) + (lists[0] >> 31), end = lists[1] & 0x7fffffffu;
        CHECK(first <= end && end <= 4 * (uint32_t)table.texel_count);
        reached += first < end;
    }
    CHECK(reached > 0);
    for (i = 0; i < ruckle_edge_count(wrinkled); ++i)
        CHECK(words[words[0] + 2 * i + 1] >> 16 >= 1 && words[words[0] + 2 * i + 1] >> 16 <= 64);
    for (i = 0; i < vertex_count; ++i) {
        CHECK(memcmp(words + 12 + 4 * i, positions + 3 * i, 3 * sizeof(float)) == 0);
    }
    for (i = 0; i < 3 * face_count; ++i) {
        const int32_t* edge = ruckle_edges(wrinkled) + 2 * ruckle_face_edges(wrinkled)[i];
        CHECK(edge[0] + edge[1] == faces[i] + faces[i % 3 == 2 ? i - 2 : i + 1] && (edge[0] == faces[i] || edge[1] == faces[i]));
    }
    CHECK_FAILS(ruckle_make_table(NULL, positions, vertex_count, NULL, &table), RUCKLE_NULL_ARGUMENT,
                "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_make_table(wrinkled, NULL, vertex_count, NULL, &table), RUCKLE_NULL_ARGUMENT,
                "positions: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_make_table(wrinkled, positions, vertex_count, NULL, NULL), RUCKLE_NULL_ARGUMENT,
                "table: expected a pointer, got NULL");
    ruckle_destroy(wrinkled);
}

static void add_waves(void* user, const ruckle_height_points* points) {
    waves* own = (waves*)user;
    const int32_t* corner = faces + 3 * points->face;
    int32_t i, k;
    CHECK(points->count > 0);
    for (i = 0; i < points->count; ++i) {
        float x = 0.0f;
        for (k = 0; k < 3; ++k) {
            x += points->barycentric[k][i] * positions[3 * corner[k]];
        }
        points->heights[i] += own->size * sinf(x);
        points->gradients[0][i] += own->size * cosf(x);
    }
    own->asked += points->count;
}

static void test_heights_of_ones_own(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler *wrinkled = play(&options, 40), *flat = play(NULL, 1);
    waves small = {0.1f, 0}, silent = {0.0f, 0};
    float bends[face_count];
    ruckle_height_source sources[2];
    ruckle_fine_mesh fine;
    float highest = 0.0f, alone = 0.0f;
    int32_t i;
    squeezed(0.6f);
    sources[0].add = add_waves, sources[0].user = &small, sources[0].edge_length = 100.0f, sources[0].bends = NULL;
    /* faces that are not subdivided do not have points inside */
    CHECK(ruckle_displace_layers(flat, positions, vertex_count, NULL, sources, 1, &fine) == RUCKLE_OK);
    CHECK(fine.vertex_count == vertex_count && small.asked == vertex_count);
    sources[0].edge_length = 0.2f, small.asked = 0;
    CHECK(ruckle_displace_layers(flat, positions, vertex_count, NULL, sources, 1, &fine) == RUCKLE_OK);
    CHECK(fine.vertex_count > 9 * vertex_count && small.asked == fine.vertex_count);
    for (i = 0; i < fine.vertex_count; ++i) {
        const float x = fine.positions[3 * i], height = 0.1f * sinf(x), slope = 0.1f * cosf(x);
        CHECK(fabsf(fine.positions[3 * i + 2] - height) < 1e-5f && fabsf(fine.heights[i] - height) < 1e-5f);
        CHECK(fabsf(fine.normals[3 * i] + slope / sqrtf(1.0f + slope * slope)) < 1e-5f);
        alone = fine.heights[i] > alone ? fine.heights[i] : alone;
    }
    /* two sources together with wrinkles; a source is not called for faces without heights (negative bends) */
    for (i = 0; i < face_count; ++i) {
        bends[i] = -1.0f;
    }
    sources[1].add = add_waves, sources[1].user = &silent, sources[1].edge_length = 0.01f, sources[1].bends = bends;
    CHECK(ruckle_displace_layers(wrinkled, positions, vertex_count, NULL, sources, 2, &fine) == RUCKLE_OK);
    CHECK(silent.asked == 0);
    for (i = 0; i < fine.vertex_count; ++i) {
        highest = fine.heights[i] > highest ? fine.heights[i] : highest;
    }
    CHECK(highest > alone + 0.1f);
    CHECK_FAILS(ruckle_displace_layers(flat, positions, vertex_count, NULL, NULL, 1, &fine), RUCKLE_NULL_ARGUMENT,
                "sources: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_displace_layers(flat, positions, vertex_count, NULL, sources, -1, &fine), RUCKLE_BAD_OPTION,
                "source_count: expected at least 0, got -1");
    sources[1].edge_length = 0.0f;
    CHECK_FAILS(ruckle_displace_layers(flat, positions, vertex_count, NULL, sources, 2, &fine), RUCKLE_BAD_OPTION,
                "sources: expected a finite edge_length above 0, got 0 of source 1");
    sources[0].add = NULL;
    CHECK_FAILS(ruckle_displace_layers(flat, positions, vertex_count, NULL, sources, 2, &fine), RUCKLE_NULL_ARGUMENT,
                "sources: source 0 has no function `add`");
    ruckle_destroy(wrinkled);
    ruckle_destroy(flat);
}

static void test_options(void) {
    ruckle_options options = wrinkling();
    ruckle_wrinkler *without, *wrinkled, *other;
    options.r_min = 0.0f;
    without = play(&options, 40);
    CHECK(ruckle_wrinkle_count(without) == 0 && ruckle_point_count(without) == 0);
    CHECK(ruckle_compression(without)[0] > 1.3f);
    ruckle_destroy(without);
    options = wrinkling();
    wrinkled = play(&options, 40);
    options.tau = 1.9f;
    other = play(&options, 40);
    CHECK(ruckle_wrinkle_count(wrinkled) > 0 && ruckle_wrinkle_count(other) == 0);
    ruckle_destroy(other);
    options = wrinkling();
    options.method = RUCKLE_INDEPENDENT;
    options.pairwise[0] = NAN;
    CHECK(ruckle_create(faces, face_count, vertex_count, &options, &other) == RUCKLE_BAD_OPTION && other == NULL);
    ruckle_destroy(wrinkled);
    CHECK(strlen(ruckle_version()) >= 5);
}

/* Checks that unset options and the documented values give equal wrinkles. */
static void test_options_that_are_not_set_are_derived(void) {
    ruckle_options options;
    ruckle_wrinkler *by_default = play(NULL, 40), *derived;
    ruckle_wrinkle one, other;
    ruckle_default_options(&options);
    CHECK(options.r_min == RUCKLE_UNSET && options.grow_tau == RUCKLE_UNSET);
    options.r_min = 0.005f * (float)(rows - 1);
    options.grow_tau = 1.2f;
    derived = play(&options, 40);
    CHECK(ruckle_wrinkle_count(derived) > 10 && ruckle_wrinkle_count(derived) == ruckle_wrinkle_count(by_default));
    CHECK(ruckle_get_wrinkle(derived, 5, &one) == RUCKLE_OK && ruckle_get_wrinkle(by_default, 5, &other) == RUCKLE_OK);
    CHECK(one.id == other.id && one.crest == other.crest && one.full_width == other.full_width);
    ruckle_destroy(by_default);
    ruckle_destroy(derived);
}

static void test_parameters_describe_the_options(void) {
    ruckle_parameter parameter;
    int32_t i, k;
    CHECK(ruckle_parameter_count() == 20);
    for (i = 0; i < ruckle_parameter_count(); ++i) {
        CHECK(ruckle_get_parameter(i, &parameter) == RUCKLE_OK);
        CHECK(strlen(parameter.name) >= 3 && strlen(parameter.help) > 10 && strlen(parameter.group) > 4);
        CHECK((parameter.kind == RUCKLE_CHOICE) == (parameter.choice_count > 0));
        for (k = 0; k < parameter.choice_count; ++k) {
            CHECK(strlen(parameter.choices[k]) > 3);
        }
    }
    CHECK(ruckle_get_parameter(2, &parameter) == RUCKLE_OK && strcmp(parameter.name, "tau") == 0);
    CHECK(parameter.kind == RUCKLE_NUMBER && parameter.default_value == 1.4 && parameter.least == 1.0);
    CHECK(!parameter.with_least && isinf(parameter.most) && strcmp(parameter.derived, "") == 0);
    CHECK(ruckle_get_parameter(3, &parameter) == RUCKLE_OK && strcmp(parameter.ceiling, "tau") == 0);
    CHECK(isnan(parameter.default_value) && strcmp(parameter.derived, "half way from 1 to tau") == 0);
    CHECK_FAILS(ruckle_get_parameter(0, NULL), RUCKLE_NULL_ARGUMENT, "parameter: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_get_parameter(20, &parameter), RUCKLE_OUT_OF_RANGE,
                "index: expected one of 20 parameters, from 0, got 20");
}

static void test_a_seam_is_welded(void) {
    /* two triangles; the vertices of their common edge are duplicated */
    const float split[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const int32_t apart[6] = {0, 1, 2, 3, 4, 5}, together[6] = {0, 1, 2, 1, 4, 2};
    int32_t welded[6] = {0};
    CHECK(ruckle_weld(split, 6, apart, 2, welded) == RUCKLE_OK);
    CHECK(memcmp(welded, together, sizeof together) == 0);
}

/* Like a game with rollback: restores the state of frame 25 and continues. States and results have identical bytes. */
static void test_a_restored_wrinkler_goes_on_with_the_same_bytes(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler *wrinkler = play(&options, 25), *other = NULL;
    const size_t size = ruckle_state_size(wrinkler), room = 1 << 20;
    char *state = malloc(room), *later = malloc(room), *again = malloc(room);
    ruckle_wrinkle before, after;
    ruckle_options others = options;
    size_t later_size;
    int frame, k;
    CHECK(ruckle_save_state(wrinkler, state, room) == RUCKLE_OK && size < room);
    CHECK(ruckle_get_wrinkle(wrinkler, 0, &before) == RUCKLE_OK);
    others.threads = 2;
    CHECK(ruckle_create(faces, face_count, vertex_count, &others, &other) == RUCKLE_OK);
    CHECK(ruckle_restore_state(other, state, size) == RUCKLE_OK && ruckle_frame_count(other) == 25);
    CHECK(ruckle_get_wrinkle(other, 0, &after) == RUCKLE_OK && before.id == after.id && before.crest == after.crest);
    CHECK(memcmp(before.points, after.points, sizeof(float) * 3 * (size_t)before.point_count) == 0);
    CHECK(memcmp(before.heights, after.heights, sizeof(float) * (size_t)before.point_count) == 0);
    for (k = 0; k < 3; ++k) {
        ruckle_wrinkler* played = k == 1 ? other : wrinkler;
        CHECK(ruckle_restore_state(played, state, size) == RUCKLE_OK);
        for (frame = 25; frame < 60; ++frame) {
            CHECK(ruckle_step(played, squeezed(frame < 40 ? 0.7f : 0.9f), vertex_count, 1.0f / 30.0f) == RUCKLE_OK);
        }
        CHECK(ruckle_save_state(played, k == 0 ? later : again, room) == RUCKLE_OK);
        later_size = ruckle_state_size(played);
        CHECK(k == 0 || memcmp(later, again, later_size) == 0);
    }

    CHECK(ruckle_save_state(wrinkler, state, 10) == RUCKLE_TOO_SMALL);
    CHECK(strstr(ruckle_error_message(), "state: expected room for ") == ruckle_error_message());
    CHECK_FAILS(ruckle_restore_state(wrinkler, "no state", 9), RUCKLE_BAD_STATE,
                "state: expected bytes saved by a Wrinkler, got 9 other bytes");
    state[size - 1] ^= 1;
    CHECK_FAILS(ruckle_restore_state(wrinkler, state, size), RUCKLE_BAD_STATE,
                "state: expected the bytes that were saved, got some that have changed since");
    CHECK(ruckle_save_state(wrinkler, again, room) == RUCKLE_OK && memcmp(later, again, later_size) == 0);
    CHECK_FAILS(ruckle_save_state(NULL, state, room), RUCKLE_NULL_ARGUMENT, "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_save_state(wrinkler, NULL, room), RUCKLE_NULL_ARGUMENT, "state: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_restore_state(NULL, state, size), RUCKLE_NULL_ARGUMENT, "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_restore_state(wrinkler, NULL, size), RUCKLE_NULL_ARGUMENT, "state: expected a pointer, got NULL");
    CHECK(ruckle_state_size(NULL) == 0);
    free(state);
    free(later);
    free(again);
    ruckle_destroy(other);
    ruckle_destroy(wrinkler);
}

static void test_every_refusal(void) {
    const int32_t missing[3] = {0, 1, vertex_count}, twice[3] = {0, 0, 1}, fan[9] = {0, 1, 2, 0, 1, 3, 0, 1, 4};
    const ruckle_wrinkle_arrays nothing = {0};
    ruckle_options options = wrinkling();
    ruckle_wrinkler *wrinkler = play(&options, 40), *none = NULL;
    ruckle_wrinkle wrinkle;
    ruckle_stats stats;
    ruckle_timings timings;
    int32_t welded[9];

    CHECK_FAILS(ruckle_create(NULL, 1, 3, NULL, &none), RUCKLE_NULL_ARGUMENT, "faces: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_create(faces, 1, 3, NULL, NULL), RUCKLE_NULL_ARGUMENT, "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_step(NULL, positions, 1, 1.0f), RUCKLE_NULL_ARGUMENT, "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_step(wrinkler, NULL, 1, 1.0f), RUCKLE_NULL_ARGUMENT, "positions: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_get_wrinkle(NULL, 0, &wrinkle), RUCKLE_NULL_ARGUMENT, "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_get_wrinkle(wrinkler, 0, NULL), RUCKLE_NULL_ARGUMENT, "wrinkle: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_copy_wrinkles(NULL, &nothing), RUCKLE_NULL_ARGUMENT, "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_copy_wrinkles(wrinkler, NULL), RUCKLE_NULL_ARGUMENT, "arrays: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_get_stats(NULL, &stats), RUCKLE_NULL_ARGUMENT, "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_get_stats(wrinkler, NULL), RUCKLE_NULL_ARGUMENT, "stats: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_get_timings(NULL, &timings), RUCKLE_NULL_ARGUMENT, "wrinkler: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_get_timings(wrinkler, NULL), RUCKLE_NULL_ARGUMENT, "timings: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_weld(NULL, 1, fan, 3, welded), RUCKLE_NULL_ARGUMENT, "positions: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_weld(positions, 1, NULL, 3, welded), RUCKLE_NULL_ARGUMENT, "faces: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_weld(positions, 1, fan, 3, NULL), RUCKLE_NULL_ARGUMENT, "welded: expected a pointer, got NULL");

    CHECK(ruckle_create(faces, 0, vertex_count, NULL, &none) == RUCKLE_BAD_MESH && none == NULL);
    CHECK(ruckle_create(missing, 1, vertex_count, NULL, &none) == RUCKLE_BAD_MESH);
    CHECK(ruckle_create(twice, 1, vertex_count, NULL, &none) == RUCKLE_BAD_MESH);
    CHECK(ruckle_create(fan, 3, vertex_count, NULL, &none) == RUCKLE_BAD_MESH);
    CHECK(ruckle_weld(positions, 3, missing, 1, welded) == RUCKLE_BAD_MESH);
    CHECK_FAILS(ruckle_create(faces, -1, 3, NULL, &none), RUCKLE_BAD_MESH,
                "faces: expected counts of at least 0, got 3 vertices and -1 faces");
    CHECK_FAILS(ruckle_weld(positions, -3, faces, 1, welded), RUCKLE_BAD_MESH,
                "faces: expected counts of at least 0, got -3 vertices and 1 faces");

    options.tau = 1.0f;
    CHECK_FAILS(ruckle_create(faces, face_count, vertex_count, &options, &none), RUCKLE_BAD_OPTION,
                "tau: expected a finite number above 1, got 1");
    options = wrinkling();
    options.least_aspect = -2.0f;
    CHECK_FAILS(ruckle_create(faces, face_count, vertex_count, &options, &none), RUCKLE_BAD_OPTION,
                "least_aspect: expected a finite number of at least 0, got -2");
    options = wrinkling();
    options.method = 4;
    CHECK_FAILS(ruckle_create(faces, face_count, vertex_count, &options, &none), RUCKLE_BAD_OPTION,
                "method: expected a ruckle_method, 0 to 3, got 4");

    CHECK_FAILS(ruckle_step(wrinkler, positions, 3, 1.0f), RUCKLE_WRONG_VERTEX_COUNT, "positions: expected 81 vertices, got 3");
    CHECK_FAILS(ruckle_step(wrinkler, squeezed(1.0f), vertex_count, 0.0f), RUCKLE_WRONG_TIME,
                "dt: expected a number of seconds in (0, 1e6], got 0");
    positions[3 * 5 + 1] = INFINITY;
    CHECK_FAILS(ruckle_step(wrinkler, positions, vertex_count, 1.0f), RUCKLE_NOT_FINITE,
                "positions: vertex 5 is not finite (5, inf, 0)");
    CHECK_FAILS(ruckle_weld(positions, vertex_count, faces, face_count, welded), RUCKLE_NOT_FINITE,
                "positions: vertex 5 is not finite (5, inf, 0)");
    CHECK(ruckle_get_wrinkle(wrinkler, -1, &wrinkle) == RUCKLE_OUT_OF_RANGE);
    CHECK(ruckle_get_wrinkle(wrinkler, ruckle_wrinkle_count(wrinkler), &wrinkle) == RUCKLE_OUT_OF_RANGE);
    CHECK(strstr(ruckle_error_message(), "index: expected one of ") == ruckle_error_message());
    ruckle_destroy(wrinkler);
}

static void test_null_where_it_is_allowed(void) {
    ruckle_destroy(NULL);
    ruckle_destroy_topology(NULL);
    ruckle_reset(NULL);
    ruckle_default_options(NULL);
    ruckle_default_surface_options(NULL);
    CHECK(ruckle_vertex_count(NULL) == 0 && ruckle_face_count(NULL) == 0 && ruckle_edge_count(NULL) == 0);
    CHECK(ruckle_frame_count(NULL) == 0 && ruckle_wrinkle_count(NULL) == 0 && ruckle_point_count(NULL) == 0);
    CHECK(!ruckle_edges(NULL) && !ruckle_face_edges(NULL) && !ruckle_labels(NULL) && !ruckle_compression(NULL) &&
          !ruckle_axis(NULL) && !ruckle_reference(NULL));
}

static void test_wrinklers_that_share_a_topology_are_as_those_that_do_not(void) {
    const ruckle_options options = wrinkling();
    ruckle_wrinkler* alone = play(&options, 20);
    ruckle_wrinkler* crowd[2] = {NULL, NULL};
    ruckle_topology* topology = NULL;
    ruckle_table table, first_table;
    ruckle_fine_mesh mesh;
    const size_t size = ruckle_state_size(alone);
    char *expected = malloc(size), *found = malloc(size);
    int i, frame;
    CHECK(ruckle_save_state(alone, expected, size) == RUCKLE_OK);
    CHECK(ruckle_create_topology(faces, face_count, vertex_count, &topology) == RUCKLE_OK);
    for (i = 0; i < 2; ++i) {
        CHECK(ruckle_create_shared(topology, &options, &crowd[i]) == RUCKLE_OK);
    }
    /* the wrinklers keep the topology alive */
    ruckle_destroy_topology(topology);
    for (frame = 0; frame < 20; ++frame) {
        const float share = frame < 10 ? 1.0f - 0.04f * (float)frame : 0.6f;
        for (i = 0; i < 2; ++i) {
            CHECK(ruckle_step(crowd[i], squeezed(share), vertex_count, 1.0f / 30.0f) == RUCKLE_OK);
        }
    }
    CHECK(ruckle_make_table(alone, positions, vertex_count, NULL, &first_table) == RUCKLE_OK);
    for (i = 0; i < 2; ++i) {
        CHECK(ruckle_state_size(crowd[i]) == size && ruckle_save_state(crowd[i], found, size) == RUCKLE_OK);
        CHECK(memcmp(expected, found, size) == 0);
        CHECK(ruckle_make_table(crowd[i], positions, vertex_count, NULL, &table) == RUCKLE_OK);
        CHECK(table.texel_count == first_table.texel_count && table.texels != first_table.texels);
        CHECK(memcmp(table.texels, first_table.texels, 4 * sizeof(uint32_t) * (size_t)table.texel_count) == 0);
        CHECK(ruckle_displace(crowd[i], positions, vertex_count, NULL, &mesh) == RUCKLE_OK && mesh.vertex_count > vertex_count);
        ruckle_destroy(crowd[i]);
    }
    CHECK_FAILS(ruckle_create_shared(NULL, &options, &crowd[0]), RUCKLE_NULL_ARGUMENT, "topology: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_create_topology(NULL, 1, 3, &topology), RUCKLE_NULL_ARGUMENT, "faces: expected a pointer, got NULL");
    CHECK_FAILS(ruckle_create_topology(faces, 0, 3, &topology), RUCKLE_BAD_MESH,
                "faces: the mesh has no triangle; at least one is needed");
    CHECK(!topology && !crowd[0]);
    free(expected);
    free(found);
    ruckle_destroy(alone);
}

int main(void) {
    make_sheet();
    CHECK(strcmp(ruckle_error_message(), "") == 0);
    test_a_squeezed_sheet_wrinkles_across_the_squeeze();
    test_flat_arrays_hold_the_same_wrinkles();
    test_refused_frames_change_nothing_and_a_reset_begins_anew();
    test_a_rest_pose_gives_the_first_frame_its_wrinkles();
    test_the_fine_mesh_rises_over_the_coarse_one();
    test_the_fine_mesh_is_as_fine_as_asked();
    test_the_table_holds_what_shaders_read();
    test_heights_of_ones_own();
    test_options();
    test_options_that_are_not_set_are_derived();
    test_parameters_describe_the_options();
    test_a_seam_is_welded();
    test_a_restored_wrinkler_goes_on_with_the_same_bytes();
    test_wrinklers_that_share_a_topology_are_as_those_that_do_not();
    test_every_refusal();
    test_null_where_it_is_allowed();
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
