#include "upsampling/local_systems.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "numeric/dispatch.h"
#include "upsampling/system_kernel.h"

namespace ruckle {

namespace {

constexpr std::size_t rounded_up(std::size_t count, std::size_t multiple) {
    return (count + multiple - 1) / multiple * multiple;
}

}  // namespace

std::size_t solve_local_systems(const LocalSystems& systems, std::span<double> change) {
    const std::size_t count = systems.coarse_vertex_count, size = rounded_up(count, system_columns);
    std::size_t most = 0;
    for (std::size_t c = 0; c < count; ++c) {
        most = std::max(most, static_cast<std::size_t>(systems.offsets[c + 1] - systems.offsets[c]));
    }
    std::vector<double> rows((size + rounded_up(most + 1, system_rows)) * size), inverses(size * system_columns), panel(inverses);
    // padding is an identity matrix, so it does not change the solution
    for (std::size_t i = count; i < size; ++i) {
        rows[i * size + i] = 1.0;
    }
    for (std::size_t c = 0; c < count; ++c) {
        // copies G + D_c for each c, because it is factorised in place
        for (std::size_t i = 0; i < count; ++i) {
            double* row = rows.data() + i * size;
            std::copy_n(systems.gram.data() + i * count, count, row);
            row[i] += systems.penalties[c * count + i];
        }
        // the rows below the matrix are the right-hand sides of this coarse vertex; the last one is all ones
        const auto begin = static_cast<std::size_t>(systems.offsets[c]);
        const std::size_t held = static_cast<std::size_t>(systems.offsets[c + 1]) - begin;
        double* const given = rows.data() + size * size;
        for (std::size_t k = 0; k < held; ++k) {
            const auto vertex = static_cast<std::size_t>(systems.vertices[begin + k]);
            std::copy_n(systems.right.data() + vertex * count, count, given + k * size);
        }
        double* const ones = given + held * size;
        std::fill_n(ones, count, 1.0);
        const auto right_count = static_cast<std::int64_t>(rounded_up(held + 1, system_rows));
        if (!kernels<SystemKernels>().solve_system(
                {static_cast<std::int64_t>(size), right_count, rows.data(), inverses.data(), panel.data()})) {
            return c;
        }
        // u = (G + D_c)⁻¹ (r - μ 1) is combined from the solutions for r and for 1; μ makes the sum of u equal the
        // requested sum
        const double unit = std::accumulate(ones, ones + count, 0.0);
        for (std::size_t k = 0; k < held; ++k) {
            const double* found = given + k * size;
            const auto vertex = static_cast<std::size_t>(systems.vertices[begin + k]);
            const double multiplier = (std::accumulate(found, found + count, 0.0) - systems.sums[vertex]) / unit;
            const double share = systems.shares[begin + k];
            double* const to = change.data() + vertex * count;
            for (std::size_t i = 0; i < count; ++i) {
                to[i] += share * (found[i] - multiplier * ones[i]);
            }
        }
    }
    return count;
}

}  // namespace ruckle
