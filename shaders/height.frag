// Shows the height over the cloth as a colour, from 0 to `height_top`.
#include "common/scene.glsl"
#include "common/surface_in.glsl"
#include "common/shading.glsl"
#include "common/palette.glsl"

out vec4 color;

void main() {
    Surface here = surface_here();
    float share = height_top > 0.0 ? here.height / height_top : 0.0;
    color = vec4(gently_lit(ramp(share), here.normal_ws, gl_FrontFacing), 1.0);
}
