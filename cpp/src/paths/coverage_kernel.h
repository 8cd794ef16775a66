// Inputs of the coverage tests of paths and seed points.
#pragma once

#include <stdint.h>

#include "constants.h"

namespace ruckle {

struct PathCoverage {
    static constexpr int most = 128;  // points (path.h)

    const float* points;  // (count, 3), mesh units, readable up to whole vectors
    int32_t count;        // at least 2
    float square;         // squared distance up to which its segments cover
    // a box around the points, and the distance from it beyond which nothing is covered
    float middle[3], half[3], far;
};

// Seed points of a triangle, each with the segment that may cover it. The arrays have room for whole lanes.
struct SeedCoverage {
    static constexpr int most = most_seeds_per_face;

    const float* corners[3];      // of the triangle, mesh units
    int32_t count;                // of the points
    int32_t second[most];         // random bits of each, as random_point (trace.cpp) takes them
    int32_t third[most];          //
    const float* segments[most];  // both ends, six numbers, mesh units
    float distances[most];        // distances below which they cover
};

struct CoverageKernels {
    // The first segment of a path that covers a point (3); -1 if none does.
    int32_t (*covering_segment)(const PathCoverage& path, const float* point);
    // True if a path covers more than half of the vertices of another one. Only vertices of `asked` are read.
    bool (*covers_most)(const PathCoverage& path, const PathCoverage& asked);
    // True if each seed point is covered by its segment.
    bool (*covers_seeds)(const SeedCoverage& seeds);

    static const CoverageKernels baseline, x86_64_v3;
};

}  // namespace ruckle
