// local_systems: computes corrections of a prior matrix, with penalties that increase with distance, from the sums of the
// training.
//
// Each coarse vertex c has a system (G + D_c) u = r - μ 1 with its penalties D_c, solved for all fine vertices to which c
// contributes. The multiplier μ is such that u has the requested sum. The result of a fine vertex is the sum over its coarse
// vertices, weighted by their shares
// (python/ruckle/offline/upsampling/locality.py).
//
// Guarantees: the same bits on any instruction set.
#pragma once

#include <cstdint>
#include <span>

namespace ruckle {

struct LocalSystems {
    std::size_t coarse_vertex_count;         // M
    std::span<const double> gram;            // (M, M) symmetric
    std::span<const double> penalties;       // (M, M) row c: D_c
    std::span<const double> right;           // (N, M) right-hand sides
    std::span<const double> sums;            // (N) requested sum of each row
    std::span<const std::int32_t> offsets;   // (M + 1) entries of coarse vertex c in the next two: [offsets[c], offsets[c + 1])
    std::span<const std::int32_t> vertices;  // fine vertices to which the coarse vertex contributes
    std::span<const double> shares;          // weight of the coarse vertex in each of these fine vertices
};

// Adds the results to `change` (N, M). Returns M, or the first coarse vertex whose system is not positive definite.
std::size_t solve_local_systems(const LocalSystems& systems, std::span<double> change);

}  // namespace ruckle
