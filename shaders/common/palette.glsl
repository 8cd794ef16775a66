// Colours of labels and fields in sRGB, as in ruckle.plot; colour-blind readers can distinguish them.
const vec3 LABEL_COLORS[3] = vec3[](vec3(0.184, 0.427, 0.710),   // compression, #2f6db5
                                    vec3(0.776, 0.863, 0.753),   // rest, #c6dcc0
                                    vec3(0.824, 0.286, 0.184));  // stretch, #d2492f
const vec3 INK = vec3(0.125, 0.149, 0.180);

// Colours from paper over orange to plum, with evenly decreasing lightness.
const vec3 RAMP[6] = vec3[](vec3(0.961, 0.945, 0.910), vec3(0.996, 0.790, 0.560), vec3(0.984, 0.530, 0.381),
                            vec3(0.820, 0.265, 0.400), vec3(0.550, 0.161, 0.506), vec3(0.270, 0.065, 0.415));

vec3 ramp(float share) {
    float at = 5.0 * clamp(share, 0.0, 1.0);
    int below = min(int(at), 4);
    return mix(RAMP[below], RAMP[below + 1], at - float(below));
}

// Returns a colour in soft light. The brightness has a lower limit, so that the colour remains readable.
vec3 gently_lit(vec3 color, vec3 normal, bool outside) {
    float brightness = 0.62 + 0.38 * clamp(0.5 + 0.5 * dot(normal, key_ws.xyz), 0.0, 1.0);
    return (outside ? 1.0 : 0.6) * brightness * color;
}
