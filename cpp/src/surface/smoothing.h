// Computes the directions in which the curves over the coarse edges start and end on the smooth base surface
// (surface/base.h): as if the cloth were deformed smoothly from rest, without a jump of the strain at the edges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/surface/heights.h"
#include "ruckle/types.h"

namespace ruckle {

class Smoothing {
  public:
    explicit Smoothing(const Topology& topology);

    // Computes the mean deformation gradient from rest around each vertex (G_v of base.h). Uses the largest `smoothing`
    // of all sources, and `rest` of the first source that has it. Without such a source, all shares are 0.
    void measure(std::span<const Vector3> positions, std::span<const HeightSource> sources);

    // smoothing σ_v of base.h at a vertex, in [0, 1]
    float share(std::int32_t vertex) const { return shares_.empty() ? 0.0f : shares_[vertex]; }

    // Returns -d_v (base.h) for the edge from a to b at one of its ends.
    //
    // vertex     a or b
    // along      edge vector from a to b, mesh units
    // normal     unit normal of the vertex
    // round      -d_v without smoothing, mesh units
    // roundness  s_v of base.h, in [0, 1]
    Vector3 end_offset(std::int32_t a, std::int32_t b, std::int32_t vertex, const Vector3& along, const Vector3& normal,
                       const Vector3& round, float roundness) const;

  private:
    using Matrix3 = Eigen::Matrix<float, 3, 3, Eigen::DontAlign>;

    bool has_share(const Face& corners) const;

    const Topology& topology_;
    std::span<const float> shares_;
    std::span<const Vector3> rest_;
    std::vector<float> merged_;  // (V) largest share of all sources, if several have smoothing
    // (V) sums of the deformation gradients of the faces around, each times twice the face's area at rest
    std::vector<Matrix3> maps_;
    std::vector<float> areas_;  // (V) twice the area at rest of the faces around each vertex
};

}  // namespace ruckle
