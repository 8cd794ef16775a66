// One corner of a triangle that no wrinkle reaches and whose edges are not divided: drawn as it is.
//
// Reads   the cloth's table; corner_texel, where in it the vertex of each corner stands
// Writes  the inputs of every fragment shader
//
// A corner lies on the curved base too, so that these triangles meet tessellated ones exactly.
#include "common/scene.glsl"
#include "common/tables.glsl"
#include "common/depth_bias.glsl"
uniform float depth_bias;        // mesh units: a body is drawn as if it were so much farther away

in int corner_texel;
in vec2 corner_uv;
#ifdef COLORS
in vec4 corner_color;
out vec4 face_color;
#endif
#ifdef FABRIC
in vec2 corner_tile;
out vec2 tile;
#endif

out vec3 flat_ws;
out vec3 at_rest;
out mat3 carrier;
out vec3 barycentric;
out vec3 position_ws;
out vec3 normal_ws;
out vec2 uv;
flat out ivec3 patch_entry;
out float given_height;
out vec3 given_gradient;

void main() {
    vec3 position = cloth_texel(corner_texel).xyz;
    flat_ws = position;
    // no wrinkle and no pattern is looked up
    at_rest = vec3(0.0);
    carrier = mat3(0.0);
    barycentric = vec3(0.0);
    position_ws = position;
    int face = gl_VertexID / 3;
    normal_ws = cloth_texel(FACE_TEXELS * face + CORNER_TEXELS + gl_VertexID % 3).xyz;
    uv = corner_uv;
#ifdef COLORS
    face_color = corner_color;
#endif
#ifdef FABRIC
    tile = corner_tile;
#endif
    patch_entry = ivec3(0, 0, face);
    given_height = 0.0;
    given_gradient = vec3(0.0);
    gl_Position = biased(position, max(depth_bias, inside_bias(position, cloth_texel(corner_texel + 1).xyz)));
}
