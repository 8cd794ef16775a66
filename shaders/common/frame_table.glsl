// The table of one frame, for shaders that compute a fine mesh.
#include "common/tables.glsl"

uniform sampler2D frame_table;

vec4 frame_texel(int number) {
    return texelFetch(frame_table, texel_position(number), 0);
}
