// One of two passes of the key light's soft shadows: blurs the moments of the depth map along one axis, and halves the
// number of texels along it.
//
// Reads   a depth map, or the moments from the first pass
// Writes  means of depth and of its square, weighted by a Gaussian whose standard deviation is SOFTNESS texels of the
//         input
uniform sampler2D unsoftened;
uniform ivec2 along;   // (1, 0) or (0, 1): the axis
uniform bool is_depth; // true: the input is a depth map; false: moments

out vec4 moments;

// Standard deviation and radius of the Gaussian, in texels of the input.
const float SOFTNESS = 3.0;
const int REACH = 6;

void main() {
    ivec2 middle = ivec2(gl_FragCoord.xy) * (ivec2(1) + along), last = textureSize(unsoftened, 0) - 1;
    vec2 sum = vec2(0.0);
    float weights = 0.0;
    for (int k = 1 - REACH; k <= REACH; ++k) {
        vec2 found = texelFetch(unsoftened, clamp(middle + k * along, ivec2(0), last), 0).xy;
        float off = (float(k) - 0.5) / SOFTNESS, weight = exp(-0.5 * off * off);
        sum += weight * (is_depth ? vec2(found.x, found.x * found.x) : found);
        weights += weight;
    }
    moments = vec4(sum / weights, 0.0, 0.0);
}
