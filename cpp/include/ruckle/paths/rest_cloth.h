// rest_cloth: the cloth at rest. Lengths of drawn lines are measured on this cloth, and samples of drawn lines move
// over it.
//
// Example:
//     const std::shared_ptr<const ruckle::RestCloth> at_rest = ruckle::shared_rest(topology, rest);
//     const ruckle::Point4 centre = at_rest->point(0, ruckle::Vector3(1.0f, 1.0f, 1.0f) / 3.0f);
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/point4.h"
#include "ruckle/types.h"

namespace ruckle {

class RestCloth {
  public:
    // positions: (V) rest positions, mesh units
    RestCloth(const Topology& topology, std::span<const Vector3> positions);

    // True if this object was built from the same topology and the same positions, bit for bit.
    bool is_of(const Topology& topology, std::span<const Vector3> positions) const;

    const Topology& topology() const { return *topology_; }
    const Point4& vertex(std::int32_t v) const { return vertices_[static_cast<std::size_t>(v)]; }
    std::span<const Vector3> positions() const { return positions_; }  // (V) rest positions, mesh units
    // Returns the rest position of a point with these barycentric coordinates.
    Point4 point(std::int32_t face, const Vector3& weights) const {
        const std::array<Point4, 3>& corners = triangles_[static_cast<std::size_t>(face)].corners;
        return corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
    }

    // Returns the change of the three barycentric coordinates of a point that moves by v; only the tangential part of v
    // counts. Zero if the triangle has collapsed.
    Vector3 weights_along(std::int32_t face, const Point4& v) const {
        const Triangle& triangle = triangles_[static_cast<std::size_t>(face)];
        const float second = dot(triangle.second, v), third = dot(triangle.third, v);
        // return zero if the products have overflowed
        return std::isfinite(std::abs(second) + std::abs(third)) ? Vector3(-second - third, second, third)
                                                                 : Vector3(0.0f, 0.0f, 0.0f);
    }

    // Returns the part of v in the plane of the triangle; v itself if the triangle has collapsed.
    Point4 in_plane(std::int32_t face, const Point4& v) const {
        const Point4& normal = triangles_[static_cast<std::size_t>(face)].normal;
        return v - normal * dot(normal, v);
    }

    // twice the area of a triangle at rest, mesh units squared
    float twice_area(std::int32_t face) const { return twice_areas_[static_cast<std::size_t>(face)]; }

    // Returns the Triangle structs as (T, 6, 4) floats, for kernels.
    const float* triangle_rows() const { return triangles_[0].second.data(); }

  private:
    // second, third: gradients of the barycentric coordinates of the second and third corner, 1 / mesh units. normal:
    // unit normal. All three are zero if the triangle has collapsed. corners: positions at rest, stored here because
    // samples read all these members together.
    struct Triangle {
        Point4 second, third, normal;
        std::array<Point4, 3> corners;
    };
    static_assert(sizeof(Triangle) == 24 * sizeof(float));

    const Topology* topology_;
    std::vector<Vector3> positions_;
    std::vector<Point4> vertices_;
    std::vector<Triangle> triangles_;
    std::vector<float> twice_areas_;
};

// Returns the cloth at rest. If the previous call on this thread had the same topology and positions, and its object is
// still in use, both calls return the same object. So all members of a crowd in the same garment share their rest pose.
std::shared_ptr<const RestCloth> shared_rest(const Topology& topology, std::span<const Vector3> positions);

}  // namespace ruckle
