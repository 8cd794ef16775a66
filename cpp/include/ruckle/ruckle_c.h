/* ruckle_c: the interface of the library for C, and for other languages that can call C functions.
 *
 * A wrinkler computes wrinkle paths. Create a wrinkler for a mesh, pass the positions of each frame, and read the
 * wrinkles:
 *
 *     ruckle_options options;
 *     ruckle_wrinkler* wrinkler = NULL;
 *     ruckle_default_options(&options);
 *     options.r_min = 0.009f;                          (0.5 % of the height of a character 1.8 m tall)
 *     if (ruckle_create(faces, face_count, vertex_count, &options, &wrinkler) != RUCKLE_OK) {
 *         fprintf(stderr, "%s\n", ruckle_error_message());
 *     }
 *     while (playing) {
 *         ruckle_step(wrinkler, positions, vertex_count, dt);
 *         for (i = 0; i < ruckle_wrinkle_count(wrinkler); ++i) {
 *             ruckle_wrinkle wrinkle;
 *             ruckle_get_wrinkle(wrinkler, i, &wrinkle);
 *             draw(&wrinkle);
 *         }
 *     }
 *     ruckle_destroy(wrinkler);
 *
 * Arrays are flat. Shapes are written as (rows, columns), and the last index changes fastest: positions (V, 3) are x0
 * y0 z0 x1 y1 z1 ... . The mesh has V vertices, T triangles and E edges. Lengths are in the unit of the positions.
 * Times are in seconds, except where another unit is stated.
 *
 * Ownership: a function reads its arguments only during the call. It copies arrays before it checks them, so if another
 * thread writes to an array during the call, the result may be wrong, but no other error occurs. The wrinkler owns its
 * results. Results are valid until the wrinkler's next step, reset or restore, and until ruckle_destroy. The caller
 * owns the wrinkler and destroys it once.
 *
 * Threads: two threads must not use the same wrinkler at the same time, but any number of threads may read a wrinkler
 * between its steps. Different wrinklers are independent.
 *
 * Errors: a function that can fail returns a ruckle_status. The end of its comment lists the values other than
 * RUCKLE_OK that it can return. A failed call does not change anything, with one exception: ruckle_step may reset the
 * wrinkler if memory is exhausted. C++ exceptions never leave this interface. Of all steps, only the first step of a
 * wrinkler and the first step of a thread allocate memory.
 *
 * Garments (ruckle_c_garment.h) combine paths, waves and patterns in one object, for vertex buffers and job systems of
 * engines. The headers ruckle_c_*.h declare the other parts of this library: waves, patterns, upsampling, examples in
 * pose space and simulated cloth.
 *
 * Binary compatibility: structures and functions do not change within a minor version (0.1.x). ruckle_version
 * returns the version of the loaded library. */
#ifndef RUCKLE_RUCKLE_C_H
#define RUCKLE_RUCKLE_C_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(RUCKLE_C_BUILDING)
#define RUCKLE_API __declspec(dllexport)
#elif defined(_WIN32)
#define RUCKLE_API __declspec(dllimport)
#else
#define RUCKLE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors ---------------------------------------------------------------------------------------------------------- */

typedef enum ruckle_status {
    RUCKLE_OK = 0,
    RUCKLE_NULL_ARGUMENT = 1,      /* a required pointer is NULL */
    RUCKLE_BAD_MESH = 2,           /* the faces are not a manifold mesh, or a vertex number is out of range */
    RUCKLE_BAD_OPTION = 3,         /* an option is out of its range */
    RUCKLE_WRONG_VERTEX_COUNT = 4, /* vertex_count differs from the vertex count of the mesh */
    RUCKLE_NOT_FINITE = 5,         /* a position is NaN or infinite */
    RUCKLE_WRONG_TIME = 6,         /* dt is not in (0, 1e6] s */
    RUCKLE_OUT_OF_RANGE = 7,       /* a number, such as an index, is out of its range */
    RUCKLE_TOO_SMALL = 8,          /* an array is too small for the result */
    RUCKLE_NO_RESOURCES = 9,       /* the system does not have enough memory, or cannot start a thread */
    RUCKLE_BAD_STATE = 10,         /* the bytes are not a state of this object; or a call is in the wrong order */
    RUCKLE_BAD_BONES = 11,         /* the number of bones is wrong, or a bone is not rigid */
    RUCKLE_EXPLODED = 12,          /* simulated cloth cannot recover from this frame */
    RUCKLE_BAD_FILE = 13           /* the bytes are not a file of this kind, are incomplete, or are of a later version */
} ruckle_status;

