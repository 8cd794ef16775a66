// Rounded cones between two frames.
#pragma once

#include <span>

#include "ruckle/simulation/body.h"
#include "simulation/sweeps.h"

namespace ruckle {

// True when every number is finite and no radius is below 0.
bool are_sound(std::span<const RoundedCone> cones);

// A cone that moves from one frame to the next, between two shares of the way, relative to an origin.
ConeStep cone_step(const RoundedCone& from, const RoundedCone& to, float before, float now, const Vector3& origin);

}  // namespace ruckle
