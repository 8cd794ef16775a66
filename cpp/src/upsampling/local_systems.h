// local_systems: corrects the learned matrix so that entries of distant coarse vertices become small. Penalties on
// entries increase with distance; the other inputs are sums over the training data.
//
// Each coarse vertex c has a system (G + D_c) u = r - μ 1 with its penalties D_c. It is solved with one right-hand side
// r per fine vertex to which c contributes. The multiplier μ makes the sum of u equal the requested sum. The correction
// of a fine vertex is the average of u over its coarse vertices, weighted by their shares
// (python/ruckle/offline/upsampling/locality.py).
//
// Guarantees: identical bits on any instruction set.
#pragma once

#include <cstdint>
#include <span>

namespace ruckle {

struct LocalSystems {
    std::size_t coarse_vertex_count;    // M, number of coarse vertices
    std::span<const double> gram;       // (M, M) matrix G, symmetric
    std::span<const double> penalties;  // (M, M) row c: diagonal of D_c
    std::span<const double> right;      // (N, M) row of a fine vertex: right-hand side r
    std::span<const double> sums;       // (N) requested sum of each row
    // (M + 1) range of coarse vertex c in the next two arrays: [offsets[c], offsets[c + 1])
    std::span<const std::int32_t> offsets;
    std::span<const std::int32_t> vertices;  // fine vertices to which each coarse vertex contributes
    std::span<const double> shares;          // weight of the coarse vertex at each of these fine vertices
};

// Adds the corrections to `change` (N, M). Returns M on success. Otherwise returns the first coarse vertex whose system
// is not positive definite; `change` is then incomplete.
std::size_t solve_local_systems(const LocalSystems& systems, std::span<double> change);

}  // namespace ruckle
