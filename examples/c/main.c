/* Wrinkles an animation as a game engine would, and prints what each frame has: a mesh as OBJ, its frames as a PC2 point cache.
 *
 *     wrinkle_cache sawing.obj sawing.pc2 24
 *
 * sawing.obj and sawing.pc2 beside this file are the beginning of a sample. Blender and Maya export such pairs; so does Python:
 *
 *     import ruckle
 *     ruckle.sample("sawing").at_rate(24).save("sawing.pc2") */
#include <ruckle/ruckle_c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int32_t face_count, vertex_count, frame_count;
    int32_t* faces;   /* (T, 3) */
    float* positions; /* (F, V, 3) */
} animation;

static void stop(const char* function, const char* reason) {
    fprintf(stderr, "%s: %s\n", function, reason);
    exit(EXIT_FAILURE);
}

static FILE* open_file(const char* path) {
    FILE* file = fopen(path, "rb");
    if (!file) {
        stop(path, "cannot be opened");
    }
    return file;
}

static void* room_for(size_t count, size_t size) {
    void* memory = calloc(count, size);
    if (!memory) {
        stop("memory", "the system has no more");
    }
    return memory;
}

/* The triangles of an OBJ file: lines such as "f 1/1 2/2 3/3", vertices counted from 1. */
static void read_faces(const char* path, animation* result) {
    FILE* file = open_file(path);
    char line[256];
    int32_t capacity = 0;
    while (fgets(line, sizeof line, file)) {
        capacity += line[0] == 'f';
    }
    rewind(file);
    result->faces = room_for((size_t)capacity * 3, sizeof(int32_t));
    while (fgets(line, sizeof line, file)) {
        int32_t* face = result->faces + 3 * result->face_count;
        if (line[0] != 'f') {
            continue;
        }
        if (sscanf(line, "f %d%*s %d%*s %d", &face[0], &face[1], &face[2]) != 3 &&
            sscanf(line, "f %d %d %d", &face[0], &face[1], &face[2]) != 3) {
            stop(path, "has a face that is no triangle");
        }
        --face[0], --face[1], --face[2];
        ++result->face_count;
    }
    fclose(file);
}

/* A PC2 file: 32 bytes of header, then the frames, little-endian. */
static void read_positions(const char* path, animation* result) {
    FILE* file = open_file(path);
    char signature[12];
    int32_t version;
    float start, frames_per_sample;
    size_t count;
    if (fread(signature, 12, 1, file) != 1 || memcmp(signature, "POINTCACHE2", 12) != 0 || fread(&version, 4, 1, file) != 1 ||
        fread(&result->vertex_count, 4, 1, file) != 1 || fread(&start, 4, 1, file) != 1 ||
        fread(&frames_per_sample, 4, 1, file) != 1 || fread(&result->frame_count, 4, 1, file) != 1 || result->vertex_count < 1 ||
        result->frame_count < 1) {
        stop(path, "is no PC2 point cache");
    }
    count = (size_t)result->vertex_count * 3 * (size_t)result->frame_count;
    result->positions = room_for(count, sizeof(float));
    if (fread(result->positions, sizeof(float), count, file) != count) {
        stop(path, "ends before its last frame");
    }
    fclose(file);
}

/* One per cent of the height of what is worn, about half a per cent of the wearer's: the extent along y, which points up. */
static float least_radius(const animation* shown) {
    float low = shown->positions[1], high = low;
    int32_t v;
    for (v = 0; v < shown->vertex_count; ++v) {
        const float y = shown->positions[3 * v + 1];
        low = y < low ? y : low;
        high = y > high ? y : high;
    }
    return 0.01f * (high - low);
}

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
    /* vertices that a UV seam has split count as one */
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
            /* the wrinkler is as it was: a game would go on with the next frame */
            fprintf(stderr, "frame %d: %s\n", frame, ruckle_error_message());
            continue;
        }
        for (i = 0; i < ruckle_wrinkle_count(wrinkler); ++i) {
            /* wrinkle.points, .widths and .heights are what a renderer draws */
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