/* Returns one sentence about the last call that failed on this thread: the invalid value, and the allowed values.
 * The sentence is empty if no call has failed. It is valid until the next call that fails on this thread. */
RUCKLE_API const char* ruckle_error_message(void);

/* Returns the version of the library, for example "0.1.0". */
RUCKLE_API const char* ruckle_version(void);

/* --- memory ---------------------------------------------------------------------------------------------------------- */

/* Functions of the caller that allocate and release the library's memory. Several threads may call these functions at
 * the same time. */
typedef struct ruckle_allocator {
    /* Returns `size` bytes at an address that is a multiple of `alignment`, a power of two; NULL if there is not
     * enough memory. */
    void* (*allocate)(void* user, size_t size, size_t alignment);
    void (*release)(void* user, void* memory); /* releases memory that `allocate` has returned; `memory` is never NULL */
    void* user;                                /* first argument of both functions */
} ruckle_allocator;

/* Sets the allocator of the whole library. The allocator's functions must remain valid until the process ends. Call
 * ruckle_set_allocator before any other function: it fails if the library has already allocated memory. Eigen and the
 * threads of the system always use malloc.
 *
 * allocator  functions, read during the call; NULL: malloc and free
 *
 * Returns RUCKLE_NULL_ARGUMENT if a function is missing, RUCKLE_BAD_STATE if the library has already allocated memory,
 * and RUCKLE_NO_RESOURCES if the library was built with sanitizers. */
RUCKLE_API ruckle_status ruckle_set_allocator(const ruckle_allocator* allocator);

/* --- options --------------------------------------------------------------------------------------------------------- */

/* Value of an option that is not set: the library derives the value as described in `derived` of its
 * ruckle_parameter. */
#define RUCKLE_UNSET (-1.0f)

typedef enum ruckle_parameter_kind {
    RUCKLE_NUMBER = 0,
    RUCKLE_LENGTH = 1, /* mesh units */
    RUCKLE_INTEGER = 2,
    RUCKLE_FLAG = 3,   /* 0 or 1 */
    RUCKLE_CHOICE = 4, /* one of several words, counted from 0 */
    RUCKLE_MATRIX = 5, /* (3, 3) numbers */
    RUCKLE_VECTOR = 6  /* 3 numbers */
} ruckle_parameter_kind;

/* The description of one option, with everything that a tool needs to show a slider. The texts remain valid until the
 * process ends. */
typedef struct ruckle_parameter {
    const char* name;     /* name of the member in the struct of options */
    const char* group;    /* heading of this option in lists */
    const char* unit;     /* for example "mesh units", "seconds", "per 1/30 s"; empty for a number without unit */
    const char* help;     /* description of the option in one sentence */
    const char* derived;  /* how the value is derived if it is RUCKLE_UNSET, in words; empty if the option must be set */
    const char* ceiling;  /* name of another option, which limits this option from above; or empty */
    int32_t kind;         /* a ruckle_parameter_kind */
    int32_t choice_count; /* number of choices of RUCKLE_CHOICE */
    /* (choice_count) words, in the order of their values */
    const char* const* choices;
    double least, most;            /* limits of the value; infinite if there is no limit */
    int32_t with_least, with_most; /* not 0: the limit itself is allowed */
    double default_value;          /* NaN if the value is derived, and for a matrix or vector */
} ruckle_parameter;

/* One member of a struct of this interface. The members of a struct are in consecutive rows. The first row of a struct
 * has the name "" and the size of the struct. */
