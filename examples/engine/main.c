/* Computes and draws a crowd of characters with the same garment, as a game engine does: C and raw OpenGL 4.1, without a window.
 *
 *     crowd sawing.obj sawing.pc2 24 100 crowd.ppm
 *
 * Each character has a wrinkler. All wrinklers share a topology and the rest pose. In each frame, ruckle_make_table writes the
 * shaders' input for a character, and the program uploads it to a texture. The shaders are installed with the library. They
 * subdivide each coarse triangle, a patch, and raise its vertices in wrinkles.
 *
 * An engine would step characters on its own threads, and draw near characters with shorter edges (ruckle_surface_options). */
#include <math.h>
#include <ruckle/ruckle_c.h>
#include <time.h>

#include "animation.h"
#include "gl.h"

enum { width = 1280, height = 720, drawn_frames = 1, phase = 7 };

/* The camera: position, downward angle in radians, zoom. The picture shows a height of 2 d / zoom at distance d. */
static const float eye[3] = {0.0f, 6.0f, 7.4f}, pitch = 0.47f, zoom = 2.9f;

typedef struct {
    ruckle_wrinkler* wrinkler;
    GLuint table;
    int32_t row_count; /* height of the texture, texels */
    float place[3], color[3];
} character;

/* The uniform block of shaders/common/scene.glsl in std140 layout. */
typedef struct {
    float clip_from_ws[16], shadow_from_ws[16], eye[4], key[4], fill[4], rim[4], up[4], sky[4], ground[4];
    float displacement, bump, height_top, faceted, shadows, inside_depth_bias, picture_size[2], bulging, unused[3];
} scene;

static double milliseconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Returns the positions of a frame. The motion is played forward and backward in turn. */
static const float* frame_of(const animation* shown, int32_t frame) {
    const int32_t period = 2 * (shown->frame_count - 1), at = period > 0 ? frame % period : 0;
    const int32_t index = at < shown->frame_count ? at : period - at;
    return shown->positions + 3 * (size_t)shown->vertex_count * (size_t)index;
}

/* Places the characters in rows, each with its own colour. */
static void arrange(character* crowd, int32_t count) {
    const int32_t columns = (int32_t)ceil(sqrt((double)count));
    int32_t i, k;
    for (i = 0; i < count; ++i) {
        const float row = (float)(i / columns), column = (float)(i % columns) - 0.5f * (float)(columns - 1);
        crowd[i].place[0] = 1.0f * (column + ((i / columns) % 2 ? 0.25f : -0.25f));
        crowd[i].place[1] = 0.0f;
        crowd[i].place[2] = -1.1f * row;
        for (k = 0; k < 3; ++k) {
            crowd[i].color[k] = 0.33f + 0.13f * sinf(2.4f * (float)i + 2.1f * (float)k);
        }
    }
}

