/* ruckle_c_waves: wrinkle waves for C. Extends ruckle_c.h, in the same library.
 *
 * Folds are waves on the cloth. Each coarse vertex has a covector (wave vector), two phases and an amplitude, from
 * which the heights of the waves between the vertices are computed.
 *
 *     ruckle_waves_create(faces, face_count, rest, vertex_count, NULL, NULL, &waves);
 *     while (playing) {
 *         ruckle_waves_step(waves, positions, vertex_count, dt, NULL);
 *         ruckle_waves_write_texels(waves, texels);              one texel per vertex, for shaders/common/waves.glsl
 *         or ruckle_waves_heights(waves, positions, vertex_count, &source);
 *            ruckle_displace_layers(wrinkler, positions, vertex_count, NULL, &source, 1, &mesh);
 *     }
 *
 * For a mesh with waves but without paths, use a wrinkler with r_min 0. The rules for ownership, threads and errors are
 * those of wrinklers (ruckle_c.h). */
#ifndef RUCKLE_RUCKLE_C_WAVES_H
#define RUCKLE_RUCKLE_C_WAVES_H

#include "ruckle/ruckle_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the options for simulated coarse cloth. Use ruckle_waves_default_options for garments that a skeleton
 * moves. */
RUCKLE_API void ruckle_waves_simulated_options(ruckle_wave_options* options);

typedef struct ruckle_waves ruckle_waves;

/* Makes the waves of a mesh. The mesh may be a result of ruckle_weld.
 *
 * faces    (T, 3) vertex numbers of each face, in [0, V)
 * rest     (V, 3) positions of the cloth at rest, such as a bind pose or the first frame
 * paint    (V) in [0, 1]: multiplies the amplitude of each vertex; NULL: 1 everywhere
 * options  options; NULL: the defaults
 * waves    result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_waves_create(const int32_t* faces, int32_t face_count, const float* rest, int32_t vertex_count,
                                             const float* paint, const ruckle_wave_options* options, ruckle_waves** waves);

/* Makes waves for a further garment of the same kind. The clone shares mesh, rest pose, paint and options with `waves`, and
 * starts with a copy of their state.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_waves_clone(const ruckle_waves* waves, ruckle_waves** clone);

/* Destroys waves and all their results. NULL is allowed. */
RUCKLE_API void ruckle_waves_destroy(ruckle_waves* waves);

/* Computes the waves of the next frame; does not allocate. A frame that fails does not change the waves.
 *
 * positions  (V, 3) vertex positions of the frame
 * dt         time since the previous frame, s, in (0, 1e6]; ignored in the first frame, but must be valid
 * remaining  (T) in (0, 1]: (flat area) / (area with the heights of other layers) of each triangle; or NULL
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_WRONG_TIME */
RUCKLE_API ruckle_status ruckle_waves_step(ruckle_waves* waves, const float* positions, int32_t vertex_count, float dt,
                                           const float* remaining);

/* Change options or paint between two steps. Heights change gradually, at most as fast as the option `calm` allows.
 * After the call, the waves do not share data with other clones any more. `threads` and the profile (sharpness, detail,
 * sag, lift) cannot change.
 *
 * options  new options; NULL: the defaults
 * paint    (V) factor of the amplitude at each vertex, in [0, 1]; NULL: all factors are 1
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_waves_set_options(ruckle_waves* waves, const ruckle_wave_options* options);
RUCKLE_API ruckle_status ruckle_waves_set_paint(ruckle_waves* waves, const float* paint);

/* Returns to the state before the first frame. NULL is allowed. */
RUCKLE_API void ruckle_waves_reset(ruckle_waves* waves);

/* States are explained in ruckle_c.h. A state can be restored only with the same mesh, rest pose, paint and options;
 * the number of threads may differ. The size of a state never changes.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL; RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API size_t ruckle_waves_state_size(const ruckle_waves* waves);
RUCKLE_API ruckle_status ruckle_waves_save_state(const ruckle_waves* waves, void* state, size_t capacity);
RUCKLE_API ruckle_status ruckle_waves_restore_state(ruckle_waves* waves, const void* state, size_t size);

/* Returns the number of steps since the last reset; 0 for NULL. */
RUCKLE_API int32_t ruckle_waves_frame_count(const ruckle_waves* waves);

/* Copies the waves of the last step: covector xyz in 1 / mesh units; phase and fine phase in [-pi, pi] radians; amplitude
 * in mesh units.
 *
 * vertices  (V, 6) result
 *
 * RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_waves_copy_vertices(const ruckle_waves* waves, float* vertices);

/* Write texels for the graphics card (shaders/common/waves.glsl).
 *
 * ruckle_waves_write_rest_texels: call once. texels (T + V, 4), RGBA32F; profile (4), for the uniform wave_profile
 * ruckle_waves_write_texels: call for every frame; does not allocate. texels (V, 4) words, RGBA32UI
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_NO_RESOURCES; RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_waves_write_rest_texels(const ruckle_waves* waves, float* texels, float* profile);
RUCKLE_API ruckle_status ruckle_waves_write_texels(const ruckle_waves* waves, uint32_t* texels);

/* Returns the waves of the last step as a source for ruckle_displace_layers and ruckle_make_table_layers. The source is
 * valid until the next call of this function, and until ruckle_waves_destroy. The first call allocates.
 *
 * positions  (V, 3) vertex positions of the last step
 * source     result
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_waves_heights(ruckle_waves* waves, const float* positions, int32_t vertex_count,
                                              ruckle_height_source* source);

/* Computes heights and gradients at given points, on the cloth with the positions of the last call of
 * ruckle_waves_heights.
 *
 * faces        (N) triangle of each point, in [0, T)
 * barycentric  (N, 3) barycentric coordinates of each point, with sum 1
 * heights      (N) result: height at each point, mesh units
 * gradients    (N, 3) result: gradients of the heights as vectors in space along the flat triangle; or NULL
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_waves_sample(ruckle_waves* waves, const int32_t* faces, const float* barycentric, int32_t count,
                                             float* heights, float* gradients);

/* RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_waves_get_timings(const ruckle_waves* waves, ruckle_wave_timings* timings);
RUCKLE_API ruckle_status ruckle_waves_get_stats(const ruckle_waves* waves, ruckle_wave_stats* stats);

#ifdef __cplusplus
}
#endif

#endif
