// Shows the factors of patterns as colours. The colour of a point is a mixture of the colours of its patterns, weighted
// by their factors. The factor of a pattern that occurs alone is its root mean square slope.
#include "common/scene.glsl"
#include "common/surface_in.glsl"
#include "common/shading.glsl"
#include "common/palette.glsl"

out vec4 color;

const vec3 PAPER = vec3(0.961, 0.945, 0.910);

// Colours of the four patterns, sRGB: distinguishable for colour-blind readers.
const vec3 PATTERN_COLORS[4] = vec3[](vec3(0.824, 0.286, 0.184), vec3(0.184, 0.427, 0.710), vec3(0.914, 0.659, 0.176),
                                      vec3(0.290, 0.565, 0.455));

void main() {
    vec4 factors = vec4(0.0);
#ifdef PATTERNS
    factors = barycentric == vec3(0.0) ? factors : pattern_factors(patch_entry.z, barycentric);
#endif
    float total = factors.x + factors.y + factors.z + factors.w;
    vec3 mean = PAPER;
    if (total > 0.0) {
        mean = mat4x3(PATTERN_COLORS[0], PATTERN_COLORS[1], PATTERN_COLORS[2], PATTERN_COLORS[3]) * factors / total;
    }
    color = vec4(gently_lit(mix(PAPER, mean, min(total, 1.0)), surface_here().normal_ws, gl_FrontFacing), 1.0);
}
