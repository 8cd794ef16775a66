// Limits heights to the free space ("room") between layers of cloth, so that folds end before the next layer.
//
// Layers are the connected components of the coarse mesh. In each frame, points of a layer (its vertices, and the
// midpoints of its boundary edges) are compared with near faces of other layers. A pair consists of a point p, with the
// normal of its layer, and a face with the unit normal n and its plane. Both get a crowding w, which limits their
// heights, for outside (along the normal of the cloth) and for inside (against it). If d is the distance of p from the
// plane:
//     crowding w = max over pairs of g / (s d) - 5 / (8 H)
// H is the largest height of the frame outside or inside, and s the share of the gap d that one layer may use. The
// weight g decreases from 1 to 0 while (lateral distance of p from the face) / d increases from tan 30° to tan 60°. In
// this ratio, d is at most widest_room_gap (constants.h) times the largest height. For the crowding of p, g also
// decreases with the angle between both normals, from 1 at 30° to 0 at 60°. Opposite normals count as equal. With the
// second term, w decreases continuously to 0 where the largest height is far from the other layer. Each pair raises the
// crowding of the point, if it is a vertex, and of the face's corners, if they have heights. w is linear in each face
// of the mesh. A height h becomes
//     h                           if |h| w <= 1/2
//     (1 - 1 / (4 |h| w)) / w     otherwise, with the sign of h; it is C1, and below 1 / w
//
// w is a continuous function of the positions, so that heights do not jump when a hem slides over the layer below.
// Small heights keep their exact value. Far from other layers w is 0. A mesh with one component costs no time.
//
// The search uses clusters of 16 neighbouring faces with bounding boxes. If the boxes of two clusters are near, SIMD
// code evaluates all their pairs. This takes less time than a finer search.
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

// A limited height, and its derivatives with respect to the height and to the crowding.
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

    // Returns true if the mesh has several layers.
    bool is_shared() const { return layer_count_ > 1; }

    // Computes the crowding of a frame.
    //
    // positions  (V) mesh units
    // normals    (V) unit, or zero
    // range      bounds of the heights in this frame
    // raised     (T) not 0 for faces with heights
    void measure(std::span<const Vector3> positions, std::span<const Vector3> normals, const HeightRange& range,
                 std::span<const std::uint8_t> raised);

    // (V) crowding after the last call of measure, 1 / mesh units; empty if the mesh has only one layer
    std::span<const Crowding> of_vertices() const { return of_vertices_; }

  private:
    struct Box {
        Point4 low, high;
        std::int32_t layer;  // layer of all faces in the box; -1 if there are several

        void add(const Box& box);
        bool is_near(const Box& other, float distance) const;
        // Returns true if all faces of both boxes are in one layer.
        bool is_layer_of(const Box& other) const { return layer >= 0 && layer == other.layer; }
    };
    struct Run {
        std::size_t first, count;
        std::size_t end() const { return first + count; }
    };
    // Neighbouring faces, and the points that are assigned to them.
    struct Cluster {
        Run blocks, corners, points;  // ranges in blocks_, corners_, points_
        // flags of the current frame
        bool has_raised_faces, has_raised_points, is_measured, is_placed;
    };

    void find_layers();
    void build(std::span<const Vector3> positions);
    void halve(std::span<std::int32_t> faces, std::span<const Vector3> centers);
    void add_cluster(std::span<const std::int32_t> faces);
    void add_points();
    void mark_raised(std::span<const std::uint8_t> raised);
    void fit();
    void meet(std::size_t own, std::size_t other, std::span<const Vector3> normals, float reach);
    void gather(std::span<const std::uint8_t> raised);

    const Topology& topology_;
    int layer_count_ = 0;
    std::vector<std::int32_t> layers_;  // (T) layer of each face
    std::vector<Cluster> clusters_;
    std::vector<Box> boxes_, group_boxes_;  // boxes of clusters; boxes of groups of group_clusters clusters
    std::vector<std::int32_t> corners_;     // vertices of each cluster's faces, without duplicates
    std::vector<RoomBlock> blocks_;
    std::vector<std::int32_t> block_faces_;  // face of each column of the blocks; -1 for an empty column
    // for each point: a vertex twice, or the two ends of a boundary edge, if the point is its midpoint
    std::vector<std::array<std::int32_t, 2>> point_ends_;
    std::vector<RoomPoint> points_;
    RoomLimits limits_{};
    std::vector<Point4> positions_;              // (V) positions of this frame, mesh units
    std::vector<std::uint8_t> raised_vertices_;  // (V) 1 for vertices of faces with heights
    std::vector<Crowding> of_vertices_;
};

}  // namespace ruckle
