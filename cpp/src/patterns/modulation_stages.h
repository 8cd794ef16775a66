// Functions of modulation.cpp that prepare the inputs of the modulation kernels. The stage functions and the Modulator
// use them.
#pragma once

#include "patterns/modulation_kernel.h"
#include "ruckle/patterns/modulation.h"
#include "support/thread_pool.h"

namespace ruckle {

// Returns the constants of the triangles in the blocks of modulation_kernel.h. Rows that depend on the reference are 0.
std::vector<float> triangle_blocks(const Moments& moments);
// Writes the rows of the blocks that depend on the reference. `reference` (T) contains first fundamental forms of the
// cloth at rest, or of a moving reference.
void compare_with(std::span<const Vector3> reference, const Moments& moments, std::span<float> blocks);

// Returns the input of the kernel `modulate`, without any output: the caller sets the pointers that it needs.
ModulatedTriangles modulated_triangles(std::span<const float> blocks, std::span<const Vector3> current, const Moments& moments);
// Returns the squared options for the kernel.
TargetNumbers target_numbers(const TargetOptions& options);

// Computes the factors of all vertices from the demands of the triangles in `workspace`, then corrects them
// `corrections` times. Results are workspace.weights, limits and factors (V, 4).
void gather(const Topology& topology, const Moments& moments, int corrections, ModulationWorkspace& workspace, ThreadPool* pool);

// Copies limits (V, K) to rows of four numbers. Patterns that do not exist get the limit 0. If `limits` is empty, the
// limits of existing patterns have no effect.
void pad_limits(std::span<const float> limits, int vertex_count, int pattern_count, std::span<float> rows);

}  // namespace ruckle
