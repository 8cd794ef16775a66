// The cloth at rest, in which drawn lines are measured, prepared for points that move over it.
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
    // positions: (V), mesh units
    RestCloth(const Topology& topology, std::span<const Vector3> positions);

    // Whether it is that of these positions, to the bit.
    bool is_of(const Topology& topology, std::span<const Vector3> positions) const;

    const Topology& topology() const { return *topology_; }
    const Point4& vertex(std::int32_t v) const { return vertices_[static_cast<std::size_t>(v)]; }
    std::span<const Vector3> positions() const { return positions_; }  // (V)
    Point4 point(std::int32_t face, const Vector3& weights) const {
        const std::array<Point4, 3>& corners = triangles_[static_cast<std::size_t>(face)].corners;
        return corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
    }

    // Changes of the barycentric weights along a vector, of which the part in the plane of the triangle counts; zero where it has
    // collapsed.
    Vector3 weights_along(std::int32_t face, const Point4& v) const {
        const Triangle& triangle = triangles_[static_cast<std::size_t>(face)];
        const float second = dot(triangle.second, v), third = dot(triangle.third, v);
        // products may have overflowed
        return std::isfinite(std::abs(second) + std::abs(third)) ? Vector3(-second - third, second, third)
                                                                 : Vector3(0.0f, 0.0f, 0.0f);
    }

    // The part of a vector in the plane of a triangle; all of it where that has collapsed.
    Point4 in_plane(std::int32_t face, const Point4& v) const {
        const Point4& normal = triangles_[static_cast<std::size_t>(face)].normal;
        return v - normal * dot(normal, v);
    }

    float twice_area(std::int32_t face) const { return twice_areas_[static_cast<std::size_t>(face)]; }

    // For kernels: per triangle (T, 6, 4) what the functions above read, and the corners.
    const float* triangle_rows() const { return triangles_[0].second.data(); }

  private:
    // Gradients of the weights of the second and third corner, 1 / mesh units, and the unit normal; zero where it has collapsed. And
    // its corners once more: samples ask for all of it at once.
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

// The cloth at rest, shared with those that this thread made one after the other at the same positions: a crowd in one garment
// begins from one pose.
std::shared_ptr<const RestCloth> shared_rest(const Topology& topology, std::span<const Vector3> positions);

}  // namespace ruckle
