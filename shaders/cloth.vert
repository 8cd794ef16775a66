// One corner of a coarse triangle, on its way to the tessellator.
//
// Reads   the tables of vertices and triangles; corner_vertex, the coarse vertex of each corner
// Writes  control_*: world space, mesh units
//
// Triangles are told apart by gl_VertexID, which an index buffer sets to the corner's number. gl_PrimitiveID restarts
// within a draw on Mesa's llvmpipe.
#include "common/tables.glsl"
uniform sampler2D position_table;
uniform sampler2D normal_table;
uniform sampler2D corner_normal_table;
uniform sampler2D level_table;
uniform isampler2D list_table;

in int corner_vertex;
in vec2 corner_texture_place;

out vec3 control_position_ws;
out vec3 control_normal_ws;
out vec3 control_shading_ws;      // normal to light by: parted at creases
out float control_roundness;     // in [0, 1], 0 at folds
out vec2 control_texture_place;
flat out vec4 control_levels;    // of the edges from corner k to k + 1, and inside
flat out ivec3 control_entry;

void main() {
    int face = gl_VertexID / 3;
    control_position_ws = texelFetch(position_table, texel_place(corner_vertex), 0).xyz;
    vec4 normal = texelFetch(normal_table, texel_place(corner_vertex), 0);
    control_normal_ws = normal.xyz;
    control_shading_ws = texelFetch(corner_normal_table, texel_place(gl_VertexID), 0).xyz;
    control_roundness = normal.w;
    control_texture_place = corner_texture_place;
    control_levels = texelFetch(level_table, texel_place(face), 0);
    control_entry = ivec3(texelFetch(list_table, texel_place(face), 0).x,
                          texelFetch(list_table, texel_place(face + 1), 0).x, face);
}
