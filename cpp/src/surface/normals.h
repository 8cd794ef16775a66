// Vertex normals, weighted by the angles of the faces around a vertex, and the roundness of the cloth there.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"
#include "support/thread_pool.h"
#include "surface/normal_kernel.h"

namespace ruckle {

// A normal and a fourth number, so that all four are summed in one instruction.
struct FaceNormal {
    Vector3 direction;  // unit, or zero if the face has collapsed
    float unused;
};
struct CornerNormal {
    Vector3 weighted;  // unit normal times the face's angle there
    float length;
};

class Normals {
  public:
    // Keeps a reference to the topology. pool: null for one thread; must outlive this.
    Normals(const Topology& topology, ThreadPool* pool);

    void measure(std::span<const Vector3> positions);

    // Valid until the next call of measure.
    std::span<const FaceNormal> of_faces() const { return of_faces_; }                       // (T)
    std::span<const std::array<CornerNormal, 3>> of_corners() const { return of_corners_; }  // (T)
    std::span<const Vector3> of_vertices() const { return of_vertices_; }                    // (V) unit, or zero
    std::span<const float> roundness() const { return roundness_; }                          // (V) in [0, 1]

  private:
    NormalArrays arrays(std::span<const Vector3> positions);

    const Topology& topology_;
    ThreadPool* pool_;
    std::vector<std::int32_t> vertex_corners_;  // as the topology's vertex_faces, with the corner
    std::vector<FaceNormal> of_faces_;
    std::vector<std::array<CornerNormal, 3>> of_corners_;
    std::vector<Vector3> of_vertices_;
    std::vector<float> roundness_;
};

}  // namespace ruckle
