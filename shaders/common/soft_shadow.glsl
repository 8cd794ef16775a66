// Computes the share of the key light that reaches a point. Requires scene.
//
// The light is a disk: shadows are sharp near their caster and become softer with the distance (Fernando 2005,
// percentage-closer soft shadows). Depth and position in the map have the same unit: the diameter of the lit sphere.
uniform sampler2D shadow_map;

// Ratio of the light's diameter to its distance; largest radius of the search and of the blur, in units of the map.
const float LIGHT_SIZE = 0.16;
const float WIDEST = 0.018;
// Numbers of texels: smallest radius of the blur; distance by which a point is moved away from its own surface. Smaller
// clearance: the surface shades itself.
const float SHARPEST = 1.3, CLEARANCE = 2.2;
const int SEARCHED = 6, COMPARED = 10;

// Points evenly distributed over a disk: each point is rotated by the golden angle relative to the point before, and
// the radius of point k of n is √((k + 1/2) / n) (Vogel 1979).
const mat2 GOLDEN_TURN = mat2(-0.73736888, 0.67549029, -0.67549029, -0.73736888);

float disk_radius(int number, int count) {
    return sqrt((float(number) + 0.5) / float(count));
}

// Returns the noise of a pixel in [0, 1), which differs from that of its neighbours (Jimenez 2014, interleaved gradient
// noise).
float pixel_noise() {
    return fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
}

// Returns the share of the key light that arrives, in [0, 1].
//
// normal  unit, of the surface without its fabric, on the visible side
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
