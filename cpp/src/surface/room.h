// The room between layers of cloth: heights end before the next layer.
//
// Layers are the connected components of the coarse mesh. In each frame, points of each layer (its vertices, and the middles of
// open edges) meet the faces of other layers that are near. A pair is a point p, with the normal of its layer there, and a face with
// the unit normal n and the plane through it. With d the distance of p from the plane:
//     crowding w = max over pairs of g / (s d) - 5 / (8 H)
// with H the largest height of the frame in that direction, s the share of the gap that belongs to one layer, and g a weight in
// [0, 1]: 1 if p is above or below the face and both normals agree within 30°, 0 if p is far beside it or the normals differ by 60°.
// The second term lets w vanish continuously, where the largest height is far from the other layer. The pair counts for the point and
// for the corners of the face, and w is linear in each face. A height h becomes
//     h                           if |h| w <= 1/2
//     (1 - 1 / (4 |h| w)) / w     otherwise, with the sign of h; it is C1, and below 1 / w
//
// w is a continuous function of the positions, so that nothing jumps as a hem slides over the layer below. Small heights keep their
// exact value. Far from other layers w = 0. The cost is 0 for a mesh in one piece.
//
// The search: clusters of 16 neighbouring faces have boxes, and pairs of clusters whose boxes are near evaluate all their pairs in
// vectors. A pair costs less than a finer search would.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/point4.h"
#include "ruckle/surface/heights.h"
#include "surface/room_kernel.h"

namespace ruckle {

// A limited height with its derivatives by the height and by the crowding.
struct LimitedHeight {
    float height, by_height, by_crowding;
};

inline LimitedHeight limited(float height, float crowding) {
    const float use = std::abs(height) * crowding;
    if (!(use > 0.5f)) {
        return {height, 1.0f, 0.0f};
    }
    const float rest = 1.0f / (4.0f * use), room = std::copysign(1.0f / crowding, height);
    return {(1.0f - rest) * room, rest / use, (2.0f * rest - 1.0f) * room / crowding};
}

class Room {
  public:
    // Keeps a reference to the topology.
    explicit Room(const Topology& topology);

    // True if the mesh has several layers.
    bool is_shared() const { return layer_count_ > 1; }

    // positions  (V) mesh units
    // normals    (V) unit, or zero
    // range      of the heights of this frame
    // raised     (T) other than 0 for faces with heights
    void measure(std::span<const Vector3> positions, std::span<const Vector3> normals, const HeightRange& range,
                 std::span<const std::uint8_t> raised);

    // (V) 1 / mesh units, of the last measurement; empty for a mesh in one piece
    std::span<const Crowding> of_vertices() const { return of_vertices_; }

  private:
    struct Box {
        Point4 low, high;
        std::int32_t layer;  // of all its faces, -1 for several

        void add(const Box& box);
        bool is_near(const Box& other, float distance) const;
        // Points of this box and faces of the other one cannot be of different layers.
        bool is_layer_of(const Box& other) const { return layer >= 0 && layer == other.layer; }
    };
    struct Run {
        std::size_t first, count;
        std::size_t end() const { return first + count; }
    };
    // Neighbouring faces, and the points that belong to them.
    struct Cluster {
        Run blocks, corners, points;  // in blocks_, corners_, points_
        // of this frame
        bool has_raised_faces, has_raised_points, is_measured, is_placed;
    };

    void find_layers();
    void build(std::span<const Vector3> positions);
    void halve(std::span<std::int32_t> faces, std::span<const Vector3> centers);
    void add_cluster(std::span<const std::int32_t> faces);
    void add_points();
    void mark(std::span<const std::uint8_t> raised);
    void fit();
    void meet(std::size_t own, std::size_t other, std::span<const Vector3> normals, float reach);
    void gather(std::span<const std::uint8_t> raised);

    const Topology& topology_;
    int layer_count_ = 0;
    std::vector<std::int32_t> layers_;  // (T) number of each face's layer
    std::vector<Cluster> clusters_;
    std::vector<Box> boxes_, group_boxes_;  // of each cluster; of group_clusters of them
    std::vector<std::int32_t> corners_;     // the vertices of each cluster's faces
    std::vector<RoomBlock> blocks_;
    std::vector<std::int32_t> block_faces_;                // the face of each column of the blocks, -1 for none
    std::vector<std::array<std::int32_t, 2>> point_ends_;  // vertices with the point in the middle; both are it, or an open edge
    std::vector<RoomPoint> points_;
    RoomLimits limits_{};
    std::vector<Point4> positions_;              // (V)
    std::vector<std::uint8_t> raised_vertices_;  // (V)
    std::vector<Crowding> of_vertices_;
};

}  // namespace ruckle
