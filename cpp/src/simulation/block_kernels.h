// Swept bounding boxes of cloth; cloth_blocks.h builds on them. Points are rows as in sweeps.h.
#pragma once

#include <stdint.h>

namespace ruckle {

// Faces, edges and vertices are stored in blocks of this many; the last block is filled up with its last element.
inline constexpr int box_block = 8;

// Boxes along the axes, from low to high.
struct Box {
    float low[3], high[3];
};
struct BoxColumns {
    float* low[3];
    float* high[3];
};

// Swept boxes: each point and its position after `time` at its velocity relative to the mean.
struct Sweep {
    const float* points;
    const float* velocities;  // null: boxes of the current positions only
    float mean[3];            // of the velocities, m/s
    float time;               // s
    float farthest;           // m: longest motion that counts, along each axis
    float margin;             // m, on each side
};

// Faces of blocks: their corners and boxes. For searches by vertices, also points of the corners and mean velocities.
struct FaceColumns {
    const int32_t* corners[3];
    BoxColumns boxes;
    float* points[3][3];  // of a corner, along an axis
    float* velocity[3];   // relative to the mean one
};

// Edges by two corners. Vertices use the same column twice.
struct ElementColumns {
    const int32_t* corners[2];
    BoxColumns boxes;
};

// For each block of faces: its box; and a row with the direction of the summed normals and the cosine of the largest angle between
// them and a normal.
struct BlockColumns {
    BoxColumns boxes;
    float* cones;
};

// Connected blocks, with one between them.
struct BlockTriples {
    const int32_t* blocks[3];
};

// An element and a face without a common corner that meet, by their numbers in the columns.
struct MetPair {
    int32_t element, face;
    int32_t side;  // the vertex's side of the face's normal, 1 or -1, if it is over the face and within reach; else 0
};

// Search distance between vertices and faces: a reach, plus their approach within a time.
struct Approach {
    float reach;     // m
    float time;      // s
    float farthest;  // m
};

struct BlockKernels {
    // Boxes of the faces of the blocks [begin, end), and the box and normal cone of each block.
    void (*bound_faces)(const FaceColumns& faces, const Sweep& sweep, int64_t begin, int64_t end, const BlockColumns& blocks);
    // Boxes of the elements [begin, end), whole blocks.
    void (*bound_elements)(const ElementColumns& elements, const Sweep& sweep, int64_t begin, int64_t end);
    // Sets are_flat for the triples [begin, end), whole blocks: 1 if all normals of a triple are within an angle of one direction.
    void (*find_flat)(const BlockTriples& triples, const float* cones, float flatness, int64_t begin, int64_t end,
                      uint8_t* are_flat);
    // Writes the indices of the boxes [begin, end) that overlap another box, in order; returns their number. There must be room for
    // all.
    int64_t (*find_overlapping)(const BoxColumns& boxes, const Box& box, int64_t begin, int64_t end, int32_t* found);
    // Writes pairs of the edges [begin, end) and faces of a block that overlap each other within a box; returns their number. There
    // must be room for all pairs.
    int64_t (*find_meeting)(const ElementColumns& edges, int64_t begin, int64_t end, const FaceColumns& faces, int64_t block,
                            const Box& within, MetPair* found);
    // The same for vertices near faces, for at most three blocks of vertices. A face moves at the mean velocity of its corners.
    int64_t (*find_near)(const ElementColumns& vertices, int64_t begin, int64_t end, const FaceColumns& faces, int64_t block,
                         const Sweep& sweep, const Approach& approach, MetPair* found);

    static const BlockKernels baseline, x86_64_v3;
};

}  // namespace ruckle