typedef struct ruckle_member {
    const char* structure; /* for example "ruckle_options" */
    const char* name;
    const char* type; /* as in the header: "float", "const int32_t*"; "function" for a pointer to a function */
    int32_t offset;   /* offset in the struct, bytes */
    int32_t size;     /* size, bytes; for an array, of all its elements */
} ruckle_member;

/* Returns the compiled layouts of all structs of this interface, so that bindings of other languages can read them.
 *
 * count  result: number of rows; NULL is allowed */
RUCKLE_API const ruckle_member* ruckle_members(int32_t* count);

#ifdef __cplusplus
}
#endif

#include "ruckle/ruckle_c_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- the wrinkler ---------------------------------------------------------------------------------------------------- */

typedef struct ruckle_wrinkler ruckle_wrinkler;
typedef struct ruckle_topology ruckle_topology;

/* Joins vertices at exactly the same position, so that UV seams do not cut the cloth. Call this function once, with the
 * first frame, and make the wrinkler from the welded faces. The number of vertices does not change: positions of later
 * frames still include all vertices at the seams.
 *
 * positions  (V, 3) positions of the first frame
 * faces      (T, 3) vertex numbers of each face, in [0, V), three different numbers in each face
 * welded     (T, 3) result: faces in which the smallest vertex number of each group of coincident vertices replaces all
 *            others
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_NOT_FINITE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_weld(const float* positions, int32_t vertex_count, const int32_t* faces, int32_t face_count,
                                     int32_t* welded);

/* Makes a wrinkler for a mesh, which must be manifold (with or without boundary) and may have any number of components.
 *
 * faces     (T, 3) vertex numbers of each face, in [0, V)
 * options   options; NULL: the defaults
 * wrinkler  result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_create(const int32_t* faces, int32_t face_count, int32_t vertex_count,
                                       const ruckle_options* options, ruckle_wrinkler** wrinkler);

/* --- crowds ------------------------------------------------------------------------------------------------------------
 * Wrinklers of one mesh share its topology: each further wrinkler uses memory only for its own state, and
 * ruckle_create_shared takes less than a tenth of a millisecond. Wrinklers with the same rest pose (ruckle_set_rest)
 * also share data of this pose. Any thread may step these wrinklers, but only one thread at a time may use a given
 * wrinkler. */

/* Makes the topology that all wrinklers of a mesh share. Several threads may use the topology at the same time.
 * `faces`: see ruckle_create.
 *
 * topology  result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_MESH, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_create_topology(const int32_t* faces, int32_t face_count, int32_t vertex_count,
                                                ruckle_topology** topology);

/* Destroys the topology; wrinklers made from it remain valid. NULL is allowed. */
RUCKLE_API void ruckle_destroy_topology(ruckle_topology* topology);

/* Makes a wrinkler like ruckle_create, from a topology that wrinklers share. Results have the same bits. Each thread
 * has its own memory for fine meshes and tables of these wrinklers. A fine mesh or table is valid until the same thread
 * requests the next one, for any wrinkler of the topology.
 *
 * options   options; NULL: the defaults
 * wrinkler  result; NULL after a failure
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_create_shared(const ruckle_topology* topology, const ruckle_options* options,
                                              ruckle_wrinkler** wrinkler);

/* Destroys a wrinkler and its results. NULL is allowed. */
RUCKLE_API void ruckle_destroy(ruckle_wrinkler* wrinkler);

/* Computes the wrinkles of the next frame. A frame that fails does not change the wrinkler, so you can continue with
 * the next frame.
 *
 * positions  (V, 3) vertex positions of the frame
 * dt         time since the previous frame, s, in (0, 1e6]; ignored in the first frame, but must be valid
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_WRONG_TIME. RUCKLE_NO_RESOURCES is
 * possible in the first step of a wrinkler, also after a restore, and in the first step of a thread with a mesh of this
 * size. The wrinkler is then reset, so the next frame is its first frame. */
RUCKLE_API ruckle_status ruckle_step(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count, float dt);

