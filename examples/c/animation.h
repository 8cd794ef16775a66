/* Functions of the examples that read a mesh (OBJ) and its frames (PC2 point cache). */
#ifndef RUCKLE_EXAMPLES_ANIMATION_H
#define RUCKLE_EXAMPLES_ANIMATION_H

#include <stdint.h>
#include <string.h>

#include "files.h"

typedef struct {
    int32_t face_count, vertex_count, frame_count;
    int32_t* faces;   /* (T, 3) */
    float* positions; /* (F, V, 3) */
} animation;

/* Reads the triangles of an OBJ file: lines such as "f 1/1 2/2 3/3", with vertex indices from 1. */
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

/* Reads a PC2 file: a header of 32 bytes, then the positions of all frames; little-endian. */
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

/* Returns a value for r_min: 1 % of the garment's extent along y, which is about 0.5 % of the wearer's height. y points up. */
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

#endif
