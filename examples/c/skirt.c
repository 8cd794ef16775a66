/* Simulates the coarse skirt of a walking character, adds wrinkles, and writes the last frame as a mesh.
 *
 *     worn_skirt skirt.obj
 *
 * The character consists of hips (bone 0) and two swinging thighs (bones 1 and 2). A game would pass its own skeleton. */
#include <math.h>
#include <ruckle/ruckle_c_cloth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { around = 24, down = 10, vertex_count = around * down, face_count = 2 * around * (down - 1), bone_count = 3, frames = 90 };

static const float pi = 3.14159265f, waist = 1.0f, length = 0.5f, step_time = 1.0f / 60.0f;
static float rest[3 * vertex_count], attachment[vertex_count], weights[bone_count * vertex_count];
static int32_t faces[3 * face_count];

static void check(ruckle_status status) {
    if (status != RUCKLE_OK) {
        fprintf(stderr, "%s\n", ruckle_error_message());
        exit(EXIT_FAILURE);
    }
}

/* Makes a flared skirt whose upper ring is fixed to the hips. */
static void make_skirt(void) {
    int32_t* face = faces;
    int r, c;
    for (r = 0; r < down; ++r) {
        const float share = (float)r / (down - 1), radius = 0.17f + 0.2f * share;
        for (c = 0; c < around; ++c) {
            const int v = r * around + c, right = r * around + (c + 1) % around;
            const float angle = 2.0f * pi * (float)c / around;
            rest[3 * v] = radius * cosf(angle), rest[3 * v + 1] = waist - length * share, rest[3 * v + 2] = radius * sinf(angle);
            attachment[v] = r == 0 ? 1.0f : 0.0f;
            weights[bone_count * v] = 1.0f;
            if (r + 1 < down) {
                /* counterclockwise if seen from outside */
                const int32_t square[6] = {v, right, v + around, right, right + around, v + around};
                memcpy(face, square, sizeof square);
                face += 6;
            }
        }
    }
}

/* Computes the bone matrices (3, 4) at a time in seconds: hips that walk along z, thighs that swing about the hip joints. */
static void pose(float time, float bones[bone_count][12]) {
    int b;
    for (b = 0; b < bone_count; ++b) {
        /* the swing grows from 0 within the first half second */
        const float grown = time < 0.5f ? 2.0f * time : 1.0f;
        const float swing = b == 0 ? 0.0f : grown * 0.5f * sinf(6.0f * time) * (b == 1 ? 1.0f : -1.0f);
        const float c = cosf(swing), s = sinf(swing), hip = 0.92f;
        /* rotation about the joint at height `hip`: translation = joint - rotation * joint + walked distance */
        const float bone[12] = {1, 0, 0, 0, 0, c, -s, hip - c * hip, 0, s, c, -s * hip + 1.2f * time};
        memcpy(bones[b], bone, sizeof bone);
    }
}

static void write_mesh(const char* path, const ruckle_fine_mesh* mesh) {
    FILE* file = fopen(path, "w");
    int32_t i;
    if (!file) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(EXIT_FAILURE);
    }
    for (i = 0; i < mesh->vertex_count; ++i) {
        const float* p = mesh->positions + 3 * (size_t)i;
        fprintf(file, "v %g %g %g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (i = 0; i < mesh->face_count; ++i) {
        const int32_t* f = mesh->faces + 3 * (size_t)i;
        fprintf(file, "f %d %d %d\n", f[0] + 1, f[1] + 1, f[2] + 1);
    }
    fclose(file);
}

int main(int argument_count, char** arguments) {
    const ruckle_rounded_cone cones[] = {{{-0.05f, 0.95f, 0}, 0.13f, {0.05f, 0.95f, 0}, 0.13f},
                                         {{-0.09f, 0.92f, 0}, 0.085f, {-0.09f, 0.5f, 0}, 0.06f},
                                         {{0.09f, 0.92f, 0}, 0.085f, {0.09f, 0.5f, 0}, 0.06f}};
    const int32_t cone_bones[] = {0, 1, 2};
    ruckle_wearer wearer = {0};
    ruckle_cloth_options cloth_options;
    ruckle_options options;
    ruckle_cloth* cloth = NULL;
    ruckle_wrinkler* wrinkler = NULL;
    ruckle_fine_mesh mesh;
    int frame, wrinkled = 0;
    make_skirt();
    wearer.bone_count = bone_count, wearer.weights = weights;
    wearer.cone_count = 3, wearer.cones = cones, wearer.cone_bones = cone_bones;
    ruckle_cloth_default_options(&cloth_options);
    /* coarse cloth: few substeps; compression shortens the cloth instead of buckling it; a large margin, because long edges cut
     * through a round body */
    cloth_options.substeps = 8, cloth_options.strain_sweeps = 1, cloth_options.compression = 0.05f;
    cloth_options.material.least_stretch = 0.0f, cloth_options.material.largest_stretch = 1.1f;
    cloth_options.material.bend_damping = 1.0f, cloth_options.material.edge_damping = 0.1f;
    cloth_options.material.bend_friction = 100.0f * cloth_options.material.bending;
    cloth_options.margin = 0.008f;
    check(ruckle_cloth_create_worn(rest, vertex_count, faces, face_count, attachment, &wearer, &cloth_options, &cloth));
    ruckle_default_options(&options);
    /* r_min is 0.5 % of the wearer's height; tau is low, because this cloth is only slightly compressed */
    options.r_min = 0.0085f, options.tau = 1.05f;
    check(ruckle_create(faces, face_count, vertex_count, &options, &wrinkler));
    check(ruckle_set_rest(wrinkler, rest, vertex_count));
    for (frame = 0; frame < frames; ++frame) {
        float bones[bone_count][12];
        pose(step_time * (float)frame, bones);
        check(ruckle_cloth_step_posed(cloth, bones[0], bone_count, step_time, NULL));
        check(ruckle_step(wrinkler, ruckle_cloth_positions(cloth), vertex_count, step_time));
        wrinkled += ruckle_wrinkle_count(wrinkler) > 0;
    }
    check(ruckle_displace(wrinkler, ruckle_cloth_positions(cloth), vertex_count, NULL, &mesh));
    if (argument_count > 1) {
        write_mesh(arguments[1], &mesh);
    }
    printf("%d of %d frames have wrinkles; the last has %d vertices\n", wrinkled, frames, mesh.vertex_count);
    ruckle_destroy(wrinkler);
    ruckle_cloth_destroy(cloth);
    return EXIT_SUCCESS;
}
