// Height and slope of all layers at a point of the cloth: the sum of the height sources. Twin of ruckle::Surface
// (cpp/src/surface).
//
// A further source is a file of its own that returns a HeightSample; it is included and added here, and nowhere else.
#include "common/height_sample.glsl"
#include "common/wrinkles.glsl"
#ifdef PATTERNS
#include "common/pattern.glsl"
#endif
#ifdef WAVES
#include "common/waves.glsl"
#endif

const HeightSample NO_HEIGHT = HeightSample(0.0, vec3(0.0));

HeightSample sum(HeightSample a, HeightSample b) {
    return HeightSample(a.height + b.height, a.gradient + b.gradient);
}

// The point of a coarse triangle at which heights are evaluated: its position at rest for some sources, its number for
// others.
struct CoarsePoint {
    vec3 rest;         // on the flat triangle at rest, mesh units
    vec3 rest_normal;  // of the cloth there, not unit
    mat3 carrier;      // its columns are the rows of the matrix that carries gradients from rest to the cloth as it is now
    vec3 barycentric;  // 0 for a triangle that is drawn flat
    ivec3 entry;       // the triangle's runs of wrinkles: first, one past the last; its number
};

// footprint  change of barycentric coordinates within a pixel; 0 for all detail
// given      the CPU's heights at the fine vertices, for layers without a shader
HeightSample layer_heights(CoarsePoint at, float footprint, HeightSample given) {
    HeightSample wrinkles = wrinkle_heights(at.rest, at.rest_normal, at.entry);
    given = sum(HeightSample(wrinkles.height, wrinkles.gradient * at.carrier), given);
#ifdef PATTERNS
    // only in a program with patterns, because software drivers also run skipped branches
    given = sum(given, pattern_heights(at.entry.z, at.barycentric, footprint));
#endif
#ifdef WAVES
    given = sum(given, wave_heights(at.entry.z, at.barycentric));
#endif
    return given;
}

// By how much barycentric coordinates change from this fragment to the next.
#define FOOTPRINT(barycentric) max(max(fwidth(barycentric.x), fwidth(barycentric.y)), fwidth(barycentric.z))
