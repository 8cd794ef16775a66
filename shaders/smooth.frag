// Smooths the occlusion: writes its mean over four by four pixels, without pixels on another surface. The noise of
// these 16 pixels is different, and so averages out.
//
// Reads and writes  open share of the sky, depth
uniform sampler2D occlusion;

layout(location = 0) out vec2 found;

vec2 at(ivec2 pixel) {
    return texelFetch(occlusion, clamp(pixel, ivec2(0), textureSize(occlusion, 0) - 1), 0).xy;
}

float nearer(float forward, float backward) {
    return abs(forward) < abs(backward) ? forward : backward;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec2 here = at(pixel);
    float right = nearer(at(pixel + ivec2(1, 0)).y - here.y, here.y - at(pixel - ivec2(1, 0)).y);
    float up = nearer(at(pixel + ivec2(0, 1)).y - here.y, here.y - at(pixel - ivec2(0, 1)).y);
    // neighbours are on another surface if their distance in depth from the tangent plane exceeds the change of depth
    // over two pixels, plus 0.4 % of the depth
    float tolerance = 2.0 * (abs(right) + abs(up)) + 0.004 * here.y;
    vec2 sum = vec2(0.0);
    for (int y = -2; y < 2; ++y) {
        for (int x = -2; x < 2; ++x) {
            vec2 there = at(pixel + ivec2(x, y));
            float off = there.y - (here.y + float(x) * right + float(y) * up);
            sum += max(1.0 - abs(off) / tolerance, 0.0) * vec2(there.x, 1.0);
        }
    }
    found = vec2(sum.y > 0.0 ? sum.x / sum.y : here.x, here.y);
}
