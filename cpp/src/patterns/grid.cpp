#include "ruckle/patterns/grid.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <Eigen/Geometry>

namespace ruckle {

namespace {

// Returns the number of parts of each edge: the smallest power of two with which parts are at most `spacing` long, at
// most most_pattern_parts. Throws if the spacing is invalid.
std::vector<std::int32_t> parts_of(const Topology& topology, std::span<const Vector3> rest, float spacing) {
    if (!(std::isfinite(spacing) && spacing > 0.0f)) {
        throw std::invalid_argument("spacing: expected a finite length above 0, got " + std::to_string(spacing));
    }
    // numbers of parts are powers of two, so that all nodes of an edge are also lattice points of a triangle with more
    // parts
    std::vector<std::int32_t> parts;
    parts.reserve(topology.edges.size());
    for (const auto& [low, high] : topology.edges) {
        const float wanted = std::ceil((rest[high] - rest[low]).norm() / spacing);
        const float bounded = std::clamp(wanted, 1.0f, static_cast<float>(most_pattern_parts));
        parts.push_back(static_cast<std::int32_t>(std::bit_ceil(static_cast<unsigned>(bounded))));
    }
    return parts;
}

void require_sound(const Topology& topology, std::span<const Vector3> rest, std::span<const std::int32_t> edge_parts) {
    if (rest.size() != static_cast<std::size_t>(topology.vertex_count)) {
        throw std::invalid_argument("rest: expected " + std::to_string(topology.vertex_count) + " vertices, got " +
                                    std::to_string(rest.size()));
    }
    if (edge_parts.size() != topology.edges.size()) {
        throw std::invalid_argument("edge_parts: expected one number for each of " + std::to_string(topology.edges.size()) +
                                    " edges, got " + std::to_string(edge_parts.size()));
    }
    for (const std::int32_t parts : edge_parts) {
        if (parts < 1 || parts > most_pattern_parts || !std::has_single_bit(static_cast<unsigned>(parts))) {
            throw std::invalid_argument("edge_parts: expected powers of two from 1 to " + std::to_string(most_pattern_parts) +
                                        ", got " + std::to_string(parts));
        }
    }
}

// Returns the number of nodes inside a face before row j: rows 1 to j - 1 have parts - 2, parts - 3, ... nodes.
int interior_before(int parts, int j) {
    return (j - 1) * (parts - 1) - j * (j - 1) / 2;
}

}  // namespace

PatternGrid::PatternGrid(const Topology& mesh, std::span<const Vector3> rest_positions, float spacing)
    : PatternGrid(mesh, rest_positions,
                  // if the number of rest positions is wrong, do not compute edge lengths: the other constructor then
                  // throws
                  rest_positions.size() == static_cast<std::size_t>(mesh.vertex_count) ? parts_of(mesh, rest_positions, spacing)
                                                                                       : std::vector<std::int32_t>{}) {}

PatternGrid::PatternGrid(const Topology& mesh, std::span<const Vector3> rest_positions, std::span<const std::int32_t> parts)
    : topology(mesh), rest(rest_positions.begin(), rest_positions.end()), edge_parts(parts.begin(), parts.end()) {
    require_sound(topology, rest, edge_parts);
    face_parts.reserve(topology.faces.size());
    cell_offsets.assign(1, 0);
    for (const auto& sides : topology.face_edges) {
        face_parts.push_back(std::max({edge_parts[sides[0]], edge_parts[sides[1]], edge_parts[sides[2]]}));
        // a triangle with n parts per side has n² cells
        cell_offsets.push_back(cell_offsets.back() + face_parts.back() * face_parts.back());
    }
    number_nodes();
}

// Numbers the nodes: first vertices, then nodes inside edges, then nodes inside faces row by row. Nodes of an edge are
// numbered from its vertex with the smaller index to the vertex with the larger index.
void PatternGrid::number_nodes() {
    const auto corner = [](int k) { return Vector3(Vector3::Unit(k)); };
    for (std::int32_t v = 0; v < topology.vertex_count; ++v) {
        // node v is always vertex v, so a vertex without faces also gets a node; the position of this node is not used
        const bool used = topology.vertex_offsets[v] < topology.vertex_offsets[v + 1];
        const std::int32_t face = used ? topology.vertex_faces[topology.vertex_offsets[v]] : 0;
        const Face& f = topology.faces[face];
        node_faces.push_back(face);
        node_barycentric.push_back(corner(f[1] == v ? 1 : f[2] == v ? 2 : 0));
    }
    for (std::size_t edge = 0; edge < topology.edges.size(); ++edge) {
        edge_nodes_.push_back(node_count());
        // the nodes of an edge are stored with its face that has the smaller index; both faces use these nodes
        const std::int32_t face = topology.edge_faces[edge][0];
        const Face& f = topology.faces[face];
        const auto corner_at = [&](std::int32_t v) { return corner(f[1] == v ? 1 : f[2] == v ? 2 : 0); };
        const Vector3 low = corner_at(topology.edges[edge][0]), high = corner_at(topology.edges[edge][1]);
        for (int step = 1; step < edge_parts[edge]; ++step) {
            const float share = static_cast<float>(step) / static_cast<float>(edge_parts[edge]);
            node_faces.push_back(face);
            node_barycentric.push_back((1.0f - share) * low + share * high);
        }
    }
    for (std::int32_t face = 0; face < topology.face_count(); ++face) {
        // the index of a node follows from this order (interior_before), without a table
        face_nodes_.push_back(node_count());
        const int parts = face_parts[face];
        for (int j = 1; j < parts; ++j) {
            for (int i = 1; i < parts - j; ++i) {
                node_faces.push_back(face);
                node_barycentric.push_back(
                    Vector3(static_cast<float>(parts - i - j), static_cast<float>(i), static_cast<float>(j)) /
                    static_cast<float>(parts));
            }
        }
        assert(node_count() == face_nodes_.back() + (parts - 1) * (parts - 2) / 2);
    }
}

// Returns node k of an edge, counted from its vertex with the smaller index; nodes 0 and edge_parts are the vertices.
std::int32_t PatternGrid::edge_node(std::int32_t edge, int k) const {
    return k == 0 ? topology.edges[edge][0] : k == edge_parts[edge] ? topology.edges[edge][1] : edge_nodes_[edge] + k - 1;
}

// Returns the point of a side at steps / parts of the way from vertex `side` of the face to the next vertex. `parts` is
// the number of parts of the face; its edge may have fewer. The two nodes of the result are neighbours on the edge, the
// first nearer to the edge's vertex with the smaller index; share is the weight of the second. At a node, both are this
// node, and share is 0.
PatternGrid::NodePair PatternGrid::edge_point(std::int32_t face, int side, int steps, int parts) const {
    const std::int32_t edge = topology.face_edges[face][side];
    const int from_low = topology.faces[face][side] == topology.edges[edge][0] ? steps : parts - steps;
    // this division is exact: both numbers are powers of two, and a face has at least as many parts as each of its
    // edges
    const int each = parts / edge_parts[edge], whole = from_low / each, further = from_low % each;
    const std::int32_t first = edge_node(edge, whole);
    return {first, further ? edge_node(edge, whole + 1) : first, static_cast<float>(further) / static_cast<float>(each)};
}

PatternGrid::NodePair PatternGrid::lattice_point(std::int32_t face, int i, int j) const {
    const int parts = face_parts[face], k = parts - i - j;
    assert(i >= 0 && j >= 0 && k >= 0);
    // points on a side are points of the edge, so that both faces of the edge have the same heights
    if (j == 0) {
        return edge_point(face, 0, i, parts);
    }
    if (k == 0) {
        return edge_point(face, 1, j, parts);
    }
    if (i == 0) {
        return edge_point(face, 2, k, parts);
    }
    const std::int32_t node = face_nodes_[face] + interior_before(parts, j) + i - 1;
    return {node, node, 0.0f};
}

namespace {

using Corners = std::array<PatternGrid::NodePair, 3>;

// Calls visit(face, cell, turned, corners) for every cell of the grid. The corners of a cell at the lattice point (i,
// j) are (i, j), (i + 1, j), (i, j + 1); those of a turned cell are (i + 1, j), (i + 1, j + 1), (i, j + 1).
template <class Visit>
void for_cells(const PatternGrid& grid, Visit visit) {
    for (std::int32_t face = 0; face < grid.topology.face_count(); ++face) {
        const int parts = grid.face_parts[face];
        std::int32_t cell = grid.cell_offsets[face];
        for (int j = 0; j < parts; ++j) {
            for (int i = 0; i < parts - j; ++i) {
                const auto right = grid.lattice_point(face, i + 1, j), above = grid.lattice_point(face, i, j + 1);
                visit(face, cell++, false, Corners{grid.lattice_point(face, i, j), right, above});
                if (i + 1 < parts - j) {
                    visit(face, cell++, true, Corners{right, grid.lattice_point(face, i + 1, j + 1), above});
                }
            }
        }
    }
}

// Returns the height at a point between two nodes.
float height_at(std::span<const float> heights, const PatternGrid::NodePair& pair) {
    return heights[pair.first] + pair.share * (heights[pair.second] - heights[pair.first]);
}

}  // namespace

void cell_slopes(const PatternGrid& grid, std::span<const float> heights, std::span<Vector2> slopes) {
    assert(heights.size() == static_cast<std::size_t>(grid.node_count()));
    assert(slopes.size() == static_cast<std::size_t>(grid.cell_count()));
    for_cells(grid, [&](std::int32_t face, std::int32_t cell, bool turned, const Corners& corners) {
        const float a = height_at(heights, corners[0]), b = height_at(heights, corners[1]), c = height_at(heights, corners[2]);
        // the derivative along the whole edge e1 or e2 of the face is (difference between neighbouring nodes) × (number
        // of parts)
        slopes[cell] = (turned ? Vector2(b - c, b - a) : Vector2(b - a, c - a)) * static_cast<float>(grid.face_parts[face]);
    });
}

void node_gradients(const PatternGrid& grid, std::span<const float> heights, std::span<Vector3> gradients) {
    assert(gradients.size() == static_cast<std::size_t>(grid.node_count()));
    std::vector<Vector2> slopes(static_cast<std::size_t>(grid.cell_count()));
    cell_slopes(grid, heights, slopes);
    std::fill(gradients.begin(), gradients.end(), Vector3::Zero());
    // the gradient of a node is the mean over the cells around it, so that shading is smooth across cells
    std::vector<float> areas(gradients.size(), 0.0f);
    for_cells(grid, [&](std::int32_t face, std::int32_t cell, bool, const Corners& corners) {
        const Face& f = grid.topology.faces[face];
        const Vector3 e1 = grid.rest[f[1]] - grid.rest[f[0]], e2 = grid.rest[f[2]] - grid.rest[f[0]];
        const float square = e1.cross(e2).squaredNorm();
        // skip a triangle that has collapsed at rest, because its gradient is undefined
        if (!(square > 0.0f)) {
            return;
        }
        // the gradient has the coordinates M⁻¹ p in the basis e1, e2 (moments.h)
        const Vector2& p = slopes[cell];
        const float a = e2.squaredNorm() * p[0] - e1.dot(e2) * p[1], b = e1.squaredNorm() * p[1] - e1.dot(e2) * p[0];
        const Vector3 gradient = (a * e1 + b * e2) / square;
        const auto parts = static_cast<float>(grid.face_parts[face]);
        const float area = std::sqrt(square) / (parts * parts);
        // a corner between two nodes of a coarser edge contributes to both nodes, with its interpolation weights
        for (const PatternGrid::NodePair& corner : corners) {
            for (const auto& [node, share] :
                 {std::pair{corner.first, 1.0f - corner.share}, std::pair{corner.second, corner.share}}) {
                gradients[node] += share * area * gradient;
                areas[node] += share * area;
            }
        }
    });
    for (std::size_t node = 0; node < gradients.size(); ++node) {
        // the gradient is 0 at a node if all triangles around it have collapsed
        gradients[node] /= std::max(areas[node], std::numeric_limits<float>::min());
    }
}

}  // namespace ruckle
