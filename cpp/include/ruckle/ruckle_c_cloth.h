/* ruckle_c_cloth: simulated cloth for C. A part of ruckle_c.h, in the same library.
 *
 * A game's skirt, simulated coarsely, with wrinkles upon it:
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
 * All is in SI units: metres, seconds, kilograms. What is said in ruckle_c.h of wrinklers holds of cloth: ownership, threads,
 * errors. The same frames give the same bits on any number of threads; a step allocates nothing, from the first one on. */
#ifndef RUCKLE_RUCKLE_C_CLOTH_H
#define RUCKLE_RUCKLE_C_CLOTH_H

#include "ruckle/ruckle_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What each number means: ruckle/simulation/material.h. */
typedef struct ruckle_cloth_material {
    float density;          /* kg/m², > 0 */
    float stretch;          /* N/m, > 0 */
    float bending;          /* N m, >= 0 */
    float damping;          /* 1/s, >= 0 */
    float bend_damping;     /* s, >= 0: of the rate of bending; 1 for coarse cloth */
    float edge_damping;     /* s, >= 0: of the rate of stretching; 0.1 for coarse cloth */
    float air_drag;         /* >= 0 */
    float static_friction;  /* >= dynamic_friction */
    float dynamic_friction; /* >= 0 */
    float thickness;        /* m, >= 0: distance that the cloth keeps from bodies */
    float least_stretch;    /* in [0, 1] */
    float largest_stretch;  /* >= 1 */
} ruckle_cloth_material;

/* Looks up a fabric by name, as "cotton" or "denim"; ruckle/simulation/material.h.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION */
RUCKLE_API ruckle_status ruckle_cloth_find_material(const char* name, ruckle_cloth_material* material);

typedef struct ruckle_cloth_options {
    ruckle_cloth_material material;
    int32_t substeps;       /* per frame, in [1, 256]: 4 to 8 for coarse cloth, 16 for fine */
    int32_t strain_sweeps;  /* per substep, in [0, 16] */
    float compression;      /* in [0, 1]: share of the stiffness that resists shortening; 0.05 for coarse cloth */
    int32_t rest_curvature; /* 0 or 1: keep the bends of the rest shape */
    float attachment_rate;  /* 1/s, >= 0 */
    float gravity[3];       /* m/s² */
    float margin;           /* m, >= 0: further distance from bodies, for chords of coarse cloth */
    float contact_spacing;  /* m, >= 0: of points on faces that stay out of a body's mesh, too; 0 for none */
    float self_distance;    /* m, >= 0: distance between layers of this cloth; 0 lets them pass each other */
    int32_t threads;        /* in [1, 256] */
} ruckle_cloth_options;

/* Fills in the defaults: fine cotton. */
RUCKLE_API void ruckle_cloth_default_options(ruckle_cloth_options* options);

/* The hull of two spheres: a limb between two joints. */
typedef struct ruckle_rounded_cone {
    float first[3]; /* m */
    float first_radius;
    float second[3];
    float second_radius;
} ruckle_rounded_cone;

/* Who wears the cloth, at rest: read during the call and not kept. Shares are at least 0, and sum to 1 in each row. */
typedef struct ruckle_wearer {
    int32_t bone_count;               /* B, >= 1 */
    const float* weights;             /* (V, B) shares of the bones in each vertex of the cloth, were it skin */
    int32_t cone_count;               /* C, at most 128 */
    const ruckle_rounded_cone* cones; /* (C) */
    const int32_t* cone_bones;        /* (C) the bone that carries each */
    int32_t body_vertex_count;        /* N; 0 for no mesh */
    int32_t body_face_count;          /* M */
    const float* body;                /* (N, 3) */
    const int32_t* body_faces;        /* (M, 3) normals outward; holes are allowed */
    const float* body_weights;        /* (N, B) */
} ruckle_wearer;

typedef struct ruckle_cloth ruckle_cloth;

/* Makes cloth that hangs from pins, which every frame brings.
 *
 * rest        (V, 3) the cloth at rest, and where it starts
 * faces       (T, 3) vertex numbers in [0, V)
 * attachment  (V) in [0, 1]: 1 pinned, 0 free, between: pulled to its pin; or NULL for free cloth
 * options     or NULL for the defaults
 * cloth       result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_cloth_create(const float* rest, int32_t vertex_count, const int32_t* faces, int32_t face_count,
                                             const float* attachment, const ruckle_cloth_options* options, ruckle_cloth** cloth);

/* Makes cloth that somebody wears, whose bones are all that a frame brings. As ruckle_cloth_create. */
RUCKLE_API ruckle_status ruckle_cloth_create_worn(const float* rest, int32_t vertex_count, const int32_t* faces,
                                                  int32_t face_count, const float* attachment, const ruckle_wearer* wearer,
                                                  const ruckle_cloth_options* options, ruckle_cloth** cloth);

