// The display curve of a wrinkle as curve vertices: sampled, cut to the wrinkle's ends, with joint planes that do not cross
// within the wrinkle's reach.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ruckle/paths/path.h"
#include "ruckle/paths/path_heights.h"

namespace ruckle {

// Samples of one path, before some become curve vertices. Lives as long as the heights, so that nothing is allocated.
struct CurveSamples {
    // samples in one triangle: enough that a path through two triangles still has a round profile
    static constexpr int most_per_segment = 8;
    static constexpr int most = (most_path_vertices - 1) * most_per_segment + 1;

    int count;
    std::array<Vector3, most> points;
    std::array<float, most> widths, heights, along;  // along: length from the first sample, mesh units
    std::array<float, most_path_vertices> path_widths, path_heights;

    // of the segments between curve vertices
    std::array<Vector3, most> directions;
    std::array<float, most> lengths;
};

// Appends the curve of wrinkle number `number`, and for each of its vertices the face in which it lies. A wrinkle of no height
// appends nothing.
void append_curve(const Cloth& cloth, const Wrinkle& wrinkle, int number, CurveSamples& samples,
                  std::vector<CurveVertex>& vertices, std::vector<std::int32_t>& vertex_faces);

}  // namespace ruckle
