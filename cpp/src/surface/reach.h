// Which segments reach which triangles, found over the surface: an arm does not wrinkle the torso that it touches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh.h"
#include "ruckle/surface.h"

namespace ruckle {

class Reach {
  public:
    explicit Reach(const Topology& topology);

    // Lists, for every triangle, the segments whose capsule (of the larger half width of their two vertices) meets it.
    void collect(std::span<const Vector3> positions, std::span<const CurveVertex> vertices,
                 std::span<const std::int32_t> vertex_faces);

    std::span<const std::int32_t> offsets() const { return offsets_; }    // (T + 1)
    std::span<const std::int32_t> segments() const { return segments_; }  // ascending per face

  private:
    void grow(std::span<const Vector3> positions, std::span<const CurveVertex> vertices,
              std::span<const std::int32_t> vertex_faces, std::int32_t segment);
    void visit(std::int32_t face);

    const Topology& topology_;
    std::vector<std::int32_t> offsets_, segments_;
    std::vector<std::int32_t> reached_segments_, reached_faces_;  // pairs, segment after segment
    std::vector<std::int32_t> waiting_;
    std::vector<std::uint32_t> visited_;  // (T) the round in which a face was last met
    std::uint32_t round_ = 0;
};

}  // namespace ruckle
