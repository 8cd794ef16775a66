// Light of the studio around the cloth: large softboxes, walls and a floor. All light is linear.
//
// The CPU integrates a procedural studio (python/ruckle/scene/studio.py). Its irradiance is stored as spherical
// harmonics (Ramamoorthi & Hanrahan 2001), and its reflections as one octahedral picture per roughness.
layout(std140) uniform Studio {
    vec4 irradiance[9];   // constant, linear and quadratic terms; constants of the basis are included
    mat4 studio_from_ws;  // rotation to the axes right, up and towards the viewer
    vec4 key_light;       // colour of the key light times its intensity
};
uniform sampler2DArray studio_map;

// The layers of the map have the roughness 0, 1/4, 1/2, 3/4, 1.
const float LAST_LAYER = 4.0;

// Returns the light that arrives at a surface with this unit normal.
vec3 studio_irradiance(vec3 normal) {
    vec3 n = mat3(studio_from_ws) * normal;
    vec3 linear = irradiance[1].rgb * n.y + irradiance[2].rgb * n.z + irradiance[3].rgb * n.x;
    vec3 mixed = irradiance[4].rgb * (n.x * n.y) + irradiance[5].rgb * (n.y * n.z) + irradiance[7].rgb * (n.x * n.z);
    vec3 squares = irradiance[6].rgb * (3.0 * n.z * n.z - 1.0) + irradiance[8].rgb * (n.x * n.x - n.y * n.y);
    return max(irradiance[0].rgb + linear + mixed + squares, vec3(0.0));
}

// Returns the light from a unit direction, averaged over the highlight of a surface with this roughness.
vec3 studio_reflection(vec3 direction, float roughness) {
    vec3 d = mat3(studio_from_ws) * direction;
    vec2 place = d.xz / (abs(d.x) + abs(d.y) + abs(d.z));
    if (d.y < 0.0) {
        place = (1.0 - abs(place.yx)) * vec2(place.x < 0.0 ? -1.0 : 1.0, place.y < 0.0 ? -1.0 : 1.0);
    }
    float layer = LAST_LAYER * clamp(roughness, 0.0, 1.0), below = floor(layer);
    vec2 uv = 0.5 + 0.5 * place;
    return mix(texture(studio_map, vec3(uv, below)).rgb, texture(studio_map, vec3(uv, below + 1.0)).rgb, layer - below);
}
