/* ruckle_c_cloth: simulated cloth for C. Extends ruckle_c.h, in the same library.
 *
 * Example: a skirt in a game, as a coarse simulation with wrinkles:
 *
 *     ruckle_cloth_options options;
 *     ruckle_cloth_default_options(&options);
 *     options.substeps = 8;
 *     options.compression = 0.05f;                     (coarse cloth shortens; its wrinkles are drawn)
 *     ruckle_cloth_create_worn(rest, vertex_count, faces, face_count, attachment, &wearer, &options, &cloth);
 *     while (playing) {
 *         ruckle_cloth_step_posed(cloth, bones, bone_count, dt, NULL);
 *         ruckle_step(wrinkler, ruckle_cloth_positions(cloth), vertex_count, dt);
 *     }
 *
 * All quantities are in SI units: metres, seconds, kilograms. The rules for ownership, threads and errors are those of
 * wrinklers (ruckle_c.h). The same frames give the same bits for any number of threads. Steps do not allocate memory,
 * not even the first step. */
#ifndef RUCKLE_RUCKLE_C_CLOTH_H
#define RUCKLE_RUCKLE_C_CLOTH_H

#include "ruckle/ruckle_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of predefined fabrics, such as silk and cotton; and name and material of the fabric `index` in [0,
 * ruckle_cloth_fabric_count).
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE */
RUCKLE_API int32_t ruckle_cloth_fabric_count(void);
RUCKLE_API ruckle_status ruckle_cloth_get_fabric(int32_t index, const char** name, ruckle_cloth_material* material);

/* Finds the material of a fabric by its name, for example "cotton", the default.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION */
RUCKLE_API ruckle_status ruckle_cloth_find_material(const char* name, ruckle_cloth_material* material);

/* The convex hull of two spheres, for example a limb between two joints. */
typedef struct ruckle_rounded_cone {
    float first[3];      /* center of the first sphere, m */
    float first_radius;  /* radius of the first sphere, m, >= 0 */
    float second[3];     /* center of the second sphere, m */
    float second_radius; /* radius of the second sphere, m, >= 0 */
} ruckle_rounded_cone;

/* The body that wears the cloth, at rest. Arrays are read during the call. Skin weights are >= 0, and the sum of each
 * row should be 1 (not checked). */
typedef struct ruckle_wearer {
    int32_t bone_count;               /* number of bones B, >= 1 */
    const float* weights;             /* (V, B) skin weights of the cloth */
    int32_t cone_count;               /* number of cones C, at most 128 */
    const ruckle_rounded_cone* cones; /* (C) rounded cones at rest, which approximate the body */
    const int32_t* cone_bones;        /* (C) the bone that moves each cone */
    int32_t body_vertex_count;        /* number of vertices N of the body's mesh; 0: the body does not have a mesh */
    int32_t body_face_count;          /* number of faces M of the body's mesh */
    const float* body;                /* (N, 3) positions of the body's mesh at rest, m */
    const int32_t* body_faces;        /* (M, 3) vertices of each face, with normals outward; holes are allowed */
    const float* body_weights;        /* (N, B) skin weights of the body's mesh */
} ruckle_wearer;

typedef struct ruckle_cloth ruckle_cloth;

/* Makes cloth with pins: target positions of attached vertices, which are inputs of every frame.
 *
 * rest        (V, 3) positions of the cloth at rest; also its initial positions
 * faces       (T, 3) vertex numbers of each face, in [0, V)
 * attachment  (V) in [0, 1]. 1: the vertex follows its pin exactly; 0: the vertex is free; between: a spring pulls the
 *             vertex to its pin. NULL: all vertices are free
 * options     options; NULL: the defaults
 * cloth       result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_cloth_create(const float* rest, int32_t vertex_count, const int32_t* faces, int32_t face_count,
                                             const float* attachment, const ruckle_cloth_options* options, ruckle_cloth** cloth);

/* Makes cloth on a wearer. Each frame then needs only the bones, from which the library computes pins, cones and body
 * mesh (ruckle_cloth_step_posed). The other arguments and errors are those of ruckle_cloth_create.
 *
 * wearer  the body at rest; read during the call */
RUCKLE_API ruckle_status ruckle_cloth_create_worn(const float* rest, int32_t vertex_count, const int32_t* faces,
                                                  int32_t face_count, const float* attachment, const ruckle_wearer* wearer,
                                                  const ruckle_cloth_options* options, ruckle_cloth** cloth);

/* Destroys cloth and its results. NULL is allowed. */
RUCKLE_API void ruckle_cloth_destroy(ruckle_cloth* cloth);