/* Sets a pose in which the cloth is uncompressed, such as a bind pose, and resets the wrinkler. If the cloth of the
 * first frame is compressed relative to this pose, the first frame has full-grown wrinkles. Lengths of drawn lines are
 * measured in this pose. Without a pose, the cloth of the first frame is assumed to be uncompressed. ruckle_reset does
 * not remove the pose. A saved state does not contain the pose.
 *
 * positions  (V, 3) positions of the pose; NULL: removes the pose
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_set_rest(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count);

/* Changes the options between two steps, for example from a slider. Wrinkles and drawn lines then change gradually, at
 * the same speed as on moving cloth. If r_min is RUCKLE_UNSET, the current value of r_min remains. `threads` cannot
 * change, and r_min cannot change from or to 0.
 *
 * options  new options; NULL: the defaults
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_set_options(ruckle_wrinkler* wrinkler, const ruckle_options* options);

/* Sets factors for the heights of fine meshes and tables, for example 0 at stiff seams. If the factors change after the
 * first step, heights change gradually, within RUCKLE_PAINT_TIME. The polylines of wrinkles do not change. A saved
 * state does not contain the factors.
 *
 * paint  (V) factor of each vertex, in [0, 1]; NULL: all factors are 1
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION, RUCKLE_NO_RESOURCES */
#define RUCKLE_PAINT_TIME 0.4f /* time in which a factor changes from 0 to 1, s */
RUCKLE_API ruckle_status ruckle_set_paint(ruckle_wrinkler* wrinkler, const float* paint);

/* Makes a wrinkler step less often than frames are displayed. Call ruckle_step for every displayed frame ("picture").
 * ruckle_step then computes wrinkles only once per interval (a "step"). Between two steps, the heights of the last two
 * steps are blended on the cloth of the picture. Wrinkles are thus displayed one interval late. Other results, such as
 * labels and wrinkles, are results of the last step. If a call shortens the interval, each step at most halves the
 * interval in use, until the new interval is reached.
 *
 * interval  time between two steps, s, in [0, RUCKLE_LONGEST_INTERVAL]; 0: every picture is a step and is displayed
 *           without delay
 * offset    in [0, 1), used only before the first frame: share of an interval by which the second step is early.
 *           Different offsets prevent that all members of a crowd step in the same picture
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE */
#define RUCKLE_LONGEST_INTERVAL 1.0f
RUCKLE_API ruckle_status ruckle_set_clock(ruckle_wrinkler* wrinkler, float interval, float offset);
RUCKLE_API int32_t ruckle_has_stepped(const ruckle_wrinkler* wrinkler); /* 1 if the last picture was a step; 0 for NULL */
/* weight of the last step's heights in this picture, in [0, 1]; 0 for NULL */
RUCKLE_API float ruckle_blend_share(const ruckle_wrinkler* wrinkler);

/* Returns to the state before the first frame. NULL is allowed. */
RUCKLE_API void ruckle_reset(ruckle_wrinkler* wrinkler);

/* --- states ----------------------------------------------------------------------------------------------------------
 * A state contains, as bytes, everything that a wrinkler has computed from its frames and needs for the next frame.
 * A restored wrinkler continues with the same bits. Use states in games that rewind, and to move work to another
 * process. A state contains the input of the next step and the results of the last step. It does not contain the
 * mesh, the options and the timings. A state is valid for the same version of the library, on machines with the same
 * byte order. */

/* Returns the size of the current state in bytes. The size changes if wrinkles appear or disappear. 0 for NULL. */
RUCKLE_API size_t ruckle_state_size(const ruckle_wrinkler* wrinkler);

/* Writes the state into the first ruckle_state_size bytes of a buffer. Writes nothing if the buffer is too small. Does
 * not allocate.
 *
 * state     (capacity) bytes of the buffer
 * capacity  size of the buffer, bytes
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL */
RUCKLE_API ruckle_status ruckle_save_state(const ruckle_wrinkler* wrinkler, void* state, size_t capacity);

/* Continues from a state of this wrinkler, or of another wrinkler with the same mesh and options; only the number of
 * threads may differ. If the call fails, the wrinkler does not change. Manipulated bytes may cause wrong results, but
 * no memory errors.
 *
 * size  result of ruckle_state_size when the state was saved
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_STATE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_restore_state(ruckle_wrinkler* wrinkler, const void* state, size_t size);

/* --- the mesh, and the field of the last step ------------------------------------------------------------------------
 * Counts are 0 and arrays NULL if the wrinkler is NULL. */

