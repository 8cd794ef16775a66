// Height and slope of all layers at points of triangles, for the comparison with their CPU twin.
#include "common/heights.glsl"

in vec3 weights;
in int face;

out vec4 sample_out;

void main() {
    ivec3 entry = ivec3(cloth_texel(FACE_TEXELS * face + LIST_TEXEL).xyz);
    vec3 rest = vec3(0.0);
    mat3 carrier = mat3(0.0);
    for (int k = 0; k < 3; ++k) {
        int own = int(cloth_texel(FACE_TEXELS * face + CORNER_TEXELS + k).w);
        rest += weights[k] * cloth_texel(own).xyz;
        carrier += weights[k] * mat3(cloth_texel(own + 1).xyz, cloth_texel(own + 2).xyz, cloth_texel(own + 3).xyz);
    }
    HeightSample found = layer_heights(CoarsePoint(rest, carrier, weights, entry), 0.0, NO_HEIGHT);
    sample_out = vec4(found.gradient, found.height);
    gl_Position = vec4(0.0);
}
