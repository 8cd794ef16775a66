#include "ruckle/simulation/material.h"

namespace ruckle {

namespace {

// Ten fabrics measured by Wang, O'Brien and Ramamoorthi, "Data-Driven Elastic Models for Cloth: Modeling and Measurement", SIGGRAPH 2011;
// the data are distributed with ARCSim and the Berkeley Garment Library, under the names in the comments.
//
// density: as measured. stretch: the mean of c11 and c22 over all six samples. bending: the mean over three directions of the stiffness
// at the least curvature, over 4, because ARCSim's hinge of stiffness k, of energy k l² θ² / (8 A), bends as a plate of k / 4.
// Not measured, and typical: damping, drag, friction, distance from bodies, and strain limits, which are tighter for woven fabrics.
// cotton is typical throughout: a shirting of medium weight, within the measured range.
constexpr NamedMaterial presets[] = {
    // density, stretch, bending, damping, bend and edge damping, drag, static and dynamic friction, thickness, strain limits
    {"cotton", {0.150f, 600.0f, 1.20e-5f, 0.3f, 0.3f, 0.0f, 1.0f, 0.4f, 0.3f, 0.004f, 0.96f, 1.04f}},
    // gray-interlock: T-shirt, 60 % cotton, 40 % polyester
    {"interlock", {0.187f, 182.0f, 5.2e-6f, 0.3f, 0.3f, 0.0f, 1.0f, 0.4f, 0.3f, 0.004f, 0.95f, 1.05f}},
    // tango-red-jet-set: jacket, polyester
    {"jacket", {0.113f, 205.0f, 4.7e-6f, 0.3f, 0.3f, 0.0f, 1.0f, 0.3f, 0.25f, 0.004f, 0.95f, 1.05f}},
    // ivory-rib-knit: underwear, 95 % cotton, 5 % spandex
    {"rib", {0.276f, 110.0f, 9.0e-6f, 0.3f, 0.3f, 0.0f, 1.0f, 0.4f, 0.3f, 0.004f, 0.95f, 1.05f}},
    // camel-ponte-roma: jacket, 60 % polyester, 40 % rayon
    {"ponte", {0.284f, 132.0f, 8.9e-6f, 0.3f, 0.3f, 0.0f, 1.0f, 0.4f, 0.3f, 0.004f, 0.95f, 1.05f}},
    // navy-sparkle-sweat: sweater, 96 % polyester, 4 % spandex
    {"sweater", {0.224f, 125.0f, 1.21e-5f, 0.3f, 0.3f, 0.0f, 1.0f, 0.5f, 0.4f, 0.005f, 0.95f, 1.05f}},
    // white-swim-solid: swimsuit, 87 % nylon, 13 % spandex
    {"swimwear", {0.204f, 82.0f, 1.42e-5f, 0.3f, 0.3f, 0.0f, 1.0f, 0.3f, 0.25f, 0.003f, 0.95f, 1.05f}},
    // white-dots-on-blk: tablecloth, polyester
    {"tablecloth", {0.128f, 2110.0f, 1.03e-5f, 0.3f, 0.3f, 0.0f, 1.0f, 0.3f, 0.25f, 0.003f, 0.96f, 1.04f}},
    // pink-ribbon-brown: blanket, polyester
    {"blanket", {0.228f, 209.0f, 2.20e-5f, 0.3f, 0.3f, 0.0f, 1.0f, 0.5f, 0.4f, 0.005f, 0.95f, 1.05f}},
    // 11oz-black-denim: jeans, 99 % cotton, 1 % spandex
    {"denim", {0.324f, 636.0f, 1.95e-5f, 0.4f, 0.3f, 0.0f, 1.0f, 0.6f, 0.5f, 0.005f, 0.97f, 1.03f}},
    // royal-target: pants, 65 % cotton, 35 % polyester
    {"pants", {0.220f, 2120.0f, 2.99e-5f, 0.3f, 0.3f, 0.0f, 1.0f, 0.4f, 0.3f, 0.004f, 0.96f, 1.04f}},
};

}  // namespace

std::span<const NamedMaterial> cloth_materials() {
    return presets;
}

}  // namespace ruckle
