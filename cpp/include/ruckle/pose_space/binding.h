// binding: binds each fine vertex to a point of the coarse cloth, and computes the rotation ("turn") of the cloth there
// since the rest pose.
//
// Details are the differences between fine shape and coarse cloth. They are stored in frames that rotate with the
// cloth:
//
//     fine position = base + turn * detail,    base = Σ barycentric * coarse position
//
// Details therefore do not depend on joint centers, seams or skinning, and can be added to any coarse animation of the
// same mesh. The turn at a coarse vertex rotates its rest frame (area-weighted normal, and one fixed edge made
// orthogonal to the normal) to its current frame. Turns are averaged over neighbouring vertices. (Frames cannot be
// averaged, because the fixed edges of neighbours have unrelated directions.) Without averaging, details shake on the
// collapsed triangles of an inner elbow (error 0.61 mm instead of 0.48 mm).
//
// **Departs from the paper:** the paper stores posed meshes and does not mention frames; equations 5 and 6 give the
// same sum.
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

// State of the coarse cloth at one vertex; the fourth number of a direction is 0.
struct CoarseRow {
    // position, mesh units; fourth number: share by which details are reduced, which measure() sets to 0
    std::array<float, 4> position;
    std::array<float, 4> tangent, normal;  // columns 0 and 2 of the mean turn; shorter than 1 if the averaged turns differ
};

// Intermediate arrays of measure(), reused in each frame so that measure() does not allocate.
struct BindingScratch {
    explicit BindingScratch(const Topology& coarse);

    // (C) positions and (T) face normals, in rows of four floats
    std::vector<std::array<float, 4>> positions, face_normals;
    std::vector<Vector3> normals;                     // (C) vertex normals
    std::vector<std::array<float, 8>> turns, others;  // (C) tangent and normal of the turn: 4 + 4 numbers
};

class Binding {
  public:
    // rest          (C) coarse positions at rest, mesh units
    // coarse_faces  (V) the coarse face that contains each fine vertex
    // barycentric   (V) barycentric coordinates in that face
    // Throws std::invalid_argument with one sentence if the arrays do not match.
    Binding(const Topology& coarse, std::span<const Vector3> rest, std::span<const std::int32_t> coarse_faces,
            std::span<const Vector3> barycentric);

    // Writes the position and the mean turn of each coarse vertex to `rows`. Returns the number of coarse vertices that
    // do not have a frame of their own, because their triangles have collapsed. The mean turn of such a vertex is the
    // mean of its neighbours' turns.
    int measure(std::span<const Vector3> positions, std::span<CoarseRow> rows, BindingScratch& scratch) const;

    int vertex_count() const { return static_cast<int>(corners.size()); }
    int coarse_count() const { return coarse.vertex_count; }

    Topology coarse;
    std::vector<Face> corners;         // (V) coarse vertices of the face that contains each fine vertex
    std::vector<Vector3> barycentric;  // (V) weights of these vertices

  private:
    using Frame = Eigen::Matrix<float, 3, 3, Eigen::DontAlign>;  // columns: tangent, bitangent, normal

    bool frame(std::span<const Vector3> positions, std::int32_t vertex, const Vector3& normal, Frame& result) const;
    void find_normals(std::span<const Vector3> positions, BindingScratch& scratch) const;

    std::vector<std::int32_t> tangent_ends_;                  // (C) other end of the edge that defines the tangent; -1: no faces
    std::vector<std::int32_t> neighbor_offsets_, neighbors_;  // neighbours of coarse vertex c: [offsets[c], offsets[c + 1])
    // (C) frame of each coarse vertex at rest; zero without a frame
    std::vector<Frame> rest_frames_;
};

}  // namespace ruckle
