// Which part of the key light reaches a point, from the moments of its depth map. Needs scene and lighting.
//
// Chebyshev: of depths with mean m and variance v, at most the share v / (v + (d - m)²) is behind d (Donnelly &
// Lauritzen 2006, variance shadow maps).
uniform sampler2D shadow_map;

// Shares of the map's depth. Least standard deviation, below which rounding errors make cloth shade itself; and least
// distance of an occluder: with less, hollow coarse edges are drawn as lines; with more, a collar casts no shadow.
const float LEAST_DEVIATION = 0.003;
const float CLEARANCE = 0.003;

// Behind several layers the bound is too bright: less light than this share counts as none.
const float BLEEDING = 0.3;

// The map under the uniform quadratic B-spline, three by three texels: soft, and without steps. Its weights
// (1/2 - o)²/2, 3/4 - o², (1/2 + o)²/2, with o from the nearest texel's middle, are those of two bilinear samples a side.
vec2 spline_sample(vec2 at) {
    vec2 size = vec2(textureSize(shadow_map, 0)), position = at * size;
    vec2 nearest = floor(position) + 0.5, after = position - nearest + 0.5, before = 1.0 - after;
    vec2 low = (nearest - 0.5 * before) / size, high = (nearest + 0.5 * after) / size;
    return before.y * (before.x * texture(shadow_map, low).xy + after.x * texture(shadow_map, vec2(high.x, low.y)).xy) +
           after.y * (before.x * texture(shadow_map, vec2(low.x, high.y)).xy + after.x * texture(shadow_map, high).xy);
}

// 0 to 1.
//
// position  over the flat coarse triangle by the height there, as it is in the map: the curved base does not shade itself
// facing    cosine of normal and light
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
