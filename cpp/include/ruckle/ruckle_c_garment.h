/* ruckle_c_garment: one garment with all its layers, for engines. Extends ruckle_c.h, in the same library.
 *
 * A garment is one object that combines several layers: wrinkle paths, wrinkle waves, a pattern, and a shape layer
 * (fine cloth that replaces the coarse cloth). Each layer is optional. A garment reads the engine's vertex and index
 * buffers, and stores the positions of the last step.
 *
 *     ruckle_garment_mesh mesh = {rest, sizeof(vertex), vertex_count, indices, 2, face_count, 1};
 *     ruckle_garment_create(&mesh, NULL, &wave_options, &garment);
 *     while (playing) {
 *         ruckle_garment_step(garment, vertices, sizeof(vertex), dt);
 *         ruckle_garment_write_waves(garment, attributes);     per pixel: shaders/wave_normal.*
 *         or ruckle_garment_make_table(garment, NULL, &table); with tessellation: shaders/cloth.*
 *         or ruckle_garment_displace(garment, NULL, &fine);    as a fine mesh
 *     }
 *
 * The rules for ownership, threads and errors are those of wrinklers (ruckle_c.h). */
#ifndef RUCKLE_RUCKLE_C_GARMENT_H
#define RUCKLE_RUCKLE_C_GARMENT_H

#include "ruckle/ruckle_c_patterns.h"
#include "ruckle/ruckle_c_waves.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Mesh of a garment: buffers of the caller, which are read during the call. */
typedef struct ruckle_garment_mesh {
    const void* rest;     /* the cloth at rest, such as a bind pose: three floats per vertex, mesh units, with any alignment */
    int32_t stride;       /* bytes from one vertex to the next; 0: 12, tightly packed */
    int32_t vertex_count; /* number of vertices V */
    const void* indices;  /* (T, 3) vertex numbers in [0, V) */
    int32_t index_size;   /* bytes of an index, unsigned: 2 or 4 */
    int32_t face_count;   /* number of triangles T */
    int32_t weld;         /* not 0: joins vertices at the same position, such as at UV seams */
} ruckle_garment_mesh;

typedef struct ruckle_garment ruckle_garment;

/* Makes a garment. If the garment has paths and waves, the waves are reduced by the length of cloth that the paths
 * already use.
 *
 * paths    options of wrinkle paths; NULL: no paths
 * waves    options of wrinkle waves; NULL: no waves
 * garment  result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_BAD_OPTION, RUCKLE_NOT_FINITE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_garment_create(const ruckle_garment_mesh* mesh, const ruckle_options* paths,
                                               const ruckle_wave_options* waves, ruckle_garment** garment);

/* Makes a further garment of the same kind, in the state before its first frame. The clone has the mesh, rest pose,
 * options, paint and shape layer of the given garment, and shares the memory of the mesh, of the rest pose and of the
 * mesh of the shape layer. The clone does not have a pattern.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_garment_clone(const ruckle_garment* garment, ruckle_garment** clone);

/* Destroys a garment and its results, but not its pattern. NULL is allowed. */
RUCKLE_API void ruckle_garment_destroy(ruckle_garment* garment);

/* Change options or paint between two steps; heights change gradually. ruckle_set_options, ruckle_waves_set_options and
 * ruckle_set_paint describe the rules. A call that fails does not change anything.
 *
 * paths, waves  new options; NULL: the options of this layer do not change
 * paint         (V) factor of the heights at each vertex, in [0, 1]; NULL: all factors are 1. A pattern has its own
 *               paint
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION (also for a layer that the garment does not have), RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_garment_set_options(ruckle_garment* garment, const ruckle_options* paths,
                                                    const ruckle_wave_options* waves);
RUCKLE_API ruckle_status ruckle_garment_set_paint(ruckle_garment* garment, const float* paint);

/* Sets the modulated pattern of a garment. The pattern's heights are reduced by the length of cloth that paths and
 * waves already use.
 *
 * pattern  made from ruckle_garment_faces and the same rest pose. The caller owns the pattern, and destroys it only
 *          after the garment, or after another pattern has been set. NULL: no pattern
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_garment_set_pattern(ruckle_garment* garment, ruckle_modulator* pattern);

/* Computes the next frame. A frame that fails does not change the garment.
 *
 * positions  three floats per vertex: current positions, mesh units, with any alignment
 * stride     bytes from one vertex to the next; 0: 12
 * dt         time since the previous frame, s, in (0, 1e6]; ignored in the first frame, but must be valid
 *
 * Errors of ruckle_step; also RUCKLE_BAD_OPTION if the garment has a shape layer */
