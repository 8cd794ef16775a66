// Limits heights by the free distance between layers of cloth, so that wrinkles do not penetrate the next layer.
//
// Layers are the connected components of the coarse mesh. In each frame, points x of faces with heights are compared with near
// points y of other layers. With n the normal of x's face, d = |y - x| and c the cosine between n and y - x:
//     crowding w = max over pairs (x, y) of g(c) / (s d) - 5 / (8 H)      g: 0 at 60°, 1 at 30° and nearer to the normal
// with H the largest height of the frame in that direction and s the share of the gap that the heights at x may use. Because of
// the second term, w decreases continuously to 0 if the largest height is far from the other layer. A vertex has the largest w of
// its faces; w is linear in each face. A height h becomes
//     h                           if |h| w <= 1/2
//     (1 - 1 / (4 |h| w)) / w     otherwise, with the sign of h; it is C1, and below 1 / w
//
// w is a continuous function of the positions, so that nothing jumps if a hem slides over the layer below. Small heights do not
// change. Far from other layers w = 0. A mesh with one component takes no time.
//
// Pairs are: corners of a face with the closest point of the other face, in both directions, and further points on open edges,
// because a hem may cross a large face between its corners.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/point4.h"
#include "ruckle/surface/heights.h"
#include "support/thread_pool.h"

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
    // Keeps a reference to the topology. pool: null for one thread; must outlive this.
    Room(const Topology& topology, ThreadPool* pool);

    // True if the mesh has several layers.
    bool is_shared() const { return layer_count_ > 1; }

    // positions  (V) mesh units
    // range      of the heights of this frame
    // raised     (T) other than 0 for faces with heights
    void measure(std::span<const Vector3> positions, const HeightRange& range, std::span<const std::uint8_t> raised);

    // (V) 1 / mesh units, of the last measurement; empty for a mesh in one piece
    std::span<const Crowding> of_vertices() const { return of_vertices_; }

  private:
    struct Box {
        Point4 low, high;
        // leaf: faces tree_faces_[first, first + count); else count is 0, and the children are the next box and `first`
        std::int32_t first, count;
    };
    // The points of a face, and the limits of this frame.
    struct Query;

    void find_layers();
    void build(std::span<const Vector3> positions);
    void build_box(std::int32_t begin, std::int32_t end, std::span<const Vector3> centers);
    void fit();
    Crowding crowding_of(std::int32_t face, const HeightRange& range);
    bool meet(Query& query, std::int32_t face) const;

    const Topology& topology_;
    ThreadPool* pool_;
    int layer_count_ = 0;
    std::vector<std::int32_t> layers_;    // (T) number of each face's layer
    std::vector<std::int32_t> partners_;  // (T) the face that limited this one last, or -1. Tested first, it excludes most others
    std::vector<Point4> points_;          // (V)
    std::vector<std::int32_t> tree_faces_;
    std::vector<Box> tree_;
    std::vector<Crowding> of_faces_, of_vertices_;
};

}  // namespace ruckle
