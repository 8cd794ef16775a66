// Rotates whole paths toward the direction of the field.
#pragma once

#include <span>

#include "ruckle/paths/persist.h"

namespace ruckle {

// Writes the t of all path vertices after a rotation of the path around its middle toward the direction of the field.
// The angle per 1/30 s is `turning` times the mean deviation of the path, above a threshold. The ends of the path move
// by at most `most` (mesh units, per 1/30 s). t may be outside [0, 1]. Short paths do not rotate.
//
// The energy (5.2) of persist.h alone cannot rotate a long path: its first sum acts only on the ends of a straight
// path, while the second sum holds every vertex back. So the rotation of a path of n vertices would take n² frames.
void turn_path(const Cloth& cloth, const PersistOptions& options, float most, const Path& path, std::span<float> t);

}  // namespace ruckle
