// Swept bounding boxes of cloth; cloth_blocks.h builds on them. Points are rows as in sweeps.h.
#pragma once

#include <stdint.h>

namespace ruckle {

// Faces, edges and vertices stand in blocks of so many; what is left of the last block repeats its last element.
inline constexpr int box_block = 8;

// Boxes along the axes, from low to high.
struct Box {
    float low[3], high[3];
};
struct BoxColumns {
    float* low[3];
    float* high[3];
};

// What boxes are to hold: points, and where each comes to within a time if it goes on as it moves beside all others.
struct Sweep {
    const float* points;
    const float* velocities;  // null: only where they are
    float mean[3];            // of the velocities, m/s
    float time;               // s
    float farthest;           // m: how much of a way counts, along each axis
    float margin;             // m, on each side
};

// Faces of blocks: their corners, and their boxes; and where they are looked for by vertices, their corners' points and mean velocities.
struct FaceColumns {
    const int32_t* corners[3];
    BoxColumns boxes;
    float* points[3][3];  // of a corner, along an axis
    float* velocity[3];   // beside the mean one
};

// Edges by two corners, or vertices by the same column twice.
struct ElementColumns {
    const int32_t* corners[2];
    BoxColumns boxes;
};

// Of each block of faces: a box around it; and a row with the direction of the sum of its normals, and the cosine of the largest angle
// that one of them has with it.
struct BlockColumns {
    BoxColumns boxes;
    float* cones;
};

// Blocks that hang together, with one between them.
struct BlockTriples {
    const int32_t* blocks[3];
};

// An element and a face without a common corner that meet, by their numbers in the columns.
struct MetPair {
    int32_t element, face;
    int32_t side;  // of the face's normal where a vertex is over it and within reach, 1 or -1; else 0
};

// How far vertices and faces are looked for: within a reach, and beyond it as far as they approach each other within a time.
struct Approach {
    float reach;     // m
    float time;      // s
    float farthest;  // m
};

struct BlockKernels {
    // Boxes of the faces of the blocks [begin, end), and what encloses each block.
    void (*bound_faces)(const FaceColumns& faces, const Sweep& sweep, int64_t begin, int64_t end, const BlockColumns& blocks);
    // Boxes of the elements [begin, end), whole blocks.
    void (*bound_elements)(const ElementColumns& elements, const Sweep& sweep, int64_t begin, int64_t end);
    // Whether all normals of the blocks of the triples [begin, end), whole blocks, are within an angle of one direction.
    void (*find_flat)(const BlockTriples& triples, const float* cones, float flatness, int64_t begin, int64_t end,
                      uint8_t* are_flat);
    // Writes which of the boxes [begin, end) overlap another box, in order; returns how many. There must be room for all.
    int64_t (*find_overlapping)(const BoxColumns& boxes, const Box& box, int64_t begin, int64_t end, int32_t* found);
    // Writes which of the edges [begin, end) overlap which of a block of faces, both within a box; returns how many. There must be room
    // for all pairs.
    int64_t (*find_meeting)(const ElementColumns& edges, int64_t begin, int64_t end, const FaceColumns& faces, int64_t block,
                            const Box& within, MetPair* found);
    // The same of vertices and faces that are near enough, too, at most three blocks of them. A face moves as its corners on average.
    int64_t (*find_near)(const ElementColumns& vertices, int64_t begin, int64_t end, const FaceColumns& faces, int64_t block,
                         const Sweep& sweep, const Approach& approach, MetPair* found);

    static const BlockKernels baseline, x86_64_v3;
};

}  // namespace ruckle
