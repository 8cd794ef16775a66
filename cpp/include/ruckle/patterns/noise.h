// noise: makes a pattern of aligned waves without texture coordinates.
//
// Each triangle has a kernel: a cosine wave with its own direction and length. The height of a node is the mean of the
// kernels whose centre is closer than `reach`, weighted by (1 - distance² / reach²)². Before that, the phases are
// aligned in several rounds. In each round, a kernel gets the mean phase of its neighbours' waves at its own centre, so
// that crests continue from triangle to triangle.
//
// A kernel affects triangles inside a ball that are connected to its own triangle across edges, with normals that do
// not point away from its own normal. It does not affect cloth that is close only in space, such as the other side of a
// sleeve.
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

// Computes the height of the pattern at each node of the grid.
//
// waves    (T) wave vectors, radians per mesh unit, perpendicular to the folds; the sign does not change the waves
// phases   (T) initial phase of each wave, before the alignment, radians
// reach    radius of a kernel, mesh units, > 0
// heights  (N) result: height at each node, in [-1, 1]
void wave_heights(const PatternGrid& grid, std::span<const Vector3> waves, std::span<const float> phases, float reach,
                  std::span<float> heights);

}  // namespace ruckle
