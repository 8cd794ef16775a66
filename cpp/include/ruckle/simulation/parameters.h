// parameters: the options of simulated cloth, the numbers of a material, and the fabrics; SI units.
//
// Generated from cpp/options/simulation.toml by `make options`: edit that file.
//
// Example:
//     ruckle::ClothOptions options;
//     options.compression = 1.0f;
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ruckle/parameter.h"
#include "ruckle/types.h"

namespace ruckle {

struct ClothMaterial {
    float density = 0.15f;          // kg/m², > 0
    float stretch = 600.0f;         // N/m, > 0
    float bending = 1.2e-05f;       // N m, >= 0
    float damping = 0.3f;           // 1/s, >= 0
    float bend_damping = 0.3f;      // seconds, >= 0
    float bend_friction = 0.0f;     // N, >= 0
    float edge_damping = 0.0f;      // seconds, >= 0
    float air_drag = 1.0f;          // >= 0
    float static_friction = 0.4f;   // >= 0
    float dynamic_friction = 0.3f;  // in [0, static_friction]
    float thickness = 0.004f;       // metres, >= 0
    float least_stretch = 0.96f;    // in [0, 1]
    float largest_stretch = 1.04f;  // >= 1
};

struct ClothOptions {
    ClothMaterial material{};
    int substeps = 16;                       // per frame, in [1, 256]
    int strain_sweeps = 3;                   // per substep, in [0, 16]
    float compression = 1.0f;                // in [0, 1]
    bool rest_curvature = false;
    float attachment_rate = 60.0f;           // 1/s, >= 0
    Vector3 gravity = {0.0f, -9.81f, 0.0f};  // m/s²
    float margin = 0.0f;                     // metres, >= 0
    float contact_spacing = 0.0f;            // metres, >= 0
    float self_distance = 0.0f;              // metres, >= 0
    bool record_substeps = false;
    int threads = 1;                         // in [1, 256]
};

inline constexpr Option<ClothMaterial> material_parameters[] = {
    {&ClothMaterial::density, {
        .name = "density",
        .group = "material",
        .unit = "kg/m²",
        .range = above(0.0),
        .help = "Mass per area.",
        .kind = ParameterKind::number,
        .default_value = 0.15,
    }},
    {&ClothMaterial::stretch, {
        .name = "stretch",
        .group = "material",
        .unit = "N/m",
        .range = above(0.0),
        .help = "Young's modulus of the cloth times its thickness.",
        .kind = ParameterKind::number,
        .default_value = 600.0,
    }},
    {&ClothMaterial::bending, {
        .name = "bending",
        .group = "material",
        .unit = "N m",
        .range = at_least(0.0),
        .help = "Bending moment per width and curvature, as KES-F measures it: 1 gf cm²/cm is 9.8e-5 N m.",
        .kind = ParameterKind::number,
        .default_value = 1.2e-05,
    }},
    {&ClothMaterial::damping, {
        .name = "damping",
        .group = "material",
        .unit = "1/s",
        .range = at_least(0.0),
        .help = "Share of its speed that the cloth loses per second.",
        .kind = ParameterKind::number,
        .default_value = 0.3,
    }},
    {&ClothMaterial::bend_damping, {
        .name = "bend_damping",
        .group = "material",
        .unit = "seconds",
        .range = at_least(0.0),
        .help = "Resistance to the rate of bending, divided by the resistance to bending: with more, folds flow instead of shaking. Use 1 for coarse cloth.",
        .kind = ParameterKind::number,
        .default_value = 0.3,
    }},
    {&ClothMaterial::bend_friction, {
        .name = "bend_friction",
        .group = "material",
        .unit = "N",
        .range = at_least(0.0),
        .help = "Bending moment per width that friction between yarns resists, half of 2HB of KES-F: 1 gf cm/cm is 9.8e-3 N. Use 100/m times bending for coarse cloth: it then stops swinging. With edges shorter than 30 mm the effect is small.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&ClothMaterial::edge_damping, {
        .name = "edge_damping",
        .group = "material",
        .unit = "seconds",
        .range = at_least(0.0),
        .help = "Resistance to the rate of stretching, divided by the resistance to stretching. Use 0.1 for coarse cloth, which resists compression little.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&ClothMaterial::air_drag, {
        .name = "air_drag",
        .group = "material",
        .range = at_least(0.0),
        .help = "Pressure coefficient of a face that moves through the air at a right angle.",
        .kind = ParameterKind::number,
        .default_value = 1.0,
    }},
    {&ClothMaterial::static_friction, {
        .name = "static_friction",
        .group = "material",
        .range = at_least(0.0),
        .help = "Coulomb coefficient of cloth that sticks to a body.",
        .kind = ParameterKind::number,
        .default_value = 0.4,
    }},
    {&ClothMaterial::dynamic_friction, {
        .name = "dynamic_friction",
        .group = "material",
        .range = at_least(0.0),
        .ceiling = "static_friction",
        .help = "Coulomb coefficient of cloth that slides on a body.",
        .kind = ParameterKind::number,
        .default_value = 0.3,
    }},
    {&ClothMaterial::thickness, {
        .name = "thickness",
        .group = "material",
        .unit = "metres",
        .range = at_least(0.0),
        .help = "Distance that the cloth keeps from bodies.",
        .kind = ParameterKind::number,
        .default_value = 0.004,
    }},
    {&ClothMaterial::least_stretch, {
        .name = "least_stretch",
        .group = "material",
        .range = {.least = 0.0, .most = 1.0},
        .help = "Lower limit of the principal stretches of every triangle.",
        .kind = ParameterKind::number,
        .default_value = 0.96,
    }},
    {&ClothMaterial::largest_stretch, {
        .name = "largest_stretch",
        .group = "material",
        .range = at_least(1.0),
        .help = "Upper limit of the principal stretches of every triangle.",
        .kind = ParameterKind::number,
        .default_value = 1.04,
    }},
};

inline constexpr Option<ClothOptions, Vector3> cloth_parameters[] = {
    {&ClothOptions::substeps, {
        .name = "substeps",
        .group = "simulation",
        .unit = "per frame",
        .range = {.least = 1.0, .most = 256.0},
        .help = "Time steps into which a frame is divided: 16 for fine cloth, 4 to 8 in a game.",
        .kind = ParameterKind::integer,
        .default_value = 16.0,
    }},
    {&ClothOptions::strain_sweeps, {
        .name = "strain_sweeps",
        .group = "simulation",
        .unit = "per substep",
        .range = {.least = 0.0, .most = 16.0},
        .help = "Passes that limit the principal stretches of triangles to the range of the material.",
        .kind = ParameterKind::integer,
        .default_value = 3.0,
    }},
    {&ClothOptions::compression, {
        .name = "compression",
        .group = "simulation",
        .range = {.least = 0.0, .most = 1.0},
        .help = "Stiffness under compression, divided by the stiffness under tension: 1 for fine cloth, 0.05 for coarse cloth, which cannot buckle between its vertices.",
        .kind = ParameterKind::number,
        .default_value = 1.0,
    }},
    {&ClothOptions::rest_curvature, {
        .name = "rest_curvature",
        .group = "simulation",
        .help = "Use the bending angles of the rest shape as the rest angles, as in moulded garments; otherwise cloth is flat at rest.",
        .kind = ParameterKind::flag,
        .default_value = 0.0,
    }},
    {&ClothOptions::attachment_rate, {
        .name = "attachment_rate",
        .group = "simulation",
        .unit = "1/s",
        .range = at_least(0.0),
        .help = "Angular frequency at which attached cloth is pulled to its pins.",
        .kind = ParameterKind::number,
        .default_value = 60.0,
    }},
    {&ClothOptions::gravity, {
        .name = "gravity",
        .group = "simulation",
        .unit = "m/s²",
        .help = "Acceleration of free fall.",
        .kind = ParameterKind::vector,
    }},
    {&ClothOptions::margin, {
        .name = "margin",
        .group = "contact",
        .unit = "metres",
        .range = at_least(0.0),
        .help = "Additional distance from bodies for coarse cloth: an edge of length e cuts e² / 8r deep into a limb of radius r.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&ClothOptions::contact_spacing, {
        .name = "contact_spacing",
        .group = "contact",
        .unit = "metres",
        .range = at_least(0.0),
        .help = "Spacing of additional points on edges and faces, which remain outside a body's mesh by the material's thickness; 0: no such points.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&ClothOptions::self_distance, {
        .name = "self_distance",
        .group = "contact",
        .unit = "metres",
        .range = at_least(0.0),
        .help = "Distance between layers of this cloth; with 0, layers can pass through each other.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&ClothOptions::record_substeps, {
        .name = "record_substeps",
        .group = "simulation",
        .help = "Store the positions after every substep; fine cloth that tracks this cloth needs them.",
        .kind = ParameterKind::flag,
        .default_value = 0.0,
    }},
    {&ClothOptions::threads, {
        .name = "threads",
        .group = "speed",
        .range = {.least = 1.0, .most = 256.0},
        .help = "Threads that share a step; more than one helps above some thousand vertices. Results do not depend on it.",
        .kind = ParameterKind::integer,
        .default_value = 1.0,
    }},
};

// Milliseconds that each stage of the last step took, all substeps together, in order.
struct ClothTimings {
    double air = 0.0;
    double edges = 0.0;
    double bends = 0.0;
    double self_contact = 0.0;
    double strain = 0.0;
    double tracking = 0.0;
    double bodies = 0.0;
    double other = 0.0;
    double total = 0.0;
};

struct NamedMaterial {
    const char* name;
    ClothMaterial material;
};

inline constexpr NamedMaterial cloth_materials[] = {
    {"cotton", {.density = 0.15f, .stretch = 600.0f, .bending = 1.2e-05f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.4f, .dynamic_friction = 0.3f, .thickness = 0.004f, .least_stretch = 0.96f, .largest_stretch = 1.04f}},
    {"interlock", {.density = 0.187f, .stretch = 182.0f, .bending = 5.2e-06f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.4f, .dynamic_friction = 0.3f, .thickness = 0.004f, .least_stretch = 0.95f, .largest_stretch = 1.05f}},
    {"jacket", {.density = 0.113f, .stretch = 205.0f, .bending = 4.7e-06f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.3f, .dynamic_friction = 0.25f, .thickness = 0.004f, .least_stretch = 0.95f, .largest_stretch = 1.05f}},
    {"rib", {.density = 0.276f, .stretch = 110.0f, .bending = 9e-06f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.4f, .dynamic_friction = 0.3f, .thickness = 0.004f, .least_stretch = 0.95f, .largest_stretch = 1.05f}},
    {"ponte", {.density = 0.284f, .stretch = 132.0f, .bending = 8.9e-06f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.4f, .dynamic_friction = 0.3f, .thickness = 0.004f, .least_stretch = 0.95f, .largest_stretch = 1.05f}},
    {"sweater", {.density = 0.224f, .stretch = 125.0f, .bending = 1.21e-05f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.5f, .dynamic_friction = 0.4f, .thickness = 0.005f, .least_stretch = 0.95f, .largest_stretch = 1.05f}},
    {"swimwear", {.density = 0.204f, .stretch = 82.0f, .bending = 1.42e-05f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.3f, .dynamic_friction = 0.25f, .thickness = 0.003f, .least_stretch = 0.95f, .largest_stretch = 1.05f}},
    {"tablecloth", {.density = 0.128f, .stretch = 2110.0f, .bending = 1.03e-05f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.3f, .dynamic_friction = 0.25f, .thickness = 0.003f, .least_stretch = 0.96f, .largest_stretch = 1.04f}},
    {"blanket", {.density = 0.228f, .stretch = 209.0f, .bending = 2.2e-05f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.5f, .dynamic_friction = 0.4f, .thickness = 0.005f, .least_stretch = 0.95f, .largest_stretch = 1.05f}},
    {"denim", {.density = 0.324f, .stretch = 636.0f, .bending = 1.95e-05f, .damping = 0.4f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.6f, .dynamic_friction = 0.5f, .thickness = 0.005f, .least_stretch = 0.97f, .largest_stretch = 1.03f}},
    {"pants", {.density = 0.22f, .stretch = 2120.0f, .bending = 2.99e-05f, .damping = 0.3f, .bend_damping = 0.3f, .bend_friction = 0.0f, .edge_damping = 0.0f,
        .air_drag = 1.0f, .static_friction = 0.4f, .dynamic_friction = 0.3f, .thickness = 0.004f, .least_stretch = 0.96f, .largest_stretch = 1.04f}},
};

}  // namespace ruckle
