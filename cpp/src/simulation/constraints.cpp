#include "simulation/constraints.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace ruckle {

namespace {

// Double precision, because angles of thin triangles and sums over the mesh lose digits in float.
using Point = Eigen::Vector3d;

// Faces with an area below this share of the mean area do not have a usable normal.
constexpr double degenerate_share = 1e-9;

std::vector<Point> widen(std::span<const Vector3> points) {
    std::vector<Point> wide;
    wide.reserve(points.size());
    for (const Vector3& p : points) {
        wide.push_back(p.cast<double>());
    }
    return wide;
}

std::vector<double> face_areas(const Topology& topology, const Numbering& numbering, const std::vector<Point>& x) {
    std::vector<double> areas;
    double total = 0.0;
    for (const Face& f : topology.faces) {
        areas.push_back(0.5 * (x[f[1]] - x[f[0]]).cross(x[f[2]] - x[f[0]]).norm());
        total += areas.back();
    }
    // the limit is relative to the mean area, so that the test does not depend on the size of the garment
    const double least = degenerate_share * total / static_cast<double>(areas.size());
    auto flat = std::numeric_limits<std::int32_t>::max();
    for (std::size_t f = 0; f < areas.size(); ++f) {
        // the comparison is negated, so that faces with NaN are also rejected
        if (!(areas[f] > least)) {
            flat = std::min(flat, numbering.given_faces[f]);
        }
    }
    if (flat < std::numeric_limits<std::int32_t>::max()) {
        throw MeshError("rest: face " + std::to_string(flat) + " has no area; every triangle of cloth at rest must have one");
    }
    return areas;
}

// Returns value(element) for every element in the order of the batches, and `padding` for padding.
template <class Scalar, class Value>
std::vector<Scalar> arrange(const Batches& batches, Scalar padding, Value value) {
    std::vector<Scalar> arranged;
    arranged.reserve(batches.order.size());
    for (const std::int32_t element : batches.order) {
        arranged.push_back(element < 0 ? padding : static_cast<Scalar>(value(static_cast<std::size_t>(element))));
    }
    return arranged;
}

template <std::size_t N>
void arrange_corners(const std::vector<std::array<std::int32_t, N>>& elements, const Numbering& numbering, Batches& batches,
                     std::array<std::vector<std::int32_t>, N>& corners) {
    batches = batch({elements.empty() ? nullptr : elements[0].data(), N * elements.size()}, N, numbering);
    const std::vector<std::int32_t> spares = spare_vertices(batches, numbering);
    for (std::size_t q = 0; q < N; ++q) {
        corners[q] = arrange<std::int32_t>(batches, -1, [&](std::size_t e) { return elements[e][q]; });
        for (std::size_t slot = 0; slot < corners[q].size(); ++slot) {
            corners[q][slot] = corners[q][slot] < 0 ? spares[slot / sweep_block] : corners[q][slot];
        }
    }
}

Edges make_edges(const Topology& topology, const Numbering& numbering, const std::vector<Point>& x,
                 const std::vector<double>& areas, float stretch) {
    Edges edges;
    arrange_corners(topology.edges, numbering, edges.batches, edges.corners);
    const auto length = [&](std::size_t e) { return (x[topology.edges[e][0]] - x[topology.edges[e][1]]).norm(); };
    const auto stiffness = [&](std::size_t e) {
        // edge springs of stiffness E A / L² (A: area of both faces) on equilateral triangles form a membrane of
        // modulus E at any resolution
        double area = 0.0;
        for (const std::int32_t face : topology.edge_faces[e]) {
            area += face >= 0 ? areas[static_cast<std::size_t>(face)] : 0.0;
        }
        return static_cast<double>(stretch) * area / (length(e) * length(e));
    };
    edges.length = arrange<float>(edges.batches, 0.0f, length);
    // padding has a stiffness of 0, so it does not move vertices
    edges.stiffness = arrange<float>(edges.batches, 0.0f, stiffness);
    return edges;
}

// Returns the inverse of the matrix whose columns are the first two edges of the rest triangle. Axis 0 is along the
// first edge.
std::array<double, 4> inverse_edge_matrix(const Point& e1, const Point& e2) {
    // the matrix is upper triangular for this choice of axes, so its inverse has a short formula
    const double length = e1.norm(), along = e1.dot(e2) / length, across = e1.cross(e2).norm() / length;
    return {1.0 / length, -along / (length * across), 0.0, 1.0 / across};
}

// Returns triangle elements for all faces f with wanted(f).
template <class Wanted>
Triangles make_triangles(const Topology& topology, const Numbering& numbering, const std::vector<Point>& x,
                         const std::vector<double>& areas, float density, Wanted wanted) {
    std::vector<std::array<std::int32_t, 3>> elements;
    std::vector<std::array<double, 4>> inverses;
    std::vector<double> thirds;
    for (std::size_t i = 0; i < topology.faces.size(); ++i) {
        if (const Face& f = topology.faces[i]; wanted(f)) {
            elements.push_back({f[0], f[1], f[2]});
            inverses.push_back(inverse_edge_matrix(x[f[1]] - x[f[0]], x[f[2]] - x[f[0]]));
            thirds.push_back(static_cast<double>(density) * areas[i] / 3.0);
        }
    }
    Triangles faces;
    arrange_corners(elements, numbering, faces.batches, faces.corners);
    for (std::size_t q = 0; q < 4; ++q) {
        faces.inverse[q] = arrange<float>(faces.batches, 0.0f, [&](std::size_t f) { return inverses[f][q]; });
    }
    faces.mass_third = arrange<float>(faces.batches, 1.0f, [&](std::size_t f) { return thirds[f]; });
    return faces;
}

Point point_of(std::span<const float> points, std::int32_t vertex) {
    const float* p = &points[4 * static_cast<std::size_t>(vertex)];
    return {p[0], p[1], p[2]};
}

std::span<const std::int32_t> corners_of(std::span<const std::int64_t> element_starts, std::span<const std::int32_t> corners,
                                         std::size_t element) {
    const auto first = static_cast<std::size_t>(element_starts[element]);
    return corners.subspan(first, static_cast<std::size_t>(element_starts[element + 1]) - first);
}

// Appends the elements `left` to `batches` as one part, and pads each batch to whole blocks. taken: (V) the last batch
// that uses each vertex. It is not cleared between parts.
void append_part(std::span<const std::int64_t> element_starts, std::span<const std::int32_t> corners,
                 std::vector<std::int32_t> left, std::vector<std::int64_t>& taken, Batches& batches) {
    std::vector<std::int32_t> passed_over;
    for (; !left.empty(); std::swap(left, passed_over)) {
        passed_over.clear();
        const auto number = static_cast<std::int64_t>(batches.starts.size());
        for (const std::int32_t e : left) {
            const auto own = corners_of(element_starts, corners, static_cast<std::size_t>(e));
            if (std::any_of(own.begin(), own.end(),
                            [&](std::int32_t v) { return taken[static_cast<std::size_t>(v)] == number; })) {
                passed_over.push_back(e);
                continue;
            }
            for (const std::int32_t v : own) {
                taken[static_cast<std::size_t>(v)] = number;
            }
            batches.order.push_back(e);
        }
        // each batch is padded to whole blocks, so that sweeps do not need a remainder loop
        batches.order.resize((batches.order.size() + sweep_block - 1) / sweep_block * sweep_block, -1);
        batches.starts.push_back(static_cast<std::int64_t>(batches.order.size()));
    }
    batches.parts.push_back(static_cast<std::int64_t>(batches.starts.size()) - 1);
}

}  // namespace

