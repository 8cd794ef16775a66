// The fine triangles (thesis figure 6.3 middle): thin dark sides on softly lit cloth.
#include "common/scene.glsl"
#include "common/tables.glsl"
#include "common/wrinkles.glsl"
#include "common/palette.glsl"

in vec3 wire_flat_ws;
in vec3 wire_normal_ws;
flat in ivec3 wire_entry;
noperspective in vec3 wire_distances;
flat in float wire_size;  // height over the longest side, pixels

out vec4 color;

// Pixels; how dark the sides of large triangles are, and of ones that are only a few pixels high.
const float LINE_WIDTH = 0.9;
const float LINE_DARKNESS = 0.62;
const float DENSE_DARKNESS = 0.24;
const vec2 DENSE_PIXELS = vec2(3.0, 12.0);
const vec3 PAPER = vec3(0.93, 0.92, 0.89);

void main() {
    vec3 slope = relief * wrinkle_relief(wire_flat_ws, wire_entry.xy).gradient;
    vec3 normal = raised_normal(normalize(wire_normal_ws), slope);
    vec3 fill = gently_lit(PAPER, gl_FrontFacing ? normal : -normal, gl_FrontFacing);
    float nearest = min(wire_distances.x, min(wire_distances.y, wire_distances.z));
    float line = 1.0 - smoothstep(0.5 * LINE_WIDTH, 0.5 * LINE_WIDTH + 1.0, nearest);
    float darkness = mix(DENSE_DARKNESS, LINE_DARKNESS, smoothstep(DENSE_PIXELS.x, DENSE_PIXELS.y, wire_size));
    color = vec4(mix(fill, INK, darkness * line), 1.0);
}
