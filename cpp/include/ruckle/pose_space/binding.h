// binding: the position of each vertex of a fine mesh on the coarse cloth, and the turn of the cloth there since rest.
//
// Details, the fine shape minus the coarse cloth's, are kept in frames that turn with the cloth:
//
//     fine position = base + turn * detail,    base = Σ barycentric * coarse position
//
// so that they need no joint centres, seams or skinning, and any coarse animation of the same mesh carries them. The turn at a
// coarse vertex takes its frame at rest (area-weighted normal, one fixed edge made orthogonal to it) to the current one. Turns,
// not frames, are averaged over neighbours, because tangents of neighbours follow unrelated edges and would cancel. Without the
// averaging, the collapsed triangles of an inner elbow shake the details on them (0.61 mm of error instead of 0.48).
//
// **Departs from the paper:** it stores posed meshes and says nothing of frames; its equations 5 and 6 come to the same sum.
//
// Example:
//     const ruckle::Binding binding(topology, rest, fine.coarse_faces, fine.barycentric);
//     ruckle::BindingScratch scratch(topology);
//     std::vector<ruckle::CoarseRow> rows(rest.size());
//     binding.measure(positions, rows, scratch);
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"

namespace ruckle {

// The coarse cloth at one of its vertices; the fourth number of a direction is 0.
struct CoarseRow {
    std::array<float, 4> position;         // mesh units; the fourth number is the share of details that fades, 0 after measure
    std::array<float, 4> tangent, normal;  // first and third column of the mean turn, shorter than 1 if turns differ
};

// Intermediate arrays of a measurement, kept from frame to frame so that it allocates nothing.
struct BindingScratch {
    explicit BindingScratch(const Topology& coarse);

    std::vector<std::array<float, 4>> positions, face_normals;  // (C), (T)
    std::vector<Vector3> normals;                               // (C)
    std::vector<std::array<float, 8>> turns, others;            // (C) tangent and normal
};

class Binding {
  public:
    // rest          (C) coarse positions at rest, mesh units
    // coarse_faces  (V) the face that holds each fine vertex
    // barycentric   (V) weights of its corners
    // Throws std::invalid_argument, in one sentence.
    Binding(const Topology& coarse, std::span<const Vector3> rest, std::span<const std::int32_t> coarse_faces,
            std::span<const Vector3> barycentric);

    // rows  (C)
    // Returns the number of coarse vertices whose faces have collapsed; they use the turns of their neighbours.
    int measure(std::span<const Vector3> positions, std::span<CoarseRow> rows, BindingScratch& scratch) const;

    int vertex_count() const { return static_cast<int>(corners.size()); }
    int coarse_count() const { return coarse.vertex_count; }

    Topology coarse;
    std::vector<Face> corners;         // (V) coarse vertices
    std::vector<Vector3> barycentric;  // (V)

  private:
    using Frame = Eigen::Matrix<float, 3, 3, Eigen::DontAlign>;  // columns: tangent, bitangent, normal

    bool frame(std::span<const Vector3> positions, std::int32_t vertex, const Vector3& normal, Frame& result) const;
    void find_normals(std::span<const Vector3> positions, BindingScratch& scratch) const;

    std::vector<std::int32_t> tangent_ends_;                  // (C) far end of the edge that gives the tangent; -1: no face
    std::vector<std::int32_t> neighbor_offsets_, neighbors_;  // around coarse vertex c: [offsets[c], offsets[c + 1])
    std::vector<Frame> rest_frames_;                          // (C)
};

}  // namespace ruckle
