// Height and slope of all layers at a point of the cloth: the sum of the height sources. The same computation as
// ruckle::Surface (cpp/src/surface).
//
// Each source is a separate file with a function that returns a HeightSample. Only this file includes the sources and
// adds their heights.
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

// The point of a coarse triangle at which heights are evaluated.
struct CoarsePoint {
    vec3 rest;         // on the flat triangle at rest, mesh units
    vec3 rest_normal;  // normal of the cloth at rest, not unit
    mat3 carrier;      // columns: rows of the matrix that converts gradients from rest to the current cloth
    vec3 barycentric;  // 0 for a triangle that is drawn flat
    ivec3 entry;       // first word of the triangle's runs, word after the last run; triangle number
};

// Returns the sum of the heights of all layers at a point.
//
// footprint  change of barycentric coordinates within a pixel; 0: full detail
// given      height from the CPU at the fine vertices, for layers without a shader
HeightSample layer_heights(CoarsePoint at, float footprint, HeightSample given) {
    HeightSample wrinkles = wrinkle_heights(at.rest, at.rest_normal, at.entry);
    given = sum(HeightSample(wrinkles.height, wrinkles.gradient * at.carrier), given);
#ifdef PATTERNS
    // compiled only in programs with patterns, because software drivers also execute skipped branches
    given = sum(given, pattern_heights(at.entry.z, at.barycentric, footprint));
#endif
#ifdef WAVES
    given = sum(given, wave_heights(at.entry.z, at.barycentric));
#endif
    return given;
}

// Returns the change of barycentric coordinates from this fragment to the next.
#define FOOTPRINT(barycentric) max(max(fwidth(barycentric.x), fwidth(barycentric.y)), fwidth(barycentric.z))
