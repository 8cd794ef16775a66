#include "ruckle/patterns/heights.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "numeric/dispatch.h"
#include "numeric/packing.h"
#include "patterns/pattern_height_kernel.h"

namespace ruckle {

namespace {

// Returns the mean distance between two nodes along edges, mesh units.
float node_distance(const PatternGrid& grid) {
    double length = 0.0, parts = 0.0;
    for (std::size_t edge = 0; edge < grid.topology.edges.size(); ++edge) {
        const auto& [low, high] = grid.topology.edges[edge];
        length += (grid.rest[high] - grid.rest[low]).norm();
        parts += grid.edge_parts[edge];
    }
    return std::max(static_cast<float>(length / parts), std::numeric_limits<float>::min());
}

// Returns W (WᵀW)⁻¹ of a triangle's two edges W, which converts derivatives along the edges to the gradient in space.
// Returns 0 for a collapsed triangle.
Eigen::Matrix<float, 3, 2> gradient_basis(const Vector3& a, const Vector3& b, const Vector3& c) {
    Eigen::Matrix<float, 3, 2> edges;
    edges << b - a, c - a;
    const Eigen::Matrix2f products = edges.transpose() * edges;
    // compute the determinant from the cross product: the determinant of the dot products loses its digits for slivers
    const float square = edges.col(0).cross(edges.col(1)).squaredNorm();
    if (!(square > std::numeric_limits<float>::min())) {
        return Eigen::Matrix<float, 3, 2>::Zero();
    }
    Eigen::Matrix2f adjugate;
    adjugate << products(1, 1), -products(0, 1), -products(1, 0), products(0, 0);
    return edges * adjugate / square;
}

// Returns the four numbers as a texel.
PatternTexel texel(const Point4& values) {
    return {values[0], values[1], values[2], values[3]};
}

// Returns the number of parts of side k of a face; negative if the side begins at the vertex of its edge with the
// larger index.
std::int32_t signed_parts(const PatternGrid& grid, std::int32_t face, int side) {
    const std::int32_t edge = grid.topology.face_edges[face][side];
    return grid.topology.faces[face][side] == grid.topology.edges[edge][0] ? grid.edge_parts[edge] : -grid.edge_parts[edge];
}

}  // namespace

PatternHeights::PatternHeights(const PatternGrid& grid, std::span<const float> heights)
    : grid_(&grid),
      pattern_count_(static_cast<int>(heights.size() / static_cast<std::size_t>(grid.node_count()))),
      edge_length_(node_distance(grid)),
      vertices_(static_cast<std::size_t>(grid.topology.vertex_count)),
      areas_(vertices_.size()),
      bends_(grid.topology.faces.size(), -1.0f) {
    const auto nodes = static_cast<std::size_t>(grid.node_count()), patterns = static_cast<std::size_t>(pattern_count_);
    Lattices made;
    // the lattice points of each face are stored consecutively, and points on a side are stored for both faces, so that
    // kernels read values without a list of nodes
    made.first.assign(1, 0);
    for (const std::int32_t parts : grid.face_parts) {
        made.first.push_back(made.first.back() + (parts + 1) * (parts + 2) / 2);
    }
    made.values.resize(static_cast<std::size_t>(made.first.back()) * patterns);
    // gradients at rest are constant: compute them once
    std::vector<Vector3> gradients(nodes);
    for (std::size_t k = 0; k < patterns; ++k) {
        const std::span<const float> own = heights.subspan(k * nodes, nodes);
        node_gradients(grid, own, gradients);
        const auto value = [&](std::int32_t node) {
            return Point4(gradients[node][0], gradients[node][1], gradients[node][2], own[node]);
        };
        const auto [lowest, highest] = std::ranges::minmax_element(own);
        made.ranges.push_back({std::max(*highest, 0.0f), std::max(-*lowest, 0.0f)});
        std::size_t next = k;
        for (std::int32_t face = 0; face < grid.topology.face_count(); ++face) {
            const std::int32_t parts = grid.face_parts[face];
            for (std::int32_t j = 0; j <= parts; ++j) {
                for (std::int32_t i = 0; i <= parts - j; ++i, next += patterns) {
                    const PatternGrid::NodePair pair = grid.lattice_point(face, i, j);
                    const Point4 first = value(pair.first);
                    made.values[next] = first + pair.share * (value(pair.second) - first);
                }
            }
        }
    }
    lattices_ = std::make_shared<const Lattices>(std::move(made));
}

void PatternHeights::update(std::span<const Vector3> positions, std::span<const float> factors) {
    assert(positions.size() == vertices_.size() && factors.size() == most_patterns * vertices_.size());
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
        vertices_[v].factors = Point4::Map(factors.data() + most_patterns * v);
    }
    // measure_vertices also computes gradients of the factors, so set the factors first
    measure_vertices(positions);
    for (std::size_t face = 0; face < bends_.size(); ++face) {
        const Face& f = grid_->topology.faces[face];
        const auto raised = [&](std::int32_t v) { return vertices_[v].factors.maxCoeff(); };
        // 0: fine edges of length edge_length() suffice. -1: the face does not have heights, because all factors at its
        // corners are 0
        bends_[face] = std::max({raised(f[0]), raised(f[1]), raised(f[2])}) > 0.0f ? 0.0f : -1.0f;
    }
}