RUCKLE_API int32_t ruckle_vertex_count(const ruckle_wrinkler* wrinkler); /* number of vertices V */
RUCKLE_API int32_t ruckle_face_count(const ruckle_wrinkler* wrinkler);   /* number of triangles T */
RUCKLE_API int32_t ruckle_edge_count(const ruckle_wrinkler* wrinkler);   /* number of edges E */
/* (E, 2) vertices of each edge, the smaller number first */
RUCKLE_API const int32_t* ruckle_edges(const ruckle_wrinkler* wrinkler);
/* (T, 3) edge from each corner to the next corner */
RUCKLE_API const int32_t* ruckle_face_edges(const ruckle_wrinkler* wrinkler);
RUCKLE_API int32_t ruckle_frame_count(const ruckle_wrinkler* wrinkler);   /* number of steps since the last reset */
RUCKLE_API const uint8_t* ruckle_labels(const ruckle_wrinkler* wrinkler); /* (T) label: 0 compression, 1 rest, 2 stretch */
/* (T) largest (reference length) / (current length); NULL for the wrinkler of a garment */
RUCKLE_API const float* ruckle_compression(const ruckle_wrinkler* wrinkler);
/* (T, 2) compression axis: a unit vector in the triangle's plane, x along its first edge; NULL for the wrinkler of a
 * garment */
RUCKLE_API const float* ruckle_axis(const ruckle_wrinkler* wrinkler);
/* (T, 2, 2) edge vectors of the reference triangle as columns, mesh units, in its own plane */
RUCKLE_API const float* ruckle_reference(const ruckle_wrinkler* wrinkler);

/* --- wrinkles of the last step --------------------------------------------------------------------------------------- */

/* A wrinkle: a polyline on the cloth with n vertices on mesh edges. */
typedef struct ruckle_wrinkle {
    int64_t id;           /* number of the wrinkle, from 0, in order of birth; never changes */
    float age;            /* time since birth, s */
    int32_t fading;       /* not 0: the wrinkle fades out */
    float kappa;          /* in [0, 1): share of its length that the cloth has lost across the wrinkle */
    float size;           /* in [0, 1]: factor of width and height; below 1 for short wrinkles */
    float fade;           /* in [0, 1]: factor of the height; below 1 while the wrinkle fades in or out */
    float crest;          /* height in the middle, mesh units */
    float width;          /* width in the middle, mesh units */
    float full_width;     /* width in the middle before the factor `size`, mesh units */
    float perimeter;      /* length of the cloth across the wrinkle, mesh units */
    float cuts[2];        /* shares of the first and the last segment that are outside the wrinkle */
    float extent[2];      /* positions of both ends, measured along the polyline, mesh units */
    int32_t point_count;  /* number of vertices n */
    const int32_t* edges; /* (n) mesh edge of each vertex */
    const float* t;       /* (n) position on the edge with vertex numbers v1 < v2: p = p(v1) * t + p(v2) * (1 - t) */
    const int32_t* faces; /* (n - 1) triangle of each segment */
    const float* points;  /* (n, 3) positions of the vertices, mesh units */
    const float* widths;  /* (n) full width of the cross-section, mesh units */
    const float* heights; /* (n) heights at the vertices, mesh units; 0 at the ends and outside the wrinkle */
} ruckle_wrinkle;

/* number of wrinkles, including fading wrinkles; 0 for NULL */
RUCKLE_API int32_t ruckle_wrinkle_count(const ruckle_wrinkler* wrinkler);
/* number of vertices of all wrinkles together; 0 for NULL */
RUCKLE_API int32_t ruckle_point_count(const ruckle_wrinkler* wrinkler);

/* Describes wrinkle `index` in [0, ruckle_wrinkle_count). Index 0 is the oldest wrinkle.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE */
RUCKLE_API ruckle_status ruckle_get_wrinkle(const ruckle_wrinkler* wrinkler, int32_t index, ruckle_wrinkle* wrinkle);

