// Passes the coarse triangle and barycentric coordinates to the fragment shader, and raises the vertex if triangles are subdivided.
// Inserted into vertex shaders of three.js.
//
// Reads   ruckle_place: triangle, second and third barycentric coordinate, mask; textures of the rest pose and of the frame
// Writes  the inputs of fragment.glsl
#include "common/height_limit.glsl"
#include "common/waves.glsl"
#ifdef RUCKLE_PATHS
#include "common/wrinkles.glsl"
#endif

uniform float ruckle_raise;     // 1 if vertices are raised, 0 if only normals are tilted
uniform float ruckle_strength;  // factor of all heights
uniform int ruckle_limits;      // first texel of the crowding in cloth_table; negative for a mesh with one layer of cloth

in vec4 ruckle_place;
out vec3 ruckle_barycentric;
out vec3 ruckle_position_vs;  // position in view space before the vertex is raised
out float ruckle_mask;
flat out int ruckle_face;
flat out mat3x2 ruckle_crowding;  // of the corners, along the normal and against it
#ifdef RUCKLE_PATHS
out vec3 ruckle_rest;
out vec3 ruckle_rest_normal;
out mat3 ruckle_carrier;
flat out ivec3 ruckle_entry;
#endif

// Returns the height of waves and paths after strength, mask and limits, mesh units; 0 if vertices are not raised. Also
// writes the outputs for limits and paths.
float ruckle_height(int face, vec3 b) {
    ivec3 vertices = ivec3(texelFetch(wave_table, texel_position(face), 0).xyz);
    float height = 0.0;
    ruckle_crowding = mat3x2(0.0);
    for (int v = 0; v < 3 && ruckle_limits >= 0; ++v) {
        ruckle_crowding[v] = uintBitsToFloat(cloth_words(ruckle_limits + vertices[v]).xy);
    }
#ifdef RUCKLE_WAVES
    if (ruckle_raise > 0.0) {
        WaveCorner corners[3];
        vec3 rest[3];
        for (int v = 0; v < 3; ++v) {
            corners[v] = wave_corner(waves.x + vertices[v]);
            rest[v] = texelFetch(wave_table, texel_position(waves.z + vertices[v]), 0).xyz;
        }
        height += wave_sample(corners, rest, rest, b).height;
    }
#endif
#ifdef RUCKLE_PATHS
    ruckle_entry = cloth_entry(face);
    ruckle_rest = ruckle_rest_normal = vec3(0.0);
    ruckle_carrier = mat3(0.0);
    if (ruckle_entry.x < ruckle_entry.y) {
        for (int v = 0; v < 3; ++v) {
            RestVertex before = rest_vertex(vertices[v]);
            ruckle_rest += b[v] * before.position;
            ruckle_rest_normal += b[v] * before.normal;
            ruckle_carrier += b[v] * before.carrier;
        }
        if (ruckle_raise > 0.0) {
            height += wrinkle_heights(ruckle_rest, ruckle_rest_normal, ruckle_entry).height;
        }
    }
#endif
    return limited(HeightSample(ruckle_strength * height, vec3(0.0)), vec3(ruckle_mask, ruckle_crowding * b), mat3(0.0)).height;
}

// Returns the raised position in view space; position_vs is on the coarse cloth.
vec3 ruckle_raised(vec3 position_vs, vec3 normal_vs) {
    ruckle_barycentric = vec3(1.0 - ruckle_place.y - ruckle_place.z, ruckle_place.yz);
    ruckle_mask = ruckle_place.w;
    ruckle_face = int(ruckle_place.x);
    ruckle_position_vs = position_vs;
    float size = length(normal_vs);
    float height = ruckle_height(ruckle_face, ruckle_barycentric);
    return position_vs + (size > 0.0 ? ruckle_raise * height / size * normal_vs : vec3(0.0));
}