// Computes J and ∇m (heights.h) of each vertex as means over the faces around the vertex, weighted by area.
void PatternHeights::measure_vertices(std::span<const Vector3> positions) {
    for (VertexState& vertex : vertices_) {
        vertex.transport.fill(Point4::Zero());
        vertex.growths.fill(Point4::Zero());
    }
    // matrices are averaged at vertices and interpolated over faces, because one matrix per face would cause creases in
    // the shading
    std::fill(areas_.begin(), areas_.end(), 0.0f);
    for (const Face& f : grid_->topology.faces) {
        const Vector3 &a = positions[f[0]], &b = positions[f[1]], &c = positions[f[2]];
        // twice the area; the factor 2 cancels in the mean
        const float area = (b - a).cross(c - a).norm();
        const Eigen::Matrix<float, 3, 2> basis = area * gradient_basis(a, b, c);
        const Point4 second = point4(basis.col(0)), third = point4(basis.col(1));
        const Vector3 along = grid_->rest[f[1]] - grid_->rest[f[0]], across = grid_->rest[f[2]] - grid_->rest[f[0]];
        const Point4& from = vertices_[f[0]].factors;
        const Point4 to_second = vertices_[f[1]].factors - from, to_third = vertices_[f[2]].factors - from;
        for (const std::int32_t v : f) {
            VertexState& vertex = vertices_[v];
            // add the columns of J = W₁ (W₁ᵀW₁)⁻¹ W₀ᵀ, one for each axis at rest. ∇m has the same basis, because
            // factors are linear over the face
            for (int axis = 0; axis < 3; ++axis) {
                vertex.transport[axis] += second * along[axis] + third * across[axis];
            }
            for (int k = 0; k < pattern_count_; ++k) {
                vertex.growths[k] += second * to_second[k] + third * to_third[k];
            }
            areas_[v] += area;
        }
    }
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
        const float inverse = areas_[v] > 0.0f ? 1.0f / areas_[v] : 0.0f;
        for (Point4& column : vertices_[v].transport) {
            column *= inverse;
        }
        for (Point4& growth : vertices_[v].growths) {
            growth *= inverse;
        }
    }
}

// The bounds are the sum of the largest heights of all patterns, each times its largest factor.
HeightRange PatternHeights::range() const {
    Point4 largest = Point4::Zero();
    for (const VertexState& vertex : vertices_) {
        largest = largest.cwiseMax(vertex.factors.cwiseAbs());
    }
    HeightRange result;
    for (int k = 0; k < pattern_count_; ++k) {
        result.outside += largest[k] * lattices_->ranges[k].outside;
        result.inside += largest[k] * lattices_->ranges[k].inside;
    }
    return result;
}

void PatternHeights::add_heights(const HeightBlock& block) const {
    static_assert(sizeof(VertexState) == sizeof(float) * 4 * (1 + 3 + most_patterns));
    const Face& f = grid_->topology.faces[block.face];
    const auto corner = [&](int k) { return vertices_[f[k]].factors.data(); };
    const auto first = static_cast<std::size_t>(pattern_count_) * static_cast<std::size_t>(lattices_->first[block.face]);
    const PatternPatch patch{
        {corner(0), corner(1), corner(2)},
        lattices_->values[first].data(),
        pattern_count_,
        grid_->face_parts[block.face],
        {signed_parts(*grid_, block.face, 0), signed_parts(*grid_, block.face, 1), signed_parts(*grid_, block.face, 2)}};
    kernels<PatternHeightKernels>().add_pattern_heights(patch, block);
}

void PatternHeights::append_texels(std::vector<Word>& table) const {
    const auto write = [&](const PatternTexel& values) {
        std::transform(values.begin(), values.end(), std::back_inserter(table), word_of);
    };
    for (const VertexState& vertex : vertices_) {
        write(texel(vertex.factors));
        // the table contains J row by row, but `transport` contains its columns
        for (int row = 0; row < 3; ++row) {
            write({vertex.transport[0][row], vertex.transport[1][row], vertex.transport[2][row], 0.0f});
        }
        for (int k = 0; k < pattern_count_; ++k) {
            write(texel(vertex.growths[k]));
        }
    }
}

std::size_t PatternHeights::pattern_texel_count() const {
    return 2 * grid_->face_parts.size() + lattices_->values.size();
}

void PatternHeights::write_pattern_texels(std::span<PatternTexel> table) const {
    assert(table.size() >= pattern_texel_count());
    const Topology& topology = grid_->topology;
    // numbers are stored as float32, which represents integers up to 2^24 exactly
    const auto number = [](std::int32_t count) { return static_cast<float>(count); };
    for (std::int32_t face = 0; face < topology.face_count(); ++face) {
        const Face& f = topology.faces[face];
        const auto side = [&](int k) { return number(signed_parts(*grid_, face, k)); };
        PatternTexel* own = table.data() + 2 * static_cast<std::size_t>(face);
        own[0] = {number(f[0]), number(f[1]), number(f[2]), number(lattices_->first[face])};
        own[1] = {number(grid_->face_parts[face]), side(0), side(1), side(2)};
    }
    std::transform(lattices_->values.begin(), lattices_->values.end(), table.begin() + 2 * topology.face_count(), texel);
}

}  // namespace ruckle
