// Assembles the linear system whose solution minimises the energy (5.2) of one path.
//
//     α Σ ((p_{i+1} - p_i)·e_i)²  +  ℓ² Σ (t_i - t̄_i)²  +  Σ ‖p_i - (p_{i-1} + p_{i+1})/2 - c̄_i‖²  +  β Σ s_i²
//     field                          position                shape                                    straightness
//
// Every p_i is on an edge and is linear in t_i. The energy is therefore quadratic in t, and its minimum is the solution
// of a linear system with one row per vertex. A term couples at most the vertices i - 1, i and i + 1. So the matrix has
// two bands next to the diagonal. The unknowns are the changes x = t - t̄, which are precise for slow paths. Lengths
// are in units of ℓ, so that the second sum is the unit matrix.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "numeric/banded.h"
#include "ruckle/paths/persist.h"

namespace ruckle {

// Input for the system of one path.
struct PathProblem {
    Path path;
    // α, straightness and turning are already multiplied by the pace (motion.h)
    PersistOptions options;
    std::array<float, most_path_vertices> turned;       // t̄: t after the rotation of the whole path
    std::array<std::int16_t, most_path_vertices> kept;  // path vertices that have a row in the system, ascending
    int kept_count;

    // Sets `kept`: if several consecutive path vertices are near one mesh vertex, only one of them has a row (thesis
    // 5.2, figure 5.5).
    void keep_one_per_mesh_vertex(const Topology& topology);
    void keep_all();
};

// Returns the mesh vertex close to the point t of the edge (constants.h: vertex_vicinity), or -1.
std::int32_t near_vertex(const Topology& topology, std::int32_t edge, float t);

// Writes the system of one path into one lane of the rows: kept_count rows, then rows of the unit matrix up to
// row_count.
void assemble(const Cloth& cloth, std::span<const Vector3> previous, const PathProblem& problem, BandedRow* rows, int row_count,
              int lane);

// Fills an unused lane with the unit matrix.
void assemble_nothing(BandedRow* rows, int row_count, int lane);

}  // namespace ruckle
