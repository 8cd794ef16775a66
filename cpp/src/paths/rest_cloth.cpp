#include "ruckle/paths/rest_cloth.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstring>

#include "constants.h"
#include "support/per_thread.h"

namespace ruckle {

RestCloth::RestCloth(const Topology& topology, std::span<const Vector3> positions)
    : topology_(&topology),
      positions_(positions.begin(), positions.end()),
      vertices_(positions.size()),
      triangles_(topology.faces.size()),
      twice_areas_(topology.faces.size()) {
    std::transform(positions.begin(), positions.end(), vertices_.begin(), point4);
    for (std::size_t f = 0; f < triangles_.size(); ++f) {
        const Face& corners = topology_->faces[f];
        const Vector3& origin = positions[corners[0]];
        const Vector3 a = positions[corners[1]] - origin, b = positions[corners[2]] - origin, across = a.cross(b);
        const float aa = a.squaredNorm(), ab = a.dot(b), bb = b.squaredNorm(), determinant = aa * bb - ab * ab;
        const Vector3 second = (bb * a - ab * b) / determinant, third = (aa * b - ab * a) / determinant;
        const Vector3 normal = across / across.norm();
        // stands: the triangle has not collapsed. Also false if products overflow
        const bool stands = determinant > collapsed_gram_ratio * aa * bb && (second + third + normal).allFinite();
        const Vector3 none = Vector3::Zero();
        const Point4 whole = cross(point4(a), point4(b));
        twice_areas_[f] = std::sqrt(dot(whole, whole));
        triangles_[f] = {point4(stands ? second : none),
                         point4(stands ? third : none),
                         point4(stands ? normal : none),
                         {vertex(corners[0]), vertex(corners[1]), vertex(corners[2])}};
    }
}

bool RestCloth::is_of(const Topology& topology, std::span<const Vector3> positions) const {
    return topology_ == &topology && positions_.size() == positions.size() &&
           std::memcmp(positions_.data(), positions.data(), positions.size_bytes()) == 0;
}

std::shared_ptr<const RestCloth> shared_rest(const Topology& topology, std::span<const Vector3> positions) {
    // a type for of_this_thread, which creates one object per thread and type
    struct Latest {
        std::weak_ptr<const RestCloth> cloth;
    };
    std::weak_ptr<const RestCloth>& latest = of_this_thread<Latest>().cloth;
    std::shared_ptr<const RestCloth> rest = latest.lock();
    if (!rest || !rest->is_of(topology, positions)) {
        // the object is immutable after construction, so that threads can share it
        rest = std::make_shared<const RestCloth>(topology, positions);
        latest = rest;
    }
    return rest;
}

}  // namespace ruckle
