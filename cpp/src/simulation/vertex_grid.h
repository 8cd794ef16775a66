// Vertices in the cells of a grid, for boxes that look for those in them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/types.h"
#include "simulation/contact_kernels.h"

namespace ruckle {

// Vertices one behind the other, copied beside each other for the kernels.
class VertexList {
  public:
    explicit VertexList(std::size_t capacity);
    // Takes the place of the one in the slot. Points and velocities are rows as in sweeps.h.
    void put(std::size_t slot, std::int32_t vertex, std::span<const float> points, std::span<const float> velocities);
    std::int32_t operator[](std::int32_t slot) const { return vertices_[static_cast<std::size_t>(slot)]; }
    VertexColumns columns() const;

  private:
    std::vector<std::int32_t> vertices_;
    std::array<std::vector<float>, 3> positions_, velocities_;
};

class VertexGrid {
  public:
    // capacity: vertices at most; cell: their size in metres, at least
    VertexGrid(std::size_t capacity, float cell);

    // Lays cells around the first vertices of all rows; false for points that lie farther apart than a float can say.
    bool lay(std::span<const float> points, std::span<const float> velocities, std::size_t vertex_count);
    // Puts vertices into the cells. Allocates nothing.
    void sort(std::span<const std::int32_t> vertices, std::span<const float> points, std::span<const float> velocities);

    // Slots of the vertices that the box finds, until the next call.
    std::span<const std::int32_t> find(const ContactKernels& kernels, const MovingBox& box);

    const VertexList& vertices() const { return vertices_; }

  private:
    Eigen::Array3i cell_of(const Eigen::Array3f& p) const;
    std::int32_t index(const Eigen::Array3i& c) const { return (c[0] * count_[1] + c[1]) * count_[2] + c[2]; }

    float least_cell_, cell_ = 0.0f;
    Eigen::Array3f low_ = Eigen::Array3f::Zero();
    Eigen::Array3i count_ = Eigen::Array3i::Ones();
    Eigen::Array3f fastest_difference_ = Eigen::Array3f::Zero();  // of the velocities of two vertices, along each axis
    std::vector<std::int32_t> starts_, cells_;                    // of the cells, and of the vertices
    VertexList vertices_;
    std::vector<std::int32_t> found_;
};

}  // namespace ruckle
