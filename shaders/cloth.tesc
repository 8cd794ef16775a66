// Passes the corners, sides and subdivision levels of a coarse triangle to the tessellator. cloth.vert explains the
// inputs.
//
// The CPU chooses the level of each edge, so that both triangles of an edge have equal levels there. Invocation 0
// writes all levels: with Mesa 22.3's llvmpipe, an array indexed by gl_InvocationID draws nothing.
layout(vertices = 3) out;

in vec3 control_position_ws[];
in vec3 control_normal_ws[];
in vec3 control_shading_ws[];
in vec2 control_uv[];
#ifdef COLORS
in vec4 control_color[];
out vec4 corner_color_in[];
#endif
#ifdef FABRIC
in vec2 control_tile[];
out vec2 corner_tile_in[];
#endif
#ifdef HEM
flat in int control_open_sides[];
patch out int patch_open_sides;
#endif
#ifdef LIMITS
in vec3 control_limit[];
out vec3 corner_limit_in[];
patch out mat3 shared_limit_slopes;  // gradients of the limits over the flat triangle, per mesh unit
#endif
in vec3 control_rest[];
in vec3 control_rest_normal[];
in mat3 control_carrier[];
flat in vec4 control_side[];
flat in ivec3 control_entry[];

out vec3 corner_position_ws[];
out vec3 corner_normal_ws[];
out vec3 corner_shading_ws[];
out vec2 corner_uv[];
out vec3 corner_rest[];
out vec3 corner_rest_normal[];
out mat3 corner_carrier[];
patch out vec3 first_bulge;   // bulge of the side from corner k to k + 1
patch out vec3 second_bulge;
patch out vec3 third_bulge;
patch out ivec3 shared_entry;

void main() {
    corner_position_ws[gl_InvocationID] = control_position_ws[gl_InvocationID];
    corner_normal_ws[gl_InvocationID] = control_normal_ws[gl_InvocationID];
    corner_shading_ws[gl_InvocationID] = control_shading_ws[gl_InvocationID];
    corner_uv[gl_InvocationID] = control_uv[gl_InvocationID];
#ifdef COLORS
    corner_color_in[gl_InvocationID] = control_color[gl_InvocationID];
#endif
#ifdef FABRIC
    corner_tile_in[gl_InvocationID] = control_tile[gl_InvocationID];
#endif
#ifdef LIMITS
    corner_limit_in[gl_InvocationID] = control_limit[gl_InvocationID];
#endif
    corner_rest[gl_InvocationID] = control_rest[gl_InvocationID];
    corner_rest_normal[gl_InvocationID] = control_rest_normal[gl_InvocationID];
    corner_carrier[gl_InvocationID] = control_carrier[gl_InvocationID];
    if (gl_InvocationID == 0) {
        // the outer level i of OpenGL is the level of the edge opposite corner i
        vec3 levels = vec3(control_side[1].w, control_side[2].w, control_side[0].w);
        gl_TessLevelOuter[0] = levels.x;
        gl_TessLevelOuter[1] = levels.y;
        gl_TessLevelOuter[2] = levels.z;
        gl_TessLevelInner[0] = max(max(levels.x, levels.y), levels.z);
        first_bulge = control_side[0].xyz;
        second_bulge = control_side[1].xyz;
        third_bulge = control_side[2].xyz;
        shared_entry = control_entry[0];
#ifdef HEM
        patch_open_sides = control_open_sides[0];
#endif
#ifdef LIMITS
        // gradients of linear functions over the triangle, like slope_of in cpp/src/surface/surface.cpp
        vec3 first = control_position_ws[1] - control_position_ws[0], second = control_position_ws[2] - control_position_ws[0];
        vec3 across = cross(first, second);
        mat3 rises = outerProduct(cross(second, across), control_limit[1] - control_limit[0])
            + outerProduct(cross(across, first), control_limit[2] - control_limit[0]);
        float square = dot(across, across);
        shared_limit_slopes = square > 0.0 ? rises / square : mat3(0.0);
#endif
    }
}
