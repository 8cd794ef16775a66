// Rounded cones that move between two frames.
#pragma once

#include <span>

#include "ruckle/simulation/body.h"
#include "simulation/sweeps.h"

namespace ruckle {

// True if all numbers are finite and all radii are at least 0.
bool are_sound(std::span<const RoundedCone> cones);

// Returns the motion of a cone in one substep, from the share `before` of the frame to the share `now`, relative to an
// origin.
ConeStep cone_step(const RoundedCone& from, const RoundedCone& to, float before, float now, const Vector3& origin);

}  // namespace ruckle
