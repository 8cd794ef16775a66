/* ruckle_c_options: options, timings and counts of every system for C. A part of ruckle_c.h.
 *
 * Set all options with SYSTEM_default_options, then change some. SYSTEM_get_parameter describes each option:
 * name, unit, range, default and meaning. Indices follow the order of the members.
 *
 * Generated from the tables in cpp/options by `make options`: edit those files. */
/* clang-format off */
#include "ruckle/ruckle_c.h"

#ifndef RUCKLE_RUCKLE_C_OPTIONS_H
#define RUCKLE_RUCKLE_C_OPTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* --- the options of wrinkle paths, and the meaning of each --- */

/* Milliseconds that each stage of the last step took, in pipeline order. */
typedef struct ruckle_timings {
    double stretch;
    double label;
    double reference;
    double persist;
    double trace;
    double shape;
    double total;
} ruckle_timings;

/* Counts of one frame: triangles, then wrinkles. */
typedef struct ruckle_stats {
    int32_t compression_labels; /* triangles with the label compression */
    int32_t rest_labels;        /* triangles with the label rest */
    int32_t stretch_labels;     /* triangles with the label stretch */
    int32_t label_changes;      /* triangles whose label differs from that in the previous frame */
    int32_t degenerate;         /* collapsed triangles, whose deformation is undefined */
    int32_t wrinkles;           /* all wrinkles of the frame, including those that fade out */
    int32_t fading;             /* wrinkles that fade out */
    int32_t born;               /* wrinkles that begin in this frame */
    int32_t died;               /* wrinkles that were removed in this frame, because they have faded to nothing */
} ruckle_stats;

typedef enum ruckle_method {
    RUCKLE_EXACT = 0,      /* one minimum cut; requires pairwise costs that are submodular in some order of labels */
    RUCKLE_EXPANSION = 1,  /* alpha-expansion; requires pairwise costs that are a metric of the labels */
    RUCKLE_SWAP = 2,       /* alpha-beta swap; requires pairwise costs of at least 0 between different labels */
    RUCKLE_INDEPENDENT = 3 /* the cheapest label of each triangle alone: the thesis's "without graph cut" */
} ruckle_method;

typedef struct ruckle_options {
    float r_min;         /* mesh units, in [0, 1e+30], or RUCKLE_UNSET */
    float amplitude;     /* in [0, 10] */
    float tau;           /* > 1 */
    float grow_tau;      /* in (1, tau], or RUCKLE_UNSET */
    float least_aspect;  /* widths, >= 0 */
    float aspect;        /* widths, >= 0 */
    uint64_t seed;       /* in [0, 2^64) */
    float path_alpha;    /* per 1/30 s, >= 0 */
    float straightness;  /* per 1/30 s, >= 0 */
    float length_change; /* per 1/30 s, in [0, 1] */
    float fade_in;       /* seconds, >= 0 */
    float fade_out;      /* seconds, >= 0 */
    int32_t coherent;    /* 0 or 1 */
    float sigma;         /* > 0 */
    float alpha;         /* >= 0 */
    float beta;          /* >= 0 */
    float pairwise[9];   /* (3, 3) */
    int32_t method;      /* a ruckle_method */
    float relaxation;    /* per 1/30 s, in [0, 1] */
    int32_t threads;     /* in [1, 256] */
} ruckle_options;

RUCKLE_API void ruckle_default_options(ruckle_options* options);
RUCKLE_API int32_t ruckle_parameter_count(void);
/* RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE: index in [0, ruckle_parameter_count) */
RUCKLE_API ruckle_status ruckle_get_parameter(int32_t index, ruckle_parameter* parameter);

/* --- the options of modulated patterns, and the meaning of each --- */

/* Milliseconds that each stage of the last step took, in order. */
typedef struct ruckle_modulator_timings {
    double gram;
    double fold;
    double modulate;
    double follow;
    double total;
} ruckle_modulator_timings;

/* Counts of one step. */
typedef struct ruckle_modulator_stats {
    int32_t limited;       /* vertices with a factor at its limit (options `steepest` and `highest`) */
    int32_t hurried;       /* vertices whose heights changed as fast as r_min allows */
    int32_t degenerate;    /* triangles without area in the rest pose */
    int32_t flat_patterns; /* patterns without any slope, which cannot restore length */
} ruckle_modulator_stats;