static void unit(const float* from, float* result) {
    const float size = sqrtf(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
    int k;
    for (k = 0; k < 3; ++k) {
        result[k] = from[k] / size;
    }
}

static float dot(const float* a, const float* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Returns the length of a pixel at a place in mesh units. */
static float pixel_at(const float* place) {
    float away[3];
    int k;
    for (k = 0; k < 3; ++k) {
        away[k] = place[k] - eye[k];
    }
    return 2.0f * sqrtf(dot(away, away)) / (zoom * (float)height);
}

/* Sets the camera and lights in the space of a character, whose origin is the character's place. */
static void fill_scene(float r_min, const float* place, scene* block) {
    const float near = 0.5f, far = 60.0f;
    const float axes[3][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, cosf(pitch), -sinf(pitch)}, {0.0f, sinf(pitch), cosf(pitch)}};
    const float lights[3][4] = {{-0.82f, 0.52f, 0.28f, 2.4f}, {0.85f, 0.10f, 0.50f, 0.25f}, {0.5f, 0.6f, -0.7f, 0.6f}};
    const float sky[4] = {0.37f, 0.41f, 0.49f, 0.0f}, ground[4] = {0.28f, 0.25f, 0.23f, 0.0f};
    const float scales[3] = {zoom * (float)height / (float)width, zoom, (far + near) / (near - far)};
    float from_eye[3];
    int row, k;
    memset(block, 0, sizeof *block);
    for (k = 0; k < 3; ++k) {
        from_eye[k] = place[k] - eye[k];
        block->eye[k] = -from_eye[k];
    }
    block->eye[3] = 1.0f;
    /* matrices are stored column by column */
    for (row = 0; row < 3; ++row) {
        for (k = 0; k < 3; ++k) {
            block->clip_from_ws[4 * k + row] = scales[row] * axes[row][k];
        }
        block->clip_from_ws[12 + row] = scales[row] * dot(axes[row], from_eye);
    }
    block->clip_from_ws[14] += 2.0f * far * near / (near - far);
    for (k = 0; k < 3; ++k) {
        block->clip_from_ws[4 * k + 3] = -axes[2][k];
    }
    block->clip_from_ws[15] = -dot(axes[2], from_eye);
    unit(lights[0], block->key), unit(lights[1], block->fill), unit(lights[2], block->rim);
    block->key[3] = lights[0][3], block->fill[3] = lights[1][3], block->rim[3] = lights[2][3];
    block->up[1] = 1.0f;
    memcpy(block->sky, sky, sizeof sky);
    memcpy(block->ground, ground, sizeof ground);
    block->displacement = block->bump = block->bulging = 1.0f;
    block->height_top = r_min;
    block->inside_depth_bias = 0.5f * r_min;
    block->picture_size[0] = (float)width;
    block->picture_size[1] = (float)height;
}

/* Uploads a table to the character's texture, which is enlarged if necessary. */
static void upload(character* shown, const ruckle_table* table) {
    glBindTexture(GL_TEXTURE_2D, shown->table);
    if (table->row_count > shown->row_count) {
        shown->row_count = table->row_count + 4;
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32UI, RUCKLE_TABLE_WIDTH, shown->row_count, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                     NULL);
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, RUCKLE_TABLE_WIDTH, table->row_count, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                    table->texels);
}

/* Makes the program and the vertex attributes of all characters: for each triangle corner, its vertex and the edge to the next
 * corner. */
static GLuint prepare(const animation* shown, const int32_t* face_edges) {
    static const char* const files[] = {"cloth.vert", "cloth.tesc", "cloth.tese", "shaded.frag"};
    const GLuint program = make_program(SHADERS, files, 4);
    const GLint corner = glGetAttribLocation(program, "corner_numbers");
    int32_t* numbers = room_for((size_t)shown->face_count * 6, sizeof(int32_t));
    GLuint array, buffers[2];
    int32_t i;
    for (i = 0; i < 3 * shown->face_count; ++i) {
        numbers[2 * i] = shown->faces[i];
        numbers[2 * i + 1] = face_edges[i];
    }
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof(int32_t) * 6 * shown->face_count, numbers, GL_STATIC_DRAW);
    glVertexAttribIPointer((GLuint)corner, 2, GL_INT, 0, NULL);
    glEnableVertexAttribArray((GLuint)corner);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffers[1]);
    glPatchParameteri(GL_PATCH_VERTICES, 3);
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "cloth_table"), 0);
    glUniform1f(glGetUniformLocation(program, "highlight_strength"), 0.05f);
    glUniform1f(glGetUniformLocation(program, "sheen"), 0.16f);
    free(numbers);
    return program;
}

static void make_crowd(const animation* shown, const ruckle_options* options, character* crowd, int32_t count) {
    ruckle_topology* topology = NULL;
    int32_t i;
    if (ruckle_create_topology(shown->faces, shown->face_count, shown->vertex_count, &topology) != RUCKLE_OK) {
        stop("crowd", ruckle_error_message());
    }
    for (i = 0; i < count; ++i) {
        if (ruckle_create_shared(topology, options, &crowd[i].wrinkler) != RUCKLE_OK ||
            ruckle_set_rest(crowd[i].wrinkler, shown->positions, shown->vertex_count) != RUCKLE_OK) {
            stop("crowd", ruckle_error_message());
        }
        glGenTextures(1, &crowd[i].table);
    }
    ruckle_destroy_topology(topology);
}

