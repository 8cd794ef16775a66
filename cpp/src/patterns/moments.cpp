#include "ruckle/patterns/moments.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include "field/stretch_arrays.h"
#include "numeric/dispatch.h"
#include "patterns/modulation_kernel.h"
#include "surface/normals.h"

namespace ruckle {

void gram(std::span<const Vector3> positions, std::span<const Face> faces, std::span<Vector3> grams) {
    assert(grams.size() == faces.size());
    kernels<ModulationKernels>().gram(floats(positions), indices(faces), 0, static_cast<std::int64_t>(faces.size()),
                                      reinterpret_cast<float*>(grams.data()));
}

void gram(std::span<const Matrix2> matrices, std::span<Vector3> grams) {
    assert(grams.size() == matrices.size());
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        const Matrix2& m = matrices[i];
        // edge matrices are upper triangular: the first edge is along their x axis
        grams[i] = {m(0, 0) * m(0, 0), m(0, 0) * m(0, 1), m(0, 1) * m(0, 1) + m(1, 1) * m(1, 1)};
    }
}

namespace {

// Returns D = EG - F², at least 0. Like all sums over a garment in this file, it is in double precision: it is computed
// once, and a rounding error would affect all frames.
double determinant(const Vector3& m) {
    return std::max(static_cast<double>(m[0]) * m[2] - static_cast<double>(m[1]) * m[1], 0.0);
}

// Returns q (moments.h) of a gradient p in edge coordinates, at least 0.
double energy(const Vector3& m, const Vector2& p) {
    return std::max(static_cast<double>(m[2]) * p[0] * p[0] - 2.0 * m[1] * p[0] * p[1] + static_cast<double>(m[0]) * p[1] * p[1],
                    0.0);
}

// Value of z at which the fit y = 1 + z - c z² / (1 + d z) is exact. It is not near 0, because the curvature near 0
// depends on few steep cells. A larger value increases the error for nearly flat cloth. A smaller value increases the
// error for folded cloth, up to 1 % of its area for uneven noise.
constexpr double fitted_excess = 0.5;

// Lower bound of Moments::upright. In a crumpled rest shape, interpolated normals may be nearly parallel to a triangle.
constexpr float least_upright = 0.25f;

// Sums over the garment for the fit of c and d. X is (squared slope) / (its mean in the triangle). The weight of a
// triangle is its area times its mean squared slope, because X is noise in nearly flat triangles.
struct BendSums {
    double weight = 0.0, raised = 0.0, root = 0.0;

