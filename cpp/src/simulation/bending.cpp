#include "simulation/bending.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace ruckle {

namespace {

// Double precision, because angles of thin triangles and sums over the mesh lose digits in float.
using Point = Eigen::Vector3d;

constexpr double pi = 3.14159265358979323846;

// The correction of ring weights ignores singular values below this share of the largest one. Smaller: rings with
// nearly collinear vertices get large weights and become too stiff.
constexpr double least_singular_share = 0.05;

Point at(std::span<const Vector3> rest, std::int32_t vertex) {
    return rest[static_cast<std::size_t>(vertex)].cast<double>();
}

// Returns the cotangent of the angle at the apex of the triangle (apex, u, v).
double cotangent(const Point& apex, const Point& u, const Point& v) {
    const Point a = u - apex, b = v - apex;
    return a.dot(b) / a.cross(b).norm();
}

// Returns the corners of a face in order, starting at the given vertex.
Face from_corner(const Face& face, std::int32_t vertex) {
    const int k = face[0] == vertex ? 0 : face[1] == vertex ? 1 : 2;
    return {face[k], face[(k + 1) % 3], face[(k + 2) % 3]};
}

// Returns the neighbours of a vertex in cyclic order; empty if its faces do not form one closed fan of at least three.
std::vector<std::int32_t> closed_ring(const Topology& topology, std::int32_t vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    std::vector<std::array<std::int32_t, 2>> sides;
    for (std::int32_t k = topology.vertex_offsets[v]; k < topology.vertex_offsets[v + 1]; ++k) {
        const auto f = static_cast<std::size_t>(topology.vertex_faces[static_cast<std::size_t>(k)]);
        const Face face = from_corner(topology.faces[f], vertex);
        sides.push_back({face[1], face[2]});
    }
    std::vector<std::int32_t> ring;
    if (sides.size() < 3) {
        return ring;
    }
    std::int32_t next = sides[0][0];
    do {
        const auto side = std::find_if(sides.begin(), sides.end(), [&](const auto& s) { return s[0] == next; });
        if (side == sides.end() || ring.size() == sides.size()) {
            return {};
        }
        ring.push_back(next);
        next = (*side)[1];
    } while (next != sides[0][0]);
    return ring.size() == sides.size() ? ring : std::vector<std::int32_t>{};
}

// Returns the cell area of each vertex: its share of the adjacent faces. It is the Voronoi area; in obtuse triangles,
// half of the face for the obtuse corner, and a quarter for the others (Meyer et al. 2003, section 3.3).
std::vector<double> cell_areas(const Topology& topology, std::span<const Vector3> rest) {
    std::vector<double> areas(rest.size(), 0.0);
    for (const Face& f : topology.faces) {
        const std::array<Point, 3> x = {at(rest, f[0]), at(rest, f[1]), at(rest, f[2])};
        const double area = 0.5 * (x[1] - x[0]).cross(x[2] - x[0]).norm();
        std::array<double, 3> cot;
        for (std::size_t k = 0; k < 3; ++k) {
            cot[k] = cotangent(x[k], x[(k + 1) % 3], x[(k + 2) % 3]);
        }
        const bool is_obtuse = std::min({cot[0], cot[1], cot[2]}) < 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t next = (k + 1) % 3, last = (k + 2) % 3;
            const double voronoi =
                0.125 * ((x[next] - x[k]).squaredNorm() * cot[last] + (x[last] - x[k]).squaredNorm() * cot[next]);
            areas[static_cast<std::size_t>(f[static_cast<int>(k)])] += !is_obtuse     ? voronoi
                                                                       : cot[k] < 0.0 ? 0.5 * area
                                                                                      : 0.25 * area;
        }
    }
    return areas;
}

// The neighbours of a vertex unfolded into the plane, with angles around the center scaled to a full turn. weights:
// cotangent weights of the edges from the center.
struct UnfoldedRing {
    Eigen::Matrix2Xd points;
    Eigen::VectorXd weights;
};

