// Height and slope of all layers at a point of the cloth: the sum of the height sources. Twin of ruckle::Surface
// (cpp/src/surface).
//
// A further source is a file of its own that returns a HeightSample; it is included and added here, and nowhere else.
#include "common/height_sample.glsl"
#include "common/wrinkles.glsl"

const HeightSample NO_HEIGHT = HeightSample(0.0, vec3(0.0));

HeightSample sum(HeightSample a, HeightSample b) {
    return HeightSample(a.height + b.height, a.gradient + b.gradient);
}

// rest     on the flat coarse triangle at rest, mesh units
// carrier  its columns are the rows of the matrix that carries gradients from rest to the cloth as it is now
// entry    the triangle's runs of wrinkles: first, one past the last; its number
// given    what the CPU has found at the fine vertices, for layers that no shader evaluates
HeightSample layer_heights(vec3 rest, mat3 carrier, ivec3 entry, HeightSample given) {
    HeightSample wrinkles = wrinkle_heights(rest, entry.xy);
    return sum(HeightSample(wrinkles.height, wrinkles.gradient * carrier), given);
}
