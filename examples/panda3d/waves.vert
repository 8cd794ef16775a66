// Passes the corners of a coarse triangle to waves.frag, which evaluates the waves per pixel.
//
// Reads   frame_table, four texels per vertex: covector; phases and amplitude; position; normal. Channels are blue, green, red
// Writes  flat outputs with the data of all three corners
#include "common/scene.glsl"
#include "common/waves.glsl"
uniform sampler2D frame_table;

in vec2 corner_uv;

out vec2 uv;
out vec3 barycentric;
out vec3 position_ws;
out vec3 normal_ws;
flat out vec3 covectors[3], phases[3], rest_corners[3], now_corners[3];

vec3 frame_texel(int vertex, int column) {
    return texelFetch(frame_table, ivec2(column, vertex), 0).bgr;
}

void main() {
    int face = gl_VertexID / 3, corner = gl_VertexID % 3;
    ivec3 vertices = ivec3(texelFetch(wave_table, texel_position(face), 0).xyz);
    for (int v = 0; v < 3; ++v) {
        covectors[v] = frame_texel(vertices[v], 0);
        phases[v] = frame_texel(vertices[v], 1);
        now_corners[v] = frame_texel(vertices[v], 2);
        rest_corners[v] = texelFetch(wave_table, texel_position(waves.z + vertices[v]), 0).xyz;
    }
    barycentric = vec3(0.0);
    barycentric[corner] = 1.0;
    uv = corner_uv;
    position_ws = now_corners[corner];
    normal_ws = frame_texel(vertices[corner], 3);
    gl_Position = clip_from_ws * vec4(position_ws, 1.0);
}
