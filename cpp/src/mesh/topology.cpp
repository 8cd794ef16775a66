// Builds the edges by sorting the sides of all faces, so that the sides of one edge become neighbours. The sorted order
// also determines the numbers of the edges, which are the same on every machine. Also joins coincident vertices (weld).
#include "ruckle/mesh/topology.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

namespace ruckle {

namespace {

// One side of a face: side k joins the face's vertices k and k + 1.
struct HalfEdge {
    std::int32_t low, high;  // vertex indices of the edge, the smaller index first
    std::int32_t face, side;

    friend auto operator<=>(const HalfEdge&, const HalfEdge&) = default;
};

// Returns the sides of all faces, sorted by edge.
std::vector<HalfEdge> sorted_half_edges(std::span<const Face> faces) {
    std::vector<HalfEdge> half_edges;
    half_edges.reserve(3 * faces.size());
    for (std::int32_t face = 0; face < static_cast<std::int32_t>(faces.size()); ++face) {
        for (std::int32_t side = 0; side < 3; ++side) {
            const std::int32_t a = faces[face][side], b = faces[face][(side + 1) % 3];
            half_edges.push_back({std::min(a, b), std::max(a, b), face, side});
        }
    }
    // sort by edge, then face, then side. All elements differ, so the order does not depend on the sorting algorithm
    std::sort(half_edges.begin(), half_edges.end());
    return half_edges;
}

// Calls visit(first, last) for each edge, whose half edges are half_edges[first .. last).
template <class Visit>
void for_edges(std::span<const HalfEdge> half_edges, Visit visit) {
    for (std::size_t first = 0; first < half_edges.size();) {
        std::size_t last = first + 1;
        while (last < half_edges.size() && half_edges[last].low == half_edges[first].low &&
               half_edges[last].high == half_edges[first].high) {
            ++last;
        }
        visit(first, last);
        first = last;
    }
}

std::string name(const Face& face) {
    return "(" + std::to_string(face[0]) + ", " + std::to_string(face[1]) + ", " + std::to_string(face[2]) + ")";
}

// Throws MeshError if the mesh is empty or too large, or if a face has an invalid vertex number or a vertex twice.
void require_sound_faces(std::span<const Face> faces, int vertex_count) {
    if (faces.empty()) {
        throw MeshError("faces: the mesh has no triangle; at least one is needed");
    }
    if (faces.size() > most_faces) {
        throw MeshError("faces: the mesh has " + std::to_string(faces.size()) + " triangles; at most " +
                        std::to_string(most_faces) + " are supported");
    }
    if (vertex_count > most_vertices) {
        throw MeshError("vertex_count: expected at most " + std::to_string(most_vertices) + ", got " +
                        std::to_string(vertex_count));
    }
    for (std::size_t face = 0; face < faces.size(); ++face) {
        const Face& f = faces[face];
        for (int k = 0; k < 3; ++k) {
            if (f[k] < 0 || f[k] >= vertex_count) {
                throw MeshError("faces: face " + std::to_string(face) + " names vertex " + std::to_string(f[k]) + "; a mesh of " +
                                std::to_string(vertex_count) + " vertices has 0 to " + std::to_string(vertex_count - 1));
            }
        }
        if (f[0] == f[1] || f[1] == f[2] || f[2] == f[0]) {
            throw MeshError("faces: face " + std::to_string(face) + " names a vertex twice: " + name(f));
        }
    }
}

// True if two faces have the same orientation: they then traverse their common edge in opposite directions.
bool is_wound_alike(std::span<const Face> faces, const HalfEdge& a, const HalfEdge& b) {
    return faces[a.face][a.side] != faces[b.face][b.side];
}

[[noreturn]] void throw_non_manifold(std::span<const HalfEdge> shared) {
    std::string faces;
    for (const HalfEdge& half_edge : shared) {
        faces += (faces.empty() ? "" : ", ") + std::to_string(half_edge.face);
    }
    throw MeshError("faces: edge (" + std::to_string(shared[0].low) + ", " + std::to_string(shared[0].high) + ") belongs to " +
                    std::to_string(shared.size()) + " faces (" + faces + "); a manifold edge belongs to one or two");
}

}  // namespace

Topology::Topology(std::span<const Face> mesh_faces, int mesh_vertex_count)
    : vertex_count(mesh_vertex_count), faces(mesh_faces.begin(), mesh_faces.end()) {
    // check the vertex numbers before they are used as indices
    require_sound_faces(faces, vertex_count);
    find_edges();
    find_vertex_fans();
}

void Topology::find_edges() {
    face_edges.resize(faces.size());
    face_neighbors.assign(faces.size(), {-1, -1, -1});
    const std::vector<HalfEdge> half_edges = sorted_half_edges(faces);
    for_edges(half_edges, [&](std::size_t first, std::size_t last) {
        // an edge with three faces is not manifold, because the neighbour across it would be ambiguous
        if (last - first > 2) {
            throw_non_manifold(std::span(half_edges).subspan(first, last - first));
        }
        // the half edges of an edge are sorted by face, so a belongs to the face with the smaller index
        const HalfEdge& a = half_edges[first];
        const HalfEdge& b = half_edges[last - 1];
        const auto edge = static_cast<std::int32_t>(edges.size());
        edges.push_back({a.low, a.high});
        edge_faces.push_back({a.face, last - first == 2 ? b.face : -1});
        face_edges[a.face][a.side] = edge;
        if (last - first == 2) {
            face_edges[b.face][b.side] = edge;
            face_neighbors[a.face][a.side] = b.face;
            face_neighbors[b.face][b.side] = a.face;
        }
    });
}

// Fills vertex_offsets and vertex_faces by counting sort. The prefix sums of the numbers of faces are the offsets; then
// each face is written into the ranges of its vertices. The faces of a vertex are in ascending order.
void Topology::find_vertex_fans() {
    vertex_offsets.assign(static_cast<std::size_t>(vertex_count) + 1, 0);
    for (const Face& face : faces) {
        for (int k = 0; k < 3; ++k) {
            ++vertex_offsets[face[k] + 1];
        }
    }
    std::partial_sum(vertex_offsets.begin(), vertex_offsets.end(), vertex_offsets.begin());
    vertex_faces.resize(3 * faces.size());
    // for each vertex, the position in vertex_faces at which its next face is written
    std::vector<std::int32_t> next(vertex_offsets.begin(), vertex_offsets.end() - 1);
    for (std::int32_t face = 0; face < face_count(); ++face) {
        for (int k = 0; k < 3; ++k) {
            vertex_faces[next[faces[face][k]]++] = face;
        }
    }
}

std::int32_t shared_face(const Topology& topology, std::int32_t a, std::int32_t b) {
    for (const std::int32_t face : topology.edge_faces[a]) {
        if (face >= 0 && (topology.edge_faces[b][0] == face || topology.edge_faces[b][1] == face)) {
            return face;
        }
    }
    return -1;
}

namespace {

// A vertex, and the bits of its position as integers. Unlike floats, integers always have a total order.
struct Corner {
    std::array<std::uint32_t, 3> bits;
    std::int32_t vertex;

