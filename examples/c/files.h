/* Functions of the examples that open files and allocate memory. On failure they print a message and end the program. */
#ifndef RUCKLE_EXAMPLES_FILES_H
#define RUCKLE_EXAMPLES_FILES_H

#include <stdio.h>
#include <stdlib.h>

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
        stop("memory", "the system has no memory left");
    }
    return memory;
}

#endif
