// Light on cloth. All colours are linear. Requires scene and studio.
//
// Light scatters inside threads, so it wraps around the form. A rough surface looks flatter than a smooth one (Oren &
// Nayar 1994, in Fujii's approximation). Threads reflect light like a microfacet surface; highlights on silk are wide
// across the threads and narrow along them (Burley 2012, anisotropic GGX). Fibres that stick out are bright if seen
// from the side: a sheen (Estevez & Kulla 2017, with the exponent 2) and, on wool, a fuzz.
uniform float roughness;    // of the reflection, in (0, 1]
uniform float specular;     // reflectance at perpendicular incidence: 0.04 for fibres
uniform float anisotropy;   // [0, 1): how much wider reflections are across the threads
uniform float sheen;
uniform float fuzz;

const float WRAP = 0.15;              // share of the form behind the terminator that still receives light
const vec2 ROUGH = vec2(0.82, 0.32);  // Oren & Nayar's A and B, for a roughness of about 30 degrees
const float PI = 3.14159265;
const float INSIDE = 0.58;            // brightness of the inside, which less light reaches

struct ClothPoint {
    vec3 color;
    vec3 normal;       // unit normal on the visible side
    vec3 along;        // unit direction of the threads; 0 if unknown
    float roughness;
};

// direct: light from the key light. ambient: light from the studio, which finish.frag darkens in hollows.
struct ClothLight {
    vec3 direct, ambient;
};

float square(float x) {
    return x * x;
}

// Returns the reflection of the key light, without the colour of the light.
float key_reflection(ClothPoint at, vec3 toward_eye, float facing) {
    vec3 half_way = normalize(key_ws.xyz + toward_eye);
    float along = square(at.roughness), across = along;
    along *= 1.0 - 0.85 * anisotropy;
    across = min(across * (1.0 + anisotropy), 1.0);
    vec3 beside = cross(at.normal, at.along);
    float n_h = dot(at.normal, half_way), l_h = max(dot(key_ws.xyz, half_way), 0.1);
    float d = square(n_h);
    if (dot(at.along, at.along) > 0.0) {
        // fibres reflect mainly across their direction, so that a highlight is narrow along the threads and wide across
        // them
        d += square(dot(at.along, half_way) / along) + square(dot(beside, half_way) / across);
    } else {
        along = across = square(at.roughness);
        d += (1.0 - d) / square(along);
    }
    float distribution = 1.0 / (PI * along * across * d * d);
    return specular * distribution * facing / (4.0 * square(l_h) * (at.roughness + 0.5));
}

// through  share of the key light that arrives, in [0, 1]
// outside  true if the outside of the cloth is visible
ClothLight cloth_light(ClothPoint at, vec3 toward_eye, float through, bool outside) {
    float turned = clamp(dot(at.normal, toward_eye), 0.0, 1.0), facing = dot(at.normal, key_ws.xyz);
    float wrapped = max((facing + WRAP) / (1.0 + WRAP), 0.0);
    float aligned = dot(key_ws.xyz, toward_eye) - facing * turned;
    float rough = ROUGH.x + ROUGH.y * (aligned > 0.0 ? aligned / max(max(facing, turned), 0.3) : aligned);
    // part of the wrapped light is squared, so that the shadow side darkens smoothly, without a visible edge at the end
    // of the wrap
    float diffuse = rough * wrapped * (0.6 + 0.4 * wrapped);
    vec3 fibre = mix(at.color, vec3(1.0), 0.2);
    float lit = max(facing, 0.0);
    float n_h = dot(at.normal, normalize(key_ws.xyz + toward_eye));
    float shine = sheen * 0.6366 * (1.0 - square(n_h)) * lit / (4.0 * (lit + turned - lit * turned) + 0.05) * PI;
    float rim = square(1.0 - turned), side = rim * (1.0 - turned);
    vec3 key = at.color * (diffuse + 0.6 * fuzz * rim * wrapped) + fibre * shine + key_reflection(at, toward_eye, lit);

    vec3 arriving = studio_irradiance(at.normal);
    vec3 mirrored = studio_reflection(reflect(-toward_eye, at.normal), at.roughness);
    float fresnel = specular + (1.0 - specular) * side * (1.0 - at.roughness) * 0.5;
    vec3 around = (at.color + fibre * (0.5 * sheen * side + fuzz * rim)) * arriving + fresnel * mirrored;
    float brightness = outside ? 1.0 : INSIDE;
    return ClothLight(brightness * through * key_light.rgb * key, brightness * around);
}
