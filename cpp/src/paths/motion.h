// Measures how fast the cloth under a path deforms.
#pragma once

#include <span>

#include "ruckle/paths/path.h"

namespace ruckle {

// Returns the pace of a path in [0, 1], a factor of its speed: 0 on cloth that does not deform, 1 if the cloth deforms
// at least at the rate lively_rate (constants.h). The pace depends on the largest relative change of an edge length in
// the path's triangles since the previous frame. It is 0 for rigid motion.
//
// dt  time since the previous frame, s, > 0
float liveliness(const Cloth& cloth, std::span<const Vector3> previous, const Path& path, float dt);

}  // namespace ruckle