/* Arrays of the caller for all wrinkles, for example mapped buffers of the graphics card. Arrays that are NULL are
 * not written. */
typedef struct ruckle_wrinkle_arrays {
    int32_t wrinkle_capacity; /* N: largest number of wrinkles for which the arrays suffice */
    int32_t point_capacity;   /* M: largest number of vertices for which the arrays suffice */
    int64_t* ids;             /* (N) id of each wrinkle */
    int32_t* offsets;         /* (N + 1) wrinkle i has the vertices [offsets[i], offsets[i + 1]) */
    int32_t* edges;           /* (M) mesh edge of each vertex */
    float* t;                 /* (M) position of each vertex on its edge, as in ruckle_wrinkle */
    float* points;            /* (M, 3) position of each vertex, mesh units */
    float* widths;            /* (M) width at each vertex, mesh units */
    float* heights;           /* (M) height at each vertex, mesh units */
} ruckle_wrinkle_arrays;

/* Copies all wrinkles, oldest first, into flat arrays. Writes nothing if an array is too small.
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_TOO_SMALL */
RUCKLE_API ruckle_status ruckle_copy_wrinkles(const ruckle_wrinkler* wrinkler, const ruckle_wrinkle_arrays* arrays);

/* --- the wrinkled surface ------------------------------------------------------------------------------------------------ */

/* Options of fine meshes and tables. */
typedef struct ruckle_surface_options {
    float edge_length; /* length of fine edges in wrinkles, mesh units, >= 0; 0: r_min / 2, which resolves every wrinkle */
    /* 0: the cloth under wrinkles consists of flat triangles; not 0: of curved patches with smooth normals */
    int32_t curved;
    int32_t base_level; /* number of parts of each curved edge without wrinkles, in [1, 64] */
    /* (E) fixed number of parts of every edge, each in [1, 64]. edge_length and base_level then have no effect, and
     * every frame has the same faces, as mesh caches require. NULL: the number of parts changes with the wrinkles */
    const int32_t* edge_levels;
} ruckle_surface_options;

/* A watertight triangle mesh. Its first V vertices are the vertices of the coarse mesh, including vertices that
 * welded faces do not use. */
typedef struct ruckle_fine_mesh {
    int32_t vertex_count;             /* number of vertices N */
    int32_t face_count;               /* number of faces M */
    const float* positions;           /* (N, 3) positions, mesh units */
    const float* normals;             /* (N, 3) unit normals */
    const float* heights;             /* (N) heights above the surface without wrinkles, mesh units */
    const int32_t* coarse_faces;      /* (N) a coarse triangle that contains the vertex; -1 if no triangle does */
    const float* barycentric;         /* (N, 3) barycentric coordinates in that triangle; for UV and skin weights */
    const int32_t* faces;             /* (M, 3) vertices of each fine triangle, with the orientation of the coarse triangles */
    const int32_t* face_coarse_faces; /* (M) the coarse triangle that contains the fine triangle */
} ruckle_fine_mesh;

RUCKLE_API void ruckle_default_surface_options(ruckle_surface_options* options);

/* Computes the fine mesh with the wrinkles of the last step. The mesh is valid until the next displace, step or reset.
 * Allocates until the buffers are large enough for the animation.
 *
 * positions  (V, 3) vertex positions of the last step
 * options    options of the surface; NULL: the defaults
 * mesh       result
 *
 * RUCKLE_NULL_ARGUMENT, RUCKLE_BAD_OPTION, RUCKLE_WRONG_VERTEX_COUNT, RUCKLE_NOT_FINITE, RUCKLE_NO_RESOURCES */
RUCKLE_API ruckle_status ruckle_displace(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count,
                                         const ruckle_surface_options* options, ruckle_fine_mesh* mesh);

/* Points of one triangle of the coarse mesh. Each coordinate is an array, so that loops over the points are fast. */
typedef struct ruckle_height_points {
    int32_t face;                /* the triangle, in [0, T) */
    int32_t count;               /* number of points n, > 0 */
    const float* barycentric[3]; /* (n) barycentric coordinates in the triangle */
    float* heights;              /* (n) heights along the surface's normal, mesh units: add your heights to these values */
    /* (n) x, y, z of the gradients of the heights along the flat triangle: add your gradients to these values */
    float* gradients[3];
} ruckle_height_points;

