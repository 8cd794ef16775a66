// Symmetric positive definite systems with two bands next to the diagonal, several at once, in double precision.
//
// One system is a chain of dependent divisions and products. Lanes solve several systems in nearly the time of one.
#pragma once

#include <array>
#include <vector>

namespace ruckle {

inline constexpr int banded_lanes = 4;

// Row i of every system: its diagonal, its couplings to rows i + 1 and i + 2, its right-hand side. After
// solve_banded, right holds the solution.
struct BandedRow {
    using Lanes = std::array<double, banded_lanes>;
    alignas(32) Lanes diagonal;
    alignas(32) Lanes first;
    alignas(32) Lanes second;
    alignas(32) Lanes right;
};

// Systems shorter than count must be padded with the rows of a unit matrix. Overwrites rows.
void solve_banded(BandedRow* rows, int count);

}  // namespace ruckle