    friend bool operator<(const Corner& a, const Corner& b) { return a.bits != b.bits ? a.bits < b.bits : a.vertex < b.vertex; }
};

// Returns for each vertex the smallest index of all vertices at the same position. Sorts copies of the positions,
// because the caller may change them during the call.
std::vector<std::int32_t> lowest_coincident(std::span<const Vector3> positions) {
    // adding 0 turns -0 into 0, so that both have the same bits
    const auto bits = [](float x) { return __builtin_bit_cast(std::uint32_t, x + 0.0f); };
    std::vector<Corner> corners;
    corners.reserve(positions.size());
    for (const Vector3& p : positions) {
        corners.push_back({{bits(p[0]), bits(p[1]), bits(p[2])}, static_cast<std::int32_t>(corners.size())});
    }
    // after this, coincident vertices are neighbours in the array, sorted by index
    std::sort(corners.begin(), corners.end());
    std::vector<std::int32_t> lowest(positions.size());
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const bool same = i > 0 && corners[i].bits == corners[i - 1].bits;
        lowest[corners[i].vertex] = same ? lowest[corners[i - 1].vertex] : corners[i].vertex;
    }
    return lowest;
}

// Marks the groups of joined vertices that are part of invalid faces or edges: collapsed faces, edges with more than
// two faces, and edges whose two faces have opposite orientations (two touching layers of cloth, which must not be
// joined).
void find_spoiled(std::span<const Face> welded, std::vector<char>& apart) {
    std::fill(apart.begin(), apart.end(), 0);
    for (const Face& f : welded) {
        for (int k = 0; k < 3; ++k) {
            // two corners of a face have been joined, for example in a very thin triangle: mark the group
            if (f[k] == f[(k + 1) % 3]) {
                apart[f[k]] = 1;
            }
        }
    }
    const std::vector<HalfEdge> half_edges = sorted_half_edges(welded);
    for_edges(half_edges, [&](std::size_t first, std::size_t last) {
        const bool mixed = last - first == 2 && !is_wound_alike(welded, half_edges[first], half_edges[first + 1]);
        if (last - first > 2 || mixed) {
            apart[half_edges[first].low] = apart[half_edges[first].high] = 1;
        }
    });
}

// Separates the vertices of marked groups again. Returns true if at least one vertex was separated.
bool take_apart(std::span<const char> apart, std::vector<std::int32_t>& joined) {
    bool changed = false;
    for (std::size_t v = 0; v < joined.size(); ++v) {
        if (apart[joined[v]] && joined[v] != static_cast<std::int32_t>(v)) {
            joined[v] = static_cast<std::int32_t>(v);
            changed = true;
        }
    }
    return changed;
}

}  // namespace

std::vector<Face> weld(std::span<const Vector3> positions, std::span<const Face> given) {
    const std::vector<Face> faces(given.begin(), given.end());
    require_sound_faces(faces, static_cast<int>(positions.size()));
    // the vertex with the smallest index replaces all vertices of its group, so that the result does not depend on the
    // order of the faces
    std::vector<std::int32_t> joined = lowest_coincident(positions);
    std::vector<Face> welded(faces.size());
    std::vector<char> apart(positions.size());
    // separate groups of vertices that make the mesh invalid. The loop ends, because each round separates at least one
    // group
    do {
        for (std::size_t face = 0; face < faces.size(); ++face) {
            for (int k = 0; k < 3; ++k) {
                welded[face][k] = joined[faces[face][k]];
            }
        }
        find_spoiled(welded, apart);
    } while (take_apart(apart, joined));
    return welded;
}

}  // namespace ruckle