typedef enum ruckle_conserve {
    RUCKLE_CONSERVE_LENGTH = 0, /* the length across folds, even if the cloth is stretched along them */
    RUCKLE_CONSERVE_AREA = 1    /* the area, as in the paper */
} ruckle_conserve;

typedef struct ruckle_modulator_options {
    float rest_slope;    /* >= 0 */
    int32_t conserve;    /* a ruckle_conserve */
    float slack;         /* in [0, 1) */
    float sharpness;     /* > 0 */
    int32_t corrections; /* in [0, 8] */
    float steepest;      /* > 0 */
    float highest;       /* mesh units, > 0, or RUCKLE_UNSET */
    float scale;         /* >= 0 */
    float bias;          /* in [-1000, 1000] */
    float smoothing;     /* seconds, >= 0 */
    float r_min;         /* mesh units, >= 0, or RUCKLE_UNSET */
    int32_t threads;     /* in [1, 256] */
} ruckle_modulator_options;

RUCKLE_API void ruckle_modulator_default_options(ruckle_modulator_options* options);
RUCKLE_API int32_t ruckle_modulator_parameter_count(void);
/* RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE: index in [0, ruckle_modulator_parameter_count) */
RUCKLE_API ruckle_status ruckle_modulator_get_parameter(int32_t index, ruckle_parameter* parameter);

/* --- the options of wrinkles from examples, and the meaning of each --- */

/* Milliseconds that each stage of the last step took, in order. */
typedef struct ruckle_pose_timings {
    double angles;
    double details;
    double frames;
    double place;
    double normals;
    double total;
} ruckle_pose_timings;

/* Counts of one step. */
typedef struct ruckle_pose_stats {
    int32_t moved;            /* joints whose details were read, because they have moved */
    int32_t clamped;          /* joints with an angle outside the grid of samples */
    int32_t undefined_twists; /* joints that swing by a half turn, which leaves their twist undefined */
    int32_t collapsed;        /* coarse vertices without a frame, because their triangles have collapsed */
    int32_t unturned;         /* fine vertices that are not rotated, because no coarse vertex around has a frame */
    int32_t faded;            /* coarse vertices whose details fade: they are farther from their skinned position than in the examples */
} ruckle_pose_stats;

typedef enum ruckle_merge {
    RUCKLE_MERGE_ENERGY = 0, /* w / |w|: wrinkles keep their energy */
    RUCKLE_MERGE_PAPER = 1,  /* w: the mean of equation 4 */
    RUCKLE_MERGE_WINDOW = 2, /* min(1, 2 w): each joint counts fully up to the middle between joints */
    RUCKLE_MERGE_FITTED = 3  /* w: the file contains fitted shares instead of weights */
} ruckle_merge;

typedef struct ruckle_pose_options {
    int32_t merge;  /* a ruckle_merge */
    float strength; /* in [0, 2] */
    float trust;    /* mesh units, >= 0 */
} ruckle_pose_options;

RUCKLE_API void ruckle_pose_default_options(ruckle_pose_options* options);
RUCKLE_API int32_t ruckle_pose_parameter_count(void);
/* RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE: index in [0, ruckle_pose_parameter_count) */
RUCKLE_API ruckle_status ruckle_pose_get_parameter(int32_t index, ruckle_parameter* parameter);

/* --- the options of simulated cloth, the numbers of a material, and the fabrics; SI units --- */

/* Milliseconds that each stage of the last step took, all substeps together, in order. */
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

/* Properties of the cloth after a step. */
typedef struct ruckle_cloth_stats {
    float largest_speed;        /* speed of the fastest vertex that is not pinned, m/s */
    float settled_share;        /* share of free vertices slower than 1 mm/s; 1 without free vertices */
    float largest_edge_stretch; /* largest length of an edge over its rest length */
    int32_t self_pairs;         /* pairs of a vertex and a face of the cloth that are near each other */
    int32_t dropped_pairs;      /* pairs that were dropped because the list was full */
    int32_t crossings;          /* pairs of an edge and a face that intersect although self_distance keeps layers apart, such as in cloth that started tangled */
} ruckle_cloth_stats;

typedef struct ruckle_cloth_material {
    float density;          /* kg/m², > 0 */
    float stretch;          /* N/m, > 0 */
    float bending;          /* N m, >= 0 */
    float damping;          /* 1/s, >= 0 */
    float bend_damping;     /* seconds, >= 0 */
    float bend_friction;    /* N, >= 0 */
    float edge_damping;     /* seconds, >= 0 */
    float air_drag;         /* >= 0 */
    float static_friction;  /* >= 0 */
    float dynamic_friction; /* in [0, static_friction] */
    float thickness;        /* metres, >= 0 */
    float least_stretch;    /* in [0, 1] */
    float largest_stretch;  /* >= 1 */
} ruckle_cloth_material;

