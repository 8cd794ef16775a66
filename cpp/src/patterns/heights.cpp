#include "ruckle/patterns/heights.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace ruckle {

namespace {

// Mean distance of nodes along the edges: what shows every height that there is.
float node_distance(const PatternGrid& grid) {
    double length = 0.0, parts = 0.0;
    for (std::size_t edge = 0; edge < grid.topology.edges.size(); ++edge) {
        const auto& [low, high] = grid.topology.edges[edge];
        length += (grid.rest[high] - grid.rest[low]).norm();
        parts += grid.edge_parts[edge];
    }
    return std::max(static_cast<float>(length / parts), std::numeric_limits<float>::min());
}

// W (WᵀW)⁻¹ of a triangle's two edges: takes derivatives along them to the gradient in space; 0 for one that has collapsed.
Eigen::Matrix<float, 3, 2> gradient_basis(const Vector3& a, const Vector3& b, const Vector3& c) {
    Eigen::Matrix<float, 3, 2> edges;
    edges << b - a, c - a;
    const Eigen::Matrix2f products = edges.transpose() * edges;
    // the determinant of the products, which would cancel in slivers
    const float square = edges.col(0).cross(edges.col(1)).squaredNorm();
    if (!(square > std::numeric_limits<float>::min())) {
        return Eigen::Matrix<float, 3, 2>::Zero();
    }
    Eigen::Matrix2f adjugate;
    adjugate << products(1, 1), -products(0, 1), -products(1, 0), products(0, 0);
    return edges * adjugate / square;
}

Eigen::Vector4f at(std::span<const Eigen::Vector4f> nodes, const PatternGrid::NodePair& pair) {
    return nodes[pair.first] + pair.share * (nodes[pair.second] - nodes[pair.first]);
}

Eigen::Vector4f at(std::span<const Eigen::Vector4f> nodes, const PatternGrid::CellPoint& point) {
    return point.barycentric[0] * at(nodes, point.corners[0]) + point.barycentric[1] * at(nodes, point.corners[1]) +
           point.barycentric[2] * at(nodes, point.corners[2]);
}

}  // namespace

PatternHeights::PatternHeights(const PatternGrid& grid, std::span<const float> heights)
    : grid_(&grid),
      pattern_count_(static_cast<int>(heights.size() / static_cast<std::size_t>(grid.node_count()))),
      edge_length_(node_distance(grid)),
      vertices_(static_cast<std::size_t>(grid.topology.vertex_count)),
      areas_(vertices_.size()),
      bends_(grid.topology.faces.size(), -1.0f) {
    const auto nodes = static_cast<std::size_t>(grid.node_count());
    // pattern after pattern; what is measured of them at rest serves every frame
    std::vector<Node> made(heights.size());
    std::vector<Vector3> gradients(nodes);
    for (std::size_t k = 0; k < static_cast<std::size_t>(pattern_count_); ++k) {
        node_gradients(grid, heights.subspan(k * nodes, nodes), gradients);
        for (std::size_t node = 0; node < nodes; ++node) {
            made[k * nodes + node] << gradients[node], heights[k * nodes + node];
        }
    }
    nodes_ = std::make_shared<const std::vector<Node>>(std::move(made));
}

void PatternHeights::update(std::span<const Vector3> positions, std::span<const float> factors) {
    assert(positions.size() == vertices_.size() && factors.size() == most_patterns * vertices_.size());
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
        std::copy_n(factors.data() + most_patterns * v, most_patterns, vertices_[v].factors.begin());
    }
    // after the factors, whose gradients it takes, too
    measure_vertices(positions);
    for (std::size_t face = 0; face < bends_.size(); ++face) {
        const Face& f = grid_->topology.faces[face];
        const auto raised = [&](std::int32_t v) {
            return *std::max_element(vertices_[v].factors.begin(), vertices_[v].factors.end());
        };
        // 0 asks for no finer edges than the node distance, which shows every height already; -1: not raised
        bends_[face] = std::max({raised(f[0]), raised(f[1]), raised(f[2])}) > 0.0f ? 0.0f : -1.0f;
    }
}

// J and ∇m of each vertex: means over the faces around it, weighted by their area.
void PatternHeights::measure_vertices(std::span<const Vector3> positions) {
    for (VertexState& vertex : vertices_) {
        vertex.transport.setZero();
        vertex.growths.setZero();
    }
    // means at vertices, interpolated over faces: one matrix per face would make creases in the shading
    std::fill(areas_.begin(), areas_.end(), 0.0f);
    for (const Face& f : grid_->topology.faces) {
        const Vector3 &a = positions[f[0]], &b = positions[f[1]], &c = positions[f[2]];
        // twice the area, which cancels in the mean
        const float area = (b - a).cross(c - a).norm();
        const Eigen::Matrix<float, 3, 2> basis = gradient_basis(a, b, c);
        Eigen::Matrix<float, 3, 2> rest;
        rest << grid_->rest[f[1]] - grid_->rest[f[0]], grid_->rest[f[2]] - grid_->rest[f[0]];
        Eigen::Matrix<float, 2, most_patterns> changes;
        for (int k = 0; k < most_patterns; ++k) {
            const auto at_corner = [&](int i) { return vertices_[f[i]].factors[static_cast<std::size_t>(k)]; };
            changes.col(k) << at_corner(1) - at_corner(0), at_corner(2) - at_corner(0);
        }
        for (int i = 0; i < 3; ++i) {
            vertices_[f[i]].transport += area * basis * rest.transpose();
            vertices_[f[i]].growths += area * basis * changes;
            areas_[f[i]] += area;
        }
    }
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
        const float inverse = areas_[v] > 0.0f ? 1.0f / areas_[v] : 0.0f;
        vertices_[v].transport *= inverse;
        vertices_[v].growths *= inverse;
    }
}

