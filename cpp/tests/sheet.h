/* Common to the tests in C: a squeezed sheet, and checks of the C interface. */
#ifndef RUCKLE_TESTS_SHEET_H
#define RUCKLE_TESTS_SHEET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ruckle/ruckle_c.h"

enum { rows = 9, columns = 9, vertex_count = rows * columns, face_count = 2 * (rows - 1) * (columns - 1) };

static int32_t faces[3 * face_count];
static float positions[3 * vertex_count];
static int failures = 0;

#define CHECK(holds)                                                                   \
    do {                                                                               \
        if (!(holds)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds); \
            ++failures;                                                                \
        }                                                                              \
    } while (0)

/* Checks that the call fails with this status and this message. */
#define CHECK_FAILS(call, status, sentence)                                                   \
    do {                                                                                      \
        CHECK((call) == (status));                                                            \
        if (strcmp(ruckle_error_message(), sentence) != 0) {                                  \
            fprintf(stderr, "%s:%d: said: %s\n", __FILE__, __LINE__, ruckle_error_message()); \
            ++failures;                                                                       \
        }                                                                                     \
    } while (0)

static void make_sheet(void) {
    int32_t* face = faces;
    int r, c;
    for (r = 0; r + 1 < rows; ++r) {
        for (c = 0; c + 1 < columns; ++c) {
            const int32_t v = r * columns + c;
            const int32_t square[6] = {v, v + 1, v + columns, v + 1, v + columns + 1, v + columns};
            memcpy(face, square, sizeof square);
            face += 6;
        }
    }
}

/* Sets `positions` to the sheet squeezed to this share of its width, and returns them. */
static const float* squeezed(float share) {
    int v;
    for (v = 0; v < vertex_count; ++v) {
        positions[3 * v] = share * (float)(v % columns);
        positions[3 * v + 1] = (float)(v / columns);
        positions[3 * v + 2] = 0.0f;
    }
    return positions;
}

/* Returns options for many short wrinkles, like those in the thesis. */
static inline ruckle_options wrinkling(void) {
    ruckle_options options;
    ruckle_default_options(&options);
    options.r_min = 0.4f;
    options.tau = options.grow_tau = 1.25f;
    options.least_aspect = 0.0f;
    return options;
}

#endif
