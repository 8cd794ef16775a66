// Computes the terms of the third and fourth sum of the energy in path_energy.h, one path vertex per lane.
#include "paths/energy_kernel.h"
#include "constants.h"
#include "numeric/triples.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

constexpr int first = PathColumns::first;
typedef float Column[PathColumns::room];

inline Triple operator/(Triple a, Real s) {
    return {a.x / s, a.y / s, a.z / s};
}
inline Triple cross(Triple a, Triple b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Real norm(Triple a) {
    return sqrt(product(a, a));
}
inline Mask is_finite(Real a) {
    return abs<native_lanes>(a) < __builtin_inff();
}

// The cloth around the edge of a path vertex, in one frame.
struct Surroundings {
    Triple start, end;   // positions of the first and second vertex of the edge
    Triple left, right;  // corners of the left and the right triangle that are not on the edge
    Triple along, across, normal;

    // Computes axes that rotate with the cloth: along the edge, across the edge in the cloth, and the normal. They are
    // not normalised.
    void make_axes(Mask has_right) {
        along = start - end;
        // the two corners are on different sides of the edge, so the second cross product is negated to give both
        // normals the same direction
        const Triple first_half = cross(along, left - end), second_half = cross(along, right - end);
        const Real none = splat_real(0.0f);
        normal = Triple{none, none, none} + first_half;
        normal = select(has_right, normal + Triple{-second_half.x, -second_half.y, -second_half.z}, normal);
        across = cross(normal, along);
    }
    Triple at(Real t) const { return start * t + end * (1.0f - t); }
};

// Positions, slopes and axes of the vertices of one path, from which the results are computed.
class Measured {
  public:
    explicit Measured(PathColumns& path) : path_(path) {}

    void measure() {
        for (int i = 0; i < path_.count; i += native_lanes) {
            place(i);
        }
        // beyond its ends, a path continues with its mirror image: p_{-1} = p_1
        mirror(now_), mirror(before_), mirror(slope_);
        for (int i = 0; i < path_.count; i += native_lanes) {
            bend(i);
            straighten(i);
        }
    }

  private:
    // Returns i, or the last vertex if i is past the end, so that unused lanes read valid numbers.
    int number(int i) const { return i < path_.count ? i : path_.count - 1; }

    // Fills in the entry before the first vertex with the second vertex, and the entry after the last vertex with the
    // last but one.
    void mirror(Column (&columns)[3]) const {
        for (Column& column : columns) {
            column[first - 1] = column[first + 1];
            column[first + path_.count] = column[first + path_.count - 2];
        }
    }

    // Loads the positions of one mesh vertex per lane.
    static Triple gathered(const float* positions, const int32_t (&vertices)[native_lanes]) {
        Floats<4> rows[native_lanes];
        for (int lane = 0; lane < native_lanes; ++lane) {
            rows[lane] = load_triple(positions + 3 * (int64_t)vertices[lane]);
        }
        const auto q = transpose<native_lanes>(rows);
        return {q.a, q.b, q.c};
    }

    // Computes positions, slopes and axes of the path vertices from i on, in both frames.
    void place(int i) {
        int32_t start[native_lanes], end[native_lanes], left[native_lanes], right[native_lanes], has_right[native_lanes];
        float t[native_lanes];
        for (int lane = 0; lane < native_lanes; ++lane) {
            const int k = number(i + lane);
            const int32_t *ends = path_.edges + 2 * (int64_t)path_.edge[k],
                          *beside = path_.edge_faces + 2 * (int64_t)path_.edge[k];
            start[lane] = ends[0], end[lane] = ends[1];
            left[lane] = opposite(beside[0], ends);
            has_right[lane] = beside[1] >= 0 ? -1 : 0;
            right[lane] = beside[1] >= 0 ? opposite(beside[1], ends) : left[lane];
            t[lane] = path_.t[k];
        }
        const Real where = load_real(t);
        Surroundings now, before;
        const auto gather = [&](const float* positions, Surroundings& s) {
            s.start = gathered(positions, start), s.end = gathered(positions, end);
            s.left = gathered(positions, left), s.right = gathered(positions, right);
            s.make_axes(load<Mask>(has_right));
        };
        gather(path_.positions, now), gather(path_.previous, before);
        store_columns(now_, first + i, now.at(where));
        store_columns(before_, first + i, before.at(where));
        store_columns(slope_, first + i, now.along * splat_real(path_.unit));
        frames_[i / native_lanes][0] = before, frames_[i / native_lanes][1] = now;
    }
    // Returns the vertex of a face that is not an end of the edge.
    int32_t opposite(int32_t face, const int32_t* ends) const {
        const int32_t* f = path_.faces + 3 * (int64_t)face;
        return f[0] + f[1] + f[2] - ends[0] - ends[1];
    }

    // Returns the vectors from the midpoint of both neighbours to the vertices.
    static Triple off_middle(const Column (&columns)[3], int i) {
        return load_columns(columns, first + i) -
               (load_columns(columns, first + i - 1) + load_columns(columns, first + i + 1)) * splat_real(0.5f);
    }
    // Rotates a vector with the cloth from one frame to another. Returns the vector unchanged if an axis has length 0.
    static Triple turned(const Surroundings& from, const Surroundings& to, Triple c) {
        const auto part = [&](Triple a, Triple b) { return b * (product(a, c) / sqrt(product(a, a) * product(b, b))); };
        const Triple result = part(from.along, to.along) + part(from.across, to.across) + part(from.normal, to.normal);
        return select(is_finite(result.x) & is_finite(result.y) & is_finite(result.z), result, c);
    }

    // Computes the terms of the third sum. Its residual is the vector from the midpoint of the neighbours to the
    // vertex, minus the same vector of the last frame rotated with the cloth.
    void bend(int i) {
        const Surroundings(&frames)[2] = frames_[i / native_lanes];
        const Triple shape = turned(frames[0], frames[1], off_middle(before_, i));
        const Triple residual = (off_middle(now_, i) - shape) * splat_real(path_.unit);
        // each of the two neighbours has weight 1/2; the only neighbour of an end has weight 1
        Real weight = splat_real(-0.5f);
        if (i == 0) {
            weight[0] = -1.0f;
        }
        if (i + native_lanes >= path_.count) {
            weight[path_.count - 1 - i] = -1.0f;
        }
        const Triple own = load_columns(slope_, first + i);
        const Triple before = load_columns(slope_, first + i - 1) * weight, after = load_columns(slope_, first + i + 1) * weight;
        store(path_.before_before + i, product(before, before));
        store(path_.before_own + i, product(before, own));
        store(path_.before_after + i, product(before, after));
        store(path_.own_own + i, product(own, own));
        store(path_.own_after + i, product(own, after));
        store(path_.after_after + i, product(after, after));
        store(path_.before_right + i, product(before, residual));
        store(path_.own_right + i, product(own, residual));
        store(path_.after_right + i, product(after, residual));
    }

    // Computes the terms of the fourth sum: the distance of a vertex, along its edge, from the straight line between
    // its neighbours, with the two triangles unfolded. Unfolding does not change the neighbours' positions along the
    // line of the edge, or their distances from it. The straight line crosses the line of the edge at a weighted mean
    // of these positions: the weight of a neighbour is the distance of the other neighbour.
    void straighten(int i) {
        const Triple now = load_columns(now_, first + i), own = load_columns(slope_, first + i);
        const Real unit = splat_real(path_.unit), length = norm(own);
        const Triple to_before = (load_columns(now_, first + i - 1) - now) * unit;
        const Triple to_after = (load_columns(now_, first + i + 1) - now) * unit;
        const Triple along = own / length;
        const Real s0 = product(along, to_before), s2 = product(along, to_after);
        const Real h0 = norm(to_before - along * s0) + least_across_edge, h2 = norm(to_after - along * s2) + least_across_edge;
        const Real share0 = h2 / (h0 + h2), share2 = h0 / (h0 + h2);
        store(path_.is_straight + i, is_finite(share0 + s0 + s2));
        store(path_.straight_before + i, -share0 * product(along, load_columns(slope_, first + i - 1)));
        store(path_.straight_own + i, length);
        store(path_.straight_after + i, -share2 * product(along, load_columns(slope_, first + i + 1)));
        store(path_.straight + i, -share0 * s0 - share2 * s2);
    }

    PathColumns& path_;
    Column now_[3], before_[3];  // positions in this frame and in the previous frame, mesh units
    Column slope_[3];            // derivative d p / d t of each path vertex, in units of ℓ
    Surroundings frames_[PathColumns::room / native_lanes][2];
};

void measure_path(PathColumns& path) {
    Measured(path).measure();
}

constexpr EnergyKernels kernels = {.measure_path = measure_path};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::EnergyKernels ruckle::EnergyKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
