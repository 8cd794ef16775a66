// Assembles the linear system whose solution minimises the energy (5.2) of one path.
//
//     α Σ ((p_{i+1} - p_i)·e_i)²  +  ℓ² Σ (t_i - t̄_i)²  +  Σ ‖p_i - (p_{i-1} + p_{i+1})/2 - c̄_i‖²  +  β Σ s_i²
//     field                          position                shape                                    straightness
//
// Every p_i is on an edge and is linear in t_i. The energy is therefore quadratic in t, and its minimum is the solution
// of a linear system with one row per vertex. A term couples at most the vertices i - 1, i and i + 1. So the matrix has
// two bands next to the diagonal. The unknowns are the changes x = t - t̄, because small changes are precise numbers.
// Lengths are in units of ℓ (the mean edge length), so that the second sum adds the unit matrix.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "numeric/banded.h"
#include "ruckle/paths/persist.h"

namespace ruckle {

// A path with the options and unknowns of its linear system.
struct PathProblem {
    Path path;
    // α, straightness and turning are already multiplied by the pace (motion.h)
    PersistOptions options;
    // t̄: t of each path vertex after turn_path has rotated the whole path
    std::array<float, most_path_vertices> turned;
    // indices of the path vertices that have a row in the system, ascending; kept_count entries
    std::array<std::int16_t, most_path_vertices> kept;
    int kept_count;

    // Sets `kept` and kept_count. If several consecutive path vertices are near one mesh vertex, only one of them gets
    // a row (thesis 5.2, figure 5.5). At least the two ends of the path get rows.
    void keep_one_per_mesh_vertex(const Topology& topology);
    // Gives every path vertex a row.
    void keep_all();
};

// Returns the mesh vertex at that end of the edge from which the point t is less than vertex_vicinity (constants.h)
// edge lengths away; -1 if both ends are farther away.
std::int32_t near_vertex(const Topology& topology, std::int32_t edge, float t);

// Several paths are solved at once, one per SIMD lane. Writes the system of one path into one lane: kept_count rows,
// then rows of the unit matrix as padding up to row_count.
void assemble(const Cloth& cloth, std::span<const Vector3> previous, const PathProblem& problem, BandedRow* rows, int row_count,
              int lane);

// Fills an unused lane with the unit matrix and a right-hand side of 0, so that its solution is 0.
void assemble_nothing(BandedRow* rows, int row_count, int lane);

}  // namespace ruckle
