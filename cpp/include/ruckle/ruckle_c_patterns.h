/* ruckle_c_patterns: modulated patterns for C. Extends ruckle_c.h, in the same library.
 *
 * A pattern consists of given heights at points of the cloth. A modulator multiplies the heights of up to four patterns
 * by factors, which change from frame to frame so that the area of the wrinkled cloth remains constant:
 *
 *     ruckle_pattern_grid_create(faces, face_count, rest, vertex_count, spacing, &grid);
 *     ... compute heights at the ruckle_pattern_grid_node_count(grid) nodes ...
 *     ruckle_modulator_create(grid, heights, pattern_count, NULL, NULL, &modulator);
 *     while (playing) {
 *         ruckle_modulator_step(modulator, positions, vertex_count, dt, NULL, NULL);
 *         ruckle_modulator_heights(modulator, positions, vertex_count, &source);
 *         ruckle_displace_layers(wrinkler, positions, vertex_count, NULL, &source, 1, &mesh);
 *     }
 *
 * The rules for ownership, threads and errors are those of wrinklers (ruckle_c.h). */
#ifndef RUCKLE_RUCKLE_C_PATTERNS_H
#define RUCKLE_RUCKLE_C_PATTERNS_H

#include "ruckle/ruckle_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The nodes at which a pattern has heights: the vertices, and points inside edges and triangles. */
typedef struct ruckle_pattern_grid ruckle_pattern_grid;

/* Makes a grid for a mesh. The mesh may be a result of ruckle_weld.
 *
 * faces    (T, 3) vertex numbers of each face, in [0, V)
 * rest     (V, 3) positions of the cloth at rest
 * spacing  largest distance of nodes along an edge, mesh units, > 0; an eighth of the pattern's wavelength suffices
 * grid     result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_BAD_OPTION, RUCKLE_NOT_FINITE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_pattern_grid_create(const int32_t* faces, int32_t face_count, const float* rest,
                                                    int32_t vertex_count, float spacing, ruckle_pattern_grid** grid);

/* Destroys a grid. Modulators that were made with it remain valid. NULL is allowed. */
RUCKLE_API void ruckle_pattern_grid_destroy(ruckle_pattern_grid* grid);

/* Results that describe the nodes of a grid. Counts are 0 and arrays NULL if the grid is NULL. */

/* number of nodes N; the first V nodes are the vertices */
RUCKLE_API int32_t ruckle_pattern_grid_node_count(const ruckle_pattern_grid* grid);
RUCKLE_API const int32_t* ruckle_pattern_grid_faces(const ruckle_pattern_grid* grid); /* (N) triangle that contains a node */
/* (N, 3) barycentric coordinates of the node in this triangle */
RUCKLE_API const float* ruckle_pattern_grid_barycentric(const ruckle_pattern_grid* grid);

typedef struct ruckle_modulator ruckle_modulator;

/* Makes a modulator, which copies the grid and the heights.
 *
 * heights        (K, N) heights of the patterns at the grid's nodes, mesh units, in [-1e15, 1e15]. Each pattern is
 *                scaled to the same root mean square slope
 * pattern_count  number of patterns K, in [1, 4]
 * paint          (V) in [0, 1]: multiplies the factors of each vertex; NULL: 1 everywhere
 * options        options; NULL: the defaults
 * modulator      result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_modulator_create(const ruckle_pattern_grid* grid, const float* heights, int32_t pattern_count,
                                                 const float* paint, const ruckle_modulator_options* options,
                                                 ruckle_modulator** modulator);

/* Destroys a modulator and its results. NULL is allowed. */
RUCKLE_API void ruckle_modulator_destroy(ruckle_modulator* modulator);

/* Computes the factors of the patterns for the next frame; does not allocate. A frame that fails does not change the
 * modulator.
 *
 * positions  (V, 3) vertex positions of the frame
 * dt         time since the previous frame, s, in (0, 1e6]; ignored in the first frame, but must be valid
 * reference  (T, 2, 2) ruckle_reference of a wrinkler, which replaces the cloth at rest; or NULL
 * remaining  (T) in (0, 1]: (flat area) / (area with the heights of other layers) of each triangle; or NULL
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_WRONG_TIME */
RUCKLE_API ruckle_status ruckle_modulator_step(ruckle_modulator* modulator, const float* positions, int32_t vertex_count,
                                               float dt, const float* reference, const float* remaining);

/* Returns to the state before the first frame. NULL is allowed. */
RUCKLE_API void ruckle_modulator_reset(ruckle_modulator* modulator);

/* States are explained in ruckle_c.h. A state can be restored only with the same mesh, rest pose, patterns, paint and
 * options; the number of threads may differ. The size of a state never changes.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL; RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API size_t ruckle_modulator_state_size(const ruckle_modulator* modulator);
RUCKLE_API ruckle_status ruckle_modulator_save_state(const ruckle_modulator* modulator, void* state, size_t capacity);
RUCKLE_API ruckle_status ruckle_modulator_restore_state(ruckle_modulator* modulator, const void* state, size_t size);

/* Results of the last step. Counts are 0 and arrays NULL if the modulator is NULL. */
RUCKLE_API int32_t ruckle_modulator_pattern_count(const ruckle_modulator* modulator); /* number of patterns K */
RUCKLE_API int32_t ruckle_modulator_frame_count(const ruckle_modulator* modulator);   /* number of steps since the last reset */
RUCKLE_API const float* ruckle_modulator_factors(
    const ruckle_modulator* modulator); /* (V, 4) factor of each pattern; the entries after the last pattern are 0 */
/* (K, T) weight of each pattern in each triangle; the weights of a triangle sum to 1 */
RUCKLE_API const float* ruckle_modulator_weights(const ruckle_modulator* modulator);
RUCKLE_API const float* ruckle_modulator_targets(const ruckle_modulator* modulator); /* (T) twice the wanted area, mesh units^2 */

/* Returns the patterns with the factors of the last step as a source for ruckle_displace_layers and
 * ruckle_make_table_layers. The source is valid until the next call of this function, and until
 * ruckle_modulator_destroy. The first call allocates.
 *
 * positions  (V, 3) vertex positions of the last step
 * source     result
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_modulator_heights(ruckle_modulator* modulator, const float* positions, int32_t vertex_count,
                                                  ruckle_height_source* source);

/* Write the patterns for shaders (shaders/common/pattern.glsl). Steps do not change these texels: upload them once, as
 * RGBA32F.
 *
 * texels  (N, 4) result, with N = ruckle_modulator_pattern_texel_count
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_NO_RESOURCES. The number of texels is 0 for NULL, or if memory is exhausted. */
RUCKLE_API int32_t ruckle_modulator_pattern_texel_count(ruckle_modulator* modulator);
RUCKLE_API ruckle_status ruckle_modulator_write_pattern_texels(ruckle_modulator* modulator, float* texels);

/* RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_modulator_get_timings(const ruckle_modulator* modulator, ruckle_modulator_timings* timings);
RUCKLE_API ruckle_status ruckle_modulator_get_stats(const ruckle_modulator* modulator, ruckle_modulator_stats* stats);

#ifdef __cplusplus
}
#endif

#endif
