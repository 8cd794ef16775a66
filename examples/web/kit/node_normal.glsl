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
// limit_0 ..   crowding of the corners along the normal and against it, 1 / world units
// is_limited   1 if the mesh has several layers of cloth, 0 otherwise
// normal       unit normal of the smooth cloth in view space, on the visible side
// amount       factor on the heights
// side         1 if the outside is visible, -1 if the inside is visible
vec3 node_normal(uvec4 words_0, uvec4 words_1, uvec4 words_2, vec3 rest_0, vec3 rest_1, vec3 rest_2, vec3 right, vec3 up, vec4 changes,
                 vec3 barycentric, uvec4 limit_0, uvec4 limit_1, uvec4 limit_2, float is_limited, vec3 normal, float amount,
                 float side) {
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
    vec3 b = clamp(barycentric, vec3(0.0), vec3(1.0));
    HeightSample found = wave_sample(corners, rest, now, b);
    HeightSample own = HeightSample(amount * kept * found.height, amount * kept * found.gradient);
    vec3 outside = vec3(uintBitsToFloat(limit_0.x), uintBitsToFloat(limit_1.x), uintBitsToFloat(limit_2.x));
    vec3 inside = vec3(uintBitsToFloat(limit_0.y), uintBitsToFloat(limit_1.y), uintBitsToFloat(limit_2.y));
    // without limits the words are other numbers
    outside = is_limited > 0.5 ? outside : vec3(0.0);
    inside = is_limited > 0.5 ? inside : vec3(0.0);
    HeightSample ended = within_room(own, vec2(dot(b, outside), dot(b, inside)), slope_over(now[1], now[2], outside),
                                     slope_over(now[1], now[2], inside));
    return raised_normal(normal, side * ended.gradient);
}