RUCKLE_API ruckle_status ruckle_garment_step(ruckle_garment* garment, const void* positions, int32_t stride, float dt);

/* Makes the paths step less often than frames are displayed, like ruckle_set_clock. Call ruckle_garment_step for every
 * displayed frame ("picture"). Waves and pattern step in every picture. Clones have the same interval.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE, RUCKLE_BAD_OPTION if the garment does not have paths */
RUCKLE_API ruckle_status ruckle_garment_set_clock(ruckle_garment* garment, float interval, float offset);

/* Mesh of a shape layer: fine cloth that replaces the coarse cloth. Functions of ruckle_c_upsampling.h or
 * ruckle_c_poses.h, or the caller, compute its positions. Arrays are read during the call. */
typedef struct ruckle_garment_shape {
    int32_t vertex_count;     /* number of fine vertices N */
    int32_t face_count;       /* number of fine faces F */
    const int32_t* faces;     /* (F, 3) fine vertices of each face */
    const int32_t* holders;   /* (N) a triangle of the garment that contains each fine vertex */
    const float* barycentric; /* (N, 3) barycentric coordinates in that triangle, >= 0, sum 1 */
} ruckle_garment_shape;

/* Adds a shape layer, or removes it if `shape` is NULL. The call also resets the garment. Paths, waves and pattern then
 * displace the fine cloth, and are reduced by the length of cloth that the shape already uses.
 * ruckle_garment_make_table fails for a garment with a shape layer.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_garment_set_shape(ruckle_garment* garment, const ruckle_garment_shape* shape);

/* Computes the next frame of a garment with a shape layer. Replaces ruckle_garment_step.
 *
 * fine         three floats per fine vertex: current positions, for example ruckle_upsampler_positions, or
 *              ruckle_pose_synthesizer_positions with a stride of 16
 * fine_stride  bytes from one fine vertex to the next; 0: 12
 *
 * Errors of ruckle_garment_step; also RUCKLE_BAD_OPTION if the garment does not have a shape layer */
RUCKLE_API ruckle_status ruckle_garment_step_shape(ruckle_garment* garment, const void* positions, int32_t stride,
                                                   const void* fine, int32_t fine_stride, float dt);

/* Returns to the state before the first frame. NULL is allowed. */
RUCKLE_API void ruckle_garment_reset(ruckle_garment* garment);

/* States are explained in ruckle_c.h. A state of a garment contains the states of paths, waves and pattern. After a
 * restore, functions that return results of the last step return RUCKLE_BAD_STATE until the next step.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL; RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API size_t ruckle_garment_state_size(const ruckle_garment* garment);
RUCKLE_API ruckle_status ruckle_garment_save_state(const ruckle_garment* garment, void* state, size_t capacity);
RUCKLE_API ruckle_status ruckle_garment_restore_state(ruckle_garment* garment, const void* state, size_t size);

/* Mesh and layers of a garment. Pass the layers only to those functions of ruckle_c.h and ruckle_c_waves.h that have a
 * const argument. Results are 0 or NULL if the garment is NULL. ruckle_garment_waves is NULL if the garment does not
 * have waves. The wrinkler always exists. If the garment does not have paths, the wrinkler has r_min 0 and does not
 * step. */