void require_finite(std::span<const Vector3> rest) {
    for (std::size_t v = 0; v < rest.size(); ++v) {
        if (!rest[v].allFinite()) {
            throw MeshError("rest: vertex " + std::to_string(v) + " is not finite; every coordinate must be finite");
        }
    }
}

Batches batch(std::span<const std::int32_t> corners, int corner_count, const Numbering& numbering) {
    std::vector<std::int64_t> starts;
    for (std::int64_t start = 0; start <= static_cast<std::int64_t>(corners.size()); start += corner_count) {
        starts.push_back(start);
    }
    return batch(starts, corners, numbering);
}

Batches batch(std::span<const std::int64_t> element_starts, std::span<const std::int32_t> corners, const Numbering& numbering) {
    const auto part_count = static_cast<std::size_t>(numbering.part_count);
    // elements of each part in each round: within part p; between parts p and p + 1; all others, as one part
    std::array<std::vector<std::vector<std::int32_t>>, 3> rounds;
    rounds[0].resize(part_count);
    rounds[1].resize(part_count);
    rounds[2].resize(1);
    // (V) the lower of the two parts that the elements at a vertex join, or -1. In thin parts, the elements at a vertex
    // could join three parts; those that join another pair go to round 2.
    std::vector<std::int64_t> joins(numbering.given.size(), -1);
    for (std::size_t e = 0; e + 1 < element_starts.size(); ++e) {
        const auto own = corners_of(element_starts, corners, e);
        const auto [low, high] = std::minmax_element(own.begin(), own.end());
        const std::int64_t first = numbering.part_of(*low), last = numbering.part_of(*high);
        const auto is_other = [&](std::int32_t v) {
            return joins[static_cast<std::size_t>(v)] >= 0 && joins[static_cast<std::size_t>(v)] != first;
        };
        const bool joins_two = last == first + 1 && std::none_of(own.begin(), own.end(), is_other);
        for (std::size_t q = 0; joins_two && q < own.size(); ++q) {
            joins[static_cast<std::size_t>(own[q])] = first;
        }
        auto& part = first == last ? rounds[0][static_cast<std::size_t>(first)]
                     : joins_two   ? rounds[1][static_cast<std::size_t>(first)]
                                   : rounds[2][0];
        part.push_back(static_cast<std::int32_t>(e));
    }
    Batches batches;
    std::vector<std::int64_t> taken(numbering.given.size(), -1);
    for (auto& parts : rounds) {
        for (auto& part : parts) {
            append_part(element_starts, corners, std::move(part), taken, batches);
        }
        batches.rounds.push_back(static_cast<std::int64_t>(batches.parts.size()) - 1);
    }
    return batches;
}

