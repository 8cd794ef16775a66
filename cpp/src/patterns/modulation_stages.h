// The inputs of the kernels of modulation, as the stages and the modulator set them up.
#pragma once

#include "patterns/modulation_kernel.h"
#include "ruckle/patterns/modulation.h"
#include "support/thread_pool.h"

namespace ruckle {

ModulatedTriangles modulated_triangles(std::span<const Vector3> rest, std::span<const Vector3> current, const Moments& moments);
FoldNumbers fold_numbers(const Moments& moments, float sharpness);
TargetNumbers target_numbers(const TargetOptions& options);

// Gathers the workspace's triangles at the vertices and corrects the factors; results in workspace.factors (V, 4).
void gather(const Topology& topology, int pattern_count, int corrections, ModulationWorkspace& workspace, ThreadPool* pool);

// Rows of four per vertex from (V, K); without limits where limits is empty.
void pad_limits(std::span<const float> limits, int vertex_count, int pattern_count, std::span<float> rows);

}  // namespace ruckle
