// Shows the label of each coarse triangle as a colour (thesis figures 3.1 b, 4.1): compression blue, rest green,
// stretch red.
#include "common/scene.glsl"
#include "common/surface_in.glsl"
#include "common/shading.glsl"
#include "common/palette.glsl"
#include "common/field.glsl"

out vec4 color;

void main() {
    int label = int(field_texel(patch_entry.z, 2).x + 0.5);
    color = vec4(gently_lit(LABEL_COLORS[label], surface_here().normal_ws, gl_FrontFacing), 1.0);
}