std::vector<std::int32_t> spare_vertices(const Batches& batches, const Numbering& numbering) {
    std::vector<std::int32_t> spares(batches.order.size() / sweep_block);
    for (std::size_t r = 0; r + 1 < batches.rounds.size(); ++r) {
        for (std::int64_t p = batches.rounds[r]; p < batches.rounds[r + 1]; ++p) {
            const auto block = [&](std::int64_t part) {
                return spares.begin() +
                       batches.starts[static_cast<std::size_t>(batches.parts[static_cast<std::size_t>(part)])] / sweep_block;
            };
            std::fill(block(p), block(p + 1), static_cast<std::int32_t>(numbering.first_spare + p - batches.rounds[r]));
        }
    }
    return spares;
}

EdgeArrays Edges::arrays() const {
    return {{corners[0].data(), corners[1].data()}, length.data(), stiffness.data()};
}
FaceArrays Triangles::arrays() const {
    return {{corners[0].data(), corners[1].data(), corners[2].data()},
            {inverse[0].data(), inverse[1].data(), inverse[2].data(), inverse[3].data()},
            mass_third.data()};
}

Constraints::Constraints(const Topology& topology, const Numbering& numbering, std::span<const Vector3> rest,
                         std::span<const float> attachment, const ClothOptions& options) {
    const std::vector<Point> x = widen(rest);
    const std::vector<double> areas = face_areas(topology, numbering, x);
    // lumped masses: a third of each face's mass per corner, summed in double
    std::vector<double> sums(x.size(), 0.0);
    for (std::size_t f = 0; f < areas.size(); ++f) {
        for (int k = 0; k < 3; ++k) {
            sums[static_cast<std::size_t>(topology.faces[f][k])] +=
                static_cast<double>(options.material.density) * areas[f] / 3.0;
        }
    }
    masses.assign(sums.begin(), sums.end());
    edges = make_edges(topology, numbering, x, areas, options.material.stretch);
    faces = make_triangles(topology, numbering, x, areas, options.material.density, [](const Face&) { return true; });
    const auto is_held = [&](std::int32_t vertex) { return !attachment.empty() && attachment[vertex] > 0.0f; };
    held = make_triangles(topology, numbering, x, areas, options.material.density,
                          [&](const Face& f) { return is_held(f[0]) || is_held(f[1]) || is_held(f[2]); });
}

double stretch_energy(const Edges& edges, float compression, std::span<const float> points) {
    double sum = 0.0;
    for (std::size_t e = 0; e < edges.length.size(); ++e) {
        const double length = (point_of(points, edges.corners[0][e]) - point_of(points, edges.corners[1][e])).norm();
        const double excess = length - static_cast<double>(edges.length[e]);
        // padding has zero stiffness and adds 0
        sum += 0.5 * static_cast<double>(edges.stiffness[e]) * (excess < 0.0 ? static_cast<double>(compression) : 1.0) * excess *
               excess;
    }
    return sum;
}

LongestEdge longest_edge(const Edges& edges, std::span<const float> points) {
    LongestEdge longest{0.0f, -1};
    for (std::size_t e = 0; e < edges.length.size(); ++e) {
        // skips padding, whose rest length of 0 would be a divisor
        if (edges.batches.order[e] < 0) {
            continue;
        }
        const float* a = &points[4 * static_cast<std::size_t>(edges.corners[0][e])];
        const float* b = &points[4 * static_cast<std::size_t>(edges.corners[1][e])];
        const float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], square = x * x + y * y + z * z;
        // compares squares, which avoids most square roots; the comparison is negated, so that NaN ends the search and
        // is returned
        if (const float most = longest.stretch * edges.length[e]; !(square <= most * most)) {
            longest = {std::sqrt(square) / edges.length[e], edges.corners[0][e]};
            if (std::isnan(square)) {
                break;
            }
        }
    }
    return longest;
}

}  // namespace ruckle
