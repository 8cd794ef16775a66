// Processes a corner of a fine triangle that the CPU has computed, for layers without a shader.
//
// Reads   corner_base: point on the surface without heights, mesh units; its unit normal; gradient and height of the
//         layers at this point; the number of the coarse triangle
// Writes  the inputs of every fragment shader
#include "common/scene.glsl"
#include "common/depth_bias.glsl"
uniform float depth_bias;        // mesh units, added to the depth of a body

in vec3 corner_base;
in vec3 corner_normal;
in vec4 corner_height;
in int corner_face;
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
    vec3 position = corner_base + displacement * corner_height.w * corner_normal;
    // patch_entry.xy = (0, 0) is an empty list of wrinkle runs: fragment shaders evaluate neither wrinkles nor patterns
    flat_ws = corner_base;
    at_rest = normal_at_rest = vec3(0.0);
    carrier = mat3(0.0);
    barycentric = vec3(0.0);
    position_ws = position;
    normal_ws = corner_normal;
    uv = corner_uv;
#ifdef COLORS
    face_color = corner_color;
#endif
#ifdef FABRIC
    tile = corner_tile;
#endif
    patch_entry = ivec3(0, 0, corner_face);
    given_height = corner_height.w;
    given_gradient = corner_height.xyz;
    gl_Position = biased(position, max(depth_bias, inside_bias(position, corner_normal)));
}
