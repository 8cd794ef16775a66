#include "ruckle/surface/heights.h"

#include <algorithm>

namespace ruckle {

void sample(const HeightSource& source, std::span<const std::int32_t> faces, std::span<const Vector3> barycentric,
            std::span<float> heights, std::span<Vector3> gradients) {
    alignas(32) float columns[7][point_block];
    for (std::size_t begin = 0, end = 0; begin < faces.size(); begin = end) {
        // kernels read whole blocks: the padding must be finite, and heights start at 0
        std::fill_n(columns[0], 7 * point_block, 0.0f);
        for (; end < faces.size() && end - begin < point_block && faces[end] == faces[begin]; ++end) {
            for (int k = 0; k < 3; ++k) {
                columns[k][end - begin] = barycentric[end][k];
            }
        }
        // a negative bend means that the source's height is 0 in this face
        if (source.bend(faces[begin]) >= 0.0f) {
            source.add(source.object, {faces[begin],
                                       static_cast<std::int32_t>(end - begin),
                                       {columns[0], columns[1], columns[2]},
                                       columns[3],
                                       {columns[4], columns[5], columns[6]}});
        }
        for (std::size_t i = begin; i < end; ++i) {
            heights[i] = columns[3][i - begin];
            gradients[i] = {columns[4][i - begin], columns[5][i - begin], columns[6][i - begin]};
        }
    }
}

}  // namespace ruckle
