// Solves symmetric positive definite systems with two bands on each side of the diagonal, several systems at once, in
// double precision.
//
// Each step of the solution depends on the previous step. So four systems, one per SIMD lane, take nearly the time of a
// single system.
#pragma once

#include <array>
#include <vector>

namespace ruckle {

// number of systems that are solved at once
inline constexpr int banded_lanes = 4;

// Row i of every system: its entries in the columns i (diagonal), i + 1 (first) and i + 2 (second), and its right-hand
// side. After solve_banded, `right` contains the solution.
struct BandedRow {
    using Lanes = std::array<double, banded_lanes>;
    alignas(32) Lanes diagonal;
    alignas(32) Lanes first;
    alignas(32) Lanes second;
    alignas(32) Lanes right;
};

// Solves banded_lanes systems of `count` rows. The solution replaces `right`; the other members of the rows are
// overwritten. Pad shorter systems with rows of a unit matrix.
void solve_banded(BandedRow* rows, int count);

}  // namespace ruckle
