// local_systems: the changes of a prior by local operators, from the sums of training.
//
// Around every coarse vertex c, with the penalties of c on the diagonal, (G + D_c) u = r - μ 1 for the fine vertices in which it
// has a share. The multiplier μ gives u its sum. A fine vertex sums the results of its coarse ones, weighted by their shares
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
    std::span<const double> penalties;       // (M, M) the diagonal of each coarse vertex's system
    std::span<const double> right;           // (N, M) right-hand sides
    std::span<const double> sums;            // (N) sum that each row must add
    std::span<const std::int32_t> offsets;   // (M + 1) into the two below
    std::span<const std::int32_t> vertices;  // fine vertices that a coarse one has a share in, each once
    std::span<const double> shares;          // of the coarse vertex in each
};

// Adds the results to `change` (N, M). Returns M, or the first coarse vertex whose system is not positive.
std::size_t solve_local_systems(const LocalSystems& systems, std::span<double> change);

}  // namespace ruckle