RUCKLE_API int32_t ruckle_garment_vertex_count(const ruckle_garment* garment); /* number of vertices V */
RUCKLE_API int32_t ruckle_garment_face_count(const ruckle_garment* garment);   /* number of triangles T */
RUCKLE_API const int32_t* ruckle_garment_faces(const ruckle_garment* garment); /* (T, 3) vertex numbers after welding */
RUCKLE_API const ruckle_wrinkler* ruckle_garment_wrinkler(const ruckle_garment* garment);
RUCKLE_API const ruckle_waves* ruckle_garment_waves(const ruckle_garment* garment);

/* --- results of the last step ------------------------------------------------------------------------------------------
 * These functions return RUCKLE_BAD_STATE before the first step. */

/* Compute the fine mesh or the table of the last step, like ruckle_displace_layers and ruckle_make_table_layers with
 * the garment's waves and pattern as sources. `source_texels` of the table lists the waves, then the pattern, without
 * an entry for a missing layer. With a shape layer, the first vertices of the fine mesh are the vertices of the fine
 * cloth. `edge_levels` then refers to edges of the fine cloth, but `coarse_faces` still to triangles of the garment.
 *
 * Errors of ruckle_displace; also RUCKLE_BAD_STATE, and RUCKLE_BAD_OPTION for a table with a shape layer */
RUCKLE_API ruckle_status ruckle_garment_displace(ruckle_garment* garment, const ruckle_surface_options* options,
                                                 ruckle_fine_mesh* mesh);
RUCKLE_API ruckle_status ruckle_garment_make_table(ruckle_garment* garment, const ruckle_surface_options* options,
                                                   ruckle_table* table);

/* Writes the waves as vertex attributes: covector (wave vector) xyz in 1 / mesh units, phase, fine phase, amplitude.
 * Joined vertices get equal values.
 *
 * vertices  (V, 6) result
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION if the garment does not have waves, RUCKLE_BAD_STATE */
RUCKLE_API ruckle_status ruckle_garment_write_waves(const ruckle_garment* garment, float* vertices);

/* Writes all vertex data of a shader without tessellation, twelve numbers per vertex: the six numbers of
 * ruckle_garment_write_waves, position xyz, and the smooth unit normal xyz of the coarse cloth. The normal is a mean of
 * face normals, weighted by angle. It is 0 if all triangles of the vertex have collapsed.
 *
 * vertices  (V, 12) result, for example a texture of 32-bit floats with one row per vertex
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION if the garment does not have waves, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_garment_write_vertices(ruckle_garment* garment, float* vertices);

/* Writes a tension map, eight numbers per vertex: direction xyz of the least principal strain, the least strain,
 * direction xyz of the greatest principal strain, the greatest strain. A strain is the relative change of length since
 * rest: -0.2 for cloth that is a fifth shorter. Directions are unit vectors of the tangent plane, or 0 if both strains
 * are equal.
 *
 * strains  (V, 8) result
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_garment_write_strains(ruckle_garment* garment, float* strains);

/* --- crowds -------------------------------------------------------------------------------------------------------------- */

/* Inputs and results of one garment in one frame. Arrays that are NULL are not written. */
typedef struct ruckle_garment_frame {
    ruckle_garment* garment;
    const void* positions; /* positions, stride and dt: arguments of ruckle_garment_step */
    int32_t stride;
    float dt;
    float* waves;                          /* (V, 6) result of ruckle_garment_write_waves */
    float* strains;                        /* (V, 8) result of ruckle_garment_write_strains */
    const ruckle_surface_options* options; /* options of the table; or NULL */
    uint32_t* texels;                      /* (row_capacity, RUCKLE_TABLE_WIDTH, 4) result of ruckle_garment_make_table */
    int32_t row_capacity;
    int32_t row_count; /* result: number of rows of the table; if it is above row_capacity, the texels were not written */
    /* Result: number of written rows, from the first row on. If keeps_texels is set, it may be smaller than row_count
     * between two steps of a clock; the other rows are then equal to those of the previous frame. This is possible only
     * for garments with paths alone and a flat base (`curved` of the options is 0). */
    int32_t written_count;
    /* Not 0: the caller still has the rows of the previous frame, in `texels` or on the graphics card. 0: all rows must
     * be written. */
    int32_t keeps_texels;
    int32_t source_texel[2]; /* result: numbers of the first texels of waves and pattern; -1 for a missing layer */
    int32_t status;          /* result: a ruckle_status */
} ruckle_garment_frame;