typedef struct ruckle_cloth_options {
    ruckle_cloth_material material;
    int32_t substeps;       /* per frame, in [1, 256] */
    int32_t strain_sweeps;  /* per substep, in [0, 16] */
    float compression;      /* in [0, 1] */
    int32_t rest_curvature; /* 0 or 1 */
    float attachment_rate;  /* 1/s, >= 0 */
    float gravity[3];       /* m/s² */
    float margin;           /* metres, >= 0 */
    float contact_spacing;  /* metres, >= 0 */
    float self_distance;    /* metres, >= 0 */
    int32_t threads;        /* in [1, 256] */
} ruckle_cloth_options;

RUCKLE_API void ruckle_cloth_default_options(ruckle_cloth_options* options);
RUCKLE_API int32_t ruckle_cloth_parameter_count(void);
/* RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE: index in [0, ruckle_cloth_parameter_count) */
RUCKLE_API ruckle_status ruckle_cloth_get_parameter(int32_t index, ruckle_parameter* parameter);

/* --- the options of learned upsampling, and the meaning of each --- */

/* Milliseconds that each stage of the last step took, in order. */
typedef struct ruckle_upsampler_timings {
    double multiply;
    double detail;
    double normals;
    double oscillate;
    double attach;
    double total;
} ruckle_upsampler_timings;

typedef enum ruckle_precision {
    RUCKLE_HALF = 0,  /* 16-bit integers, times a unit of each row; error 0.02 mm on a skirt */
    RUCKLE_SINGLE = 1 /* 32 bits */
} ruckle_precision;

typedef struct ruckle_upsampler_options {
    int32_t precision; /* a ruckle_precision */
    float rate;        /* >= 0 */
    float richness;    /* in [0, 1]; only models from files can have neural detail */
    int32_t threads;   /* in [1, 256] */
} ruckle_upsampler_options;

RUCKLE_API void ruckle_upsampler_default_options(ruckle_upsampler_options* options);
RUCKLE_API int32_t ruckle_upsampler_parameter_count(void);
/* RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE: index in [0, ruckle_upsampler_parameter_count) */
RUCKLE_API ruckle_status ruckle_upsampler_get_parameter(int32_t index, ruckle_parameter* parameter);

/* --- the options of wrinkle waves, and the meaning of each --- */

/* Milliseconds that each stage of the last step took, in order. */
typedef struct ruckle_wave_timings {
    double field;
    double direction;
    double phase;
    double pull;
    double amplitude;
    double total;
} ruckle_wave_timings;

/* Counts of one step. */
typedef struct ruckle_wave_stats {
    int32_t limited;    /* vertices whose heights changed as fast as `calm` allows */
    int32_t degenerate; /* triangles without area in the rest pose */
} ruckle_wave_stats;

typedef struct ruckle_wave_options {
    float r_min;        /* mesh units, in [1e-12, 1e12], or RUCKLE_UNSET */
    float wavelength;   /* mesh units, in [1e-12, 1e12], or RUCKLE_UNSET */
    float gain;         /* in [0, 10] */
    float slack;        /* in [0, 1] */
    float steepest;     /* in (0, 10] */
    float sharpness;    /* in [0, 0.5] */
    float detail;       /* in [0, 2] */
    float sag;          /* in [0, 1] */
    float lift;         /* in [0, 2] */
    float irregularity; /* in [0, 3] */
    float coherence;    /* in [0, 4] */
    float hang;         /* in [0, 4] */
    float hem;          /* in [0, 1] */
    float calm;         /* r_min per 1/30 s, in (0, 100] */
    uint64_t seed;      /* in [0, 2^64) */
    int32_t threads;    /* in [1, 256] */
} ruckle_wave_options;

RUCKLE_API void ruckle_waves_default_options(ruckle_wave_options* options);
RUCKLE_API int32_t ruckle_waves_parameter_count(void);
/* RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE: index in [0, ruckle_waves_parameter_count) */
RUCKLE_API ruckle_status ruckle_waves_get_parameter(int32_t index, ruckle_parameter* parameter);

#ifdef __cplusplus
}
#endif

#endif
