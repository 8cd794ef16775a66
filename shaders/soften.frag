// One half of the key light's soft shadows: moments of its depth map, softened along one axis and half as many.
//
// Reads   a depth map, or the moments from the other half
// Writes  means of depth and of its square, weighted by a Gaussian over SOFTNESS texels of the input
uniform sampler2D unsoftened;
uniform ivec2 along;   // (1, 0) or (0, 1): the axis
uniform bool is_depth; // else moments already

out vec4 moments;

// Texels: standard deviation, and radius of the Gaussian.
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
