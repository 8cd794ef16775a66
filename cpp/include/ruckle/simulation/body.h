// body: shapes that the cloth collides with. Games use rounded cones; other bodies use a moving triangle mesh.
//
// Example:
//     const ruckle::RoundedCone forearm{.first = {0.0f, 0.0f, 0.0f}, .first_radius = 0.05f,
//                                       .second = {0.25f, 0.0f, 0.0f}, .second_radius = 0.035f};
#pragma once

#include "ruckle/types.h"

namespace ruckle {

// The convex hull of two spheres, such as a limb between two joints. It is a sphere if both centers coincide.
struct RoundedCone {
    Vector3 first;        // center of the first sphere, m
    float first_radius;   // radius of the first sphere, m, >= 0
    Vector3 second;       // center of the second sphere, m
    float second_radius;  // radius of the second sphere, m, >= 0
};

static_assert(sizeof(RoundedCone) == 32);

}  // namespace ruckle
