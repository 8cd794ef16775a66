// Prepares the inputs of the modulation kernels, for the stage functions and the Modulator.
#pragma once

#include "patterns/modulation_kernel.h"
#include "ruckle/patterns/modulation.h"
#include "support/thread_pool.h"

namespace ruckle {

// Returns the constants of the triangles, in the blocks that the kernel reads (modulation_kernel.h).
std::vector<float> triangle_blocks(const Moments& moments);
// Writes the reference into the blocks: first fundamental forms of the cloth at rest, or of a moving reference.
void compare_with(std::span<const Vector3> reference, const Moments& moments, std::span<float> blocks);

ModulatedTriangles modulated_triangles(std::span<const float> blocks, std::span<const Vector3> current, const Moments& moments);
TargetNumbers target_numbers(const TargetOptions& options);

// Computes and corrects the factors of all vertices from the triangles in `workspace`. Results are in workspace.factors
// (V, 4).
void gather(const Topology& topology, const Moments& moments, int corrections, ModulationWorkspace& workspace, ThreadPool* pool);

// Copies limits (V, K) to rows of four numbers. If `limits` is empty, the rows do not limit factors.
void pad_limits(std::span<const float> limits, int vertex_count, int pattern_count, std::span<float> rows);

}  // namespace ruckle
