// Computes a map of the shadows on the floor: those of the key light, and those of the sky.
//
// Reads   the depth map of the key light, and a depth map of the meshes from below
// Writes  share of the key light, and open share of the sky
//
// A patch at height h over the floor and at horizontal distance d hides the share h² / (π (h² + d²)²) of the sky per
// area, including the cosine. The sum over patches uses points of a spiral around the floor point.
#include "common/scene.glsl"
#include "common/soft_shadow.glsl"
uniform sampler2D from_below;
uniform float floor_texels;        // number of texels along a side of the output map
uniform mat4 ws_from_floor;       // converts coordinates of the output map, 0 to 1
uniform mat4 below_from_ws;       // converts to the map from below: uv and depth, in units of the lit sphere's diameter

layout(location = 0) out vec2 found;

// Diameter of the key light relative to its distance, and largest blur radius, as in soft_shadow.glsl. Both are larger
// for the floor, so that shadows of distant casters are soft.
const float FLOOR_LIGHT = 0.30, FLOOR_WIDEST = 0.09;
const int KEY_POINTS = 40, SKY_POINTS = 128;
const float SKY_REACH = 0.30;     // largest distance of a patch, in units of the sphere's diameter
const float LEAST_HEIGHT = 0.008; // smallest height; lower patches would have shadows sharper than the texels of the map

float key_share(vec3 place) {
    vec3 at = (shadow_from_ws * vec4(place, 1.0)).xyz;
    // the depth is clamped to that of the map, because the floor may be behind the far end of the map
    at.z = min(at.z - 0.002, 0.9999);
    vec2 direction = vec2(1.0, 0.0);
    float casters = 0.0, depths = 0.0;
    for (int k = 0; k < KEY_POINTS; ++k) {
        direction = GOLDEN_TURN * direction;
        float depth = textureLod(shadow_map, at.xy + FLOOR_WIDEST * disk_radius(k, KEY_POINTS) * direction, 0.0).x;
        casters += depth < at.z ? 1.0 : 0.0;
        depths += depth < at.z ? depth : 0.0;
    }
    if (casters == 0.0) {
        return 1.0;
    }
    float radius = clamp(0.5 * FLOOR_LIGHT * (at.z - depths / casters), 0.004, FLOOR_WIDEST), lit = 0.0;
    for (int k = 0; k < KEY_POINTS; ++k) {
        direction = GOLDEN_TURN * direction;
        vec2 place = at.xy + radius * disk_radius(k, KEY_POINTS) * direction;
        lit += textureLod(shadow_map, place, 0.0).x < at.z ? 0.0 : 1.0;
    }
    return lit / float(KEY_POINTS);
}

float sky_share(vec3 place) {
    vec3 at = (below_from_ws * vec4(place, 1.0)).xyz;
    float hidden = 0.0;
    vec2 direction = vec2(1.0, 0.0);
    for (int k = 0; k < SKY_POINTS; ++k) {
        direction = GOLDEN_TURN * direction;
        float share = (float(k) + 0.5) / float(SKY_POINTS), radius = SKY_REACH * share * share;
        float spacing = 2.0 * SKY_REACH * share / float(SKY_POINTS);
        float depth = textureLod(from_below, at.xy + radius * direction, 0.0).x;
        if (depth < 1.0) {
            // lower patches would show the points of the spiral; the root is the width of this point's part of the disk
            float h = max(max(depth - at.z, LEAST_HEIGHT), 1.8 * sqrt(6.2831853 * radius * spacing));
            float sum = h * h + radius * radius;
            hidden += 2.0 * radius * spacing * h * h / (sum * sum);
        }
    }
    return max(1.0 - hidden, 0.0);
}

void main() {
    vec3 place = (ws_from_floor * vec4(gl_FragCoord.xy / floor_texels, 0.0, 1.0)).xyz;
    found = vec2(key_share(place), sky_share(place));
}
