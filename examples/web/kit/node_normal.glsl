// Normal of a pixel of cloth with waves, for node materials of three.js: fragment.glsl with texels that the node graph has fetched. Of
// the language it uses what shaders/engines/generate.py reads, which writes it in GLSL ES and WGSL.

WaveCorner node_corner(uvec4 words) {
    vec2 first = unpackHalf2x16(words.x), second = unpackHalf2x16(words.y);
    return WaveCorner(vec3(first, second.x), second.y, vec2(uintBitsToFloat(words.z), uintBitsToFloat(words.w)));
}

// words_0 ..   waves of the triangle's corners
// rest_0 ..    positions of the corners at rest
// right, up    change of the position in view space to the neighbouring pixels
// changes      that of the second and third barycentric coordinate: right xy, up zw
// barycentric  of the pixel
// normal       of the smooth cloth, unit, in view space, on the side that is seen
// amount       factor of the heights, negative on the inside
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
    // radians per pixel at which waves fade, and at which they would flicker
    float kept = 1.0 - smoothstep(1.6, 3.1, finest * max(length(right), length(up)));
    HeightSample found = wave_sample(corners, rest, now, clamp(barycentric, vec3(0.0), vec3(1.0)));
    return raised_normal(normal, amount * kept * found.gradient);
}