    // Adds a triangle: the mean of √(1 + fitted_excess X), which gives the area at the fitted z, and the mean of √X,
    // which gives the area at infinite height.
    void add(const Vector3& m, std::span<const Vector2> slopes, double mean) {
        double areas = 0.0, roots = 0.0;
        for (const Vector2& p : slopes) {
            const double x = energy(m, p) / mean;
            areas += std::sqrt(1.0 + fitted_excess * x);
            roots += std::sqrt(x);
        }
        const double counts = mean / std::sqrt(determinant(m)), cells = static_cast<double>(slopes.size());
        weight += counts;
        raised += counts * areas / cells;
        root += counts * roots / cells;
    }
    // Returns c and d of y = 1 + z - c z² / (1 + d z), with y = (area / flat area)²; zeros if the sums do not determine
    // them. The formula is exact to first order for small and for large z, and exact at z = fitted_excess, which is a
    // compression to 0.82 of the length.
    std::array<float, 2> bend() const {
        if (!(weight > 0.0)) {
            return {};
        }
        const double mean_root = root / weight, mean_raised = raised / weight, spread = 1.0 - mean_root * mean_root;
        // measured y at z = fitted_excess, subtracted from 1 + z; y equals 1 + z if all cells have the same slope
        const double gap = 1.0 + fitted_excess - mean_raised * mean_raised, margin = spread * fitted_excess - gap;
        constexpr double least_spread = 1e-6;
        if (!(spread > least_spread && gap > 0.0 && margin > 0.0)) {
            return {};
        }
        const double d = gap / (fitted_excess * margin);
        return {static_cast<float>(spread * d), static_cast<float>(d)};
    }
};

// Writes the moments of all pairs of patterns in one triangle, whose cells are [first, first + cells).
void add_moments(std::span<const std::vector<Vector2>> slopes, std::size_t first, std::size_t cells, std::size_t face,
                 std::size_t face_count, std::span<float> values) {
    std::size_t pair = 0;
    for (std::size_t j = 0; j < slopes.size(); ++j) {
        // pairs (j, k) with k >= j, in the order (0, 0), (0, 1), ...
        for (std::size_t k = j; k < slopes.size(); ++k, ++pair) {
            double sums[3] = {};
            for (std::size_t cell = first; cell < first + cells; ++cell) {
                const Vector2 &a = slopes[j][cell], &b = slopes[k][cell];
                sums[0] += static_cast<double>(a[0]) * b[0];
                sums[1] += 0.5 * (static_cast<double>(a[0]) * b[1] + static_cast<double>(a[1]) * b[0]);
                sums[2] += static_cast<double>(a[1]) * b[1];
            }
            for (std::size_t c = 0; c < 3; ++c) {
                // each quantity is an array over all triangles, so that kernels load it for several triangles at a time
                values[(3 * pair + c) * face_count + face] = static_cast<float>(sums[c] / static_cast<double>(cells));
            }
        }
    }
}

// Returns the mean squared cosine between a triangle's normal and the interpolated normals, at least least_upright. The
// mean is over three points of the triangle (exact for quadratic functions). A point counts as 1 if the triangle has
// collapsed or the interpolated normal is 0.
float upright_share(const std::array<Vector3, 3>& corners, const std::array<Vector3, 3>& normals) {
    const Vector3 across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    float sum = 0.0f;
    for (int near = 0; near < 3; ++near) {
        const Vector3 normal = (normals[0] + normals[1] + normals[2] + 3.0f * normals[near]) / 6.0f;
        const float cosine = normal.dot(across), square = normal.squaredNorm() * across.squaredNorm();
        sum += square > 0.0f ? std::min(cosine * cosine / square, 1.0f) : 1.0f;
    }
    return std::max(sum / 3.0f, least_upright);
}

std::vector<float> upright_shares(const PatternGrid& grid) {
    Normals normals(grid.topology, nullptr);
    normals.measure(grid.rest);
    std::vector<float> shares;
    for (const Face& f : grid.topology.faces) {
        const auto of = [&](std::span<const Vector3> values) { return std::array{values[f[0]], values[f[1]], values[f[2]]}; };
        shares.push_back(upright_share(of(grid.rest), of(normals.of_vertices())));
    }
    return shares;
}

// Replaces the values of a pattern at the three vertices of a face by `value` if they are smaller.
void raise_corners(const Face& face, int pattern, int pattern_count, double value, std::vector<float>& largest) {
    for (int k = 0; k < 3; ++k) {
        float& at = largest[static_cast<std::size_t>(face[k] * pattern_count + pattern)];
        at = std::max(at, static_cast<float>(value));
    }
}

// Returns the largest absolute height of a pattern in a face.
float highest_in(const PatternGrid& grid, std::span<const float> heights, std::int32_t face) {
    const int parts = grid.face_parts[face];
    float highest = 0.0f;
    for (int j = 0; j <= parts; ++j) {
        for (int i = 0; i <= parts - j; ++i) {
            const auto pair = grid.lattice_point(face, i, j);
            // heights are linear between nodes, so the maximum is at a node
            highest = std::max({highest, std::abs(heights[pair.first]), std::abs(heights[pair.second])});
        }
    }
    return highest;
}

// Slopes of a pattern in one triangle: mean = √D × (mean slope), square = D × (mean squared slope).
struct FaceSlopes {
    double mean = 0.0, square = 0.0;

    FaceSlopes(const Vector3& m, std::span<const Vector2> slopes) {
        for (const Vector2& p : slopes) {
            const double q = energy(m, p);
            mean += std::sqrt(q);
            square += q;
        }
        mean /= static_cast<double>(slopes.size());
        square /= static_cast<double>(slopes.size());
    }
};

// Computes for each vertex the largest slope of a sine wave that is equivalent to the pattern around the vertex: 4/π
// times the mean slope, with each cell weighted by its slope. For a sine, this mean is π/4 of the largest slope. The
// weights reduce the effect of flat cloth between folds and of single steep cells.
struct Steepness {
    explicit Steepness(std::int32_t vertex_count) : slopes(static_cast<std::size_t>(vertex_count)), squares(slopes) {}

