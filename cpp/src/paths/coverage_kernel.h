// Tests which path vertices and seed points are covered by paths.
#pragma once

#include <stdint.h>

#include "constants.h"

namespace ruckle {

struct PathCoverage {
    static constexpr int most = 128;  // points (path.h)

    const float* points;  // (count, 3), mesh units, readable up to whole vectors
    int32_t count;        // at least 2
    float square;         // squared distance up to which its segments cover points
    // a box around the points, and the distance from it beyond which nothing is covered
    float middle[3], half[3], far;
};

// Seed points of a triangle, each with the segment that may cover it. Arrays have room for whole vectors.
struct SeedCoverage {
    static constexpr int most = most_seeds_per_face;

    const float* corners[3];      // of the triangle, mesh units
    int32_t count;                // of the points
    int32_t second[most];         // random bits for the barycentric coordinate of vertex 1 (random_point in trace.cpp)
    int32_t third[most];          // random bits for that of vertex 2
    const float* segments[most];  // both ends, six numbers, mesh units
    float distances[most];        // distance below which the segment covers the point
};

struct CoverageKernels {
    // Returns the first segment of a path that covers a point (3 floats), or -1.
    int32_t (*covering_segment)(const PathCoverage& path, const float* point);
    // True if `path` covers more than half of the vertices of `asked`.
    bool (*covers_most)(const PathCoverage& path, const PathCoverage& asked);
    // True if each seed point is covered by its segment.
    bool (*covers_seeds)(const SeedCoverage& seeds);

    static const CoverageKernels baseline, x86_64_v3;
};

}  // namespace ruckle
