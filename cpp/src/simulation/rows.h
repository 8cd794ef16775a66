// Rows: the arrays that the sweeps use, with four floats per vertex.
#pragma once

#include <cstddef>
#include <vector>

#include "ruckle/types.h"
#include "simulation/sweeps.h"

namespace ruckle {

// Array of four floats per vertex. After whole blocks of vertices, it has a spare vertex for each part of the cloth,
// which never moves.
class Rows {
  public:
    explicit Rows(std::size_t count) : values_(4 * count, 0.0f) {}

    float* operator[](std::size_t vertex) { return values_.data() + 4 * vertex; }
    const float* operator[](std::size_t vertex) const { return values_.data() + 4 * vertex; }
    Eigen::Map<Vector3> vector(std::size_t vertex) { return Eigen::Map<Vector3>((*this)[vertex]); }
    Eigen::Map<const Vector3> vector(std::size_t vertex) const { return Eigen::Map<const Vector3>((*this)[vertex]); }
    float* data() { return values_.data(); }
    std::vector<float>& values() { return values_; }
    const std::vector<float>& values() const { return values_; }

  private:
    std::vector<float> values_;
};

inline std::size_t whole_blocks(std::size_t count) {
    return (count + sweep_block - 1) / sweep_block * sweep_block;
}

}  // namespace ruckle
