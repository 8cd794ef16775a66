// Computes normals for lighting, one for each corner of each coarse face. At the edge of a hem, the faces of the two
// layers have different normals.
//
// At a sharp fold, the mean normal of a vertex points along the cloth and fits none of the faces. The normal of a
// corner of face f is therefore a mean over only those faces g that are connected with f around the vertex without a
// crease:
//     n_f = Σ_g w_fg a_g n_g     a_g: angle of g at the vertex
//     w_fg = p + q - p q         p, q: products of the smoothness of all edges between f and g, for the two directions around
//                                the vertex
// The smoothness of an edge decreases from 1 to 0 between the angles of smooth_cosine and crease_cosine (constants.h),
// so that shading does not jump when a fold opens. If all edges of a vertex are smooth, its corners have exactly the
// vertex normal.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"
#include "surface/normals.h"

namespace ruckle {

class Creases {
  public:
    // Keeps a reference to the topology.
    explicit Creases(const Topology& topology);

    // Finds the creases of a frame from its normals, and computes the corner normals of the faces at creases.
    void measure(const Normals& normals);
    // Finds the creases of a frame, and computes the corner normals of the given faces only; parted_faces() then
    // returns these faces.
    void measure(const Normals& normals, std::span<const std::int32_t> faces);

    // Faces with corners at creases, in ascending order, and the unit normals of their corners. All other faces use the
    // vertex normals. Valid until the next call of measure.
    std::span<const std::int32_t> parted_faces() const { return parted_faces_; }
    std::span<const std::array<Vector3, 3>> parted_normals() const { return parted_normals_; }

  private:
    // Results of a walk over the faces around a vertex, in one direction from a face up to a crease, the boundary or
    // the face itself.
    struct SideSum {
        // sum of corner normals, each weighted by the product of smoothness up to its face; the fourth number is unused
        Eigen::Vector4f sum;
        Eigen::Vector4f others;  // sum of corner normals without this weight
        // product of smoothness around the ring of faces; 0 if a crease or the boundary interrupts the ring
        float round;
    };
    // A step of a walk, across an edge. Step 2 c + 1 walks from corner c across the side that ends there, step 2 c across
    // the side that begins there. Corner k of face f has the number 3 f + k.
    struct Step {
        std::int32_t edge;  // edge that is crossed
        std::int32_t next;  // step from the corner that is reached; -1 at the boundary
    };
    Step step_from(std::int32_t face, int corner, bool forward) const;
    void part(std::int32_t face, const Normals& normals);
    Vector3 parted_normal(std::int32_t corner, const Normals& normals) const;
    void find_creases(std::span<const FaceNormal> normals);
    SideSum sum_side(std::int32_t corner, bool forward, const CornerNormal* normals) const;

    const Topology& topology_;
    std::vector<Step> steps_;            // (6 T) steps from all corners
    std::vector<float> smoothness_;      // (E) smoothness of each edge in [0, 1]; 0 at creases
    std::vector<std::uint8_t> creased_;  // (V) 1 if the vertex has an edge that is not entirely smooth
    std::vector<std::int32_t> parted_faces_;
    std::vector<std::array<Vector3, 3>> parted_normals_;  // corner normals of parted_faces_
};

}  // namespace ruckle
