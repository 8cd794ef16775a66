/* ruckle_c_poses: wrinkles interpolated from example poses, for C. Extends ruckle_c.h, in the same library.
 *
 * The fine cloth has been simulated for each joint at several angles. A step interpolates these examples at the current
 * angles of each joint, merges the results of all joints, and adds them to the coarse cloth:
 *
 *     ruckle_pose_synthesizer_create(&examples, NULL, &synthesizer);
 *     while (playing) {
 *         ruckle_pose_synthesizer_step(synthesizer, positions, vertex_count, bones, bone_count);
 *         ... ruckle_pose_synthesizer_positions(synthesizer), ruckle_pose_synthesizer_normals(synthesizer) ...
 *     }
 *
 * `ruckle poses` computes the examples, and writes them to a *.poses.npz file. This file is an uncompressed archive of
 * the arrays of ruckle_pose_examples below, with these differences: coarse_faces is named "coarse", bound_faces is
 * named "coarse_faces", and the arrays of joint j are named "joint_j_vertices" and so on. Divide the weights of a joint
 * by 65535. The third barycentric coordinate is omitted, because the sum of the three coordinates is 1. Values that are
 * not arrays are JSON in "contents".
 *
 * The rules for ownership, threads and errors are those of wrinklers (ruckle_c.h). */
#ifndef RUCKLE_RUCKLE_C_POSES_H
#define RUCKLE_RUCKLE_C_POSES_H

#include "ruckle/ruckle_c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ruckle_joint_kind {
    RUCKLE_HINGE = 0, /* one angle, about the first axis */
    RUCKLE_BALL = 1   /* three angles: swing about two axes, twist about the third, along the bone */
} ruckle_joint_kind;

/* One joint and its samples on a grid of angles. */
typedef struct ruckle_pose_joint {
    const char* name;                /* name for error messages */
    int32_t parent_bone, child_bone; /* numbers of the two bones, in [0, B) */
    int32_t kind;                    /* a ruckle_joint_kind */
    /* (3, 3) axes of the joint as orthonormal rows, in the parent bone's coordinates at rest */
    double axes[9];
    int32_t angle_counts[3]; /* number of samples along each axis; S is their product; the last axis changes fastest */
    /* sampled angles about each axis, radians, strictly increasing; a hinge reads only the first array */
    const double* angles[3];
    int32_t vertex_count;    /* number of vertices n that the joint moves */
    const int32_t* vertices; /* (n) fine vertices that the joint moves, strictly increasing */
    const float* weights;    /* (n) weight of the joint at each vertex, in [0, 1] */
    const int16_t* details;  /* (S, n, 3) difference of each sample from the details at rest, in units of `step` */
    float step;              /* unit of `details`, mesh units, > 0 */
} ruckle_pose_joint;

/* All examples of one garment: a fine mesh (V vertices, F faces) on a coarse mesh (C vertices, T faces), with B
 * bones and J joints. */
typedef struct ruckle_pose_examples {
    int32_t coarse_vertex_count, coarse_face_count; /* numbers of coarse vertices C and faces T */
    const int32_t* coarse_faces;                    /* (T, 3) vertices of each coarse face */
    const float* coarse_rest;                       /* (C, 3) coarse positions at rest, mesh units */
    int32_t vertex_count, face_count;               /* numbers of fine vertices V and faces F */
    const int32_t* faces;                           /* (F, 3) vertices of each fine face */
    const int32_t* bound_faces;                     /* (V) the coarse triangle that contains each fine vertex */
    const float* barycentric;                       /* (V, 3) barycentric coordinates in that triangle */
    /* (V, 3) details (displacement of the fine cloth from the coarse cloth) in the rest pose, mesh units */
    const float* rest_details;
    int32_t bone_count, joint_count; /* numbers of bones B and joints J; at most 64 joints */
    const ruckle_pose_joint* joints; /* (J) the joints */
    const float* skin_weights;       /* (C, B) skin weights of the coarse cloth; NULL if trust is 0 */
    const float* skin_distances; /* (C) mesh units: largest distance from the skinned position in examples; NULL if trust is 0 */
} ruckle_pose_examples;

