// Cloth under one distant light, without reflections: which every program draws in the same way.
//
// Reads   surface_in, the cloth's colour (linear) and texture, or those of its faces
// Writes  sRGB
#include "common/scene.glsl"
#include "common/surface_in.glsl"
#include "common/shading.glsl"
#include "common/lighting.glsl"
uniform vec3 cloth_color;
#ifdef COLORS
uniform sampler2DArray pictures;
in vec4 face_color;
#endif
out vec4 color;

void main() {
    vec3 own = cloth_color;
#ifdef COLORS
    own = face_color.rgb * decoded(texture(pictures, vec3(uv, round(face_color.w))).rgb);
#endif
    color = vec4(encoded(own * max(dot(surface_here().normal_ws, key_ws.xyz), 0.0)), 1.0);
}
