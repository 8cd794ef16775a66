// The energy (5.2) of one path, as a linear system for its minimum.
//
//     α Σ ((p_{i+1} - p_i)·e_i)²  +  ℓ² Σ (t_i - t̄_i)²  +  Σ ‖p_i - (p_{i-1} + p_{i+1})/2 - c̄_i‖²  +  β Σ s_i²
//     field                          position                shape                                    straightness
//
// Every p_i moves along its edge and is linear in t_i. The energy is therefore quadratic in t, and its minimum solves a system
// with one row per vertex. Terms couple at most p_{i-1} and p_{i+1}: two bands next to the diagonal. Unknowns are the changes x =
// t - t̄, which are accurate for slow paths. Lengths are in units of ℓ, so that the second sum gives the unit matrix.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "numeric/banded.h"
#include "ruckle/paths/persist.h"

namespace ruckle {

// One path in the solve.
struct PathProblem {
    Path path;
    PersistOptions options;                             // α and straightness scaled by the motion of the cloth
    std::array<float, most_path_vertices> turned;       // t̄: t after the path has turned as a whole
    std::array<std::int16_t, most_path_vertices> kept;  // vertices of the path that the solve moves, ascending
    int kept_count;

    // Several path vertices in a row near one mesh vertex are solved for as one (thesis 5.2, figure 5.5).
    void keep_one_per_mesh_vertex(const Topology& topology);
    void keep_all();
};

// The mesh vertex near t of the edge (constants.h), or -1.
std::int32_t near_vertex(const Topology& topology, std::int32_t edge, float t);

// Writes the system of one path into a lane of the rows: kept_count rows, then rows of the unit matrix up to row_count.
void assemble(const Cloth& cloth, std::span<const Vector3> previous, const PathProblem& problem, BandedRow* rows, int row_count,
              int lane);

// Fills a lane that no path uses.
void assemble_nothing(BandedRow* rows, int row_count, int lane);

}  // namespace ruckle
