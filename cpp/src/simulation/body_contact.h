// Contact of cloth with a body mesh: search for near triangles, pinched vertices, and the push out of the body.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simulation/body_mesh.h"
#include "simulation/face_contact.h"
#include "simulation/moving_cloth.h"

namespace ruckle {

class BodyContact {
  public:
    // face_contact: sample points on faces of the cloth; null: only vertices and edges are tested. Throws MeshError if
    // the faces of the body are not a manifold mesh.
    BodyContact(MovingCloth& cloth, const FaceContact* face_contact, std::span<const Face> faces, int vertex_count);

    int vertex_count() const { return body_.vertex_count(); }
    float fastest_step() const { return body_.fastest_step(); }  // m, motion of the fastest body vertex in one substep
    bool is_first() const { return last_.empty(); }
    // Forgets the last frame and the body triangles near the cloth.
    void place();

    // Stores the body vertices at the end of the frame, m. first: treats the body as unmoved in this frame. Saves the
    // triangles near the cloth, so that refuse_frame() can restore them.
    void take(std::span<const Vector3> body, bool first);
    void accept_frame() { std::swap(last_, next_); }
    void refuse_frame() { std::swap(near_, saved_near_); }
    void forget() { last_.clear(); }

    // Stages of a substep. Call them in this order.
    void search(int substep);
    void move_pinched(PartWorker& worker);
    void push_out(int substep);
    // Moves near edges by their middles, then vertices, to shown_distance from the body. Skips a move that is not
    // shorter than `farthest`, m. Moves without friction and without a change of velocities. Call it at the end of a
    // frame, because strain limits may have pulled cloth into the body.
    void come_out(float farthest);
    // Restores the inverse masses of pinched vertices, so that constraints can move them until the next search. Call it
    // at the end of a frame.
    void let_go();

    // Saved state: body vertices of the last frame and of the first frame, and the triangles near each point of the
    // cloth.
    std::span<const Vector3> last() const { return last_; }
    std::span<const Vector3> first() const { return body_.first_points(); }
    std::span<const NearBody> near() const { return near_; }
    int face_count() const { return body_.face_count(); }
    // True if contact yields to strain where the cloth would tear. False for tracked cloth and face contact, where
    // strain is limited after contact instead.
    bool gives_way() const { return !cloth_.is_tracked && !face_contact_; }
    // True if the body is so fast that contact has priority over strain limits.
    bool is_fast() const;
    // Restores the saved state. near: one element per vertex, then one per sample point on faces.
    void restore(std::span<const Vector3> last, std::span<const Vector3> first, std::span<const NearBody> near);

  private:
    // An edge of the cloth that may cut into the body between its ends. near: the body near the middle of the edge.
    struct NearEdge {
        std::array<std::int32_t, 2> ends;
        NearBody near;
    };

    Sides sides_to_meet() const;
    int substeps_per_search() const;
    SearchReach reach_of(const Vector3& velocity) const;
    void search_around_points();
    void find_edges(bool in_tree);
    bool is_pinched(std::size_t vertex) const;
    bool is_held(std::size_t vertex);
    void give_way();
    void return_from_giving();
    ContactFactors factors_of(const NearBody& near) const;
    void let_slip();
    void hold_pinched();
    void push_out_edges();
    template <class Work>
    void for_vertices(Work work);

    MovingCloth& cloth_;
    const FaceContact* face_contact_;
    BodyMesh body_;
    // (B) body vertices at the start and at the end of the frame, m
    std::vector<Vector3> last_, next_;
    std::vector<NearBody> near_, saved_near_;  // body near each vertex, then near each sample point on faces
    std::vector<NearEdge> near_edges_;         // found since the last tree search
    std::vector<char> is_near_edge_;           // (E) true if the edge is in near_edges_
    std::vector<std::int32_t> pinched_;        // vertices that two parts of the body pinch
    Rows pinched_ways_;                        // motion of pinched vertices in a substep, and their inverse masses
    int search_substeps_ = 1;                  // substeps between searches in this frame
};

}  // namespace ruckle
