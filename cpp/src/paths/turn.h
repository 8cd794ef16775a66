// Paths that turn as a whole toward the field.
#pragma once

#include <span>

#include "ruckle/paths/persist.h"

namespace ruckle {

// Where the vertices of a path, moving along their edges, are when it has turned around its middle by `turning` of its mean angle
// to the field, and no vertex by more than `most` (mesh units, per 1/30 s). t may lie beyond [0, 1].
//
// (5.2) alone cannot do this: its first sum pulls at the ends of a straight path and nowhere else, while the second holds every
// vertex, so that a path of n vertices takes n² frames to turn.
void turn_path(const Cloth& cloth, const PersistOptions& options, float most, const Path& path, std::span<float> t);

}  // namespace ruckle