/* Ends cloth and everything it has returned. NULL is allowed. */
RUCKLE_API void ruckle_cloth_destroy(ruckle_cloth* cloth);

/* What a frame brings: where everything is at its end, from where it was at the end of the last one. NULL and 0 leave it out. */
typedef struct ruckle_cloth_inputs {
    const float* pins; /* (V, 3); those of free vertices are not read */
    const float* wind; /* (wind_count, 3) m/s; wind_count 0, 1 or V */
    int32_t wind_count;
    int32_t cone_count; /* as many in every frame */
    const ruckle_rounded_cone* cones;
    float extra_damping; /* 1/s, >= 0 */
} ruckle_cloth_inputs;

/* Advances the cloth by one frame. A frame that is refused leaves it as it was: go on with the next one.
 *
 * inputs  or NULL for pins that stand still
 * dt      s, > 0
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION (other counts than before, or a worn cloth, which ruckle_cloth_step_posed moves),
 * RUCKLE_NOT_FINITE, RUCKLE_WRONG_TIME, RUCKLE_EXPLODED */
RUCKLE_API ruckle_status ruckle_cloth_step(ruckle_cloth* cloth, const ruckle_cloth_inputs* inputs, float dt);

/* Advances worn cloth by one frame. The first one puts it where it would be as skin: begin near the rest pose.
 *
 * bones  (B, 3, 4) from rest to the end of the frame: rotation left, translation right
 * dt     s, > 0
 * wind   (3) m/s, or NULL for still air
 *
 * As ruckle_cloth_step, and RUCKLE_BAD_BONES for another number of bones */
RUCKLE_API ruckle_status ruckle_cloth_step_posed(ruckle_cloth* cloth, const float* bones, int32_t bone_count, float dt,
                                                 const float* wind);

/* Puts the cloth somewhere, and forgets where its pins and bodies were; worn cloth begins anew with its next frame instead.
 *
 * positions   (V, 3)
 * velocities  (V, 3) m/s, or NULL for rest
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_NOT_FINITE, RUCKLE_BAD_OPTION */
RUCKLE_API ruckle_status ruckle_cloth_place(ruckle_cloth* cloth, const float* positions, const float* velocities);

/* Worn cloth begins anew with its next frame; other cloth goes back to its rest. NULL is allowed. */
RUCKLE_API void ruckle_cloth_reset(ruckle_cloth* cloth);

/* States: what is said in ruckle_c.h of those of wrinklers, but of the results of the last step they hold positions and velocities alone.
 * A state belongs to the rest pose, the attachment, the wearer's faces and the options except the number of threads.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL; RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API size_t ruckle_cloth_state_size(const ruckle_cloth* cloth);
RUCKLE_API ruckle_status ruckle_cloth_save_state(const ruckle_cloth* cloth, void* state, size_t capacity);
RUCKLE_API ruckle_status ruckle_cloth_restore_state(ruckle_cloth* cloth, const void* state, size_t size);

/* Results of the last step. Counts are 0 and arrays NULL where the cloth is NULL. */
RUCKLE_API int32_t ruckle_cloth_vertex_count(const ruckle_cloth* cloth);    /* V */
RUCKLE_API int32_t ruckle_cloth_frame_count(const ruckle_cloth* cloth);     /* steps done */
RUCKLE_API const float* ruckle_cloth_positions(const ruckle_cloth* cloth);  /* (V, 3) m */
RUCKLE_API const float* ruckle_cloth_velocities(const ruckle_cloth* cloth); /* (V, 3) m/s */

/* ms per stage, all substeps together, in the order of the stages. */
typedef struct ruckle_cloth_timings {
    double air;
    double edges;
    double bends;
    double self_contact;
    double strain;
    double tracking;
    double bodies;
    double other;
    double total;
} ruckle_cloth_timings;

typedef struct ruckle_cloth_stats {
    float largest_speed;        /* m/s, of a free vertex */
    float settled_share;        /* of free vertices slower than 1 mm/s */
    float largest_edge_stretch; /* length over rest length */
    int32_t self_pairs;         /* vertices and faces of the cloth near each other */
    int32_t dropped_pairs;      /* those for which there was no room */
    int32_t crossings;          /* edges and faces of layers kept apart that pass through each other all the same */
} ruckle_cloth_stats;

/* RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_cloth_get_timings(const ruckle_cloth* cloth, ruckle_cloth_timings* timings);
RUCKLE_API ruckle_status ruckle_cloth_get_stats(const ruckle_cloth* cloth, ruckle_cloth_stats* stats);

#ifdef __cplusplus
}
#endif

#endif
