// A vertex of the wearer, who follows the joints of a skeleton (linear blend skinning).
//
// Reads   a vertex at rest with four joints and their weights; joint_table: one row a frame, three texels a joint, the rows of
//         the matrix from rest
// Writes  the inputs of every fragment shader; does not read wrinkles
#include "common/scene.glsl"
#include "common/depth_bias.glsl"
uniform sampler2D joint_table;
uniform int frame;
uniform float depth_bias;  // mesh units: the body is drawn at this additional distance

layout(location = 0) in vec3 rest;
layout(location = 1) in vec3 rest_normal;
layout(location = 2) in uvec4 joints;
layout(location = 3) in vec4 weights;

out vec3 flat_ws;
out vec3 at_rest;
out vec3 normal_at_rest;
out mat3 carrier;
out vec3 barycentric;
out vec3 position_ws;
out vec3 normal_ws;
out vec2 uv;
flat out ivec3 patch_entry;
out float given_height;
out vec3 given_gradient;

void main() {
    vec4 rows[3];
    for (int row = 0; row < 3; ++row) {
        rows[row] = vec4(0.0);
        for (int k = 0; k < 4; ++k) {
            rows[row] += weights[k] * texelFetch(joint_table, ivec2(3 * int(joints[k]) + row, frame), 0);
        }
    }
    vec4 point = vec4(rest, 1.0), direction = vec4(rest_normal, 0.0);
    position_ws = vec3(dot(rows[0], point), dot(rows[1], point), dot(rows[2], point));
    normal_ws = vec3(dot(rows[0], direction), dot(rows[1], direction), dot(rows[2], direction));
    flat_ws = position_ws;
    at_rest = normal_at_rest = vec3(0.0);
    carrier = mat3(0.0);
    barycentric = vec3(0.0);
    uv = vec2(0.0);
    patch_entry = ivec3(0);
    given_height = 0.0;
    given_gradient = vec3(0.0);
    gl_Position = biased(position_ws, depth_bias);
}