    void add(const Face& face, const FaceSlopes& found, double d) {
        for (int k = 0; k < 3; ++k) {
            const auto vertex = static_cast<std::size_t>(face[k]);
            // both sums are integrals over the triangles at rest
            slopes[vertex] += found.mean;
            squares[vertex] += found.square / std::sqrt(d);
        }
    }
    float at(std::size_t vertex) const {
        return slopes[vertex] > 0.0 ? static_cast<float>(4.0 / std::numbers::pi * squares[vertex] / slopes[vertex]) : 0.0f;
    }

    std::vector<double> slopes, squares;
};

// Computes the members of Moments that depend on one pattern only: mean squared slope, steepness, highest and
// flat_count. Adds the pattern to the sums for `bend`. Skips triangles that have collapsed at rest.
void measure_pattern(const PatternGrid& grid, std::span<const float> heights, std::span<const Vector2> slopes, int pattern,
                     BendSums& bend, Moments& moments) {
    double area = 0.0, mean_square = 0.0;
    Steepness steepness(grid.topology.vertex_count);
    for (std::int32_t face = 0; face < grid.topology.face_count(); ++face) {
        const Vector3& m = moments.rest[face];
        const double d = determinant(m);
        // skip a triangle that has collapsed at rest, because its slope is undefined
        if (!(d > 0.0)) {
            continue;
        }
        const auto first = static_cast<std::size_t>(grid.cell_offsets[face]);
        const auto own = slopes.subspan(first, static_cast<std::size_t>(grid.cell_offsets[face + 1]) - first);
        const FaceSlopes found(m, own);
        area += std::sqrt(d);
        mean_square += found.square / std::sqrt(d);
        if (found.square > 0.0) {
            bend.add(m, own, found.square);
        }
        const Face& corners = grid.topology.faces[face];
        steepness.add(corners, found, d);
        raise_corners(corners, pattern, moments.pattern_count, highest_in(grid, heights, face), moments.highest);
    }
    for (std::size_t v = 0; v < steepness.slopes.size(); ++v) {
        moments.steepness[v * static_cast<std::size_t>(moments.pattern_count) + static_cast<std::size_t>(pattern)] =
            steepness.at(v);
    }
    moments.mean_square.push_back(area > 0.0 ? static_cast<float>(mean_square / area) : 0.0f);
    moments.flat_count += !(moments.mean_square.back() > 0.0f);
}

}  // namespace

Moments pattern_moments(const PatternGrid& grid, std::span<const float> heights, int pattern_count) {
    assert(pattern_count >= 1 && pattern_count <= most_patterns);
    const auto face_count = static_cast<std::size_t>(grid.topology.face_count());
    const auto node_count = static_cast<std::size_t>(grid.node_count()), count = static_cast<std::size_t>(pattern_count);
    assert(heights.size() == count * node_count);
    Moments moments;
    moments.pattern_count = pattern_count;
    moments.rest.resize(face_count);
    // use the kernel that also measures frames, in float32: then the measured deformation of cloth at rest is exactly
    // the identity
    gram(grid.rest, grid.topology.faces, moments.rest);
    for (const Vector3& m : moments.rest) {
        moments.areas.push_back(static_cast<float>(std::sqrt(determinant(m))));
    }
    moments.upright = upright_shares(grid);
    moments.values.resize(static_cast<std::size_t>(3 * pair_count(pattern_count)) * face_count);
    moments.steepness.assign(static_cast<std::size_t>(grid.topology.vertex_count) * count, 0.0f);
    moments.highest = moments.steepness;

    // compute the slopes of all patterns first, because moments contain products of two patterns
    std::vector<std::vector<Vector2>> slopes(count, std::vector<Vector2>(static_cast<std::size_t>(grid.cell_count())));
    BendSums bend;
    for (std::size_t k = 0; k < count; ++k) {
        const auto pattern = heights.subspan(k * node_count, node_count);
        cell_slopes(grid, pattern, slopes[k]);
        measure_pattern(grid, pattern, slopes[k], static_cast<int>(k), bend, moments);
    }
    for (std::size_t face = 0; face < face_count; ++face) {
        const auto first = static_cast<std::size_t>(grid.cell_offsets[face]);
        add_moments(slopes, first, static_cast<std::size_t>(grid.cell_offsets[face + 1]) - first, face, face_count,
                    moments.values);
    }
    moments.bend = bend.bend();
    return moments;
}

}  // namespace ruckle
