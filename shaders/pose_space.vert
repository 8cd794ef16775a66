// Computes the fine mesh of wrinkles from examples (Wang et al. 2010). For each fine vertex, the sampled details of its
// joints are interpolated in the grid cells of their angles, rotated with the coarse cloth, and added to the base.
//
// Reads   frame_table: four texels per joint, each with two corners of the joint's grid cell: first texel of the
//         sample, and weight times the joint's step in mesh units, 0 after the last corner; from first_row on, for
//         each coarse vertex: position in mesh units, tangent and normal of its mean rotation
//         sample_table: details as multiples of the joint's step, one sample after the other
//         share_table: joint, row among the vertices of the joint, share
//         span: for each vertex, its first entry in share_table, and the number of entries
// Writes  fine_position xyz, mesh units, by transform feedback
//
// The CPU version is cpp/src/pose_space/detail_kernel.cpp. It multiplies by steps and shares in another order, so
// rounding differs.
#include "common/frame_table.glsl"
uniform isampler2D sample_table;
uniform sampler2D share_table;
uniform int first_row;           // first texel of the coarse cloth in frame_table
uniform float strength;

in ivec2 span;
in ivec3 corners;
in vec3 weights;
in vec3 rest_detail;             // detail of the rest pose, mesh units

out vec4 fine_position;

const int CORNER_PAIRS = 4;
const float LEAST_LENGTH = 1e-6; // if a mean of unit vectors is shorter, its direction is undefined

vec3 sampled(int texel) {
    return vec3(texelFetch(sample_table, texel_position(texel), 0).xyz);
}

vec3 detail_of(int joint, int row) {
    vec3 sum = vec3(0.0);
    for (int k = 0; k < CORNER_PAIRS; ++k) {
        vec4 pair = frame_texel(CORNER_PAIRS * joint + k);
        sum += pair.y * sampled(int(pair.x) + row) + pair.w * sampled(int(pair.z) + row);
    }
    return sum;
}

vec3 coarse(int part) {
    return mat3(frame_texel(first_row + 3 * corners.x + part).xyz, frame_texel(first_row + 3 * corners.y + part).xyz,
                frame_texel(first_row + 3 * corners.z + part).xyz) * weights;
}

void main() {
    vec3 detail = rest_detail;
    for (int k = span.x; k < span.x + span.y; ++k) {
        vec3 entry = texelFetch(share_table, texel_position(k), 0).xyz;
        detail += entry.z * detail_of(int(entry.x), int(entry.y));
    }
    vec3 normal = coarse(2), tangent = coarse(1);
    float length_of_normal = length(normal);
    normal /= max(length_of_normal, LEAST_LENGTH);
    tangent -= dot(tangent, normal) * normal;
    float length_of_tangent = length(tangent);
    mat3 turn = mat3(1.0);
    // if the mean rotation is undefined, details have their rest directions
    if (length_of_normal > LEAST_LENGTH && length_of_tangent > LEAST_LENGTH) {
        tangent /= length_of_tangent;
        turn = mat3(tangent, cross(normal, tangent), normal);
    }
    fine_position = vec4(coarse(0) + strength * (turn * detail), 0.0);
    gl_Position = vec4(0.0);
}
