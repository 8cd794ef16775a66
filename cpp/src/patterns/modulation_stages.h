// The inputs of the kernels of modulation, as the stages and the modulator set them up.
#pragma once

#include "patterns/modulation_kernel.h"
#include "ruckle/patterns/modulation.h"
#include "support/thread_pool.h"

namespace ruckle {

// The constants of the triangles, in the blocks that the kernel reads (modulation_kernel.h).
std::vector<float> triangle_blocks(const Moments& moments);
// Writes the reference of the frames into the blocks: grams of the cloth at rest, or of a moving reference.
void compare_with(std::span<const Vector3> reference, const Moments& moments, std::span<float> blocks);

ModulatedTriangles modulated_triangles(std::span<const float> blocks, std::span<const Vector3> current, const Moments& moments);
TargetNumbers target_numbers(const TargetOptions& options);

// Gathers the workspace's triangles at the vertices and corrects the factors; results in workspace.factors (V, 4).
void gather(const Topology& topology, const Moments& moments, int corrections, ModulationWorkspace& workspace, ThreadPool* pool);

// Rows of four per vertex from (V, K); without limits if limits is empty.
void pad_limits(std::span<const float> limits, int vertex_count, int pattern_count, std::span<float> rows);

}  // namespace ruckle
