// material: what a fabric weighs, how it resists stretching and bending, and how it meets air and bodies. SI units.
#pragma once

#include <span>

namespace ruckle {

struct ClothMaterial {
    float density = 0.15f;    // kg/m², > 0
    float stretch = 600.0f;   // N/m, > 0: Young's modulus of the cloth times its thickness
    float bending = 1.2e-5f;  // N m, >= 0: bending moment per width and curvature, as KES-F measures it
    float damping = 0.3f;     // 1/s, >= 0: share of its speed that the cloth loses per second
    float bend_damping =
        0.3f;  // s, >= 0: time by which bending forces lag: resistance to the rate of bending over that to bending
    float edge_damping = 0.0f;      // s, >= 0: the same of the lengths of edges; 0.1 for coarse cloth
    float air_drag = 1.0f;          // >= 0: pressure coefficient of a face that meets the air head on
    float static_friction = 0.4f;   // >= dynamic_friction: Coulomb coefficient of cloth that sticks to a body
    float dynamic_friction = 0.3f;  // >= 0: of cloth that slides
    float thickness = 0.004f;       // m, >= 0: distance that the cloth keeps from bodies
    float least_stretch = 0.95f;    // in [0, 1]: the principal stretches of the cloth are held above this
    float largest_stretch = 1.05f;  // >= 1: and below this
};

struct NamedMaterial {
    const char* name;
    ClothMaterial material;
};

// A typical cotton and ten measured fabrics; material.cpp gives the source of each number.
std::span<const NamedMaterial> cloth_materials();

}  // namespace ruckle