UnfoldedRing unfold(std::span<const Vector3> rest, std::int32_t center, const std::vector<std::int32_t>& ring) {
    const auto count = static_cast<Eigen::Index>(ring.size());
    UnfoldedRing r{Eigen::Matrix2Xd::Zero(2, count), Eigen::VectorXd::Zero(count)};
    const Point x = at(rest, center);
    std::vector<double> angles(ring.size(), 0.0);
    double turned = 0.0;
    for (Eigen::Index k = 0; k < count; ++k) {
        const Eigen::Index next = (k + 1) % count;
        const Point a = at(rest, ring[static_cast<std::size_t>(k)]), b = at(rest, ring[static_cast<std::size_t>(next)]);
        angles[static_cast<std::size_t>(k)] = turned;
        turned += std::atan2((a - x).cross(b - x).norm(), (a - x).dot(b - x));
        r.weights[k] += 0.5 * cotangent(b, x, a);
        r.weights[next] += 0.5 * cotangent(a, x, b);
    }
    for (Eigen::Index k = 0; k < count; ++k) {
        const double angle = angles[static_cast<std::size_t>(k)] * 2.0 * pi / turned;
        const double length = (at(rest, ring[static_cast<std::size_t>(k)]) - x).norm();
        r.points.col(k) = length * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    }
    return r;
}

// Returns the weights w of the ring points p = (x, y) that are nearest to the cotangent weights and satisfy Σ w p = 0,
// Σ w x²/2 = Σ w y²/2 = area and Σ w x y = 0. With these weights the element measures the curvature of every quadratic
// surface exactly. If the equations cannot all be satisfied, their squared errors are minimised; combinations of
// equations with singular values below least_singular_share of the largest are ignored. Returns the cotangent weights
// if the norm of the correction would be larger than theirs. Rings of four vertices, as in grids, either satisfy the
// equations already or cannot satisfy them.
Eigen::VectorXd corrected_weights(const UnfoldedRing& ring, double area) {
    const double scale = ring.points.colwise().norm().mean();
    const Eigen::Matrix2Xd p = ring.points / scale;
    Eigen::Matrix<double, 5, Eigen::Dynamic> conditions(5, p.cols());
    conditions << p, 0.5 * p.colwise().squaredNorm(), 0.5 * (p.row(0).array().square() - p.row(1).array().square()).matrix(),
        p.row(0).cwiseProduct(p.row(1));
    // least-norm solution C^T (C C^T)^+ r with matrices of fixed size: Eigen's dynamic solvers free memory twice if an
    // allocation fails
    using Five = Eigen::Matrix<double, 5, 1>;
    Five missing = Five::Zero();
    missing[2] = 2.0 * area / (scale * scale);
    missing -= conditions * ring.weights;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 5, 5>> solver(conditions * conditions.transpose());
    const Five squares = solver.eigenvalues();
    const double least = least_singular_share * least_singular_share * squares.maxCoeff();
    const Five inverse = (squares.array() > least).select(squares.array().inverse(), 0.0).matrix();
    const Five share = solver.eigenvectors() * (inverse.asDiagonal() * (solver.eigenvectors().transpose() * missing));
    const Eigen::VectorXd change = conditions.transpose() * share;
    return change.norm() <= ring.weights.norm() ? Eigen::VectorXd(ring.weights + change) : ring.weights;
}

BendElement ring_element(std::span<const Vector3> rest, std::int32_t center, const std::vector<std::int32_t>& ring, double area) {
    const Eigen::VectorXd weights = corrected_weights(unfold(rest, center, ring), area);
    BendElement element{{center}, {-weights.sum()}, area};
    element.corners.insert(element.corners.end(), ring.begin(), ring.end());
    element.coefficients.insert(element.coefficients.end(), weights.begin(), weights.end());
    return element;
}

// Returns the corner of a face that is not on the edge.
std::int32_t opposite_corner(const Face& face, const std::array<std::int32_t, 2>& edge) {
    const Face turned = from_corner(face, edge[0]);
    return turned[1] == edge[1] ? turned[2] : turned[1];
}

double face_area(const Face& f, std::span<const Vector3> rest) {
    return 0.5 * (at(rest, f[1]) - at(rest, f[0])).cross(at(rest, f[2]) - at(rest, f[0])).norm();
}

