// Rotation of whole paths toward the field.
#pragma once

#include <span>

#include "ruckle/paths/persist.h"

namespace ruckle {

// Rotates a path, with vertices on their edges, around its middle by `turning` times its mean angle to the field. A vertex moves by
// at most `most` (mesh units, per 1/30 s). t may leave [0, 1].
//
// (5.2) alone cannot do this. Its first sum acts only on the ends of a straight path, while the second holds every vertex, so
// that a path of n vertices takes n² frames to turn.
void turn_path(const Cloth& cloth, const PersistOptions& options, float most, const Path& path, std::span<float> t);

}  // namespace ruckle
