// Solves symmetric positive definite systems with two bands next to the diagonal, several at once, in double precision.
//
// Each step of a system depends on the step before. So one system per SIMD lane takes nearly the time of a single
// system.
#pragma once

#include <array>
#include <vector>

namespace ruckle {

inline constexpr int banded_lanes = 4;

// Row i of every system: its diagonal, its entries in columns i + 1 and i + 2, and its right-hand side. After
// solve_banded, `right` contains the solution.
struct BandedRow {
    using Lanes = std::array<double, banded_lanes>;
    alignas(32) Lanes diagonal;
    alignas(32) Lanes first;
    alignas(32) Lanes second;
    alignas(32) Lanes right;
};

// Solves banded_lanes systems of `count` rows in place. Pad shorter systems with rows of a unit matrix.
void solve_banded(BandedRow* rows, int count);

}  // namespace ruckle
