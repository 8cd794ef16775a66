// A moving triangle mesh that cloth remains outside of.
//
// The signed distance to the mesh is the distance to the closest point, with the sign of angle-weighted normals (Baerentzen and
// Aanaes 2005). That sign is also right at edges and corners. A cloth vertex remembers nearby triangles, and walks over the mesh
// from there; once per frame a tree of boxes is searched for nearer ones. A second triangle is remembered if the body faces
// itself, as in an armpit. A third is remembered beyond a crease, as in an elbow: cloth pushed out of one side would sink into
// another.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/closest_point.h"
#include "ruckle/mesh/topology.h"
#include "simulation/sweeps.h"

namespace ruckle {

// Largest number of sides of a body that are tested for a vertex in a frame: the nearest, one that faces it, and one beyond a
// crease.
inline constexpr std::size_t most_sides = 3;

// Sides that cloth searches in addition to the nearest. facing: sides that face it, at any depth behind them. creases: also sides
// beyond a crease. staying: facing sides, except those that contact would leave for the nearest side or that are too deep for
// contact.
enum class Sides { facing, creases, staying };

// The body near one cloth vertex: a triangle of each side, or -1; the distance the vertex may move before that side is tested
// again, m; the distance by which contact gives way to strain, m; true if the first two sides pinch it; and its position at the
// last test.
struct NearBody {
    std::array<std::int32_t, most_sides> faces = {-1, -1, -1};
    std::array<float, most_sides> slack = {0.0f, 0.0f, 0.0f};
    float give = 0.0f;
    bool pinched = false;
    Point4 looked = Point4::Zero();
};

// Motion of a pinched point in a substep, m: the mean of both parts (Baraff, Witkin and Kass 2003, "Untangling Cloth"), and the
// distance by which the parts separate.
struct PinchedWay {
    Point4 mean;
    float opening;
};

// Distances of a search, m: for the nearest side, for other sides, and below which cloth touches the body.
struct SearchReach {
    float first, others, touching;
};

class BodyMesh {
  public:
    // Throws MeshError if the faces are not a manifold mesh.
    BodyMesh(std::span<const Face> faces, int vertex_count);

    int vertex_count() const { return topology_.vertex_count; }
    int face_count() const { return topology_.face_count(); }

    // Sets the motion of the body in one frame, cut into substeps, relative to an origin.
    void begin_frame(std::span<const Vector3> from, std::span<const Vector3> to, int substeps, const Vector3& origin);
    // Motion of the body's fastest vertex in one substep of this frame, m.
    float fastest_step() const { return fastest_step_; }
    // Moves the body to the start of a substep, and prepares searches.
    void begin_searches(int substep);
    // Call after the searches, for the next `count` substeps. Normals now only determine sides: those of the middle substep serve
    // all.
    void begin_substeps(int first, int count);
    void move_to_substep(int substep);

    // Stores the body's pose in its first frame. It distinguishes parts that have come to intersect from the back of a thin part.
    void remember_first(std::span<const Vector3> points);
    std::span<const Vector3> first_points() const { return first_points_; }

    // Finds the triangles near a point: the nearest within reach.first, the other sides within reach.others.
    void search(const float* point, const SearchReach& reach, Sides sides, NearBody& near) const;

    // Approximate height of the body above the middle of a chord between points over two of its faces at equal distance, m.
    // Negative if the faces look towards each other, as in a crease.
    float bulge(const Vector3& chord, const NearBody& first, const NearBody& second) const;

    // Returns true if the two sides found by a search leave too little room for cloth of a thickness, or intersect there.
    bool pinches(const float* point, float thickness, NearBody& near) const;

    PinchedWay pinched_way(const float* point, const NearBody& near) const;

    // Pushes a free vertex out, with friction. point, velocity and predicted are rows as in sweeps.h.
    void push_out(const ContactFactors& factors, const float* velocity, float* point, float* predicted, NearBody& near) const;

  private:
    struct Hit {
        std::int32_t face;
        std::array<float, 3> weights;
        int feature;  // 0 inside, 1 + k on edge k, 4 + k at corner k
        Point4 away;  // from the closest point
        float square;
    };
    struct Box {
        Point4 low, high;
        std::int32_t first, count;  // of leaf faces; if count is 0, the children are the next box and `first`
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
    std::vector<Point4> from_, step_, points_;  // (B) at the start, per substep, and now
    std::vector<Vector3> first_points_;
    float fastest_step_ = 0.0f;
    std::vector<Point4> face_normals_, edge_normals_, vertex_normals_;
    std::vector<std::int32_t> tree_faces_;
    std::vector<Box> tree_;
};

}  // namespace ruckle
