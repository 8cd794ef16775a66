// Computes positions and normals of the mesh from upsample.vert, as inputs of fine.vert.
//
// Reads   fine_table: fine positions, mesh units; around_table: the two other corners of each triangle at a vertex, in
//         the order of the triangle; around: for each vertex, its first entry in around_table, and the number of
//         entries
// Writes  corner_base, mesh units; corner_normal: unit sum of the triangle normals weighted by area, 0 if all triangles
//         are degenerate; by transform feedback directly into the drawn buffer
#include "common/tables.glsl"
uniform sampler2D fine_table;
uniform sampler2D around_table;

in ivec2 around;

out vec3 corner_base;
out vec3 corner_normal;

vec3 fine_position(float number) {
    return texelFetch(fine_table, texel_position(int(number)), 0).xyz;
}

void main() {
    vec3 here = fine_position(float(gl_VertexID)), sum = vec3(0.0);
    for (int k = around.x; k < around.x + around.y; ++k) {
        vec2 others = texelFetch(around_table, texel_position(k), 0).xy;
        sum += cross(fine_position(others.x) - here, fine_position(others.y) - here);
    }
    corner_base = here;
    corner_normal = dot(sum, sum) > 0.0 ? normalize(sum) : vec3(0.0);
    gl_Position = vec4(0.0);
}
