// Light on cloth. All colours are linear.
//
// Light wraps around the form, because fibres stick out of the surface. For the key light, a rough surface returns more
// light towards the source and looks flatter than a smooth one (Oren & Nayar 1994, in Fujii's approximation). There is
// a broad, weak highlight, and a sheen of fibres that are seen from the side. Ambient light comes from the sky and the
// ground; in hollows it comes from the cloth, with its colour. The inside of the cloth is darker.
const float WRAP = 0.22;              // share of the form behind the terminator that still receives light
const vec2 ROUGH = vec2(0.80, 0.36);  // Oren & Nayar's A and B, for a roughness of about 30 degrees
uniform float highlight_strength;     // Blinn-Phong highlight with exponent 16: 0.05 for matte cotton
uniform float sheen;                  // sheen of fibres: 0.16 for cotton
const float INSIDE = 0.58;            // brightness of the inside, which less light reaches

// Computes powers as products, because pow() is the most expensive function on software drivers here.
float fourth_power(float x) {
    float square = x * x;
    return square * square;
}

// Returns two factors of one light: for the cloth's colour, and for a highlight in the colour of the light.
vec2 received(vec3 normal, vec3 toward_eye, vec4 light) {
    float facing = dot(normal, light.xyz);
    float wrapped = max((facing + WRAP) / (1.0 + WRAP), 0.0);
    float highlight = fourth_power(fourth_power(max(dot(normal, normalize(light.xyz + toward_eye)), 0.0)));
    // half of the wrapped light is squared, so that the shadow side darkens smoothly, without a visible edge at the end
    // of the wrap
    return light.w * vec2(wrapped * (0.5 + 0.5 * wrapped), highlight_strength * highlight * max(facing, 0.0));
}

// Returns the factor of the key light on a rough surface. turned: cosine of the angle between normal and direction to
// the eye.
float roughened(vec3 normal, vec3 toward_eye, float turned) {
    float facing = dot(normal, key_ws.xyz), aligned = dot(key_ws.xyz, toward_eye) - facing * turned;
    return ROUGH.x + ROUGH.y * (aligned > 0.0 ? aligned / max(max(facing, turned), 0.3) : aligned);
}

// color    of the cloth
// normal   unit, on the viewer's side of the cloth
// through  share of the key light that arrives, in [0, 1]
// hollow   share of the ambient light that comes from steep wrinkles near the point, in [0, 1]
// outside  true if the outside of the cloth is visible
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

// Converts sRGB codes to linear light (IEC 61966-2-1), with a cubic polynomial. The error is at most 0.002.
vec3 decoded(vec3 code) {
    return code * (code * (code * 0.305306011 + 0.682171111) + 0.012522878);
}

// Converts linear light to sRGB (IEC 61966-2-1), with square roots only. The error is at most half an eight-bit code.
vec3 encoded(vec3 linear) {
    vec3 r2 = sqrt(linear), r4 = sqrt(r2), r8 = sqrt(r4);
    return max(0.585122381 * r2 + 0.783140355 * r4 - 0.368262736 * r8, vec3(0.0));
}
