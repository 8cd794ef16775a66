// Normal of cloth with wrinkle waves, for engines without tessellation. shaders/engines contains translations of this
// function.
#include "common/waves.glsl"

// Returns the unit normal of the wrinkled cloth at a fragment, in the space of `now`.
//
// corners      waves at the corners of the coarse triangle in this frame, from ruckle_garment_write_waves
// rest, now    positions of the corners at rest and in this frame, in one space and unit
// barycentric  coordinates of the fragment: (1, 0, 0) at the first corner
// normal       unit normal of the smooth cloth at the fragment, in the space of `now`
vec3 wave_normal(WaveCorner corners[3], vec3 rest[3], vec3 now[3], vec3 barycentric, vec3 normal) {
    HeightSample found = wave_sample(corners, rest, now, barycentric);
    return raised_normal(normal, found.gradient);
}
