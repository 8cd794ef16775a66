/* Checks that the library allocates and releases all of its memory with the hooks of the caller. */
#include "ruckle/ruckle_c_garment.h"
#include "sheet.h"

static long blocks = 0, total = 0;

static void* allocate(void* user, size_t size, size_t alignment) {
    /* stores the size before the block; the start of the block is aligned */
    char *memory = malloc(size + alignment + sizeof(void*)), *start;
    CHECK(user == &blocks && alignment > 0 && (alignment & (alignment - 1)) == 0 && size > 0);
    if (!memory) {
        return NULL;
    }
    start = memory + sizeof(void*);
    start += (alignment - (size_t)start % alignment) % alignment;
    memcpy(start - sizeof(void*), &memory, sizeof(void*));
    ++blocks;
    ++total;
    return start;
}

static void release(void* user, void* memory) {
    char* start;
    CHECK(user == &blocks && memory);
    memcpy(&start, (char*)memory - sizeof(void*), sizeof(void*));
    free(start);
    --blocks;
}

int main(void) {
    const ruckle_allocator hooks = {allocate, release, &blocks}, half = {allocate, NULL, NULL};
    ruckle_garment_mesh mesh = {squeezed(1.0f), 0, vertex_count, faces, 4, face_count, 1};
    ruckle_options options = wrinkling();
    ruckle_wave_options waves;
    ruckle_garment* garment = NULL;
    long kept;
    int frame;
    CHECK(ruckle_set_allocator(&hooks) == RUCKLE_OK);
    CHECK_FAILS(ruckle_set_allocator(&half), RUCKLE_NULL_ARGUMENT, "release: expected a pointer, got NULL");
    make_sheet();
    ruckle_waves_default_options(&waves);
    waves.r_min = 0.4f;
    /* a thread keeps its scratch memory until it ends; the first garment grows this memory */
    for (frame = 0, kept = 0; frame < 3; ++frame) {
        int i;
        CHECK(ruckle_garment_create(&mesh, &options, &waves, &garment) == RUCKLE_OK);
        for (i = 0; i < 20; ++i) {
            ruckle_fine_mesh fine;
            CHECK(ruckle_garment_step(garment, squeezed(1.0f - 0.02f * (float)i), 0, 1.0f / 30.0f) == RUCKLE_OK);
            CHECK(ruckle_garment_displace(garment, NULL, &fine) == RUCKLE_OK && (i == 0 || fine.face_count > face_count));
        }
        CHECK(blocks > 20 && total > blocks);
        ruckle_garment_destroy(garment);
        CHECK(frame == 0 || blocks == kept);
        kept = blocks;
        squeezed(1.0f);
    }
    CHECK(ruckle_set_allocator(NULL) == RUCKLE_BAD_STATE);
    CHECK(strstr(ruckle_error_message(), "allocator: must be set before any other call; ") == ruckle_error_message());
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