void PatternHeights::add_heights(const HeightBlock& block) const {
    const Face& f = grid_->topology.faces[block.face];
    const VertexState *a = &vertices_[f[0]], *b = &vertices_[f[1]], *c = &vertices_[f[2]];
    const auto nodes = static_cast<std::size_t>(grid_->node_count());
    for (int i = 0; i < block.count; ++i) {
        const Vector3 shares(block.barycentric[0][i], block.barycentric[1][i], block.barycentric[2][i]);
        // once for all patterns, which share the grid
        const PatternGrid::CellPoint point = grid_->cell_point(block.face, shares);
        const auto blend = [&](const auto& of) { return (shares[0] * of(*a) + shares[1] * of(*b) + shares[2] * of(*c)).eval(); };
        float height = 0.0f;
        Vector3 at_rest = Vector3::Zero(), gradient = Vector3::Zero();
        for (std::size_t k = 0; k < static_cast<std::size_t>(pattern_count_); ++k) {
            const float factor = shares[0] * a->factors[k] + shares[1] * b->factors[k] + shares[2] * c->factors[k];
            const Node own = at(std::span(*nodes_).subspan(k * nodes, nodes), point);
            // ∇(m f) = m ∇f + f ∇m: the pattern's slope, and that of its factor
            height += factor * own[3];
            at_rest += factor * own.head<3>();
            gradient += own[3] * blend([&](const VertexState& v) { return v.growths.col(static_cast<Eigen::Index>(k)); });
        }
        gradient += blend([](const VertexState& v) -> const auto& { return v.transport; }) * at_rest;
        block.height[i] += height;
        for (int axis = 0; axis < 3; ++axis) {
            block.gradient[axis][i] += gradient[axis];
        }
    }
}

void PatternHeights::write_texels(std::span<Texel> table, std::size_t first) const {
    assert(table.size() >= first + texel_count());
    Texel* next = table.data() + first;
    for (const VertexState& vertex : vertices_) {
        *next++ = vertex.factors;
        for (int row = 0; row < 3; ++row) {
            *next++ = {vertex.transport(row, 0), vertex.transport(row, 1), vertex.transport(row, 2), 0.0f};
        }
        for (int k = 0; k < pattern_count_; ++k) {
            *next++ = {vertex.growths(0, k), vertex.growths(1, k), vertex.growths(2, k), 0.0f};
        }
    }
}

std::size_t PatternHeights::pattern_texel_count() const {
    std::size_t points = 0;
    for (const std::int32_t parts : grid_->face_parts) {
        points += static_cast<std::size_t>((parts + 1) * (parts + 2) / 2);
    }
    return 2 * grid_->face_parts.size() + static_cast<std::size_t>(pattern_count_) * points;
}

void PatternHeights::write_pattern_texels(std::span<Texel> table) const {
    assert(table.size() >= pattern_texel_count());
    const Topology& topology = grid_->topology;
    const auto nodes = static_cast<std::size_t>(grid_->node_count());
    Texel* next = table.data() + 2 * topology.faces.size();
    std::int32_t points = 0;
    // exact, because float32 holds whole numbers up to 2^24
    const auto number = [](std::int32_t count) { return static_cast<float>(count); };
    for (std::int32_t face = 0; face < topology.face_count(); ++face) {
        const Face& f = topology.faces[face];
        const std::int32_t parts = grid_->face_parts[face];
        const auto side = [&](int k) {
            const std::int32_t edge = topology.face_edges[face][k];
            return number(f[k] == topology.edges[edge][0] ? grid_->edge_parts[edge] : -grid_->edge_parts[edge]);
        };
        Texel* own = table.data() + 2 * static_cast<std::size_t>(face);
        own[0] = {number(f[0]), number(f[1]), number(f[2]), number(points)};
        own[1] = {number(parts), side(0), side(1), side(2)};
        points += (parts + 1) * (parts + 2) / 2;
        // each triangle has all its points, those on its edges too: a shader finds them without asking whose they are
        for (int j = 0; j <= parts; ++j) {
            for (int i = 0; i <= parts - j; ++i) {
                const PatternGrid::NodePair pair = grid_->lattice_point(face, i, j);
                for (std::size_t k = 0; k < static_cast<std::size_t>(pattern_count_); ++k) {
                    const Node node = at(std::span(*nodes_).subspan(k * nodes, nodes), pair);
                    *next++ = {node[0], node[1], node[2], node[3]};
                }
            }
        }
    }
}

}  // namespace ruckle
