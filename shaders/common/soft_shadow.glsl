// Which part of the key light reaches a point. Needs scene.
//
// The light is a disk: shadows are sharp at a fold's foot and soften with the distance of the caster (Fernando 2005,
// percentage-closer soft shadows). Depth and position in the map have the same unit: the diameter of the lit ball.
uniform sampler2D shadow_map;

// Diameter of the light over its distance; largest radius of the search and of the blur, in the map.
const float LIGHT_SIZE = 0.16;
const float WIDEST = 0.018;
// Texels: the least radius of the blur, and how far a point is moved off its own surface.
const float SHARPEST = 1.3, CLEARANCE = 2.2;
const int SEARCHED = 6, COMPARED = 10;

// Points are spread evenly over a disk: from each to the next by the golden angle, to the root of their share (Vogel 1979).
const mat2 GOLDEN_TURN = mat2(-0.73736888, 0.67549029, -0.67549029, -0.73736888);

float disk_radius(int number, int count) {
    return sqrt((float(number) + 0.5) / float(count));
}

// Noise of a pixel in [0, 1), different in all pixels near it (Jimenez 2014, interleaved gradient noise).
float pixel_noise() {
    return fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
}

// 0 to 1.
//
// normal  unit, of the surface without its fabric, on the side that is seen
float key_light_through(vec3 position, vec3 normal) {
    if (shadows <= 0.0) {
        return 1.0;
    }
    float texel = 1.0 / float(textureSize(shadow_map, 0).x), ball = 1.0 / length(shadow_from_ws[0].xyz);
    vec3 off = normal * (CLEARANCE * texel * ball) + key_ws.xyz * (0.5 * CLEARANCE * texel * ball);
    vec3 at = (shadow_from_ws * vec4(position + off, 1.0)).xyz;
    float angle = 6.2831853 * pixel_noise();
    vec2 direction = vec2(cos(angle), sin(angle));
    float casters = 0.0, depths = 0.0;
    for (int k = 0; k < SEARCHED; ++k) {
        direction = GOLDEN_TURN * direction;
        float depth = textureLod(shadow_map, at.xy + WIDEST * disk_radius(k, SEARCHED) * direction, 0.0).x;
        casters += depth < at.z ? 1.0 : 0.0;
        depths += depth < at.z ? depth : 0.0;
    }
    if (casters == 0.0) {
        return 1.0;
    }
    float radius = clamp(0.5 * LIGHT_SIZE * (at.z - depths / casters), SHARPEST * texel, WIDEST);
    float lit = 0.0;
    for (int k = 0; k < COMPARED; ++k) {
        direction = GOLDEN_TURN * direction;
        lit += textureLod(shadow_map, at.xy + radius * disk_radius(k, COMPARED) * direction, 0.0).x < at.z ? 0.0 : 1.0;
    }
    return 1.0 - shadows * (1.0 - lit / float(COMPARED));
}
