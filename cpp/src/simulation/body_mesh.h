// A moving triangle mesh that pushes cloth out.
//
// The signed distance to the mesh is the distance to the closest point, with the sign of angle-weighted normals
// (Baerentzen and Aanaes 2005). That sign is also correct at edges and corners. Each cloth vertex stores nearby
// triangles and walks over the mesh from there. At intervals, a search in a tree of boxes finds triangles that are
// nearer. A vertex stores a second triangle if the body faces itself, as in an armpit. It stores a third triangle
// beyond a crease, as in an elbow: otherwise, cloth pushed out of one side would sink into the other.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/closest_point.h"
#include "ruckle/mesh/topology.h"
#include "simulation/sweeps.h"

namespace ruckle {

// Largest number of body sides that are tested for a vertex: the nearest, a side that faces it, and a side beyond a
// crease.
inline constexpr std::size_t most_sides = 3;

// Sides that a search finds in addition to the nearest side. facing: a side that faces the nearest. creases: also a
// side beyond a crease. staying: like `facing`, but only if the closest point of the side, found by a walk over the
// mesh, also faces the nearest side, and the vertex is at most deepest_contact behind it.
enum class Sides { facing, creases, staying };

// The body near one cloth vertex. faces: the triangle near the vertex on each side, or -1. slack: distance that the
// vertex may move before this side is tested again, m. give: distance by which contact yields to strain, m. pinched:
// true if the first two sides pinch the vertex. looked: position of the vertex at the last test, m.
struct NearBody {
    std::array<std::int32_t, most_sides> faces = {-1, -1, -1};
    std::array<float, most_sides> slack = {0.0f, 0.0f, 0.0f};
    float give = 0.0f;
    bool pinched = false;
    Point4 looked = Point4::Zero();
};

// Motion of a pinched point in a substep, m. mean: the average motion of both body parts (Baraff, Witkin and Kass 2003,
// "Untangling Cloth"). opening: the distance by which the parts separate; negative if they close.
struct PinchedWay {
    Point4 mean;
    float opening;
};

// Search radii, m: `first` for the nearest side, `others` for a side that faces it. A side beyond a crease is searched
// within crease_reach · touching. touching: cloth closer than this is in contact with the body.
struct SearchReach {
    float first, others, touching;
};

class BodyMesh {
  public:
    // Throws MeshError if the faces are not a manifold mesh.
    BodyMesh(std::span<const Face> faces, int vertex_count);

    int vertex_count() const { return topology_.vertex_count; }
    int face_count() const { return topology_.face_count(); }

    // Sets the motion of the body in one frame: linear from `from` to `to`, in equal substeps, relative to an origin.
    // In the first frame, also calls remember_first(from).
    void begin_frame(std::span<const Vector3> from, std::span<const Vector3> to, int substeps, const Vector3& origin);
    // Returns the motion of the fastest body vertex in one substep of this frame, m.
    float fastest_step() const { return fastest_step_; }
    // Moves the body to the start of a substep, computes its normals, and fits the tree of boxes, which the first call
    // builds.
    void begin_searches(int substep);
    // Moves the body to the middle of the next `count` substeps and computes its normals. These normals determine the
    // side of the body on which a point is until the next call. Call it after the searches.
    void fix_normals(int first, int count);
    // Moves the body to the end of a substep; the normals do not change.
    void move_to_substep(int substep);

    // Stores the body vertices of the first frame. Two sides that face each other in this pose belong to different body
    // parts; other pairs of sides may be the front and the back of a thin part.
    void remember_first(std::span<const Vector3> points);
    std::span<const Vector3> first_points() const { return first_points_; }

    // Finds the triangles near a point: the nearest triangle within reach.first, and triangles of other sides within
    // their radii. Writes near.faces, -1 for a side that is not found, and sets near.slack to 0. If near.faces[0] is
    // set before the call, a walk starts there. If the walk ends closer than reach.touching, its triangle remains the
    // first side even if another part of the body is nearer.
    void search(const float* point, const SearchReach& reach, Sides sides, NearBody& near) const;

    // Returns approximately by how much the body rises above the middle of a chord between two points at equal distance
    // from the body, m. The result is negative if the faces at both points look towards each other, as in a crease; 0
    // if an end is not near the body.
    float bulge(const Vector3& chord, const NearBody& first, const NearBody& second) const;

    // Returns true if the first two sides of `near` exist and pinch the point. If near.pinched is not set: the cosine
    // between their outward directions is below facing_cosine, the sum of the point's signed distances from both is
    // below pinch_room · thickness, and the point is at most deepest_contact behind each. If near.pinched is set: the
    // cosine is below 0 and the sum below pinch_release · thickness. Also moves near.faces to the closest triangles.
    bool pinches(const float* point, float thickness, NearBody& near) const;

    // Returns the motion of the two sides that pinch a point.
    PinchedWay pinched_way(const float* point, const NearBody& near) const;

    // Pushes a free vertex out of the body, with friction, and updates near. A push out of one side is at most the
    // approach to the body in this substep plus factors.push. Moves `point`, and moves `predicted` by the second part,
    // which must not change velocities. point, velocity and predicted are rows as in sweeps.h.
    void push_out(const ContactFactors& factors, const float* velocity, float* point, float* predicted, NearBody& near) const;

  private:
    struct Hit {
        std::int32_t face;
        // barycentric coordinates of the closest point
        std::array<float, 3> weights;
        int feature;   // place of the closest point: 0 inside the face, 1 + k on edge k, 4 + k at corner k
        Point4 away;   // vector from the closest point to the vertex
        float square;  // m², squared distance
    };
    struct Box {
        Point4 low, high;
        std::int32_t first, count;  // range of faces in a leaf; if count is 0, the children are the next box and `first`
    };

    void stand_at(float substep);
    void compute_normals();
    bool faced_at_first(std::int32_t face, std::int32_t other) const;
    float distance_to_facing(float thickness, const Point4& point, const Point4& out, float distance, float deepest,
                             std::int32_t& facing) const;
    float distance_to_keep(const ContactFactors& factors, const Point4& point, const Point4& out, float distance,
                           std::size_t slot, NearBody& near) const;
    void build_tree(int begin, int end);
    void fit_tree();
    Hit hit(std::int32_t face, const Point4& point) const;
    Hit walk(std::int32_t face, const Point4& point) const;
    float height(std::int32_t face, const Point4& point) const;
    void find_first(const Point4& point, float reach, float touching, Sides sides, NearBody& near) const;
    void find_facing(const Point4& point, float reach, const Hit& first, Sides sides, NearBody& near) const;
    void find_crease(const Point4& point, float reach, const Hit& first, NearBody& near) const;
    float signed_distance(const Hit& hit, Point4& direction) const;
    Point4 way_of(const Hit& hit) const;
    float fastest_approach(std::int32_t face, const Point4& way) const;
    static float friction_of(const ContactFactors& factors, float depth, float slipped);
    // Finds the nearest face with accept(face) whose squared distance is below `best`, and replaces `best` and `face`.
    // Both do not change if there is none.
    template <class Accept>
    void nearest(const Point4& point, Accept accept, float& best, std::int32_t& face) const;

    Topology topology_;
    // (B) body vertices: at the start of the frame, motion per substep, current position
    std::vector<Point4> from_, step_, points_;
    std::vector<Vector3> first_points_;
    float fastest_step_ = 0.0f;
    std::vector<Point4> face_normals_, edge_normals_, vertex_normals_;
    std::vector<std::int32_t> tree_faces_;
    std::vector<Box> tree_;
};

}  // namespace ruckle
