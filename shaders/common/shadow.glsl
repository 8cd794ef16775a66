// Computes the share of the key light that reaches a point, from the moments of the light's depth map. Requires scene
// and lighting.
//
// Chebyshev's inequality: among depths with mean m and variance v, at most the share v / (v + (d - m)²) is greater than
// d, and so does not shade a point at depth d (Donnelly & Lauritzen 2006, variance shadow maps).
uniform sampler2D shadow_map;

// Lengths in units of the map's depth. LEAST_DEVIATION: smallest standard deviation of the depths. Smaller: rounding
// errors make cloth shade itself. CLEARANCE: smallest distance of an occluder. Smaller: hollow coarse edges appear as
// lines. Larger: a collar does not cast a shadow.
const float LEAST_DEVIATION = 0.003;
const float CLEARANCE = 0.003;

// Behind several layers the bound is too large, so light shares below this number become 0, and the others are rescaled
// to [0, 1].
const float BLEEDING = 0.3;

// Samples the map with the uniform quadratic B-spline over three by three texels, which is soft and without steps. Its
// weights (1/2 - o)²/2, 3/4 - o², (1/2 + o)²/2, with the offset o from the centre of the nearest texel, are computed
// with two bilinear samples per axis.
vec2 spline_sample(vec2 at) {
    vec2 size = vec2(textureSize(shadow_map, 0)), position = at * size;
    vec2 nearest = floor(position) + 0.5, after = position - nearest + 0.5, before = 1.0 - after;
    vec2 low = (nearest - 0.5 * before) / size, high = (nearest + 0.5 * after) / size;
    return before.y * (before.x * texture(shadow_map, low).xy + after.x * texture(shadow_map, vec2(high.x, low.y)).xy) +
           after.y * (before.x * texture(shadow_map, vec2(low.x, high.y)).xy + after.x * texture(shadow_map, high).xy);
}

// Returns the share of the key light that arrives, in [0, 1].
//
// position  on the flat coarse triangle plus the height, as in the map, so that curved triangles (cloth.tese) do not
//           shade themselves
// facing    cosine of the angle between normal and light
float key_light_through(vec3 position, float facing) {
    if (shadows <= 0.0 || facing <= -WRAP) {
        return 1.0;
    }
    vec3 at = (shadow_from_ws * vec4(position, 1.0)).xyz;
    vec2 depths = spline_sample(at.xy);
    float variance = max(depths.y - depths.x * depths.x, LEAST_DEVIATION * LEAST_DEVIATION);
    float behind = max(at.z - depths.x - CLEARANCE, 0.0);
    float arrives = max(variance / (variance + behind * behind) - BLEEDING, 0.0) / (1.0 - BLEEDING);
    return 1.0 - shadows * (1.0 - arrives);
}