/* Inputs of a frame. Positions of pins and cones are those at the end of the frame; during the frame, pins and cones
 * move linearly to these positions. Members that are NULL or 0: pins that do not move, still air, no cones. */
typedef struct ruckle_cloth_inputs {
    const float* pins; /* (V, 3) target positions of attached vertices, m; rows of free vertices are not read */
    const float* wind; /* (wind_count, 3) velocity of the air, m/s; wind_count is 0 (still air), 1 or V */
    int32_t wind_count;
    int32_t cone_count;               /* number of cones of the body, at most 128; must be equal in every frame */
    const ruckle_rounded_cone* cones; /* (cone_count) cones at the end of the frame */
    float extra_damping;              /* additional damping of velocities, 1/s, >= 0 */
} ruckle_cloth_inputs;

/* Advances the cloth by one frame. A frame that fails does not change the cloth, so you can continue with the next
 * frame.
 *
 * inputs  inputs of the frame; NULL: pins that do not move, still air, no cones
 * dt      length of the frame, s, >= 1e-9; velocities above 1,000 m/s are clamped at the end of the frame
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION (counts have changed, or the cloth is worn: use ruckle_cloth_step_posed),
 * RUCKLE_NOT_FINITE, RUCKLE_WRONG_TIME, RUCKLE_EXPLODED */
RUCKLE_API ruckle_status ruckle_cloth_step(ruckle_cloth* cloth, const ruckle_cloth_inputs* inputs, float dt);

/* Advances worn cloth by one frame. The first frame places all vertices by their skin weights, so the first pose should
 * be near the rest pose.
 *
 * bones  (B, 3, 4) transformations from rest to the end of the frame: columns 0 to 2 are the rotation, column 3 the
 *        translation
 * dt     length of the frame, s, >= 1e-9
 * wind   (3) velocity of the air, m/s; NULL: still air
 *
 * Errors of ruckle_cloth_step, and RUCKLE_BAD_BONES for another number of bones */
RUCKLE_API ruckle_status ruckle_cloth_step_posed(ruckle_cloth* cloth, const float* bones, int32_t bone_count, float dt,
                                                 const float* wind);

/* Moves the cloth to new positions. In the next step, attached vertices move from these positions to their pins, and
 * bodies are treated as unmoved. Not for worn cloth: call ruckle_cloth_reset instead.
 *
 * positions   (V, 3) new positions, m
 * velocities  (V, 3) new velocities, m/s; NULL: 0
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_NOT_FINITE, RUCKLE_BAD_OPTION */
RUCKLE_API ruckle_status ruckle_cloth_place(ruckle_cloth* cloth, const float* positions, const float* velocities);

/* Returns to the state before the first frame: worn cloth restarts with its next frame; other cloth returns to its rest
 * positions. NULL is allowed. */
RUCKLE_API void ruckle_cloth_reset(ruckle_cloth* cloth);

/* States are explained in ruckle_c.h. A state of cloth contains everything that the next step needs, and the positions
 * and velocities, but no other results of the last step. A state can be restored only for cloth with the same rest
 * pose, faces, attachment, body faces and options; the number of threads may differ.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL; RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API size_t ruckle_cloth_state_size(const ruckle_cloth* cloth);
RUCKLE_API ruckle_status ruckle_cloth_save_state(const ruckle_cloth* cloth, void* state, size_t capacity);
RUCKLE_API ruckle_status ruckle_cloth_restore_state(ruckle_cloth* cloth, const void* state, size_t size);

/* Results of the last step. Counts are 0 and arrays NULL if the cloth is NULL. */
RUCKLE_API int32_t ruckle_cloth_vertex_count(const ruckle_cloth* cloth); /* number of vertices V */
/* number of successful steps; ruckle_cloth_place and ruckle_cloth_reset do not change this number */
RUCKLE_API int32_t ruckle_cloth_frame_count(const ruckle_cloth* cloth);
RUCKLE_API const float* ruckle_cloth_positions(const ruckle_cloth* cloth);  /* (V, 3) positions, m */
RUCKLE_API const float* ruckle_cloth_velocities(const ruckle_cloth* cloth); /* (V, 3) velocities, m/s */

/* RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_cloth_get_timings(const ruckle_cloth* cloth, ruckle_cloth_timings* timings);
RUCKLE_API ruckle_status ruckle_cloth_get_stats(const ruckle_cloth* cloth, ruckle_cloth_stats* stats);

#ifdef __cplusplus
}
#endif

#endif
