// local_systems: corrections of a prior operator with penalties by distance, from the sums of training.
// //
// Each coarse vertex c has a system (G + D_c) u = r - μ 1 with its penalties D_c, solved for all fine vertices to which c
// contributes. The multiplier μ gives u the requested sum. A fine vertex sums the results of its coarse ones, by their shares
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
    std::span<const std::int32_t> offsets;   // (M + 1) into the two below
    std::span<const std::int32_t> vertices;  // fine vertices to which a coarse one contributes, each once
    std::span<const double> shares;          // weight of the coarse vertex in each of these
};

// Adds the results to `change` (N, M). Returns M, or the first coarse vertex whose system is not positive.
std::size_t solve_local_systems(const LocalSystems& systems, std::span<double> change);

}  // namespace ruckle
