// Shades cloth with one distant light and without reflections, because all programs draw such cloth in the same way.
//
// Reads   surface_in; the linear colour of the cloth, or the colours and pictures of its faces
// Writes  the sRGB colour of the pixel
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
