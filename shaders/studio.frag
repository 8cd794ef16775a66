// Draws the wrinkled cloth in the studio, with the normal evaluated per pixel (thesis section 7).
//
// Reads   surface_in, the runs and samples of lines, and colour (linear) and texture of the cloth or of its faces
// Writes  linear light: of the key light, and of the studio; finish.frag darkens it in hollows
#include "common/scene.glsl"
#include "common/studio.glsl"
#include "common/surface_in.glsl"
#include "common/shading.glsl"
#include "common/cloth_light.glsl"
#include "common/soft_shadow.glsl"
#ifdef FABRIC
#include "common/fabric.glsl"
#endif
uniform vec3 cloth_color;
uniform sampler2D albedo;
uniform bool textured;
#ifdef COLORS
uniform sampler2DArray pictures;   // sRGB, filtered without conversion, because sRGB array textures are not available
#ifndef HEM
in vec4 face_color;                // linear colour; number of the picture, or -1 for the colour and fabric of the cloth
#endif
uniform float cloth_roughness;
#endif

layout(location = 0) out vec4 direct;   // alpha: LIGHT, see finish.frag
layout(location = 1) out vec4 ambient;

const float LIGHT = 0.5;

// Strength of the darkening at the feet of steep wrinkles, in [0, 1]. The pixels of the occlusion are too coarse for
// these feet.
const float HOLLOW = 0.35;

// Converts sRGB codes to linear light (IEC 61966-2-1), with a cubic polynomial. The error is at most 0.002.
vec3 decoded(vec3 code) {
    return code * (code * (code * 0.305306011 + 0.682171111) + 0.012522878);
}

void main() {
    Surface here = surface_here();
    vec3 own = textured ? cloth_color * texture(albedo, uv).rgb : cloth_color;
#ifdef COLORS
    vec4 picture = texture(pictures, vec3(uv, round(face_color.w)));
    if (picture.a < 0.5) {
        discard;
    }
    bool is_cloth = face_color.w < -0.5;
    own = is_cloth ? cloth_color : face_color.rgb * decoded(picture.rgb);
    ClothPoint at = ClothPoint(own, here.normal_ws, vec3(0.0), is_cloth ? cloth_roughness : roughness);
#else
    const bool is_cloth = true;
    ClothPoint at = ClothPoint(own, here.normal_ws, vec3(0.0), roughness);
#endif
#ifdef FABRIC
    FabricPoint threads = fabric_here(position_ws, here.normal_ws);
#ifdef COLORS
    threads.gradient *= float(is_cloth);
    threads.brightness = is_cloth ? threads.brightness : 1.0;
    threads.variance *= float(is_cloth);
    threads.along *= float(is_cloth);
#endif
    at.normal = raised_normal(here.normal_ws, threads.gradient);
    at.color *= threads.brightness;
#ifdef SEWN
    if (is_cloth) {
        // rubbed cloth loses its dye along seams and on the crests of folds
        float worn = max(threads.sewn.worn, 0.5 * smoothstep(0.1, 0.8, here.height / height_top));
        worn = max(worn, threads.sewn.washed);
        at.color = mix(at.color, mix(at.color, vec3(0.62), 0.5), sewing_shades.y * worn);
        at.color = mix(at.color, thread_color, threads.sewn.thread);
        at.color = mix(at.color, button_color, threads.sewn.button) * threads.sewn.shade;
        at.roughness = mix(at.roughness, 0.3, threads.sewn.button);
    }
#endif
    at.along = anisotropy > 0.0 ? threads.along : vec3(0.0);
    // the variance of slopes within a pixel increases the roughness (Toksvig 2005)
    at.roughness = sqrt(sqrt(min(square(square(at.roughness)) + 2.0 * threads.variance, 1.0)));
#endif
    vec3 toward_eye = normalize(eye_ws.xyz - position_ws);
    bool outside = seen_from_outside();
    float facing = dot(at.normal, key_ws.xyz);
    float through = facing > -WRAP ? key_light_through(position_ws, here.normal_ws) : 0.0;
    ClothLight light = cloth_light(at, toward_eye, through, outside);
    float hollow = HOLLOW * here.steepness / (1.0 + here.steepness);
    direct = vec4(light.direct, LIGHT);
    ambient = vec4(light.ambient * mix(vec3(1.0), 0.4 + 0.6 * own, hollow), 1.0);
}
