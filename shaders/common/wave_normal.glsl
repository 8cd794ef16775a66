// Normal of cloth that wrinkle waves bend, for engines that draw without a tessellator: shaders/engines has it in their languages.
#include "common/waves.glsl"

// corners      of the coarse triangle: waves of the frame, as ruckle_garment_write_waves gives them per vertex
// rest, now    positions of the corners at rest and in this frame, in one space and unit
// barycentric  of the fragment: 1, 0, 0 at the first corner
// normal       of the smooth cloth at the fragment, unit, in the space of `now`
vec3 wave_normal(WaveCorner corners[3], vec3 rest[3], vec3 now[3], vec3 barycentric, vec3 normal) {
    HeightSample found = wave_sample(corners, rest, now, barycentric);
    return raised_normal(normal, found.gradient);
}
