#include "ruckle/paths/rest_cloth.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "constants.h"

namespace ruckle {

void RestCloth::set_positions(std::span<const Vector3> positions) {
    vertices_.resize(positions.size());
    std::transform(positions.begin(), positions.end(), vertices_.begin(), point4);
    triangles_.resize(topology_->faces.size());
    for (std::size_t f = 0; f < triangles_.size(); ++f) {
        const Face& corners = topology_->faces[f];
        const Vector3& origin = positions[corners[0]];
        const Vector3 a = positions[corners[1]] - origin, b = positions[corners[2]] - origin, across = a.cross(b);
        const float aa = a.squaredNorm(), ab = a.dot(b), bb = b.squaredNorm(), determinant = aa * bb - ab * ab;
        const Vector3 second = (bb * a - ab * b) / determinant, third = (aa * b - ab * a) / determinant;
        const Vector3 normal = across / across.norm();
        // false as well where products have overflowed
        const bool stands = determinant > collapsed_gram_ratio * aa * bb && (second + third + normal).allFinite();
        const Vector3 none = Vector3::Zero();
        triangles_[f] = {point4(stands ? second : none), point4(stands ? third : none), point4(stands ? normal : none)};
    }
}

}  // namespace ruckle
