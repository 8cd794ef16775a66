// Labels and field of a coarse triangle, for visualisation: three texels per triangle.
//     0  centre xyz, radius of the inscribed circle          mesh units
//     1  unit direction of the compression xyz; compression 1 / λ_min, above 1 if compressed
//     2  label (0 compression, 1 rest, 2 stretch), largest stretch, 0, 0
#include "common/tables.glsl"

uniform sampler2D field_table;

vec4 field_texel(int face, int part) {
    return texelFetch(field_table, texel_position(3 * face + part), 0);
}
