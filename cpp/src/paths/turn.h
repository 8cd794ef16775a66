// Rotates whole paths toward the direction of the field.
#pragma once

#include <span>

#include "ruckle/paths/persist.h"

namespace ruckle {

// Writes the t of all path vertices after a rotation of the path around its middle toward the direction of wrinkles in
// the field. With the mean sine of the angle between path and field, the rotation is the share min(1, turning × 30 dt)
// of the part of this sine above idle_turn_sine, radians. The ends of the path move by at most `most` (mesh units, per
// 1/30 s). t may be outside [0, 1]. Paths with fewer than least_turning_vertices vertices do not rotate. A vertex keeps
// its t if its triangle has collapsed.
//
// The energy (5.2) of persist.h alone cannot rotate a long path: its first sum acts only on the ends of a straight
// path, while the second sum holds every vertex back. So the rotation of a path of n vertices would take n² frames.
void turn_path(const Cloth& cloth, const PersistOptions& options, float most, const Path& path, std::span<float> t);

}  // namespace ruckle
