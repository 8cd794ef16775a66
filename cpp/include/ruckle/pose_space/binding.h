// binding: binds each fine vertex to a point of the coarse cloth, and measures the rotation ("turn") of the cloth there since
// rest.
//
// Details are the difference between the fine shape and the coarse cloth. They are stored in frames that rotate with the cloth:
//
//     fine position = base + turn * detail,    base = Σ barycentric * coarse position
//
// so that they need no joint centres, seams or skinning, and are added to any coarse animation of the same mesh. The turn at a
// coarse vertex rotates its frame at rest (area-weighted normal, one fixed edge made orthogonal to it) to its current frame.
// Turns are averaged over neighbours. Frames cannot be averaged, because the fixed edges of neighbours have unrelated
// directions. Without averaging, details shake on the collapsed triangles of an inner elbow (0.61 mm of error instead of 0.48
// mm).
//
// **Departs from the paper:** it stores posed meshes and does not mention frames; its equations 5 and 6 give the same sum.
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
    std::array<float, 4> position;         // mesh units; fourth number: share by which details are reduced, 0 after measure()
    std::array<float, 4> tangent, normal;  // first and third column of the mean turn; shorter than 1 if the averaged turns differ
};

// Intermediate arrays of measure(), reused in each frame so that measure() does not allocate.
struct BindingScratch {
    explicit BindingScratch(const Topology& coarse);

    std::vector<std::array<float, 4>> positions, face_normals;  // (C), (T)
    std::vector<Vector3> normals;                               // (C)
    std::vector<std::array<float, 8>> turns, others;            // (C) tangent and normal
};

class Binding {
  public:
    // rest          (C) coarse positions at rest, mesh units
    // coarse_faces  (V) the coarse face that contains each fine vertex
    // barycentric   (V) barycentric coordinates in that face
    // Throws std::invalid_argument with one sentence if the arrays do not match.
    Binding(const Topology& coarse, std::span<const Vector3> rest, std::span<const std::int32_t> coarse_faces,
            std::span<const Vector3> barycentric);

    // Computes position and mean turn of each coarse vertex.
    //
    // rows  (C) result
    // Returns the number of coarse vertices whose faces have all collapsed; these use the turns of their neighbours.
    int measure(std::span<const Vector3> positions, std::span<CoarseRow> rows, BindingScratch& scratch) const;

    int vertex_count() const { return static_cast<int>(corners.size()); }
    int coarse_count() const { return coarse.vertex_count; }

    Topology coarse;
    std::vector<Face> corners;         // (V) coarse vertices of the face that contains the fine vertex
    std::vector<Vector3> barycentric;  // (V) weights of these vertices

  private:
    using Frame = Eigen::Matrix<float, 3, 3, Eigen::DontAlign>;  // columns: tangent, bitangent, normal

    bool frame(std::span<const Vector3> positions, std::int32_t vertex, const Vector3& normal, Frame& result) const;
    void find_normals(std::span<const Vector3> positions, BindingScratch& scratch) const;

    std::vector<std::int32_t> tangent_ends_;                  // (C) far end of the edge that gives the tangent; -1: no face
    std::vector<std::int32_t> neighbor_offsets_, neighbors_;  // around coarse vertex c: [offsets[c], offsets[c + 1])
    std::vector<Frame> rest_frames_;                          // (C)
};

}  // namespace ruckle
