// Light on cloth. All colours linear.
//
// Fibres stick out of the surface: light wraps round the form; a rough surface returns more toward the light and looks
// flatter than a smooth one (Oren & Nayar 1994, after Fujii's approximation; of the key light, the others are weak); a
// broad, weak highlight; a sheen of fibres seen from the side. Ambient light comes from the sky and the ground; in
// hollows it comes from the cloth itself, with its colour. The inside of the cloth is darker.
const float WRAP = 0.22;              // share of the form past the terminator that still receives light
const vec2 ROUGH = vec2(0.80, 0.36);  // Oren & Nayar's A and B, for a roughness of some 30 degrees
uniform float highlight_strength;     // its Blinn-Phong exponent is 16: 0.05 for matte cotton
uniform float sheen;                  // of fibres: 0.16 for cotton
const float INSIDE = 0.58;            // brightness of the inside: light has to find its way in

// Powers are products: pow() is the dearest thing a software driver meets here.
float fourth_power(float x) {
    float square = x * x;
    return square * square;
}

// How much of one light a surface returns: times the cloth's colour, and as a highlight of the light's own colour.
vec2 received(vec3 normal, vec3 toward_eye, vec4 light) {
    float facing = dot(normal, light.xyz);
    float wrapped = max((facing + WRAP) / (1.0 + WRAP), 0.0);
    float highlight = fourth_power(fourth_power(max(dot(normal, normalize(light.xyz + toward_eye)), 0.0)));
    // half squared: the shadow side falls off softly, without a second edge at the end of the wrap
    return light.w * vec2(wrapped * (0.5 + 0.5 * wrapped), highlight_strength * highlight * max(facing, 0.0));
}

// The key light on a rough surface; turned: cosine of normal and direction toward the eye.
float roughened(vec3 normal, vec3 toward_eye, float turned) {
    float facing = dot(normal, key_ws.xyz), aligned = dot(key_ws.xyz, toward_eye) - facing * turned;
    return ROUGH.x + ROUGH.y * (aligned > 0.0 ? aligned / max(max(facing, turned), 0.3) : aligned);
}

// color   of the cloth
// normal  unit, toward the viewer's side of the cloth
// through 0 to 1: share of the key light that arrives
// hollow  0 to 1: share of the ambient light that comes from steep wrinkles near the point
vec3 lit_cloth(vec3 color, vec3 normal, vec3 position, float through, float hollow, bool outside) {
    vec3 toward_eye = normalize(eye_ws.xyz - position);
    float turned = clamp(dot(normal, toward_eye), 0.0, 1.0);
    vec2 key = through * received(normal, toward_eye, key_ws);
    vec2 others = received(normal, toward_eye, fill_ws) + received(normal, toward_eye, rim_ws);
    float diffuse = roughened(normal, toward_eye, turned) * key.x + others.x, glossy = key.y + others.y;
    vec3 ambient = mix(ground.rgb, sky.rgb, 0.5 + 0.5 * dot(normal, up_ws.xyz)) * mix(vec3(1.0), color, hollow);
    vec3 light = diffuse + ambient;
    vec3 sum = color * light + glossy + sheen * fourth_power(1.0 - turned) * light * mix(color, vec3(1.0), 0.35);
    return outside ? sum : INSIDE * sum;
}

// Linear light from sRGB codes (IEC 61966-2-1), to 0.002: a cubic of the code.
vec3 decoded(vec3 code) {
    return code * (code * (code * 0.305306011 + 0.682171111) + 0.012522878);
}

// The sRGB transfer function (IEC 61966-2-1) to half a code of eight bits, by roots alone.
vec3 encoded(vec3 linear) {
    vec3 r2 = sqrt(linear), r4 = sqrt(r2), r8 = sqrt(r4);
    return max(0.585122381 * r2 + 0.783140355 * r4 - 0.368262736 * r8, vec3(0.0));
}
