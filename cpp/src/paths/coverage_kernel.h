// Tests if paths cover the vertices of other paths, or seed points. A path covers the points that are closer to its
// polyline than a given distance.
#pragma once

#include <stdint.h>

#include "constants.h"

namespace ruckle {

struct PathCoverage {
    static constexpr int most = 128;  // largest number of points, equal to most_path_vertices

    // (count, 3) points of the path, mesh units; the memory is readable up to the end of the last SIMD vector
    const float* points;
    int32_t count;  // number of points, at least 2
    float square;   // squared distance below which the path covers a point, mesh units²
    // bounding box of the points as center and half extents, and the largest distance of a covered point from this box
    // on each axis; mesh units
    float middle[3], half[3], far;
};

// Seed points of a triangle, each with the path segment that may cover it. Arrays are padded to whole SIMD vectors.
struct SeedCoverage {
    static constexpr int most = most_seeds_per_face;

    const float* corners[3];      // corners of the triangle, mesh units
    int32_t count;                // number of points
    int32_t second[most];         // random bits for the barycentric coordinate of vertex 1 (random_point in trace.cpp)
    int32_t third[most];          // random bits for the barycentric coordinate of vertex 2
    const float* segments[most];  // for each point, both ends of its segment: six numbers, mesh units
    float distances[most];        // distance below which the segment covers the point, mesh units
};

struct CoverageKernels {
    // Returns the index of the first segment of a path that covers a point (3 floats); -1 if no segment covers it.
    int32_t (*covering_segment)(const PathCoverage& path, const float* point);
    // True if `path` covers more than half of the vertices of the path `asked`.
    bool (*covers_most)(const PathCoverage& path, const PathCoverage& asked);
    // True if all seed points are covered, each by its own segment.
    bool (*covers_seeds)(const SeedCoverage& seeds);

    static const CoverageKernels baseline, x86_64_v3;
};

}  // namespace ruckle