static void draw(const animation* shown, int32_t frame, character* crowd, int32_t count, GLuint program, float r_min) {
    const GLint color = glGetUniformLocation(program, "cloth_color");
    ruckle_surface_options options;
    ruckle_table table;
    scene block;
    int32_t i;
    ruckle_default_surface_options(&options);
    glClearColor(0.95f, 0.93f, 0.91f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (i = 0; i < count; ++i) {
        const float* positions = frame_of(shown, frame + phase * i);
        /* fine edges of at least eight pixels, because shading per pixel shows smaller details */
        options.edge_length = fmaxf(0.5f * r_min, 8.0f * pixel_at(crowd[i].place));
        if (ruckle_make_table(crowd[i].wrinkler, positions, shown->vertex_count, &options, &table) != RUCKLE_OK) {
            stop("table", ruckle_error_message());
        }
        upload(&crowd[i], &table);
        fill_scene(r_min, crowd[i].place, &block);
        glBufferData(GL_UNIFORM_BUFFER, sizeof block, &block, GL_STREAM_DRAW);
        glUniform3f(color, crowd[i].color[0], crowd[i].color[1], crowd[i].color[2]);
        glDrawArrays(GL_PATCHES, 0, 3 * shown->face_count);
    }
    glFinish();
}

int main(int argument_count, char** arguments) {
    animation shown = {0};
    ruckle_options options;
    character* crowd;
    GLuint program, picture;
    const int32_t count = argument_count == 6 ? atoi(arguments[4]) : 0;
    int32_t frame, i, wrinkles = 0;
    if (count < 1 || atof(arguments[3]) <= 0.0) {
        stop("usage", "crowd MESH.obj FRAMES.pc2 FRAMES_PER_SECOND CHARACTERS PICTURE.ppm");
    }
    read_faces(arguments[1], &shown);
    read_positions(arguments[2], &shown);
    ruckle_default_options(&options);
    options.r_min = least_radius(&shown);
    if (ruckle_weld(shown.positions, shown.vertex_count, shown.faces, shown.face_count, shown.faces) != RUCKLE_OK) {
        stop(arguments[1], ruckle_error_message());
    }
    open_gl();
    printf("%s\n", (const char*)glGetString(GL_RENDERER));
    picture = begin_picture(width, height);
    crowd = room_for((size_t)count, sizeof(character));
    make_crowd(&shown, &options, crowd, count);
    arrange(crowd, count);
    program = prepare(&shown, ruckle_face_edges(crowd[0].wrinkler));
    for (frame = 0; frame < shown.frame_count; ++frame) {
        const double start = milliseconds();
        double stepped;
        for (i = 0; i < count; ++i) {
            const float* positions = frame_of(&shown, frame + phase * i);
            if (ruckle_step(crowd[i].wrinkler, positions, shown.vertex_count, 1.0f / (float)atof(arguments[3])) != RUCKLE_OK) {
                stop("step", ruckle_error_message());
            }
        }
        stepped = milliseconds();
        if (frame >= shown.frame_count - drawn_frames) {
            draw(&shown, frame, crowd, count, program, options.r_min);
            printf("frame %d: %.1f ms to step %d characters, %.1f to draw them\n", frame, stepped - start, count,
                   milliseconds() - stepped);
        }
    }
    write_picture(picture, arguments[5], width, height);
    for (i = 0; i < count; ++i) {
        wrinkles += ruckle_wrinkle_count(crowd[i].wrinkler);
        ruckle_destroy(crowd[i].wrinkler);
    }
    printf("%d wrinkles\n", wrinkles);
    free(crowd);
    free(shown.faces);
    free(shown.positions);
    return EXIT_SUCCESS;
}
