// noise: a pattern of aligned waves, made without texture coordinates.
//
// Each triangle has a kernel, a cosine wave of its own direction and length; a node gets the mean of those that reach it,
// weighted by (1 - distance² / reach²)². Phases are agreed upon first: in each round every kernel takes the phase of its
// neighbours' waves at its centre, so that crests continue from triangle to triangle.
//
// A kernel reaches triangles connected to its own over edges, inside a ball around it and without turning away from it. So cloth
// that is close only in space, such as the other side of a sleeve, is left out.
//
// Example:
//     std::vector<float> heights(grid.node_count()), phases(faces.size());
//     const std::vector<ruckle::Vector3> waves(faces.size(), {6.0f, 0.0f, 0.0f});  // folds across x
//     ruckle::wave_heights(grid, waves, phases, 1.0f, heights);
#pragma once

#include <span>

#include "ruckle/patterns/grid.h"
#include "ruckle/types.h"

namespace ruckle {

// waves    (T) radians per mesh unit: along the direction across the folds, whose sign means nothing
// phases   (T) radians, before they agree
// reach    mesh units, > 0
// heights  (N) results in [-1, 1]
void wave_heights(const PatternGrid& grid, std::span<const Vector3> waves, std::span<const float> phases, float reach,
                  std::span<float> heights);

}  // namespace ruckle