// Adds hinge elements (Bergou et al.) to `elements`, for each inner edge of which an end lacks a ring element, such as
// a boundary vertex. The energy is multiplied by the ratio of two areas of this end: its cell area, divided by a third
// of the summed face areas of its hinges. If both ends lack a ring element, the two ratios are added.
void add_edge_elements(const Topology& topology, std::span<const Vector3> rest, const std::vector<char>& has_ring,
                       const std::vector<double>& cells, std::vector<BendElement>& elements) {
    std::vector<double> claimed(rest.size(), 0.0);
    const auto area_of = [&](std::size_t e) {
        double area = 0.0;
        for (const std::int32_t face : topology.edge_faces[e]) {
            area += face_area(topology.faces[static_cast<std::size_t>(face)], rest);
        }
        return area;
    };
    const auto visit = [&](auto use) {
        for (std::size_t e = 0; e < topology.edges.size(); ++e) {
            const auto& ends = topology.edges[e];
            const auto is_open = [&](std::int32_t v) { return !has_ring[static_cast<std::size_t>(v)]; };
            if (topology.edge_faces[e][1] >= 0 && (is_open(ends[0]) || is_open(ends[1]))) {
                use(e, ends, is_open);
            }
        }
    };
    visit([&](std::size_t e, const auto& ends, const auto&) {
        for (const std::int32_t v : ends) {
            claimed[static_cast<std::size_t>(v)] += area_of(e) / 3.0;
        }
    });
    visit([&](std::size_t e, const auto& ends, const auto& is_open) {
        double share = 0.0;
        for (const std::int32_t v : ends) {
            share += is_open(v) ? cells[static_cast<std::size_t>(v)] / claimed[static_cast<std::size_t>(v)] : 0.0;
        }
        const auto& [first, second] = topology.edge_faces[e];
        const std::int32_t c2 = opposite_corner(topology.faces[static_cast<std::size_t>(first)], ends),
                           c3 = opposite_corner(topology.faces[static_cast<std::size_t>(second)], ends);
        const Point x0 = at(rest, ends[0]), x1 = at(rest, ends[1]), x2 = at(rest, c2), x3 = at(rest, c3);
        // cotangents of the angles at both ends of the edge, in both triangles
        const double c01 = cotangent(x0, x1, x2), c02 = cotangent(x0, x1, x3), c03 = cotangent(x1, x0, x2),
                     c04 = cotangent(x1, x0, x3);
        // the first corner is repeated with coefficient 0, because ring_normal (points.h) expects a closed ring
        elements.push_back({{ends[0], c2, ends[1], c3, ends[0]},
                            {c03 + c04, -c01 - c03, c01 + c02, -c02 - c04, 0.0},
                            area_of(e) / std::max(share, 1e-6)});
    });
}

}  // namespace

std::vector<BendElement> bend_elements(const Topology& topology, std::span<const Vector3> rest, BendKind kind) {
    const std::vector<double> cells = cell_areas(topology, rest);
    std::vector<char> has_ring(rest.size(), false);
    std::vector<BendElement> elements;
    for (std::int32_t v = 0; v < topology.vertex_count && kind == BendKind::rings; ++v) {
        if (const std::vector<std::int32_t> ring = closed_ring(topology, v); !ring.empty()) {
            has_ring[static_cast<std::size_t>(v)] = true;
            elements.push_back(ring_element(rest, v, ring, cells[static_cast<std::size_t>(v)]));
        }
    }
    add_edge_elements(topology, rest, has_ring, cells, elements);
    // sorted by number of corners: a block of elements with equal numbers of corners does not need padding
    std::stable_sort(elements.begin(), elements.end(),
                     [](const BendElement& a, const BendElement& b) { return a.corners.size() < b.corners.size(); });
    return elements;
}

