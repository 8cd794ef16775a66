#include "paths/path_energy.h"

#include <algorithm>
#include <cmath>

#include "constants.h"
#include "numeric/dispatch.h"
#include "paths/energy_kernel.h"
#include "paths/geometry.h"

namespace ruckle {

namespace {

// The linear system of one path: one lane of the rows (numeric/banded.h). The functions add half of the derivatives of
// quadratic terms to the matrix and the right-hand side.
class NormalEquations {
  public:
    NormalEquations(BandedRow* rows, int lane) : rows_(rows), lane_(lane) {}

    // Sets the rows [from, to) to rows of the unit matrix, with a right-hand side of 0.
    void set_unit(int from, int to) {
        for (int i = from; i < to; ++i) {
            rows_[i].diagonal[lane_] = 1.0;
            rows_[i].first[lane_] = rows_[i].second[lane_] = rows_[i].right[lane_] = 0.0;
        }
    }
    // Adds a value to the matrix entry (i, j): on the diagonal (j = i), or in one of the two bands above it (j = i + 1,
    // i + 2). Other j are not allowed: entries below the diagonal are not stored, because the matrix is symmetric, and
    // all further entries are 0.
    void add_product(int i, int j, double value) {
        BandedRow& row = rows_[i];
        (j == i ? row.diagonal : j == i + 1 ? row.first : row.second)[lane_] += value;
    }
    void subtract_right(int i, double value) { rows_[i].right[lane_] -= value; }
    // Adds the normal equations of the term weight × (residual + Σ g_a x_{first + a})².
    template <std::size_t n>
    void add_square(double weight, int first, const std::array<double, n>& g, double residual) {
        for (int a = 0; a < static_cast<int>(n); ++a) {
            subtract_right(first + a, weight * g[a] * residual);
            for (int b = a; b < static_cast<int>(n); ++b) {
                add_product(first + a, first + b, weight * g[a] * g[b]);
            }
        }
    }

