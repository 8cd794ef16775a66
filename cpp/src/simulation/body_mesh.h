// A moving triangle mesh that pushes cloth out.
//
// The signed distance to the mesh is the distance to the closest point, with the sign of angle-weighted normals
// (Baerentzen and Aanaes 2005). That sign is also correct at edges and corners. Each cloth vertex stores nearby
// triangles and walks over the mesh from there. A search in a tree of boxes finds nearer ones at intervals. A vertex
// stores a second triangle if the body faces itself, as in an armpit. It stores a third triangle beyond a crease, as in
// an elbow: cloth pushed out of one side would sink into another.
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

// Sides that a search finds in addition to the nearest. facing: sides that face the nearest, even if the vertex is
// behind them. creases: also sides beyond a crease. staying: facing sides, except those that contact would leave at
// once or that are too deep for contact.
enum class Sides { facing, creases, staying };

// The body near one cloth vertex. faces: a triangle of each side, or -1. slack: distance that the vertex may move
// before this side is tested again, m. give: distance by which contact yields to strain, m. pinched: true if the first
// two sides pinch the vertex. looked: position at the last test.
struct NearBody {
    std::array<std::int32_t, most_sides> faces = {-1, -1, -1};
    std::array<float, most_sides> slack = {0.0f, 0.0f, 0.0f};
    float give = 0.0f;
    bool pinched = false;
    Point4 looked = Point4::Zero();
};

// Motion of a pinched point in a substep, m. mean: the average motion of both body parts (Baraff, Witkin and Kass 2003,
// "Untangling Cloth"). opening: the distance by which the parts separate.
struct PinchedWay {
    Point4 mean;
    float opening;
};

// Search radii, m, for the nearest side and for other sides. touching: cloth closer than this is in contact with the
// body.
struct SearchReach {
    float first, others, touching;
};

class BodyMesh {
  public:
    // Throws MeshError if the faces are not a manifold mesh.
    BodyMesh(std::span<const Face> faces, int vertex_count);

    int vertex_count() const { return topology_.vertex_count; }
    int face_count() const { return topology_.face_count(); }

    // Sets the linear motion of the body in one frame, relative to an origin. The frame is divided into substeps.
    void begin_frame(std::span<const Vector3> from, std::span<const Vector3> to, int substeps, const Vector3& origin);
    // Returns the motion of the fastest body vertex in one substep of this frame, m.
    float fastest_step() const { return fastest_step_; }
    // Moves the body to the start of a substep and prepares searches.
    void begin_searches(int substep);
    // Call it after the searches, for the next `count` substeps. It computes the normals of the middle substep, which
    // then determine on which side of the body a point is.
    void begin_substeps(int first, int count);
    void move_to_substep(int substep);

    // Stores the pose of the body in its first frame. It distinguishes body parts that intersect later from the back of
    // a thin part.
    void remember_first(std::span<const Vector3> points);
    std::span<const Vector3> first_points() const { return first_points_; }

    // Finds the triangles near a point: the nearest one within reach.first, and those of other sides within
    // reach.others.
    void search(const float* point, const SearchReach& reach, Sides sides, NearBody& near) const;

    // Returns the approximate height of the body above the middle of a chord between two points at equal distance from
    // the body, m. Negative if the faces at both points look towards each other, as in a crease.
    float bulge(const Vector3& chord, const NearBody& first, const NearBody& second) const;

    // Returns true if the two sides of a search are closer together than cloth of this thickness needs, or intersect.
    bool pinches(const float* point, float thickness, NearBody& near) const;

    PinchedWay pinched_way(const float* point, const NearBody& near) const;

    // Pushes a free vertex out of the body, with friction. point, velocity and predicted are rows as in sweeps.h.
    void push_out(const ContactFactors& factors, const float* velocity, float* point, float* predicted, NearBody& near) const;

  private:
    struct Hit {
        std::int32_t face;
        std::array<float, 3> weights;
        int feature;  // 0 inside, 1 + k on edge k, 4 + k at corner k
        Point4 away;  // from the closest point to the vertex
        float square;
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
    template <class Accept>
    void nearest(const Point4& point, Accept accept, float& best, std::int32_t& face) const;

    Topology topology_;
    std::vector<Point4> from_, step_, points_;  // (B) at the start of the frame, motion per substep, current
    std::vector<Vector3> first_points_;
    float fastest_step_ = 0.0f;
    std::vector<Point4> face_normals_, edge_normals_, vertex_normals_;
    std::vector<std::int32_t> tree_faces_;
    std::vector<Box> tree_;
};

}  // namespace ruckle
