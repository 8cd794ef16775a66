// Tilts the normal of a pixel by the slope of waves and paths. Inserted into fragment shaders of three.js.
//
// Reads   the outputs of vertex.glsl; textures of the rest pose and of the frame
#include "common/height_limit.glsl"
#include "common/waves.glsl"
#ifdef RUCKLE_PATHS
#include "common/wrinkles.glsl"
#endif

uniform float ruckle_strength;  // factor on all heights
uniform float ruckle_line;      // pixels left of this column do not show wrinkles

in vec3 ruckle_barycentric;
in vec3 ruckle_position_vs;
in float ruckle_mask;
flat in int ruckle_face;
flat in mat3x2 ruckle_crowding;
#ifdef RUCKLE_PATHS
in vec3 ruckle_rest;
in vec3 ruckle_rest_normal;
in mat3 ruckle_carrier;
flat in ivec3 ruckle_entry;
#endif

// Radians per pixel at which waves begin to fade, and at which they have disappeared. Finer waves would flicker.
const vec2 FINEST = vec2(1.6, 3.1);

// normal  unit normal in view space, on the visible side
// side    1 if the outside is visible, -1 if the inside
vec3 ruckle_normal(vec3 normal, float side) {
    // screen-space derivatives determine the edges of the flat triangle
    vec3 right = dFdx(ruckle_position_vs), up = dFdy(ruckle_position_vs);
    vec2 b_right = dFdx(ruckle_barycentric.yz), b_up = dFdy(ruckle_barycentric.yz);
    float area = b_right.x * b_up.y - b_right.y * b_up.x;
    float strength = gl_FragCoord.x < ruckle_line ? 0.0 : ruckle_strength * ruckle_mask;
    if (area == 0.0 || strength == 0.0) {
        return normal;
    }
    HeightSample found = HeightSample(0.0, vec3(0.0));
    vec3 b = clamp(ruckle_barycentric, 0.0, 1.0);
    vec3 now[3] = vec3[3](vec3(0.0), (right * b_up.y - up * b_right.y) / area, (up * b_right.x - right * b_up.x) / area);
#ifdef RUCKLE_WAVES
    ivec3 vertices = ivec3(texelFetch(wave_table, texel_position(ruckle_face), 0).xyz);
    WaveCorner corners[3];
    vec3 rest[3];
    float finest = 0.0;
    for (int v = 0; v < 3; ++v) {
        corners[v] = wave_corner(waves.x + vertices[v]);
        rest[v] = texelFetch(wave_table, texel_position(waves.z + vertices[v]), 0).xyz;
        finest = max(finest, length(corners[v].covector));
    }
    float turn = finest * max(length(right), length(up));
    float share = 1.0 - smoothstep(FINEST.x, FINEST.y, turn);
    HeightSample wave = wave_sample(corners, rest, now, b);
    found = HeightSample(share * wave.height, share * wave.gradient);
#endif
#ifdef RUCKLE_PATHS
    if (ruckle_entry.x < ruckle_entry.y) {
        HeightSample wrinkle = wrinkle_heights(ruckle_rest, ruckle_rest_normal, ruckle_entry);
        found.height += wrinkle.height;
        found.gradient += (viewMatrix * vec4(wrinkle.gradient * ruckle_carrier, 0.0)).xyz;
    }
#endif
    mat3x2 c = ruckle_crowding;
    mat3 slopes = mat3(vec3(0.0), slope_over(now[1], now[2], vec3(c[0].x, c[1].x, c[2].x)),
                       slope_over(now[1], now[2], vec3(c[0].y, c[1].y, c[2].y)));
    return raised_normal(normal, side * limited(found, vec3(strength, c * b), slopes).gradient);
}