  private:
    BandedRow* rows_;
    int lane_;
};

// Runs the energy kernel for the path vertices in p.kept. Fills in all columns.
void measure(const Cloth& cloth, std::span<const Vector3> previous, const PathProblem& p, float unit, PathColumns& columns) {
    const Topology& topology = cloth.topology;
    columns.edges = topology.edges[0].data();
    columns.edge_faces = topology.edge_faces[0].data();
    columns.faces = topology.faces[0].data();
    columns.positions = cloth.positions[0].data();
    columns.previous = previous[0].data();
    columns.unit = unit;
    columns.count = p.kept_count;
    for (int k = 0; k < p.kept_count; ++k) {
        columns.edge[k] = p.path.edges[p.kept[k]];
        columns.t[k] = p.turned[p.kept[k]];
    }
    kernels<EnergyKernels>().measure_path(columns);
}

// Returns d (p·e) / d t of a path vertex on an edge of the face, mesh units. e is the compression axis of the face.
float slope_along_axis(const Cloth& cloth, std::int32_t face, std::int32_t edge) {
    const int side = side_of(cloth.topology, face, edge);
    const Matrix2& current = cloth.current[face];
    const float d = (corner(current, (side + 1) % 3) - corner(current, side)).dot(cloth.field.axis[face]);
    return cloth.topology.faces[face][side] == cloth.topology.edges[edge][0] ? -d : d;
}

// Adds the first sum, α ((p_{i+1} - p_i)·e_i)², which makes segments perpendicular to the compression. It is computed
// in the plane of the triangle, because e_i is a vector of this plane. Skips segments of which an end has no row.
void add_field(const Cloth& cloth, const PathProblem& p, float unit, NormalEquations& equations) {
    // α is defined for the thesis's 30 frames per second
    const double weight = static_cast<double>(p.options.alpha) * static_cast<double>(p.options.dt / reference_frame_time);
    for (int k = 0; k + 1 < p.kept_count; ++k) {
        const int i = p.kept[k];
        if (p.kept[k + 1] != i + 1) {
            continue;  // the path between these two vertices crosses several triangles with different axes
        }
        const std::int32_t face = p.path.faces[i], e0 = p.path.edges[i], e1 = p.path.edges[i + 1];
        const Matrix2& current = cloth.current[face];
        const Vector2 p0 = point_in_face(cloth.topology, current, face, e0, p.turned[i]);
        const Vector2 p1 = point_in_face(cloth.topology, current, face, e1, p.turned[i + 1]);
        const float residual = unit * cloth.field.axis[face].dot(p1 - p0);
        const float g0 = unit * slope_along_axis(cloth, face, e0), g1 = unit * slope_along_axis(cloth, face, e1);
        equations.add_square<2>(weight, k, {-static_cast<double>(g0), static_cast<double>(g1)}, static_cast<double>(residual));
    }
}

// Adds the fourth sum, β s_i², which is not in the thesis. s_i is the distance of vertex i, along its edge, from the
// straight line between its neighbours, with the two triangles unfolded. Skips the ends, vertices next to a vertex
// without a row, and s_i that are not finite. Without this sum, old paths become ragged: the 90th percentile of the
// angles at their vertices was 34 degrees instead of 22.
void add_straightness(const PathProblem& p, const PathColumns& c, NormalEquations& equations) {
    const double weight = static_cast<double>(p.options.straightness) * static_cast<double>(p.options.dt / reference_frame_time);
    for (int k = 1; k + 1 < p.kept_count && weight > 0.0; ++k) {
        if (p.kept[k + 1] == p.kept[k - 1] + 2 && c.is_straight[k]) {
            equations.add_square<3>(weight, k - 1,
                                    {static_cast<double>(c.straight_before[k]), static_cast<double>(c.straight_own[k]),
                                     static_cast<double>(c.straight_after[k])},
                                    static_cast<double>(c.straight[k]));
        }
    }
}

// Adds the third sum, ‖p_i - (p_{i-1} + p_{i+1})/2 - c̄_i‖², which preserves the bends of the path. Only vertices with
// a row count as neighbours. c̄ is rotated with the cloth; otherwise a turning garment would bend its wrinkles.
void add_shape(const PathColumns& c, NormalEquations& equations) {
    const auto add = [&](int a, int b, float value) { equations.add_product(a, b, static_cast<double>(value)); };
    const auto subtract = [&](int a, float value) { equations.subtract_right(a, static_cast<double>(value)); };
    for (int k = 0; k < c.count; ++k) {
        const bool has_before = k > 0, has_after = k + 1 < c.count;
        if (has_before) {
            add(k - 1, k - 1, c.before_before[k]);
            add(k - 1, k, c.before_own[k]);
            subtract(k - 1, c.before_right[k]);
        }
        if (has_before && has_after) {
            add(k - 1, k + 1, c.before_after[k]);
        }
        add(k, k, c.own_own[k]);
        subtract(k, c.own_right[k]);
        if (has_after) {
            add(k, k + 1, c.own_after[k]);
            add(k + 1, k + 1, c.after_after[k]);
            subtract(k + 1, c.after_right[k]);
        }
    }
}

}  // namespace

std::int32_t near_vertex(const Topology& topology, std::int32_t edge, float t) {
    return t > 1.0f - vertex_vicinity ? topology.edges[edge][0] : t < vertex_vicinity ? topology.edges[edge][1] : -1;
}

void PathProblem::keep_one_per_mesh_vertex(const Topology& topology) {
    kept_count = 0;
    for (int i = 0; i < path.count;) {
        const std::int32_t vertex = near_vertex(topology, path.edges[i], path.t[i]);
        int end = i + 1;
        while (vertex >= 0 && end < path.count && near_vertex(topology, path.edges[end], path.t[end]) == vertex) {
            ++end;
        }
        // the path vertices [i, end) are near one mesh vertex. With a row for each of them, their solved positions
        // would differ, and the path could pass the mesh vertex only in a loop (thesis, figure 5.5). The middle vertex
        // represents all of them; the ends of a path are always kept
        const int keep = i == 0 ? 0 : end == path.count ? end - 1 : (i + end - 1) / 2;
        kept[kept_count++] = static_cast<std::int16_t>(keep);
        i = end;
    }
    if (kept_count == 1) {  // the whole path is near one mesh vertex
        kept_count = 2;
        kept = {0, static_cast<std::int16_t>(path.count - 1)};
    }
}

void PathProblem::keep_all() {
    kept_count = path.count;
    for (int i = 0; i < path.count; ++i) {
        kept[i] = static_cast<std::int16_t>(i);
    }
}

void assemble(const Cloth& cloth, std::span<const Vector3> previous, const PathProblem& problem, BandedRow* rows, int row_count,
              int lane) {
    // the system is in double precision: the diagonal starts at 1, and slow paths add small numbers to it
    NormalEquations equations(rows, lane);
    const float unit = 1.0f / problem.options.length_unit;
    PathColumns columns;
    measure(cloth, previous, problem, unit, columns);
    // the second sum, Σ (t_i - t̄_i)², keeps vertices at their positions on the cloth; it is the unit matrix
    equations.set_unit(0, row_count);
    add_field(cloth, problem, unit, equations);
    add_straightness(problem, columns, equations);
    add_shape(columns, equations);
}

void assemble_nothing(BandedRow* rows, int row_count, int lane) {
    NormalEquations(rows, lane).set_unit(0, row_count);
}

}  // namespace ruckle
