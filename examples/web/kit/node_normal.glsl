// Normal of a pixel of cloth with waves, for node materials of three.js. Same formula as fragment.glsl, but the node graph fetches the
// texels. Written in the subset of GLSL that shaders/engines/generate.py translates to GLSL ES and WGSL.

WaveCorner node_corner(uvec4 words) {
    vec2 first = unpackHalf2x16(words.x), second = unpackHalf2x16(words.y);
    return WaveCorner(vec3(first, second.x), second.y, vec2(uintBitsToFloat(words.z), uintBitsToFloat(words.w)));
}

// words_0 ..   packed waves of the triangle's corners
// rest_0 ..    positions of the corners at rest
// right, up    change of the position in view space to the neighbouring pixels
// changes      change of the second and third barycentric coordinate to these pixels: right xy, up zw
// barycentric  barycentric coordinates of the pixel
// normal       unit normal of the smooth cloth in view space, on the visible side
// amount       factor on the heights, negative if the inside is visible
vec3 node_normal(uvec4 words_0, uvec4 words_1, uvec4 words_2, vec3 rest_0, vec3 rest_1, vec3 rest_2, vec3 right, vec3 up, vec4 changes,
                 vec3 barycentric, vec3 normal, float amount) {
    float area = changes.x * changes.w - changes.y * changes.z;
    if (area == 0.0) {
        return normal;
    }
    if (amount == 0.0) {
        return normal;
    }
    WaveCorner corners[3];
    corners[0] = node_corner(words_0);
    corners[1] = node_corner(words_1);
    corners[2] = node_corner(words_2);
    vec3 rest[3];
    rest[0] = rest_0;
    rest[1] = rest_1;
    rest[2] = rest_2;
    vec3 now[3];
    now[0] = vec3(0.0);
    now[1] = (right * changes.w - up * changes.y) / area;
    now[2] = (up * changes.x - right * changes.z) / area;
    float finest = max(length(corners[0].covector), max(length(corners[1].covector), length(corners[2].covector)));
    // waves fade between 1.6 and 3.1 radians per pixel, because finer waves would flicker
    float kept = 1.0 - smoothstep(1.6, 3.1, finest * max(length(right), length(up)));
    HeightSample found = wave_sample(corners, rest, now, clamp(barycentric, vec3(0.0), vec3(1.0)));
    return raised_normal(normal, amount * kept * found.gradient);
}
