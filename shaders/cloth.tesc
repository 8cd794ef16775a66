// Hands a coarse triangle's corners and levels to the tessellator.
//
// An edge's level depends on the edge alone and was chosen on the CPU, so that two triangles never disagree about it.
// Invocation 0 writes all levels: an array indexed by gl_InvocationID draws nothing on Mesa 22.3's llvmpipe.
layout(vertices = 3) out;

in vec3 control_position_ws[];
in vec3 control_normal_ws[];
in vec3 control_shading_ws[];
in float control_roundness[];
in vec2 control_texture_place[];
flat in vec4 control_levels[];
flat in ivec3 control_entry[];

out vec3 corner_position_ws[];
out vec3 corner_normal_ws[];
out vec3 corner_shading_ws[];
out float corner_roundness[];
out vec2 corner_place[];
patch out ivec3 shared_entry;

void main() {
    corner_position_ws[gl_InvocationID] = control_position_ws[gl_InvocationID];
    corner_normal_ws[gl_InvocationID] = control_normal_ws[gl_InvocationID];
    corner_shading_ws[gl_InvocationID] = control_shading_ws[gl_InvocationID];
    corner_roundness[gl_InvocationID] = control_roundness[gl_InvocationID];
    corner_place[gl_InvocationID] = control_texture_place[gl_InvocationID];
    if (gl_InvocationID == 0) {
        // OpenGL's outer level i belongs to the edge opposite corner i
        vec4 levels = control_levels[0];
        gl_TessLevelOuter[0] = levels.y;
        gl_TessLevelOuter[1] = levels.z;
        gl_TessLevelOuter[2] = levels.x;
        gl_TessLevelInner[0] = levels.w;
        shared_entry = control_entry[0];
    }
}
