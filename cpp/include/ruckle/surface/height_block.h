// height_block: a block of points at which a height source is evaluated. It is a plain struct, because kernels (loops
// with SIMD instructions) use only such structs (cpp/src/numeric/lanes.h).
//
// Example:
//     struct Bump {  // a height source: a height of 0.01 at the centre of every face
//         void add_heights(const ruckle::HeightBlock& block) const {
//             for (int i = 0; i < block.count; ++i) {
//                 block.height[i] += 0.27f * block.barycentric[0][i] * block.barycentric[1][i] * block.barycentric[2][i];
//             }
//         }
//         std::span<const float> bends() const { return {}; }
//         float edge_length() const { return 0.1f; }
//     };
#pragma once

#include <stdint.h>

namespace ruckle {

// The length of each array of points is a multiple of this number, so that kernels can process whole SIMD vectors.
inline constexpr int point_block = 8;

// Points of one coarse face, one array per coordinate. Each array ends with padding up to a multiple of point_block.
// Kernels may read and write the padding.
struct HeightBlock {
    int32_t face;                 // coarse face that contains all points
    int32_t count;                // number of points, > 0
    const float* barycentric[3];  // barycentric coordinates, which sum to 1
    float* height;                // mesh units; a source adds its height
    float* gradient[3];           // x, y, z of the gradient along the flat face; a source adds its gradient
};

}  // namespace ruckle
