// One corner of a triangle that no wrinkle reaches and whose edges are not divided: drawn as it is.
//
// Reads   the tables of vertices and triangles; corner_vertex, the coarse vertex of each corner
// Writes  the inputs of every fragment shader
//
// A corner lies on the curved base too, so that these triangles meet tessellated ones exactly.
#include "common/scene.glsl"
#include "common/tables.glsl"
#include "common/setback.glsl"
uniform sampler2D position_table;
uniform sampler2D corner_normal_table;
uniform float setback;           // mesh units: how much farther away a body counts than it is drawn

in int corner_vertex;
in vec2 corner_texture_place;

out vec3 flat_ws;
out vec3 place_ws;
out vec3 normal_ws;
out vec2 texture_place;
flat out ivec3 patch_entry;

void main() {
    vec3 place = texelFetch(position_table, texel_place(corner_vertex), 0).xyz;
    flat_ws = place;
    place_ws = place;
    normal_ws = texelFetch(corner_normal_table, texel_place(gl_VertexID), 0).xyz;
    texture_place = corner_texture_place;
    patch_entry = ivec3(0, 0, gl_VertexID / 3);
    gl_Position = set_back(place, max(setback, setback_of(place, normal_ws)));
}
