#include "surface/displace.h"

#include <algorithm>

namespace ruckle {

namespace {

// Upper bound of the vertices of a face at the highest level (inside, on its sides, at its corners), plus one block of
// padding.
constexpr int most_points = 3 * most_surface_level * most_surface_level / 4 + 3 * most_surface_level + point_block;

}  // namespace

Batch::Batch() : memory_(std::size_t{patch_columns} * most_points), vertices_(most_points) {}

void Batch::begin(int most) {
    count_ = 0;
    points_ = points_in(memory_.data(), (most + point_block - 1) / point_block * point_block);
}

void Batch::append(float b0, float b1, float b2, std::int32_t vertex) {
    points_.barycentric[0][count_] = b0, points_.barycentric[1][count_] = b1, points_.barycentric[2][count_] = b2;
    vertices_[count_++] = vertex;
}

void write_points(const Batch& batch, FineMesh& fine) {
    const auto& [barycentric, height, gradient, position, normal] = batch.points();
    int i = 0;
    for (const std::int32_t vertex : batch.vertices()) {
        // kernels use one array per coordinate, all other code one vector per point
        fine.positions[vertex] = {position[0][i], position[1][i], position[2][i]};
        fine.normals[vertex] = {normal[0][i], normal[1][i], normal[2][i]};
        fine.heights[vertex] = height[i++];
    }
}

Tessellator::Tessellator(const Topology& topology, int threads)
    : topology_(topology),
      edge_vertices_(topology.edges.size()),
      face_vertices_(topology.faces.size()),
      face_offsets_(topology.faces.size()),
      batches_(static_cast<std::size_t>(threads)) {}

int Tessellator::inner_level(std::int32_t face) const {
    const auto& edges = topology_.face_edges[face];
    // the level of the inside, as in the shaders: the largest level of the face's edges
    return std::max({levels_[edges[0]], levels_[edges[1]], levels_[edges[2]]});
}

void Tessellator::plan(std::span<const std::int32_t> edge_levels, FineMesh& fine) {
    levels_ = edge_levels;
    std::int32_t vertex_count = topology_.vertex_count, face_count = 0;
    for (std::size_t edge = 0; edge < edge_vertices_.size(); ++edge) {
        // vertices on an edge are numbered once for both of its faces, so that the fine mesh does not have gaps
        edge_vertices_[edge] = vertex_count;
        vertex_count += levels_[edge] - 1;
    }
    for (std::int32_t face = 0; face < topology_.face_count(); ++face) {
        const auto& edges = topology_.face_edges[face];
        const int level = inner_level(face);
        InnerPattern& pattern = patterns_[level];
        // built at first use, because an animation uses few of the 64 levels
        if (level > 1 && pattern.vertex_count() == 0) {
            pattern = inner_pattern(level);
        }
        face_vertices_[face] = vertex_count;
        face_offsets_[face] = face_count;
        vertex_count += pattern.vertex_count();
        // `stitch` makes one fine face for each segment of the outer and the inner triangle
        const int ring = levels_[edges[0]] + levels_[edges[1]] + levels_[edges[2]] + 3 * (level - 2);
        face_count += level == 1 ? 1 : ring + static_cast<int>(pattern.faces.size());
    }
    // the arrays of the mesh are resized before threads start: arrays do not grow, and each thread writes different
    // entries
    const auto n = static_cast<std::size_t>(vertex_count);
    fine.positions.resize(n);
    fine.normals.resize(n);
    fine.heights.resize(n);
    fine.coarse_faces.resize(n);
    fine.barycentric.resize(n);
    fine.faces.resize(static_cast<std::size_t>(face_count));
    fine.face_coarse_faces.resize(static_cast<std::size_t>(face_count));
}

void Tessellator::append_inside(std::int32_t face, Batch& batch) const {
    const InnerPattern& pattern = patterns_[inner_level(face)];
    for (int i = 0; i < pattern.vertex_count(); ++i) {
        batch.append(pattern.barycentric[0][i], pattern.barycentric[1][i], pattern.barycentric[2][i], face_vertices_[face] + i);
    }
}

// Appends the fine vertices between the ends of a side. Their numbers increase from the end with the smaller vertex
// index to the other end.
void Tessellator::append_side(std::int32_t face, int side, Batch& batch) const {
    const std::int32_t edge = topology_.face_edges[face][side];
    const bool forward = topology_.faces[face][side] == topology_.edges[edge][0];
    const int lower = forward ? side : (side + 1) % 3, higher = forward ? (side + 1) % 3 : side;
    const int level = levels_[edge];
    for (int i = 1; i < level; ++i) {
        // x increases from the vertex with the smaller index, for any winding of the face
        const float x = static_cast<float>(i) / static_cast<float>(level);
        std::array<float, 3> b{};
        b[lower] = 1.0f - x, b[higher] = x;
        batch.append(b[0], b[1], b[2], edge_vertices_[edge] + i - 1);
    }
}

// Returns side k of a face, from corner k to corner k + 1, as input of `stitch`.
Side Tessellator::outer_side(std::int32_t face, int k) const {
    const std::int32_t edge = topology_.face_edges[face][k];
    const int from = topology_.faces[face][k], to = topology_.faces[face][(k + 1) % 3], level = levels_[edge];
    const bool forward = from == topology_.edges[edge][0];
    // vertices inside an edge are numbered from its vertex with the smaller index, so that one of the two faces uses
    // them in reverse order
    return {level, from, to, forward ? 1 : -1, edge_vertices_[edge] + (forward ? 0 : level - 2)};
}

// Writes the fine faces of a face: the face itself at level 1; otherwise three strips between its sides and the
// outermost nested triangle, then the faces inside this triangle. Also writes `face` as their coarse face.
void Tessellator::write_faces(std::int32_t face, FineMesh& fine) const {
    const int level = inner_level(face);
    Face* next = fine.faces.data() + face_offsets_[face];
    const Face* first = next;
    if (level == 1) {
        *next++ = topology_.faces[face];
    } else {
        // inner vertices are numbered around the outermost nested triangle; level 2 has one inner vertex and no ring
        const int inside = face_vertices_[face], count = 3 * (level - 2);
        for (int k = 0; k < 3; ++k) {
            const int start = k * (level - 2), stop = count ? (start + level - 2) % count : 0;
            const Side inner{level - 2, inside + start, inside + stop, 1, inside + start + 1};
            next = stitch(outer_side(face, k), inner, level, next);
        }
        const Face offset(inside, inside, inside);
        for (const Face& inner : patterns_[level].faces) {
            *next++ = inner + offset;
        }
    }
    // with a refinement, set_coarse_face() overwrites these numbers with faces of the coarse mesh
    std::fill_n(fine.face_coarse_faces.data() + face_offsets_[face], next - first, face);
}

void Tessellator::set_coarse_face(std::int32_t face, std::int32_t coarse_face, FineMesh& fine) const {
    const bool is_last = static_cast<std::size_t>(face) + 1 == face_offsets_.size();
    const std::size_t begin = face_offsets_[face], end = is_last ? fine.faces.size() : face_offsets_[face + 1];
    std::fill(fine.face_coarse_faces.begin() + begin, fine.face_coarse_faces.begin() + end, coarse_face);
}

Batch& Tessellator::gather(std::int32_t face, int thread) {
    Batch& batch = batches_[thread];
    const auto& edges = topology_.face_edges[face];
    const int sides = levels_[edges[0]] + levels_[edges[1]] + levels_[edges[2]];
    // upper bound of the number of vertices: another face may compute those on sides and at corners
    batch.begin(patterns_[inner_level(face)].vertex_count() + sides);
    append_inside(face, batch);
    for (int k = 0; k < 3; ++k) {
        // of the two faces of an edge, the face with the smaller number computes the vertices on it
        if (topology_.edge_faces[edges[k]][0] == face) {
            append_side(face, k, batch);
        }
        const std::int32_t vertex = topology_.faces[face][k];
        // of the faces around a vertex, the face with the smallest number computes the vertex; vertex_faces lists it
        // first
        if (topology_.vertex_faces[topology_.vertex_offsets[vertex]] == face) {
            batch.append(k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f, vertex);
        }
    }
    return batch;
}

void Tessellator::write_layout(std::int32_t face, const Batch& batch, FineMesh& fine) const {
    const auto& b = batch.points().barycentric;
    int i = 0;
    for (const std::int32_t vertex : batch.vertices()) {
        fine.coarse_faces[vertex] = face;
        fine.barycentric[vertex] = {b[0][i], b[1][i], b[2][i]};
        ++i;
    }
    write_faces(face, fine);
}

}  // namespace ruckle
