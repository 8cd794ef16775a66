// One corner of a fine triangle that the CPU has made: for layers that no shader evaluates.
//
// Reads   corner_base on the surface without heights, mesh units; its unit normal; gradient and height of the layers there;
//         the coarse triangle's number
// Writes  the inputs of every fragment shader
#include "common/scene.glsl"
#include "common/setback.glsl"
uniform float setback;           // mesh units: how much farther away a body counts than it is drawn

in vec3 corner_base;
in vec3 corner_normal;
in vec4 corner_relief;
in int corner_face;
in vec2 corner_texture_place;

out vec3 flat_ws;
out vec3 place_ws;
out vec3 normal_ws;
out vec2 texture_place;
flat out ivec3 patch_entry;
out float given_height;
out vec3 given_gradient;

void main() {
    vec3 place = corner_base + displacement * corner_relief.w * corner_normal;
    // no wrinkle is looked up: the coarse triangle has no runs here
    flat_ws = corner_base;
    place_ws = place;
    normal_ws = corner_normal;
    texture_place = corner_texture_place;
    patch_entry = ivec3(0, 0, corner_face);
    given_height = corner_relief.w;
    given_gradient = corner_relief.xyz;
    gl_Position = set_back(place, max(setback, setback_of(place, corner_normal)));
}
