#include "ruckle/simulation/material.h"

namespace ruckle {

namespace {

// density, stretch, bending, damping, bend and edge damping, air drag, static and dynamic friction, thickness, least and largest stretch
constexpr NamedMaterial presets[] = {
    {"silk", {0.06f, 400.0f, 1e-6f, 0.3f, 0.3f, 0.0f, 1.0f, 0.25f, 0.2f, 0.003f, 0.96f, 1.04f}},
    {"cotton", {0.15f, 600.0f, 4e-6f, 0.3f, 0.3f, 0.0f, 1.0f, 0.4f, 0.3f, 0.004f, 0.96f, 1.04f}},
    {"wool", {0.25f, 800.0f, 1.5e-5f, 0.4f, 0.3f, 0.0f, 1.0f, 0.5f, 0.4f, 0.005f, 0.95f, 1.05f}},
    {"denim", {0.4f, 3000.0f, 5e-5f, 0.4f, 0.3f, 0.0f, 1.0f, 0.6f, 0.5f, 0.005f, 0.97f, 1.03f}},
    {"nylon", {0.08f, 1000.0f, 2e-5f, 0.3f, 0.3f, 0.0f, 1.0f, 0.3f, 0.25f, 0.003f, 0.96f, 1.04f}},
};

}  // namespace

std::span<const NamedMaterial> cloth_materials() {
    return presets;
}

}  // namespace ruckle
