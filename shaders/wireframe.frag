// The fine triangles (thesis figure 6.3 middle): thin dark sides on softly lit cloth.
#include "common/scene.glsl"
#include "common/height_limit.glsl"
#include "common/heights.glsl"
#include "common/palette.glsl"

in vec3 wire_rest;
in vec3 wire_rest_normal;
in mat3 wire_carrier;
in vec3 wire_barycentric;
in vec3 wire_normal_ws;
flat in ivec3 wire_entry;
in vec3 wire_gradient;    // gradient of layers without a shader
#ifdef LIMITS
in vec3 wire_limit;
in mat3 wire_limit_slopes;
#endif
noperspective in vec3 wire_distances;
flat in float wire_size;  // height of the triangle over its longest side, pixels

out vec4 color;

// LINE_WIDTH: pixels. LINE_DARKNESS: darkness of the sides of triangles that are at least DENSE_PIXELS.y high;
// DENSE_DARKNESS: of triangles up to DENSE_PIXELS.x, so that ink does not cover the cloth. If triangles are lower than
// MEAN_PIXELS.x, lines would form patterns with the pixels, so the mean of lines and cloth is drawn; from MEAN_PIXELS.y
// on, only lines.
const float LINE_WIDTH = 0.9;
const float LINE_DARKNESS = 0.62;
const float DENSE_DARKNESS = 0.18;
const vec2 DENSE_PIXELS = vec2(2.0, 9.0);
const vec2 MEAN_PIXELS = vec2(2.0, 4.0);
const vec3 PAPER = vec3(0.93, 0.92, 0.89);

void main() {
    CoarsePoint here = CoarsePoint(wire_rest, wire_rest_normal, wire_carrier, wire_barycentric, wire_entry);
    HeightSample found = layer_heights(here, FOOTPRINT(wire_barycentric), HeightSample(0.0, wire_gradient));
#ifdef LIMITS
    found = limited(found, wire_limit, wire_limit_slopes);
#endif
    vec3 slope = bump * found.gradient;
    vec3 normal = raised_normal(normalize(wire_normal_ws), slope);
    vec3 fill = gently_lit(PAPER, gl_FrontFacing ? normal : -normal, gl_FrontFacing);
    float nearest = min(wire_distances.x, min(wire_distances.y, wire_distances.z));
    // size of a drawn pixel in picture pixels; below 1 if several drawn pixels are averaged
    float pixel = length(vec2(dFdx(wire_distances.x), dFdy(wire_distances.x)));
    float line = 1.0 - smoothstep(0.5 * (LINE_WIDTH - pixel), 0.5 * (LINE_WIDTH + pixel), nearest);
    // share of the triangle inside its lines, from the radius of its inscribed circle: a third of its height
    float free = max(1.0 - 1.5 * LINE_WIDTH / max(wire_size, 1e-3), 0.0);
    line = mix(1.0 - free * free, line, smoothstep(MEAN_PIXELS.x, MEAN_PIXELS.y, wire_size));
    float darkness = mix(DENSE_DARKNESS, LINE_DARKNESS, smoothstep(DENSE_PIXELS.x, DENSE_PIXELS.y, wire_size));
    color = vec4(mix(fill, INK, darkness * line), 1.0);
}
