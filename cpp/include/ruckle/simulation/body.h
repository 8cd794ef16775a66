// body: what cloth collides with. Rounded cones run in a game; a moving triangle mesh is for bodies that are none.
#pragma once

#include "ruckle/types.h"

namespace ruckle {

// The hull of two spheres: a limb between two joints. A sphere where both centers coincide.
struct RoundedCone {
    Vector3 first;        // m
    float first_radius;   // m, >= 0
    Vector3 second;       // m
    float second_radius;  // m, >= 0
};

static_assert(sizeof(RoundedCone) == 32);

}  // namespace ruckle
