// Height and slope of all layers at a point of the cloth: the sum of the height sources. Twin of ruckle::Surface
// (cpp/src/surface).
//
// A further source is a file of its own that answers with a Relief; it is included and added here, and nowhere else.
#include "common/relief.glsl"
#include "common/wrinkles.glsl"

const Relief NO_RELIEF = Relief(0.0, vec3(0.0));

Relief sum(Relief a, Relief b) {
    return Relief(a.height + b.height, a.gradient + b.gradient);
}

// p      on the flat coarse triangle, mesh units
// entry  the triangle's runs of wrinkles: first, one past the last; its number
// given  what the CPU has found at the fine vertices, for layers that no shader evaluates
Relief layers_relief(vec3 p, ivec3 entry, Relief given) {
    return sum(wrinkle_relief(p, entry.xy), given);
}
