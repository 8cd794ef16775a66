// Height and slope of the wrinkles at given points, for the comparison with their CPU twin.
#include "common/tables.glsl"
#include "common/wrinkles.glsl"

in vec3 point;
in ivec2 list;

out vec4 relief_out;

void main() {
    Relief relief = wrinkle_relief(point, list);
    relief_out = vec4(relief.gradient, relief.height);
    gl_Position = vec4(0.0);
}
