// How much the cloth under a path moves within itself.
#pragma once

#include <span>

#include "ruckle/paths/path.h"

namespace ruckle {

// The share, in [0, 1], of its ordinary pace at which a path follows the field: 0 where the cloth under it holds still, 1 from
// lively_rate on. Told by the largest relative change of an edge of its triangles since the previous frame; rigid motion has none.
// dt: seconds, > 0
float liveliness(const Cloth& cloth, std::span<const Vector3> previous, const Path& path, float dt);

}  // namespace ruckle
