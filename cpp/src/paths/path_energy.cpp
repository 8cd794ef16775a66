#include "paths/path_energy.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "constants.h"
#include "paths/geometry.h"

namespace ruckle {

namespace {

// One lane of the system, to which squares of linear residuals are added.
class NormalEquations {
  public:
    NormalEquations(BandedRow* rows, int lane) : rows_(rows), lane_(lane) {}

    // The rows [from, to) of the unit matrix.
    void set_unit(int from, int to) {
        for (int i = from; i < to; ++i) {
            rows_[i].diagonal[lane_] = 1.0;
            rows_[i].first[lane_] = rows_[i].second[lane_] = rows_[i].right[lane_] = 0.0;
        }
    }
    // value x_i x_j, for i <= j <= i + 2
    void add_product(int i, int j, double value) {
        BandedRow& row = rows_[i];
        (j == i ? row.diagonal : j == i + 1 ? row.first : row.second)[lane_] += value;
    }
    void subtract_right(int i, double value) { rows_[i].right[lane_] -= value; }
    // weight (residual + Σ g_a x_{first + a})²
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

// The vertices that take part: where they are at t̄ in both frames, and how they move.
struct KeptVertices {
    std::array<Vector3, most_path_vertices> now, before;  // mesh units
    std::array<Vector3, most_path_vertices> slope;        // d p / d t, in units of ℓ

    KeptVertices(const Cloth& cloth, std::span<const Vector3> previous, const PathProblem& p, float unit) {
        for (int k = 0; k < p.kept_count; ++k) {
            const std::int32_t edge = p.path.edges[p.kept[k]];
            const float t = p.turned[p.kept[k]];
            const auto& [v1, v2] = cloth.topology.edges[edge];
            now[k] = point_on_edge(cloth.topology, cloth.positions, edge, t);
            before[k] = point_on_edge(cloth.topology, previous, edge, t);
            slope[k] = (cloth.positions[v1] - cloth.positions[v2]) * unit;
        }
    }
};

// Axes that turn with the cloth around an edge: along it, across it in the cloth, and the normal; unnormalised.
struct ClothFrame {
    Vector3 along, across, normal;

