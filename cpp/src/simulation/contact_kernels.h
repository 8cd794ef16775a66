// The loops of contact between layers of cloth, compiled once per instruction set (see numeric/kernels.h). Points are rows as in
// sweeps.h; blocks of sweep_block read up to so many elements behind the last one, which count for nothing.
#pragma once

#include <stdint.h>

namespace ruckle {

// Vertices beside each other, with a block to spare at the end: where they are, and how fast they move.
struct VertexColumns {
    const float* position[3];
    const float* velocity[3];
};

// Cells of a grid: those of one x and y follow each other, and so do their vertices.
struct CellRange {
    const int32_t* starts;      // of the cells' vertices, with one more at the end
    int32_t first[3], last[3];  // both included
    int32_t count[2];           // of all cells along y and z
};

// A box that moves, and looks for vertices that are in it or may soon be.
struct MovingBox {
    float low[3], high[3];  // m, reach included
    float velocity[3];
    float time;      // s
    float farthest;  // m: how much of an approach within that time counts
};

// Vertices and the corners of faces that they may touch, side by side.
struct PairColumns {
    const int32_t* corners[4];  // the vertex, then the face's
    const float* side;          // of the face's normal, 1 or -1; 0 while not known
};

// How far pairs are looked for: within a reach, and beyond it as far as they approach each other within a time.
struct Approach {
    float reach;     // m
    float time;      // s
    float farthest;  // m
};

// How pairs that touch are parted.
struct PairFactors {
    float distance;  // that they keep, m
    float depth;     // behind each other up to which they are brought back, m
    float push;      // share of what is missing that is made up at once
    float friction;  // share of the depth
    float step;      // s
};

struct FoundPair {
    int32_t pair;
    int32_t side;  // 0 beside the face, or beyond the reach
};

struct ContactKernels {
    // Writes which of the vertices in some cells the box finds, in order; returns how many. There must be room for all.
    int64_t (*find_in_cells)(const VertexColumns& vertices, const CellRange& cells, const MovingBox& box, int32_t* found);
    // The same of the pairs [begin, end), whose sides are not read. A face moves as its corners on average.
    int64_t (*find_near)(const PairColumns& pairs, const float* points, const float* velocities, const Approach& approach,
                         int64_t begin, int64_t end, FoundPair* found);
    // Writes which of the pairs [begin, end) are closer than the distance, or within reach over each other without a known side
    // or behind each other; returns how many. There must be room for all.
    int64_t (*find_touching)(const PairColumns& pairs, const float* points, float distance, float reach, int64_t begin,
                             int64_t end, int32_t* found);
    // Parts those of the pairs that are closer than the distance, and finds out sides of 0; which: their numbers, a whole number of
    // blocks. No two pairs of a block may share a corner that can be moved. Velocities and predicted points are those of the
    // substep.
    void (*part_pairs)(const PairColumns& pairs, float* sides, const PairFactors& factors, const float* predicted,
                       const float* velocities, float* points, const int32_t* which, int64_t count);
    // Writes which of the points [begin, end) are farther than a distance from where they would be had they kept their velocity
    // since `from`; returns how many. There must be room for all.
    int64_t (*find_strays)(const float* points, const float* from, const float* velocities, float time, float distance,
                           int64_t begin, int64_t end, int32_t* found);
};

}  // namespace ruckle
