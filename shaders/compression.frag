// The wrinkling field (thesis figure 3.1 c): the colour shows compression. Each triangle has an ellipse, which is the
// image of a circle under the stretch, with a line across the compression: the direction of a wrinkle.
#include "common/scene.glsl"
#include "common/surface_in.glsl"
#include "common/shading.glsl"
#include "common/palette.glsl"
#include "common/field.glsl"
uniform float compression_top;

out vec4 color;

// CIRCLE: radius of the undeformed circle divided by that of the triangle's inscribed circle. OUTLINE: width of the
// outline, pixels. LEAST_PIXELS: least diameter of an ellipse, pixels; smaller ones would look like noise.
const float CIRCLE = 0.62;
const float OUTLINE = 1.1;
const float LEAST_PIXELS = 5.0;

void main() {
    vec4 circle = field_texel(patch_entry.z, 0), direction = field_texel(patch_entry.z, 1);
    float stretch = field_texel(patch_entry.z, 2).y;
    vec3 normal = surface_here().normal_ws;
    vec3 fill = ramp((direction.w - 1.0) / (compression_top - 1.0));

    vec3 off = flat_ws - circle.xyz;
    float across = dot(off, direction.xyz);                         // distance from the centre along the compression
    float along = sqrt(max(dot(off, off) - across * across, 0.0));  // distance from the centre along the wrinkle
    float radius = CIRCLE * circle.w / max(1.0, stretch);
    float from_centre = length(vec2(across * direction.w, along / max(stretch, 1e-6))) / max(radius, 1e-20);
    float pixel = fwidth(from_centre);
    float outline = 1.0 - smoothstep(0.0, OUTLINE * pixel, abs(from_centre - 1.0) - 0.5 * OUTLINE * pixel);
    float line_pixel = fwidth(across);
    float line = (1.0 - smoothstep(0.0, line_pixel, abs(across) - 0.3 * line_pixel)) * step(from_centre, 1.0);
    float known = step(0.5, dot(direction.xyz, direction.xyz)) * step(pixel * LEAST_PIXELS, 2.0);
    vec3 shade = mix(fill, dot(fill, vec3(0.2126, 0.7152, 0.0722)) < 0.45 ? vec3(1.0) : INK, 0.8 * known * max(outline, line));
    color = vec4(gently_lit(shade, normal, gl_FrontFacing), 1.0);
}
