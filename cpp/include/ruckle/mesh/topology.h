// topology: the connectivity of a coarse garment, built once per mesh.
//
// A garment is a triangle mesh of fixed topology, manifold with boundary, with any number of components. Vertices
// that no face uses are allowed: a welded mesh keeps the user's vertex numbers but does not use all of them.
//
// Guarantees: the same faces give the same numbering on every machine. Edges are sorted by their vertices. Construction
// takes O(T log T) time.
//
// Example:
//     ruckle::Topology topology(ruckle::weld(positions, faces), vertex_count);
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ruckle/types.h"

namespace ruckle {

struct Topology {
    // Throws MeshError if the mesh is empty, if a face contains a vertex number outside [0, vertex_count) or the same vertex
    // twice, or if an edge has more than two faces.
    Topology(std::span<const Face> faces, int vertex_count);

    int vertex_count;
    std::vector<Face> faces;  // (T) vertex indices, as given
    // (E) vertex indices of each edge, the smaller index first; edges are sorted
    std::vector<std::array<std::int32_t, 2>> edges;
    // (T) the edges of each face: edge k connects the face's vertices k and k + 1 (modulo 3)
    std::vector<std::array<std::int32_t, 3>> face_edges;
    std::vector<std::array<std::int32_t, 3>> face_neighbors;  // (T) face across edge k; -1 at the boundary
    // (E) faces of each edge, the smaller index first; the second face is -1 at the boundary
    std::vector<std::array<std::int32_t, 2>> edge_faces;

    // Faces around vertex v: vertex_faces[vertex_offsets[v] .. vertex_offsets[v + 1]), in ascending order.
    std::vector<std::int32_t> vertex_offsets;  // (V + 1) start of each vertex's faces in vertex_faces
    std::vector<std::int32_t> vertex_faces;    // (3 T) face indices

    int face_count() const { return static_cast<int>(faces.size()); }
    int edge_count() const { return static_cast<int>(edges.size()); }

  private:
    void find_edges();
    void find_vertex_fans();
};

// Returns the triangle that contains both edges, or -1. If two triangles contain both edges, returns the first triangle
// at edge a.
std::int32_t shared_face(const Topology& topology, std::int32_t a, std::int32_t b);

// Joins vertices at exactly the same position, so that UV seams do not cut the cloth.
//
// positions  (V) the first frame of the animation, mesh units, finite
// faces      (T) vertex indices in [0, V)
// Returns    (T) faces in which each group of coincident vertices is replaced by its lowest index
//
// Vertices remain separate if joining them would collapse a face, give an edge more than two faces, or join faces of opposite
// orientation (two layers of cloth that touch).
std::vector<Face> weld(std::span<const Vector3> positions, std::span<const Face> faces);

}  // namespace ruckle
