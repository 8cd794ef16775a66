/* ruckle_c_poses: wrinkles from examples for C. A part of ruckle_c.h, in the same library.
 *
 * Fine shapes that were simulated once per joint, mixed by the angles of the joints and laid on the coarse cloth:
 *
 *     ruckle_pose_synthesizer_create(&examples, NULL, &synthesizer);
 *     while (playing) {
 *         ruckle_pose_synthesizer_step(synthesizer, positions, vertex_count, bones, bone_count);
 *         ... ruckle_pose_synthesizer_positions(synthesizer), ruckle_pose_synthesizer_normals(synthesizer) ...
 *     }
 *
 * `ruckle poses` builds the examples. A *.poses.npz file is an archive without compression of arrays as below, of which it calls
 * coarse_faces "coarse", bound_faces "coarse_faces", and of joint j "joint_j_vertices" and so on; weights are divided by 65535, the
 * third of barycentric is what is missing of 1, and what is no array stands as JSON in "contents". What is said in ruckle_c.h of
 * wrinklers holds of synthesizers: ownership, threads, errors. */
#ifndef RUCKLE_RUCKLE_C_POSES_H
#define RUCKLE_RUCKLE_C_POSES_H

#include "ruckle/ruckle_c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ruckle_joint_kind {
    RUCKLE_HINGE = 0, /* one angle, about the first axis */
    RUCKLE_BALL = 1   /* three: swing about the first axis and about the second, twist about the last, along the bone */
} ruckle_joint_kind;

/* One joint and its samples on a grid of angles. */
typedef struct ruckle_pose_joint {
    const char* name;                /* for messages */
    int32_t parent_bone, child_bone; /* in [0, B) */
    int32_t kind;                    /* a ruckle_joint_kind */
    double axes[9];                  /* (3, 3) orthonormal rows, in the parent's rest axes */
    int32_t angle_counts[3];         /* samples along each axis; S is their product, the last axis fastest */
    const double* angles[3];         /* radians, strictly increasing; those beyond the first are not read of a hinge */
    int32_t vertex_count;            /* n */
    const int32_t* vertices;         /* (n) fine vertices that the joint moves, strictly increasing */
    const float* weights;            /* (n) in [0, 1] */
    const int16_t* details;          /* (S, n, 3) minus those at rest, in steps */
    float step;                      /* mesh units, > 0 */
} ruckle_pose_joint;

/* All examples of one garment: a fine mesh of V vertices and F faces upon a coarse one of C and T, B bones, J joints. */
typedef struct ruckle_pose_examples {
    int32_t coarse_vertex_count, coarse_face_count; /* C, T */
    const int32_t* coarse_faces;                    /* (T, 3) */
    const float* coarse_rest;                       /* (C, 3) mesh units */
    int32_t vertex_count, face_count;               /* V, F */
    const int32_t* faces;                           /* (F, 3) of the fine mesh */
    const int32_t* bound_faces;                     /* (V) the coarse triangle that holds each fine vertex */
    const float* barycentric;                       /* (V, 3) where in that triangle */
    const float* rest_details;                      /* (V, 3) of the rest pose, mesh units */
    int32_t bone_count, joint_count;                /* B, J; at most 64 joints */
    const ruckle_pose_joint* joints;                /* (J) */
    const float* skin_weights;                      /* (C, B) shares of bones in the coarse cloth; NULL where trust is 0 */
    const float* skin_distances; /* (C) mesh units: furthest from there in the examples; NULL where trust is 0 */
} ruckle_pose_examples;

typedef struct ruckle_pose_synthesizer ruckle_pose_synthesizer;

/* Makes a synthesizer, which keeps a copy of the examples.
 *
 * options      or NULL for the defaults
 * synthesizer  result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_BAD_OPTION, RUCKLE_NOT_FINITE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_pose_synthesizer_create(const ruckle_pose_examples* examples, const ruckle_pose_options* options,
                                                        ruckle_pose_synthesizer** synthesizer);

/* Ends a synthesizer and everything it has returned. NULL is allowed. */
RUCKLE_API void ruckle_pose_synthesizer_destroy(ruckle_pose_synthesizer* synthesizer);

/* Takes the next frame; allocates nothing. A frame that is refused leaves the synthesizer as it was.
 *
 * positions  (C, 3) of the coarse cloth
 * bones      (B, 3, 4) from rest to this frame: rotation left, translation right
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_BAD_BONES */
RUCKLE_API ruckle_status ruckle_pose_synthesizer_step(ruckle_pose_synthesizer* synthesizer, const float* positions,
                                                      int32_t vertex_count, const float* bones, int32_t bone_count);

/* Forgets every frame. The next step gives the same result as it would have; it reads the details of all joints. NULL is allowed. */
RUCKLE_API void ruckle_pose_synthesizer_reset(ruckle_pose_synthesizer* synthesizer);

/* States: what is said in ruckle_c.h of those of wrinklers, but for the results of the last step, which they do not hold. A state belongs
 * to the fine mesh and the options.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL; RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API size_t ruckle_pose_synthesizer_state_size(const ruckle_pose_synthesizer* synthesizer);
RUCKLE_API ruckle_status ruckle_pose_synthesizer_save_state(const ruckle_pose_synthesizer* synthesizer, void* state,
                                                            size_t capacity);
RUCKLE_API ruckle_status ruckle_pose_synthesizer_restore_state(ruckle_pose_synthesizer* synthesizer, const void* state,
                                                               size_t size);

/* Results of the last step. Counts are 0 and arrays NULL where the synthesizer is NULL. */
RUCKLE_API int32_t ruckle_pose_synthesizer_vertex_count(const ruckle_pose_synthesizer* synthesizer); /* V */
RUCKLE_API int32_t ruckle_pose_synthesizer_joint_count(const ruckle_pose_synthesizer* synthesizer);  /* J */
RUCKLE_API int32_t ruckle_pose_synthesizer_frame_count(const ruckle_pose_synthesizer* synthesizer);  /* since the last reset */
RUCKLE_API const float* ruckle_pose_synthesizer_positions(
    const ruckle_pose_synthesizer* synthesizer); /* (V, 4) mesh units; the fourth number is 0 */
RUCKLE_API const float* ruckle_pose_synthesizer_normals(const ruckle_pose_synthesizer* synthesizer);  /* (V, 3) unit */
RUCKLE_API const double* ruckle_pose_synthesizer_angles(const ruckle_pose_synthesizer* synthesizer);  /* (J, 3) radians */
RUCKLE_API const double* ruckle_pose_synthesizer_outside(const ruckle_pose_synthesizer* synthesizer); /* (J, 3) radians beyond
                                                                                                         the grid */

/* RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_pose_synthesizer_get_timings(const ruckle_pose_synthesizer* synthesizer,
                                                             ruckle_pose_timings* timings);
RUCKLE_API ruckle_status ruckle_pose_synthesizer_get_stats(const ruckle_pose_synthesizer* synthesizer, ruckle_pose_stats* stats);

#ifdef __cplusplus
}
#endif

#endif
