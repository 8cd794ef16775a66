// Computes the fine mesh of learned upsampling: for each fine vertex, a row of the matrix times the coarse cloth (Kavan
// et al. 2011, p_f = U p_c).
//
// Reads   operator_table: rows one after the other, four entries per texel, in half or single precision, 0 after the
//         last column; frame_table: for four coarse vertices, one texel of x, one of y, one of z, relative to their
//         mean, mesh units
// Writes  fine_position xyz, mesh units, by transform feedback
//
// The CPU version is cpp/src/upsampling/operator_kernel.cpp. It sums in the order of the columns, so rounding differs.
#include "common/frame_table.glsl"
uniform sampler2D operator_table;
uniform int row_texels;          // number of texels per row of the matrix
uniform vec3 coarse_mean;        // mean of the coarse positions, mesh units

out vec4 fine_position;

void main() {
    vec3 sum = vec3(0.0);
    for (int k = 0; k < row_texels; ++k) {
        vec4 entries = texelFetch(operator_table, texel_position(gl_VertexID * row_texels + k), 0);
        sum += vec3(dot(entries, frame_texel(3 * k)), dot(entries, frame_texel(3 * k + 1)), dot(entries, frame_texel(3 * k + 2)));
    }
    fine_position = vec4(coarse_mean + sum, 0.0);
    gl_Position = vec4(0.0);
}
