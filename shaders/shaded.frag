// Draws the wrinkled cloth under three lights, with the normal evaluated per pixel (thesis section 7).
//
// Reads   surface_in, the runs and samples of lines, and colour (linear) and texture of the cloth or of its faces
// Writes  sRGB
#include "common/scene.glsl"
#include "common/surface_in.glsl"
#include "common/shading.glsl"
#include "common/lighting.glsl"
#include "common/shadow.glsl"
uniform vec3 cloth_color;
uniform sampler2D albedo;
uniform bool textured;
#ifdef COLORS
uniform sampler2DArray pictures;   // sRGB, filtered without conversion, because sRGB array textures are not available
in vec4 face_color;                // linear colour; number of the picture
#endif

out vec4 color;

// Strength of the darkening at the feet of steep wrinkles, in [0, 1].
const float HOLLOW = 0.6;

void main() {
    Surface here = surface_here();
    vec3 own = textured ? cloth_color * texture(albedo, uv).rgb : cloth_color;
#ifdef COLORS
    vec4 picture = texture(pictures, vec3(uv, round(face_color.w)));
    if (picture.a < 0.5) {
        discard;
    }
    own = face_color.rgb * decoded(picture.rgb);
#endif
    float hollow = HOLLOW * here.steepness / (1.0 + here.steepness);
    vec3 cast_ws = flat_ws + (displacement * here.height) * normalize(normal_ws);
    float through = key_light_through(cast_ws, dot(here.normal_ws, key_ws.xyz));
    color = vec4(encoded(lit_cloth(own, here.normal_ws, position_ws, through, hollow, seen_from_outside())), 1.0);
}
