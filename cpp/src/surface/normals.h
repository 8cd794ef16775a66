// Computes vertex normals, weighted by the angles of the faces around a vertex, and the roundness of the cloth at each
// vertex.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"
#include "support/thread_pool.h"
#include "surface/normal_kernel.h"

namespace ruckle {

// A normal with a fourth number, so that one SIMD instruction adds all four.
struct FaceNormal {
    Vector3 direction;  // unit, or zero for a degenerate face
    float unused;
};
struct CornerNormal {
    Vector3 weighted;  // unit normal times the angle of the face at the corner
    float length;      // length of `weighted`
};

class Normals {
  public:
    // Keeps a reference to the topology. pool: must outlive this object; null for one thread.
    Normals(const Topology& topology, ThreadPool* pool);

    // Computes all normals and the roundness of a frame. positions: (V) mesh units.
    void measure(std::span<const Vector3> positions);

    // Results of the last call of measure, valid until the next call.
    std::span<const FaceNormal> of_faces() const { return of_faces_; }  // (T) normal of each face
    // (T) weighted normals of the corners
    std::span<const std::array<CornerNormal, 3>> of_corners() const { return of_corners_; }
    // (V) unit vertex normals, or zero
    std::span<const Vector3> of_vertices() const { return of_vertices_; }
    // (V) in [0, 1]: 1 on smooth cloth, 0 at folds and corners
    std::span<const float> roundness() const { return roundness_; }

  private:
    NormalArrays arrays(std::span<const Vector3> positions);

    const Topology& topology_;
    ThreadPool* pool_;
    std::vector<std::int32_t> vertex_corners_;  // corner numbers 3 f + k, in the order of the topology's vertex_faces
    std::vector<FaceNormal> of_faces_;
    std::vector<std::array<CornerNormal, 3>> of_corners_;
    std::vector<Vector3> of_vertices_;
    std::vector<float> roundness_;
};

}  // namespace ruckle