Bends::Bends(const Topology& topology, const Numbering& numbering, std::span<const Vector3> rest, const ClothOptions& options,
             BendKind kind) {
    const std::vector<BendElement> elements = bend_elements(topology, rest, kind);
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> corners;
    for (const BendElement& element : elements) {
        corners.insert(corners.end(), element.corners.begin(), element.corners.end());
        starts.push_back(static_cast<std::int64_t>(corners.size()));
    }
    batches_ = batch(starts, corners, numbering);
    const std::vector<std::int32_t> spares = spare_vertices(batches_, numbering);
    for (std::size_t begin = 0; begin < batches_.order.size(); begin += sweep_block) {
        std::size_t longest = 1;
        const auto element_at = [&](std::size_t slot) -> const BendElement* {
            const std::int32_t e = batches_.order[begin + slot];
            return e < 0 ? nullptr : &elements[static_cast<std::size_t>(e)];
        };
        for (std::size_t slot = 0; slot < sweep_block; ++slot) {
            const BendElement* element = element_at(slot);
            longest = std::max(longest, element ? element->corners.size() : 1);
        }
        block_starts_.push_back(static_cast<std::int64_t>(corners_.size()));
        for (std::size_t q = 0; q < longest; ++q) {
            for (std::size_t slot = 0; slot < sweep_block; ++slot) {
                const BendElement* element = element_at(slot);
                const std::size_t last = element ? element->corners.size() - 1 : 0;
                corners_.push_back(element ? element->corners[std::min(q, last)] : spares[begin / sweep_block]);
                coefficients_.push_back(element && q <= last ? static_cast<float>(element->coefficients[q]) : 0.0f);
            }
        }
    }
    block_starts_.push_back(static_cast<std::int64_t>(corners_.size()));
    for (const std::int32_t e : batches_.order) {
        // padding gets an area of 1, because kernels divide by the compliance
        const double area = e < 0 ? 1.0 : elements[static_cast<std::size_t>(e)].area;
        compliance_.push_back(e < 0 ? 1.0f : static_cast<float>(area / static_cast<double>(options.material.bending)));
        if (!options.rest_curvature) {
            continue;
        }
        Point bend = Point::Zero(), normal = Point::Zero();
        for (std::size_t q = 0; e >= 0 && q < elements[static_cast<std::size_t>(e)].corners.size(); ++q) {
            const BendElement& element = elements[static_cast<std::size_t>(e)];
            const std::size_t next = q + 1 < element.corners.size() ? q + 1 : 1;
            const Point center = at(rest, element.corners[0]);
            bend += element.coefficients[q] * at(rest, element.corners[q]);
            normal += (at(rest, element.corners[q]) - center).cross(at(rest, element.corners[next]) - center);
        }
        // positive if the cloth at rest is bent towards the normal of the ring
        curvature_.push_back(static_cast<float>(std::copysign(bend.norm(), normal.dot(bend))));
    }
}

BendArrays Bends::arrays() const {
    return {block_starts_.data(), corners_.data(), coefficients_.data(), compliance_.data(),
            curvature_.empty() ? nullptr : curvature_.data()};
}

double Bends::energy(std::span<const float> points) const {
    double sum = 0.0;
    const auto point = [&](std::size_t at) {
        const float* p = &points[4 * static_cast<std::size_t>(corners_[at])];
        return Point(p[0], p[1], p[2]);
    };
    for (std::size_t i = 0; i < compliance_.size(); ++i) {
        const auto first = static_cast<std::size_t>(block_starts_[i / sweep_block]) + i % sweep_block,
                   end = static_cast<std::size_t>(block_starts_[i / sweep_block + 1]);
        Point bend = Point::Zero(), normal = Point::Zero();
        for (std::size_t q = first; q < end; q += sweep_block) {
            const std::size_t next = q + sweep_block < end ? q + sweep_block : first + sweep_block;
            bend += static_cast<double>(coefficients_[q]) * point(q);
            if (!curvature_.empty() && next < end) {
                normal += (point(q) - point(first)).cross(point(next) - point(first));
            }
        }
        if (!curvature_.empty()) {
            bend -= normal * (static_cast<double>(curvature_[i]) / std::max(normal.norm(), 1e-12));
        }
        // padding has zero coefficients and adds 0
        sum += 0.5 * bend.squaredNorm() / static_cast<double>(compliance_[i]);
    }
    return sum;
}

}  // namespace ruckle
