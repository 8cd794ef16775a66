// Rounded cones that move between two frames.
#pragma once

#include <span>

#include "ruckle/simulation/body.h"
#include "simulation/sweeps.h"

namespace ruckle {

// Returns true if all numbers are finite and all radii are at least 0.
bool are_sound(std::span<const RoundedCone> cones);

// Interpolates a cone between the start (`from`) and the end (`to`) of a frame. Returns the cone at the time `now`,
// relative to `origin`, and the motion of its ends since the time `before`. Both times are shares of the frame in [0,
// 1]. If one end sphere contains the other, the result is this sphere, with a zero axis. The caller sets `samples`.
ConeStep cone_step(const RoundedCone& from, const RoundedCone& to, float before, float now, const Vector3& origin);

}  // namespace ruckle
