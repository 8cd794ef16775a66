// Normal of cloth with wrinkle waves, for engines without tessellation. shaders/engines contains translations of this
// function.
#include "common/waves.glsl"

// corners      waves at the corners of the coarse triangle in this frame, from ruckle_garment_write_waves
vec3 wave_normal(WaveCorner corners[3], vec3 rest[3], vec3 now[3], vec3 barycentric, vec3 normal) {
    HeightSample found = wave_sample(corners, rest, now, barycentric);
    return raised_normal(normal, found.gradient);
}
