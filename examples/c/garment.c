/* Wrinkles an animation with paths and waves, and writes its last frame as a fine mesh.
 *
 *     garment sawing.obj sawing.pc2 24 wrinkled.obj */
#include <ruckle/ruckle_c_garment.h>

#include "animation.h"

static void write_obj(const char* path, const ruckle_fine_mesh* mesh) {
    FILE* file = fopen(path, "w");
    int32_t i;
    if (!file) {
        stop(path, "cannot be written");
    }
    for (i = 0; i < mesh->vertex_count; ++i) {
        const float *p = mesh->positions + 3 * i, *n = mesh->normals + 3 * i;
        fprintf(file, "v %g %g %g\nvn %g %g %g\n", p[0], p[1], p[2], n[0], n[1], n[2]);
    }
    for (i = 0; i < mesh->face_count; ++i) {
        const int32_t a = mesh->faces[3 * i] + 1, b = mesh->faces[3 * i + 1] + 1, c = mesh->faces[3 * i + 2] + 1;
        fprintf(file, "f %d//%d %d//%d %d//%d\n", a, a, b, b, c, c);
    }
    fclose(file);
}

int main(int argument_count, char** arguments) {
    animation shown = {0};
    ruckle_garment_mesh mesh = {0};
    ruckle_options paths;
    ruckle_wave_options waves;
    ruckle_garment* garment = NULL;
    ruckle_surface_options surface;
    ruckle_fine_mesh fine;
    int32_t frame;
    if (argument_count != 5 || atof(arguments[3]) <= 0.0) {
        stop("usage", "garment MESH.obj FRAMES.pc2 FRAMES_PER_SECOND RESULT.obj");
    }
    read_faces(arguments[1], &shown);
    read_positions(arguments[2], &shown);
    mesh.rest = shown.positions;
    mesh.vertex_count = shown.vertex_count;
    mesh.indices = shown.faces;
    mesh.index_size = 4;
    mesh.face_count = shown.face_count;
    mesh.weld = 1;
    ruckle_default_options(&paths);
    ruckle_waves_default_options(&waves);
    paths.r_min = waves.r_min = least_radius(&shown);
    if (ruckle_garment_create(&mesh, &paths, &waves, &garment) != RUCKLE_OK) {
        stop(arguments[1], ruckle_error_message());
    }
    for (frame = 0; frame < shown.frame_count; ++frame) {
        const float* positions = shown.positions + 3 * (size_t)shown.vertex_count * (size_t)frame;
        if (ruckle_garment_step(garment, positions, 0, 1.0f / (float)atof(arguments[3])) != RUCKLE_OK) {
            stop(arguments[2], ruckle_error_message());
        }
    }
    /* the base consists of curved patches instead of flat triangles */
    ruckle_default_surface_options(&surface);
    surface.curved = 1;
    if (ruckle_garment_displace(garment, &surface, &fine) != RUCKLE_OK) {
        stop("surface", ruckle_error_message());
    }
    write_obj(arguments[4], &fine);
    printf("%s: %d triangles for %d coarse ones\n", arguments[4], fine.face_count, shown.face_count);
    ruckle_garment_destroy(garment);
    free(shown.faces);
    free(shown.positions);
    return EXIT_SUCCESS;
}
