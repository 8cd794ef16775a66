/* Steps wrinkle paths over an animation, frame by frame as a game does, and prints the number of wrinkles and the time per frame.
 * Input: a mesh (OBJ) and its positions in each frame (PC2 point cache).
 *
 *     wrinkle_cache sawing.obj sawing.pc2 24
 *
 * sawing.obj and sawing.pc2 in this folder are the first frames of a sample. Blender and Maya export such files; in Python:
 *
 *     import ruckle
 *     ruckle.sample("sawing").at_rate(24).save("sawing.pc2") */
#include <ruckle/ruckle_c.h>

#include "animation.h"

int main(int argument_count, char** arguments) {
    animation shown = {0};
    ruckle_options options;
    ruckle_wrinkler* wrinkler = NULL;
    int32_t frame, i, wrinkled = 0;
    if (argument_count != 4 || atof(arguments[3]) <= 0.0) {
        stop("usage", "wrinkle_cache MESH.obj FRAMES.pc2 FRAMES_PER_SECOND");
    }
    read_faces(arguments[1], &shown);
    read_positions(arguments[2], &shown);
    ruckle_default_options(&options);
    options.r_min = least_radius(&shown);
    /* joins vertices that a UV seam splits */
    if (ruckle_weld(shown.positions, shown.vertex_count, shown.faces, shown.face_count, shown.faces) != RUCKLE_OK ||
        ruckle_create(shown.faces, shown.face_count, shown.vertex_count, &options, &wrinkler) != RUCKLE_OK) {
        stop(arguments[1], ruckle_error_message());
    }
    printf("frame  wrinkles  longest  highest  microseconds\n");
    for (frame = 0; frame < shown.frame_count; ++frame) {
        const float* positions = shown.positions + 3 * (size_t)shown.vertex_count * (size_t)frame;
        float longest = 0.0f, highest = 0.0f;
        ruckle_timings timings;
        if (ruckle_step(wrinkler, positions, shown.vertex_count, 1.0f / (float)atof(arguments[3])) != RUCKLE_OK) {
            /* an invalid frame does not change the wrinkler: continue with the next frame */
            fprintf(stderr, "frame %d: %s\n", frame, ruckle_error_message());
            continue;
        }
        for (i = 0; i < ruckle_wrinkle_count(wrinkler); ++i) {
            /* a renderer draws wrinkle.points, .widths and .heights */
            ruckle_wrinkle wrinkle;
            ruckle_get_wrinkle(wrinkler, i, &wrinkle);
            longest = wrinkle.extent[1] - wrinkle.extent[0] > longest ? wrinkle.extent[1] - wrinkle.extent[0] : longest;
            highest = wrinkle.crest > highest ? wrinkle.crest : highest;
        }
        ruckle_get_timings(wrinkler, &timings);
        printf("%5d  %8d  %7.3f  %7.4f  %12.1f\n", frame, ruckle_wrinkle_count(wrinkler), longest, highest, 1e3 * timings.total);
        wrinkled += ruckle_wrinkle_count(wrinkler) > 0;
    }
    printf("%d of %d frames have wrinkles\n", wrinkled, shown.frame_count);
    ruckle_destroy(wrinkler);
    free(shown.faces);
    free(shown.positions);
    return EXIT_SUCCESS;
}
