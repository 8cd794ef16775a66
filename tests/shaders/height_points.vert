// Height and slope of the wrinkles at given points, for the comparison with their CPU twin.
#include "common/tables.glsl"
#include "common/wrinkles.glsl"

in vec3 point;
in ivec2 list;

out vec4 sample_out;

void main() {
    HeightSample found = wrinkle_heights(point, list);
    sample_out = vec4(found.gradient, found.height);
    gl_Position = vec4(0.0);
}
