// Tests if paths cover the vertices of other paths, or seed points.
#pragma once

#include <stdint.h>

#include "constants.h"

namespace ruckle {

struct PathCoverage {
    static constexpr int most = 128;  // largest number of points (path.h)

    const float* points;  // (count, 3), mesh units; whole SIMD vectors past the end must be readable
    int32_t count;        // at least 2
    float square;         // squared distance; the path covers closer points
    // bounding box of the points, and the distance from this box beyond which no point is covered
    float middle[3], half[3], far;
};

// Seed points of a triangle, each with the path segment that may cover it. Arrays are padded to whole SIMD vectors.
struct SeedCoverage {
    static constexpr int most = most_seeds_per_face;

    const float* corners[3];      // corners of the triangle, mesh units
    int32_t count;                // number of points
    int32_t second[most];         // random bits for the barycentric coordinate of vertex 1 (random_point in trace.cpp)
    int32_t third[most];          // random bits for the barycentric coordinate of vertex 2
    const float* segments[most];  // both ends of each segment, six numbers, mesh units
    float distances[most];        // distance below which the segment covers the point
};

struct CoverageKernels {
    // Returns the first segment of a path that covers a point (3 floats), or -1.
    int32_t (*covering_segment)(const PathCoverage& path, const float* point);
    // True if `path` covers more than half of the vertices of the path `asked`.
    bool (*covers_most)(const PathCoverage& path, const PathCoverage& asked);
    // True if each seed point is covered by its segment.
    bool (*covers_seeds)(const SeedCoverage& seeds);

    static const CoverageKernels baseline, x86_64_v3;
};

}  // namespace ruckle