/* A function of the caller's job system. It calls task(context, i) exactly once for each i in [0, count), on any
 * threads and in any order, and returns after all calls have ended. */
typedef void (*ruckle_for_each)(void* user, int32_t count, void (*task)(void* context, int32_t index), void* context);

/* Steps the garments of a crowd and writes their results. for_each provides the threads. The library itself starts
 * threads only for garments whose option `threads` is above 1. Results do not depend on the threads.
 *
 * frames    (count) inputs and results of the garments; each garment occurs once
 * for_each  function that runs the tasks; NULL: the calling thread computes all frames
 * user      first argument of for_each
 *
 * RUCKLE_NULL_ARGUMENT; RUCKLE_OUT_OF_RANGE for a count below 0; or the status of the first frame that failed (all
 * other frames are computed). If a table is too large for its array, the status is RUCKLE_TOO_SMALL: the garment has
 * then stepped, and ruckle_garment_make_table returns its table. */
RUCKLE_API ruckle_status ruckle_garments_step(ruckle_garment_frame* frames, int32_t count, ruckle_for_each for_each, void* user);

/* Steps the garments of a crowd within a budget of processor time. A member must have the same index in `frames` in
 * every frame. Members may have different layers.
 *
 * The interval of a member (ruckle_garment_set_clock) is computed from its distance. Steps of different members are
 * distributed over displayed frames ("pictures"). A member is due if its interval is over. Members that are due step in
 * the order of decreasing (time since the last step / interval) x (apparent motion), until the budget is used. The
 * heights of members that do not step remain. Costs are estimated from the number of triangles and not measured. So the
 * schedule does not depend on the machine or the threads: the same frames give the same bits. */
typedef struct ruckle_crowd ruckle_crowd;

typedef struct ruckle_crowd_options {
    float distances[2]; /* largest distance of near members, and of middle members, m, ascending */
    float intervals[3]; /* time between two steps of near, middle and far members, s */
    float step_cost;    /* time of a step of paths with its table, us per 1,000 triangles */
    float picture_cost; /* time of a picture without a step, us per 1,000 triangles */
    float wave_cost;    /* time of a step of waves and pattern, us per 1,000 triangles */
} ruckle_crowd_options;

RUCKLE_API void ruckle_default_crowd_options(ruckle_crowd_options* options); /* NULL is allowed */

/* Makes a crowd.
 *
 * options  options; NULL: the defaults
 * crowd    result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_crowd_create(const ruckle_crowd_options* options, ruckle_crowd** crowd);
RUCKLE_API void ruckle_crowd_destroy(ruckle_crowd* crowd); /* does not destroy the garments. NULL is allowed */

/* Steps garments like ruckle_garments_step, but only as many as the budget allows.
 *
 * distances  (count) distance of each garment from the viewer, m, >= 0
 * budget_us  processor time of this picture, summed over all threads, us; first steps of members may exceed the budget
 *
 * Errors of ruckle_garments_step; also RUCKLE_OUT_OF_RANGE for a distance or a budget that is below 0 or NaN */
RUCKLE_API ruckle_status ruckle_crowd_step(ruckle_crowd* crowd, ruckle_garment_frame* frames, const float* distances,
                                           int32_t count, float budget_us, ruckle_for_each for_each, void* user);
RUCKLE_API int32_t ruckle_crowd_step_count(const ruckle_crowd* crowd); /* number of steps in the last picture; 0 for NULL */
/* number of members whose step was due in the last picture, but postponed; 0 for NULL */
RUCKLE_API int32_t ruckle_crowd_wait_count(const ruckle_crowd* crowd);

#ifdef __cplusplus
}
#endif

#endif
