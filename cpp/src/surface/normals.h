// Vertex normals, weighted by the angles of the faces around a vertex, and how round the cloth is there.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"
#include "support/thread_pool.h"

namespace ruckle {

class Normals {
  public:
    // Keeps a reference to the topology. pool: null for one thread; must outlive this.
    Normals(const Topology& topology, ThreadPool* pool);

    void measure(std::span<const Vector3> positions);

    // Valid until the next call of measure.
    std::span<const std::array<Vector3, 3>> weighted() const { return weighted_; }  // (T) unit normal times angle, per corner
    std::span<const Vector3> of_vertices() const { return normals_; }               // (V) unit, or zero
    std::span<const float> roundness() const { return roundness_; }                 // (V) in [0, 1]

  private:
    void measure_faces(std::span<const Vector3> positions, std::int64_t begin, std::int64_t end);
    void gather_vertices(std::int64_t begin, std::int64_t end);

    const Topology& topology_;
    ThreadPool* pool_;
    std::vector<std::array<Vector3, 3>> weighted_;  // zero where the face has collapsed
    std::vector<Vector3> normals_;
    std::vector<float> roundness_;
};

}  // namespace ruckle
