#include "ruckle/field/strain.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "constants.h"
#include "ruckle/field/stretch.h"

namespace ruckle {

namespace {

// Weighted sum of symmetric tensors: the entries xx, yy, zz, xy, xz, yz, then the sum of the weights.
using Tensor = std::array<float, 7>;

// Adds value × axis axisᵀ to the tensor.
void add_axis(float value, const Vector3& axis, Tensor& tensor) {
    const float x = axis[0], y = axis[1], z = axis[2];
    const float products[6] = {x * x, y * y, z * z, x * y, x * z, y * z};
    for (std::size_t i = 0; i < 6; ++i) {
        tensor[i] += value * products[i];
    }
}

// Returns aᵀ T b.
float along(const Tensor& t, const Vector3& a, const Vector3& b) {
    const Vector3 product(t[0] * b[0] + t[3] * b[1] + t[4] * b[2], t[3] * b[0] + t[1] * b[1] + t[5] * b[2],
                          t[4] * b[0] + t[5] * b[1] + t[2] * b[2]);
    return a.dot(product);
}

Vector3 unit_or_zero(const Vector3& vector) {
    const float length = vector.norm();
    return length > std::numeric_limits<float>::min() && std::isfinite(length) ? Vector3(vector / length)
                                                                               : Vector3(Vector3::Zero());
}

// Returns the principal strains in the tangent plane; zero without a normal, and if numbers overflow.
VertexStrain strain_of(const Tensor& sum, const Vector3& normal) {
    const VertexStrain none{Vector3::Zero(), 0.0f, Vector3::Zero(), 0.0f};
    const Vector3 n = unit_or_zero(normal);
    if (!(sum[6] > 0.0f) || n.isZero()) {
        return none;
    }
    // x and y are a basis of the tangent plane. x is computed from the coordinate axis that is most perpendicular to
    // the normal, which is most accurate
    Eigen::Index least = 0;
    n.cwiseAbs().minCoeff(&least);
    const Vector3 x = unit_or_zero(n.cross(Vector3::Unit(least))), y = n.cross(x);
    const float xx = along(sum, x, x) / sum[6], yy = along(sum, y, y) / sum[6], xy = along(sum, x, y) / sum[6];
    const float middle = 0.5f * (xx + yy), half = 0.5f * (xx - yy), radius = std::sqrt(half * half + xy * xy);
    VertexStrain strain{Vector3::Zero(), middle - radius, Vector3::Zero(), middle + radius};
    if (!std::isfinite(middle) || !std::isfinite(radius)) {
        return none;
    }
    if (radius > isotropic_ratio * (1.0f + std::abs(middle))) {
        // eigenvector of the greater strain, from the row of the matrix whose entries do not cancel
        const Vector2 axis = half > 0.0f ? Vector2(half + radius, xy) : Vector2(xy, radius - half);
        strain.greatest_direction = unit_or_zero(axis[0] * x + axis[1] * y);
        strain.least_direction = n.cross(strain.greatest_direction);
    }
    return strain;
}

}  // namespace

void vertex_strains(const Topology& topology, std::span<const Matrix2> rest, std::span<const Vector3> positions,
                    StrainScratch& scratch, std::span<VertexStrain> strains) {
    const std::size_t face_count = topology.faces.size();
    scratch.edges.resize(face_count);
    scratch.min.resize(face_count), scratch.max.resize(face_count), scratch.compression.resize(face_count);
    scratch.axes.resize(face_count), scratch.degenerate.resize(face_count);
    scratch.normals.assign(positions.size(), Vector3::Zero());
    scratch.tensors.assign(positions.size(), Tensor{});
    edge_matrices(positions, topology.faces, scratch.edges);
    stretch(rest, scratch.edges, {scratch.min, scratch.max, scratch.compression, scratch.axes, scratch.degenerate});
    for (std::size_t f = 0; f < face_count; ++f) {
        const Face& corners = topology.faces[f];
        const Vector3 first = positions[corners[1]] - positions[corners[0]],
                      second = positions[corners[2]] - positions[corners[0]];
        const Vector3 normal = first.cross(second), u = unit_or_zero(first), v = unit_or_zero(normal).cross(u);
        const Vector2& axis = scratch.axes[f];
        const float area = std::abs(rest[f].determinant());
        Tensor tensor{};
        if (!axis.isZero()) {
            add_axis(scratch.min[f] - 1.0f, axis[0] * u + axis[1] * v, tensor);
            add_axis(scratch.max[f] - 1.0f, axis[0] * v - axis[1] * u, tensor);
        } else {
            // without an axis, both strains are equal: use any two perpendicular directions
            add_axis(scratch.min[f] - 1.0f, u, tensor);
            add_axis(scratch.min[f] - 1.0f, v, tensor);
        }
        tensor[6] = 1.0f;
        for (const std::int32_t corner : corners) {
            scratch.normals[corner] += normal;
            for (std::size_t i = 0; i < tensor.size(); ++i) {
                scratch.tensors[corner][i] += area * tensor[i];
            }
        }
    }
    std::transform(scratch.tensors.begin(), scratch.tensors.end(), scratch.normals.begin(), strains.begin(), strain_of);
}

}  // namespace ruckle
