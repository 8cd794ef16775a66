/* ruckle_c_upsampling: learned upsampling for C. Extends ruckle_c.h, in the same library.
 *
 * Computes a fine mesh from coarse cloth, as a product with a constant matrix that `ruckle train` has learned:
 *
 *     ... read skirt.upsampling.npz into `file`, `size` bytes ...
 *     ruckle_upsampler_create_from_memory(file, size, NULL, &upsampler);
 *     while (playing) {
 *         ruckle_upsampler_step(upsampler, positions, vertex_count, dt, 1.0f, NULL);
 *         draw(ruckle_upsampler_positions(upsampler), ruckle_upsampler_fine_vertex_count(upsampler));
 *     }
 *
 * The rules for ownership, threads and errors are those of wrinklers (ruckle_c.h). For wrinkles on the fine mesh, make
 * a wrinkler from ruckle_upsampler_fine_faces and step it with ruckle_upsampler_positions. */
#ifndef RUCKLE_RUCKLE_C_UPSAMPLING_H
#define RUCKLE_RUCKLE_C_UPSAMPLING_H

#include "ruckle/ruckle_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The learned model as arrays of the caller, for M coarse and N fine vertices. */
typedef struct ruckle_upsampling_model {
    int32_t coarse_vertex_count; /* number of coarse vertices M */
    int32_t fine_vertex_count;   /* number of fine vertices N */
    int32_t fine_face_count;     /* number of fine faces F */
    int32_t oscillation_count;   /* number of oscillations P: periodic displacements, for example in wind */
    const float* rows;           /* (N, M) the matrix; the sum of every row is 1 */
    const int32_t* fine_faces;   /* (F, 3) vertex numbers in [0, N) */
    const float* attachment;     /* (N) weight of each vertex's pin (target position), in [0, 1]; NULL: 0 everywhere */
    /* (2P, N) displacements along the normal, mesh units, alternately for sine and cosine; NULL if P is 0 */
    const float* oscillations;
    const float* frequencies; /* (P) frequency of each oscillation, Hz, > 0; NULL if P is 0 */
} ruckle_upsampling_model;

typedef struct ruckle_upsampler ruckle_upsampler;

/* Makes an upsampler from arrays.
 *
 * options    options; NULL: the defaults
 * upsampler  result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_BAD_OPTION (also for an invalid model), RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_upsampler_create(const ruckle_upsampling_model* model, const ruckle_upsampler_options* options,
                                                 ruckle_upsampler** upsampler);

/* Makes an upsampler from the bytes of a model file, for example skirt.upsampling.npz of `ruckle train`.
 *
 * file  (size) bytes of the file
 *
 * Errors of ruckle_upsampler_create; also RUCKLE_BAD_FILE */
RUCKLE_API ruckle_status ruckle_upsampler_create_from_memory(const void* file, size_t size,
                                                             const ruckle_upsampler_options* options,
                                                             ruckle_upsampler** upsampler);

/* Destroys an upsampler and its results. NULL is allowed. */
RUCKLE_API void ruckle_upsampler_destroy(ruckle_upsampler* upsampler);

/* Computes the fine mesh of the next frame; does not allocate. A frame that fails does not change the upsampler.
 *
 * positions     (M, 3) positions of the coarse cloth
 * vertex_count  number of coarse vertices M
 * dt            time since the previous frame, s, in (0, 1e6]; ignored in the first frame, but must be valid
 * gain          factor of the oscillations, for example the strength of the wind; finite
 * pins          (N, 3) positions of attached vertices; rows of other vertices are not read. NULL: no vertex is attached
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_WRONG_TIME */
RUCKLE_API ruckle_status ruckle_upsampler_step(ruckle_upsampler* upsampler, const float* positions, int32_t vertex_count,
                                               float dt, float gain, const float* pins);

/* Returns to the state before the first frame. NULL is allowed. */
RUCKLE_API void ruckle_upsampler_reset(ruckle_upsampler* upsampler);

/* States are explained in ruckle_c.h. States of an upsampler do not contain the results of the last step. A state can
 * be restored only with the same model and options; the number of threads may differ.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL; RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API size_t ruckle_upsampler_state_size(const ruckle_upsampler* upsampler);
RUCKLE_API ruckle_status ruckle_upsampler_save_state(const ruckle_upsampler* upsampler, void* state, size_t capacity);
RUCKLE_API ruckle_status ruckle_upsampler_restore_state(ruckle_upsampler* upsampler, const void* state, size_t size);

/* Counts are 0 and arrays NULL if the upsampler is NULL. Results marked "of a file" are also 0 or NULL if the
 * upsampler was made from arrays. */
RUCKLE_API int32_t ruckle_upsampler_coarse_vertex_count(const ruckle_upsampler* upsampler); /* number of coarse vertices M */
/* number of coarse faces T, of a file */
RUCKLE_API int32_t ruckle_upsampler_coarse_face_count(const ruckle_upsampler* upsampler);
RUCKLE_API int32_t ruckle_upsampler_fine_vertex_count(const ruckle_upsampler* upsampler); /* number of fine vertices N */
RUCKLE_API int32_t ruckle_upsampler_fine_face_count(const ruckle_upsampler* upsampler);   /* number of fine faces F */
/* number of steps since the last reset */
RUCKLE_API int32_t ruckle_upsampler_frame_count(const ruckle_upsampler* upsampler);
/* (T, 3) of a file: vertices of each face of the coarse mesh */
RUCKLE_API const int32_t* ruckle_upsampler_coarse_faces(const ruckle_upsampler* upsampler);
/* (F, 3) vertices of each fine face */
RUCKLE_API const int32_t* ruckle_upsampler_fine_faces(const ruckle_upsampler* upsampler);
/* (N) of a file: the coarse face that contains the fine vertex at rest */
RUCKLE_API const int32_t* ruckle_upsampler_holders(const ruckle_upsampler* upsampler);
/* (N, 3) of a file: barycentric coordinates in that face for UVs */
RUCKLE_API const float* ruckle_upsampler_barycentric(const ruckle_upsampler* upsampler);
/* (N, 3) positions of the fine mesh after the last step */
RUCKLE_API const float* ruckle_upsampler_positions(const ruckle_upsampler* upsampler);

/* Writes the unit normals of the fine mesh after the last step. A normal is 0 if all triangles of the vertex have
 * collapsed.
 *
 * normals  (N, 3) result
 *
 * RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_upsampler_write_normals(ruckle_upsampler* upsampler, float* normals);

/* RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_upsampler_get_timings(const ruckle_upsampler* upsampler, ruckle_upsampler_timings* timings);

#ifdef __cplusplus
}
#endif

#endif