    ClothFrame(const Topology& topology, std::span<const Vector3> positions, std::int32_t edge) {
        const auto& [v1, v2] = topology.edges[edge];
        along = positions[v1] - positions[v2];
        normal.setZero();
        const auto& faces = topology.edge_faces[edge];
        for (int side = 0; side < 2 && faces[side] >= 0; ++side) {
            const Face& f = topology.faces[faces[side]];
            const std::int32_t opposite = f[0] + f[1] + f[2] - v1 - v2;
            // away from the edge on either side: the cross products point the same way when the second is negated
            const Vector3 half = along.cross(positions[opposite] - positions[v2]);
            normal += side == 0 ? half : Vector3(-half);
        }
        across = normal.cross(along);
    }
};

// c turned from the previous frame to this one along with the cloth around an edge; unchanged where the edge has collapsed.
Vector3 turned(const ClothFrame& from, const ClothFrame& to, const Vector3& c) {
    const auto part = [&](const Vector3& a, const Vector3& b) {
        return Vector3(b * (a.dot(c) / std::sqrt(a.squaredNorm() * b.squaredNorm())));
    };
    const Vector3 result = part(from.along, to.along) + part(from.across, to.across) + part(from.normal, to.normal);
    return result.allFinite() ? result : c;
}

// How far vertex i lies off the middle of its neighbours: p_i - (p_{i-1} + p_{i+1}) / 2, with p_{-1} = p_1 and p_n = p_{n-2}.
Vector3 bend(const Vector3* points, int i, int count) {
    const int before = i > 0 ? i - 1 : 1, after = i + 1 < count ? i + 1 : count - 2;
    return points[i] - 0.5f * (points[before] + points[after]);
}

// d (p·e) / d t of a path vertex on an edge of the face, e being the face's compression axis; mesh units.
float slope_along_axis(const Cloth& cloth, std::int32_t face, std::int32_t edge) {
    const int side = side_of(cloth.topology, face, edge);
    const Matrix2& current = cloth.current[face];
    const float d = (corner(current, (side + 1) % 3) - corner(current, side)).dot(cloth.field.axis[face]);
    return cloth.topology.faces[face][side] == cloth.topology.edges[edge][0] ? -d : d;
}

// The first sum, α ((p_{i+1} - p_i)·e_i)²: segments run across the compression. Told in the triangle's own plane, where e_i lives.
void add_field(const Cloth& cloth, const PathProblem& p, float unit, NormalEquations& equations) {
    // α belongs to the thesis's 30 frames per second
    const double weight = static_cast<double>(p.options.alpha) * static_cast<double>(p.options.dt / reference_frame_time);
    for (int k = 0; k + 1 < p.kept_count; ++k) {
        const int i = p.kept[k];
        if (p.kept[k + 1] != i + 1) {
            continue;  // the segment passes several triangles: no axis belongs to it
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

// A sum that (5.2) does not have, β s_i², with s_i the way along the edge to the straight line between the neighbours, the two
// triangles unfolded. Without it old paths become ragged: the 90th percentile of their turns was 34 degrees instead of 22.
void add_straightness(const PathProblem& p, const KeptVertices& v, float unit, NormalEquations& equations) {
    const double weight = static_cast<double>(p.options.straightness) * static_cast<double>(p.options.dt / reference_frame_time);
    for (int k = 1; k + 1 < p.kept_count && weight > 0.0; ++k) {
        if (p.kept[k + 1] != p.kept[k - 1] + 2) {
            continue;
        }
        // unfolding keeps the neighbours' positions along the edge's line and their distances from it; the straight line between
        // them crosses the edge's line at the mean of these positions, weighed by the other's distance
        const Vector3 to_before = (v.now[k - 1] - v.now[k]) * unit, to_after = (v.now[k + 1] - v.now[k]) * unit;
        const float length = v.slope[k].norm();
        const Vector3 along = v.slope[k] / length;
        const float s0 = along.dot(to_before), s2 = along.dot(to_after);
        const float h0 = (to_before - s0 * along).norm() + least_across_edge;
        const float h2 = (to_after - s2 * along).norm() + least_across_edge;
        const float share0 = h2 / (h0 + h2), share2 = h0 / (h0 + h2);
        if (std::isfinite(share0 + s0 + s2)) {
            equations.add_square<3>(weight, k - 1,
                                    {static_cast<double>(-share0 * along.dot(v.slope[k - 1])), static_cast<double>(length),
                                     static_cast<double>(-share2 * along.dot(v.slope[k + 1]))},
                                    static_cast<double>(-share0 * s0 - share2 * s2));
        }
    }
}

// The third sum, ‖p_i - (p_{i-1} + p_{i+1})/2 - c̄_i‖²: the path keeps its shape. c̄ turns with the cloth, or a turning garment
// would bend its wrinkles.
void add_shape(const Cloth& cloth, std::span<const Vector3> previous, const PathProblem& p, const KeptVertices& v, float unit,
               NormalEquations& equations) {
    const int count = p.kept_count;
    for (int k = 0; k < count; ++k) {
        const std::int32_t edge = p.path.edges[p.kept[k]];
        const ClothFrame from(cloth.topology, previous, edge), to(cloth.topology, cloth.positions, edge);
        const Vector3 shape = turned(from, to, bend(v.before.data(), k, count));
        const Vector3 residual = (bend(v.now.data(), k, count) - shape) * unit;
        // neighbours weigh one half each; at the ends p_{-1} = p_1 makes the only one weigh one
        const float weight = k > 0 && k + 1 < count ? -0.5f : -1.0f;
        const int low = std::max(k - 1, 0), high = std::min(k + 1, count - 1);
        for (int a = low; a <= high; ++a) {
            const Vector3 ga = v.slope[a] * (a == k ? 1.0f : weight);
            equations.add_product(a, a, static_cast<double>(ga.squaredNorm()));
            equations.subtract_right(a, static_cast<double>(ga.dot(residual)));
            for (int b = a + 1; b <= high; ++b) {
                equations.add_product(a, b, static_cast<double>(ga.dot(v.slope[b] * (b == k ? 1.0f : weight))));
            }
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
        // solving for all of them would overconstrain: each wants another direction, and together they can only pass the mesh
        // vertex in a loop (thesis, figure 5.5). The middle one stands for all, but the ends of a path always take part
        const int keep = i == 0 ? 0 : end == path.count ? end - 1 : (i + end - 1) / 2;
        kept[kept_count++] = static_cast<std::int16_t>(keep);
        i = end;
    }
    if (kept_count == 1) {  // all of it near one mesh vertex
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
    // sums in double precision: the diagonal begins at 1, and paths that hardly move add little to it
    NormalEquations equations(rows, lane);
    const float unit = 1.0f / problem.options.length_unit;
    const KeptVertices vertices(cloth, previous, problem, unit);
    // the second sum, Σ (t_i - t̄_i)²: vertices stay where they are on the cloth
    equations.set_unit(0, row_count);
    add_field(cloth, problem, unit, equations);
    add_straightness(problem, vertices, unit, equations);
    add_shape(cloth, previous, problem, vertices, unit, equations);
}

void assemble_nothing(BandedRow* rows, int row_count, int lane) {
    NormalEquations(rows, lane).set_unit(0, row_count);
}

}  // namespace ruckle