typedef struct ruckle_pose_synthesizer ruckle_pose_synthesizer;

/* Makes a synthesizer, which copies the examples.
 *
 * options      options; NULL: the defaults
 * synthesizer  result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_BAD_OPTION, RUCKLE_NOT_FINITE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_pose_synthesizer_create(const ruckle_pose_examples* examples, const ruckle_pose_options* options,
                                                        ruckle_pose_synthesizer** synthesizer);

/* Destroys a synthesizer and its results. NULL is allowed. */
RUCKLE_API void ruckle_pose_synthesizer_destroy(ruckle_pose_synthesizer* synthesizer);

/* Computes the fine mesh of the next frame; does not allocate. A frame that fails does not change the synthesizer.
 *
 * positions  (C, 3) positions of the coarse cloth
 * bones      (B, 3, 4) transformations from rest to this frame: columns 0 to 2 are the rotation, column 3 the
 *            translation
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_BAD_BONES */
RUCKLE_API ruckle_status ruckle_pose_synthesizer_step(ruckle_pose_synthesizer* synthesizer, const float* positions,
                                                      int32_t vertex_count, const float* bones, int32_t bone_count);

/* Returns to the state before the first frame. The result of the next step does not change, but this step reads the
 * details of all joints again. NULL is allowed. */
RUCKLE_API void ruckle_pose_synthesizer_reset(ruckle_pose_synthesizer* synthesizer);

/* States are explained in ruckle_c.h. States of a synthesizer do not contain the results of the last step. A state can
 * be restored only with the same fine mesh and options.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL; RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API size_t ruckle_pose_synthesizer_state_size(const ruckle_pose_synthesizer* synthesizer);
RUCKLE_API ruckle_status ruckle_pose_synthesizer_save_state(const ruckle_pose_synthesizer* synthesizer, void* state,
                                                            size_t capacity);
RUCKLE_API ruckle_status ruckle_pose_synthesizer_restore_state(ruckle_pose_synthesizer* synthesizer, const void* state,
                                                               size_t size);

/* Results of the last step. Counts are 0 and arrays NULL if the synthesizer is NULL. */

/* number of fine vertices V */
RUCKLE_API int32_t ruckle_pose_synthesizer_vertex_count(const ruckle_pose_synthesizer* synthesizer);
RUCKLE_API int32_t ruckle_pose_synthesizer_joint_count(const ruckle_pose_synthesizer* synthesizer); /* number of joints J */
/* number of steps since the last reset */
RUCKLE_API int32_t ruckle_pose_synthesizer_frame_count(const ruckle_pose_synthesizer* synthesizer);
RUCKLE_API const float* ruckle_pose_synthesizer_positions(
    const ruckle_pose_synthesizer* synthesizer); /* (V, 4) fine positions, mesh units; the fourth number is 0 */
/* (V, 3) unit normals of the fine mesh */
RUCKLE_API const float* ruckle_pose_synthesizer_normals(const ruckle_pose_synthesizer* synthesizer);
/* (J, 3) angles of each joint, radians */
RUCKLE_API const double* ruckle_pose_synthesizer_angles(const ruckle_pose_synthesizer* synthesizer);
/* (J, 3) radians by which each angle of a joint is outside the grid of samples; 0 inside */
RUCKLE_API const double* ruckle_pose_synthesizer_outside(const ruckle_pose_synthesizer* synthesizer);

/* RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_pose_synthesizer_get_timings(const ruckle_pose_synthesizer* synthesizer,
                                                             ruckle_pose_timings* timings);
RUCKLE_API ruckle_status ruckle_pose_synthesizer_get_stats(const ruckle_pose_synthesizer* synthesizer, ruckle_pose_stats* stats);

#ifdef __cplusplus
}
#endif

#endif
