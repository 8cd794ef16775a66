// One corner of a coarse triangle, on its way to the tessellator.
//
// Reads   the cloth's table; corner_texel, where in it the vertex of each corner stands
// Writes  control_*: world space, mesh units
//
// Triangles are told apart by gl_VertexID, which an index buffer sets to the corner's number. gl_PrimitiveID restarts
// within a draw on Mesa's llvmpipe.
#include "common/tables.glsl"

in int corner_texel;
in vec2 corner_uv;
#ifdef COLORS
in vec4 corner_color;
out vec4 control_color;
#endif
#ifdef FABRIC
in vec2 corner_tile;
out vec2 control_tile;
#endif

out vec3 control_position_ws;
out vec3 control_normal_ws;
out vec3 control_shading_ws;      // normal to light by: parted at creases
out vec2 control_uv;
out vec3 control_rest;            // position at rest; means nothing where no run reaches the triangle
out mat3 control_carrier;         // of gradients from rest to world space
flat out vec4 control_side;      // from this corner to the next: bulge, level
flat out vec4 control_entry;     // the runs that reach the triangle, its number, level inside

void main() {
    int face = gl_VertexID / 3, corner = gl_VertexID % 3, texel = FACE_TEXELS * face;
    control_position_ws = cloth_texel(corner_texel).xyz;
    control_normal_ws = cloth_texel(corner_texel + 1).xyz;
    control_uv = corner_uv;
#ifdef COLORS
    control_color = corner_color;
#endif
#ifdef FABRIC
    control_tile = corner_tile;
#endif
    vec4 shading = cloth_texel(texel + CORNER_TEXELS + corner);
    control_shading_ws = shading.xyz;
    int rest = int(shading.w);
    control_rest = cloth_texel(rest).xyz;
    control_carrier = mat3(cloth_texel(rest + 1).xyz, cloth_texel(rest + 2).xyz, cloth_texel(rest + 3).xyz);
    control_side = cloth_texel(texel + corner);
    control_entry = cloth_texel(texel + LIST_TEXEL);
}
