// Corners of the mesh that upsample.vert has made, as fine.vert reads them: positions with their normals.
//
// Reads   fine_table: fine positions, mesh units; around_table: the two other corners of each triangle at a vertex, in its
//         order; around: first entry of this vertex in around_table, and number of its entries
// Writes  corner_base, mesh units; corner_normal, the unit sum of the triangles' normals weighted by area, 0 if all have
//         collapsed; by transform feedback directly into the drawn buffer
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
