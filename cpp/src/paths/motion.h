// How much the cloth under a path moves within itself.
#pragma once

#include <span>

#include "ruckle/paths/path.h"

namespace ruckle {

// The largest relative change of an edge of the path's triangles since the previous frame; rigid motion has none.
float edge_change(const Cloth& cloth, std::span<const Vector3> previous, const Path& path);

// The share, in [0, 1], of its ordinary pace at which a path follows the field: 0 where the cloth holds still, 1 from
// lively_rate on. dt: seconds, > 0
float liveliness(float change, float dt);

}  // namespace ruckle