/* A source of heights, such as a pattern, which are added to the heights of the wrinkles. For points on an edge, the
 * source must add the same heights in both triangles of the edge. */
typedef struct ruckle_height_source {
    /* Adds heights and gradients at points of one triangle. Several threads of the wrinkler may call this function at
     * the same time. */
    void (*add)(void* user, const ruckle_height_points* points);
    void* user;        /* first argument of `add` and `write_texels` */
    float edge_length; /* length of fine edges that resolves the heights, mesh units, > 0 */
    /* (T) largest second derivative of the heights over each triangle, 1 / mesh units; large values make fine edges
     * shorter. Below 0: the source does not have heights in this triangle. NULL: 0 for all triangles */
    const float* bends;
    /* Writes the texels of this frame for shaders, but only if `capacity` texels suffice. Returns the number of
     * texels of the frame in both cases; a texel has four words. NULL: this source does not have a shader. */
    int32_t (*write_texels)(void* user, uint32_t* texels, int32_t capacity);
} ruckle_height_source;

/* Computes a fine mesh like ruckle_displace, with further sources of heights, whose heights are added in the order of
 * the array.
 *
 * sources  (source_count) sources, read during the call; NULL if source_count is 0
 *
 * Errors of ruckle_displace; also RUCKLE_NULL_ARGUMENT for a source without the function `add`, and RUCKLE_BAD_OPTION
 * for an invalid edge_length of a source */
RUCKLE_API ruckle_status ruckle_displace_layers(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count,
                                                const ruckle_surface_options* options, const ruckle_height_source* sources,
                                                int32_t source_count, ruckle_fine_mesh* mesh);

/* --- the surface for the graphics card ----------------------------------------------------------------------------------- */

#define RUCKLE_TABLE_WIDTH 128

/* All data that shaders read to draw the wrinkles of a frame. Upload the table unchanged as one texture with four
 * 32-bit integers per texel (RGBA32UI), and fetch texels by number. The table contains positions, normals, tessellation
 * levels, drawn lines, and for each triangle the lines that affect it. shaders/common/cloth_table.glsl documents the
 * layout. */
typedef struct ruckle_table {
    int32_t row_count;            /* number of rows R */
    int32_t texel_count;          /* number of texels in use */
    const uint32_t* texels;       /* (R, RUCKLE_TABLE_WIDTH, 4) words of all texels */
    const int32_t* source_texels; /* (source_count) number of the first texel of each further source */
} ruckle_table;

/* Makes the table of the last step. It is an alternative to a fine mesh. The table is valid until the next table, step
 * or reset. Allocates until the buffers are large enough for the animation.
 *
 * positions  (V, 3) vertex positions of the last step
 * options    options of the surface; NULL: the defaults
 * table      result
 *
 * Errors of ruckle_displace */
RUCKLE_API ruckle_status ruckle_make_table(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count,
                                           const ruckle_surface_options* options, ruckle_table* table);

/* Makes a table like ruckle_make_table, with further sources of heights after the wrinkles; arguments as for
 * ruckle_displace_layers.
 *
 * Errors of ruckle_displace_layers; also RUCKLE_BAD_OPTION for a source without write_texels */
RUCKLE_API ruckle_status ruckle_make_table_layers(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count,
                                                  const ruckle_surface_options* options, const ruckle_height_source* sources,
                                                  int32_t source_count, ruckle_table* table);

/* --- measurements of the wrinkler's last step ----------------------------------------------------------------------- */

/* RUCKLE_NULL_ARGUMENT */
RUCKLE_API ruckle_status ruckle_get_timings(const ruckle_wrinkler* wrinkler, ruckle_timings* timings);
RUCKLE_API ruckle_status ruckle_get_stats(const ruckle_wrinkler* wrinkler, ruckle_stats* stats);

#ifdef __cplusplus
}
#endif

#endif
