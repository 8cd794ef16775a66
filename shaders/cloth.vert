// Processes a corner of a coarse triangle, for the tessellator.
//
// Reads   the cloth's table; for each corner, the numbers of its vertex and of the edge to the next corner
// Writes  control_*: world space, mesh units
//
// The triangle number is computed from gl_VertexID, which an index buffer sets to the number of the corner.
// gl_PrimitiveID would restart within a draw on Mesa's llvmpipe.
#include "common/wrinkles.glsl"

in ivec2 corner_numbers;
in vec2 corner_uv;
#ifdef COLORS
in vec4 corner_color;
out vec4 control_color;
#endif
#ifdef FABRIC
in vec2 corner_tile;
out vec2 control_tile;
#endif
#ifdef HEM
in int open_sides;               // bit k is 1 if the side from corner k to k + 1 is on the boundary
flat out int control_open_sides;
#endif
#ifdef LIMITS
in vec3 corner_limit;
out vec3 control_limit;
#endif

out vec3 control_position_ws;
out vec3 control_normal_ws;
out vec3 control_shading_ws;      // normal for lighting; faces at a crease have different normals
out vec2 control_uv;
// position at rest, mesh units; undefined in triangles without runs of wrinkle samples
out vec3 control_rest;
out vec3 control_rest_normal;
out mat3 control_carrier;         // matrix that converts gradients from rest to world space
flat out vec4 control_side;      // side from this corner to the next: bulge xyz, number of parts
flat out ivec3 control_entry;     // range of the triangle's runs, and its number (cloth_entry)

void main() {
    int face = gl_VertexID / 3;
    ClothVertex vertex = cloth_vertex(corner_numbers.x);
    control_position_ws = vertex.position;
    control_normal_ws = vertex.normal;
    control_shading_ws = corner_normal(face, gl_VertexID % 3, vertex.normal);
    control_uv = corner_uv;
#ifdef COLORS
    control_color = corner_color;
#endif
#ifdef FABRIC
    control_tile = corner_tile;
#endif
#ifdef HEM
    control_open_sides = open_sides;
#endif
#ifdef LIMITS
    control_limit = corner_limit;
#endif
    RestVertex rest = rest_vertex(corner_numbers.x);
    control_rest = rest.position;
    control_rest_normal = rest.normal;
    control_carrier = rest.carrier;
    control_side = cloth_edge(corner_numbers.y);
    control_entry = cloth_entry(face);
}
