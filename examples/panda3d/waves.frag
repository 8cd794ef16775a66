// Cloth with wrinkle waves: tilts the normal of each pixel, and lights it with three lights.
//
// Writes  sRGB
#include "common/scene.glsl"
#include "common/waves.glsl"
#include "common/lighting.glsl"
uniform vec3 cloth_color;
uniform sampler2D albedo;  // sRGB texture, so that samples are linear
uniform bool textured;

in vec2 uv;
in vec3 barycentric;
in vec3 position_ws;
in vec3 normal_ws;
flat in vec3 covectors[3], phases[3], rest_corners[3], now_corners[3];
out vec4 color;

// equal to the constants in shaders/shaded.frag and shaders/common/shading.glsl
const float HOLLOW = 0.6, EDGE_ON = 0.1;

void main() {
    WaveCorner corners[3];
    for (int v = 0; v < 3; ++v) {
        corners[v] = WaveCorner(covectors[v], phases[v].z, phases[v].xy);
    }
    vec3 slope = wave_sample(corners, rest_corners, now_corners, barycentric).gradient;
    vec3 own = textured ? cloth_color * texture(albedo, uv).rgb : cloth_color;
    vec3 toward_eye = eye_ws.xyz - position_ws;
    bool outside = gl_FrontFacing || dot(normal_ws, toward_eye) > -EDGE_ON * length(normal_ws) * length(toward_eye);
    vec3 normal = raised_normal(normalize(normal_ws), slope);
    float steepness = length(slope), hollow = HOLLOW * steepness / (1.0 + steepness);
    color = vec4(encoded(lit_cloth(own, outside ? normal : -normal, position_ws, 1.0, hollow, outside)), 1.0);
}
