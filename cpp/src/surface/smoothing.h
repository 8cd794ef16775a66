// Computes the directions of edges at their vertices if cloth deforms smoothly from rest: part of the curved base
// (surface/base.h).
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

    // Uses the largest `smoothing` of all sources, and `rest` of the first source that has it. Without such a source, all shares
    // are 0.
    void measure(std::span<const Vector3> positions, std::span<const HeightSource> sources);

    // σ_v, in [0, 1]
    float share(std::int32_t vertex) const { return shares_.empty() ? 0.0f : shares_[vertex]; }

    // -d_v of the edge from a to b at one of its ends.
    //
    // along   the edge, mesh units
    // normal  unit, of the vertex
    // round   bend of the edge without smoothing
    Vector3 bend(std::int32_t a, std::int32_t b, std::int32_t vertex, const Vector3& along, const Vector3& normal,
                 const Vector3& round, float roundness) const;

  private:
    using Matrix3 = Eigen::Matrix<float, 3, 3, Eigen::DontAlign>;

    bool is_asked(const Face& corners) const;

    const Topology& topology_;
    std::span<const float> shares_;
    std::span<const Vector3> rest_;
    std::vector<float> merged_;  // (V) shares of several sources
    std::vector<Matrix3> maps_;  // (V) times `areas_`, of vertices with a share
    std::vector<float> areas_;   // (V) at rest, of the triangles around them, twice
};

}  // namespace ruckle
