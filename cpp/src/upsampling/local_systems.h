// local_systems: computes corrections of the learned matrix, with penalties that increase with distance, from sums over
// the training data.
//
// Each coarse vertex c has a system (G + D_c) u = r - μ 1 with its penalties D_c. It is solved for all fine vertices to
// which c contributes. The multiplier μ makes the sum of u equal the requested sum. The result of a fine vertex is the
// average of u over its coarse vertices, weighted by their shares (python/ruckle/offline/upsampling/locality.py).
//
// Guarantees: identical bits on any instruction set.
#pragma once

#include <cstdint>
#include <span>

namespace ruckle {

struct LocalSystems {
    std::size_t coarse_vertex_count;    // M
    std::span<const double> gram;       // (M, M) symmetric
    std::span<const double> penalties;  // (M, M) row c: D_c
    std::span<const double> right;      // (N, M) right-hand sides
    std::span<const double> sums;       // (N) requested sum of each row
    // (M + 1) range of coarse vertex c in the next two arrays: [offsets[c], offsets[c + 1])
    std::span<const std::int32_t> offsets;
    std::span<const std::int32_t> vertices;  // fine vertices to which each coarse vertex contributes
    std::span<const double> shares;          // weight of the coarse vertex at each of these fine vertices
};

// Adds the results to `change` (N, M). Returns M, or the first coarse vertex whose system is not positive definite.
std::size_t solve_local_systems(const LocalSystems& systems, std::span<double> change);

}  // namespace ruckle
