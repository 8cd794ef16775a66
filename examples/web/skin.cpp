// Linear blend skinning for the npm package, in C++ because JavaScript takes four times as long.
#include <cstdint>

// rest       (V, 3) positions in bind pose
// joints     (V, 4) indices of joints
// weights    (V, 4) weights of these joints; the sum of each vertex is 1
// matrices   (J, 16) transform the bind pose to world space; column-major, as in three.js
// positions  (V, 3) result in world space
extern "C" void ruckle_web_skin(const float* rest, const std::uint16_t* joints, const float* weights, const float* matrices,
                                std::int32_t vertex_count, float* positions) {
    for (std::int32_t v = 0; v < vertex_count; ++v) {
        float blended[16] = {};
        for (int k = 0; k < 4; ++k) {
            const float weight = weights[4 * v + k];
            const float* matrix = matrices + 16 * joints[4 * v + k];
            for (int i = 0; i < 16; ++i) {
                blended[i] += weight * matrix[i];
            }
        }
        const float x = rest[3 * v], y = rest[3 * v + 1], z = rest[3 * v + 2];
        for (int i = 0; i < 3; ++i) {
            positions[3 * v + i] = blended[i] * x + blended[4 + i] * y + blended[8 + i] * z + blended[12 + i];
        }
    }
}
