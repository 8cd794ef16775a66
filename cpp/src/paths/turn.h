// Rotates whole paths toward the direction of the field.
#pragma once

#include <span>

#include "ruckle/paths/persist.h"

namespace ruckle {

// Rotates a path around its middle by `turning` times its mean angle to the field, by changing the t of its vertices. A
// vertex moves by at most `most` (mesh units, per 1/30 s). t may leave [0, 1].
//
// The energy (5.2) alone cannot rotate a long path: its first sum acts only on the ends of a straight path, while the
// second sum holds every vertex back. So a path of n vertices would take n² frames.
void turn_path(const Cloth& cloth, const PersistOptions& options, float most, const Path& path, std::span<float> t);

}  // namespace ruckle
