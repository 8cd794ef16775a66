// Swept bounding boxes of cloth, for collision search; used by cloth_blocks.h. Points are rows of four floats, see
// sweeps.h.
#pragma once

#include <stdint.h>

namespace ruckle {

// Number of faces, edges or vertices per block. Incomplete blocks are padded with copies of their last element.
inline constexpr int box_block = 8;

// Axis-aligned bounding boxes.
struct Box {
    float low[3], high[3];
};
struct BoxColumns {
    float* low[3];
    float* high[3];
};

// Motion of the points of swept boxes. A box encloses a point now and after `time` at its velocity minus `mean`.
struct Sweep {
    const float* points;
    const float* velocities;  // null: boxes of the current positions only
    float mean[3];            // m/s, mean velocity of the cloth
    float time;               // s, duration of the motion
    float farthest;           // m, largest motion along each axis; longer motions are clamped
    float margin;             // m, added to the boxes on each side
};

// Faces of all blocks: corner vertices and bounding boxes. If a sweep has velocities, also the corner positions and the
// mean velocity of each face, which find_near() reads.
struct FaceColumns {
    const int32_t* corners[3];
    BoxColumns boxes;
    float* points[3][3];  // position of each corner, m: [corner][axis]
    float* velocity[3];   // m/s, mean velocity of the three corners minus Sweep::mean
};

// Edges by their two corners. For vertices, both columns are the same array.
struct ElementColumns {
    const int32_t* corners[2];
    BoxColumns boxes;
};

// For each block of faces: its box, and its normal cone (four floats: direction of the summed normals, and the cosine
// of the largest angle between this direction and a normal).
struct BlockColumns {
    BoxColumns boxes;
    float* cones;
};

// Triples of blocks: two connected blocks, and the block through which they are connected; see ClothBlocks::triples_.
struct BlockTriples {
    const int32_t* blocks[3];
};

// An element (edge or vertex) and a near face without a common corner, as indices into the columns.
struct MetPair {
    int32_t element, face;
    // Side of the face on which a vertex is: 1 or -1 along the normal. 0 if the vertex is not over the face, if its
    // distance exceeds Approach::reach, and for edges.
    int32_t side;
};

// A vertex and a face are near if their distance is at most reach + min(relative speed · time, farthest).
struct Approach {
    float reach;     // m, smallest search distance
    float time;      // s, duration of the approach
    float farthest;  // m, largest addition for the approach
};

struct BlockKernels {
    // Writes the boxes of all faces in the blocks [begin, end), and the box and normal cone of each block. If the sweep
    // has velocities, also writes the corner positions and mean velocities of the faces.
    void (*bound_faces)(const FaceColumns& faces, const Sweep& sweep, int64_t begin, int64_t end, const BlockColumns& blocks);
    // Writes the boxes of the elements [begin, end), a range of whole blocks.
    void (*bound_elements)(const ElementColumns& elements, const Sweep& sweep, int64_t begin, int64_t end);
    // Sets are_flat of the triples [begin, end), whole blocks: 1 if the three normal cones of a triple are within
    // acos(flatness) of the sum of their axes, so that all its normals are. 0 otherwise, if a face has collapsed, and
    // always if flatness is above 1.
    void (*find_flat)(const BlockTriples& triples, const float* cones, float flatness, int64_t begin, int64_t end,
                      uint8_t* are_flat);
    // Writes the indices of the boxes [begin, end) that overlap `box`, in order; returns their number. `found` must
    // have room for all of them.
    int64_t (*find_overlapping)(const BoxColumns& boxes, const Box& box, int64_t begin, int64_t end, int32_t* found);
    // Writes pairs of an edge in [begin, end) and a face of a block without a common corner, whose boxes overlap each
    // other and the box `within`; returns their number. `found` must have memory for all pairs.
    int64_t (*find_meeting)(const ElementColumns& edges, int64_t begin, int64_t end, const FaceColumns& faces, int64_t block,
                            const Box& within, MetPair* found);
    // Writes pairs of a vertex in [begin, end) and a near face of a block (see Approach); returns their number. The
    // range has at most 3 box_block vertices. A face moves at the mean velocity of its corners.
    int64_t (*find_near)(const ElementColumns& vertices, int64_t begin, int64_t end, const FaceColumns& faces, int64_t block,
                         const Sweep& sweep, const Approach& approach, MetPair* found);

    static const BlockKernels baseline, x86_64_v3;
};

}  // namespace ruckle
