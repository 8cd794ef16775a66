// parameters: the options of wrinkle waves, and the meaning of each.
//
// The defaults suit garments that a skeleton moves. simulated_waves() in wave_field.h returns options for coarse cloth
// that was simulated.
//
// Generated from cpp/options/waves.toml by `make options`: edit that file.
//
// Example:
//     ruckle::WaveOptions options;
//     options.gain = 1.9f;
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ruckle/parameter.h"
#include "ruckle/types.h"

namespace ruckle {

// value of r_min if it is not set, in percent of the character's height at rest
inline constexpr double wave_radius_percent = 0.5;

struct WaveOptions {
    std::optional<float> r_min{};       // mesh units, in [1e-12, 1e12]
    std::optional<float> wavelength{};  // mesh units, in [1e-12, 1e12]
    float gain = 1.9f;                  // in [0, 10]
    float slack = 0.15f;                // in [0, 1]
    float steepest = 2.0f;              // in (0, 10]
    float sharpness = 0.2f;             // in [0, 0.5]
    float detail = 0.25f;               // in [0, 2]
    float sag = 0.25f;                  // in [0, 1]
    float lift = 0.0f;                  // in [0, 2]
    float irregularity = 0.5f;          // in [0, 3]
    float coherence = 0.0f;             // in [0, 4]
    float hang = 0.8f;                  // in [0, 4]
    float hem = 0.0f;                   // in [0, 1]
    float calm = 0.5f;                  // r_min per 1/30 s, in (0, 100]
    std::uint64_t seed = 0;             // in [0, 2^64)
    int threads = 1;                    // in [1, 256]
};

inline constexpr Option<WaveOptions> wave_parameters[] = {
    {&WaveOptions::r_min, {
        .name = "r_min",
        .group = "waves",
        .unit = "mesh units",
        .range = {.least = 1e-12, .most = 1000000000000.0},
        .derived = "0.5 % of the height at rest",
        .height_percent = wave_radius_percent,
        .help = "Smallest radius of a fold; default lengths of this layer are multiples of it.",
        .kind = ParameterKind::length,
    }},
    {&WaveOptions::wavelength, {
        .name = "wavelength",
        .group = "waves",
        .unit = "mesh units",
        .range = {.least = 1e-12, .most = 1000000000000.0},
        .derived = "7 r_min",
        .help = "Distance between folds on the cloth at rest.",
        .kind = ParameterKind::length,
    }},
    {&WaveOptions::gain, {
        .name = "gain",
        .group = "waves",
        .range = {.least = 0.0, .most = 10.0},
        .help = "Multiplies the slope of folds; 1 restores the lost length if slack is 0.",
        .kind = ParameterKind::number,
        .default_value = 1.9,
    }},
    {&WaveOptions::slack, {
        .name = "slack",
        .group = "waves",
        .range = {.least = 0.0, .most = 1.0},
        .help = "Lost share of length at which folds reach half of their slope; real cloth loses smaller shares without folds, by sliding and hanging.",
        .kind = ParameterKind::number,
        .default_value = 0.15,
    }},
    {&WaveOptions::steepest, {
        .name = "steepest",
        .group = "waves",
        .range = {.least = 0.0, .most = 10.0, .with_least = false},
        .help = "Largest slope of a fold: that of a cosine with the same arc length.",
        .kind = ParameterKind::number,
        .default_value = 2.0,
    }},
    {&WaveOptions::sharpness, {
        .name = "sharpness",
        .group = "profile",
        .range = {.least = 0.0, .most = 0.5},
        .help = "Height of the second harmonic relative to the first; it makes crests sharper and valleys flatter.",
        .kind = ParameterKind::number,
        .default_value = 0.2,
    }},
    {&WaveOptions::detail, {
        .name = "detail",
        .group = "profile",
        .range = {.least = 0.0, .most = 2.0},
        .help = "Height of a second wave, with 1/1.6 of the wavelength, relative to the first.",
        .kind = ParameterKind::number,
        .default_value = 0.25,
    }},
    {&WaveOptions::sag, {
        .name = "sag",
        .group = "profile",
        .range = {.least = 0.0, .most = 1.0},
        .help = "How far horizontal folds lean down.",
        .kind = ParameterKind::number,
        .default_value = 0.25,
    }},
    {&WaveOptions::lift, {
        .name = "lift",
        .group = "profile",
        .range = {.least = 0.0, .most = 2.0},
        .help = "How far folds move outward, as a share of the depth of their valleys.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&WaveOptions::irregularity, {
        .name = "irregularity",
        .group = "profile",
        .range = {.least = 0.0, .most = 3.0},
        .help = "Variation of wavelength, direction and gain over the cloth.",
        .kind = ParameterKind::number,
        .default_value = 0.5,
    }},
    {&WaveOptions::coherence, {
        .name = "coherence",
        .group = "fading",
        .range = {.least = 0.0, .most = 4.0},
        .help = "Heights are multiplied by the agreement of neighbouring phases to this power; with 0, disagreement does not lower folds.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&WaveOptions::hang, {
        .name = "hang",
        .group = "fading",
        .range = {.least = 0.0, .most = 4.0},
        .help = "How far folds of loose cloth turn toward the direction of gravity, and those of short sleeves around the arm: 0 uses the compression alone.",
        .kind = ParameterKind::number,
        .default_value = 0.8,
    }},
    {&WaveOptions::hem, {
        .name = "hem",
        .group = "fading",
        .range = {.least = 0.0, .most = 1.0},
        .help = "Share of their height that folds keep at loose hems, because cloth slides there; 1 does not lower them.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&WaveOptions::calm, {
        .name = "calm",
        .group = "motion",
        .unit = "r_min per 1/30 s",
        .range = {.least = 0.0, .most = 100.0, .with_least = false},
        .help = "Upper bound on the change of any height.",
        .kind = ParameterKind::number,
        .default_value = 0.5,
    }},
    {&WaveOptions::seed, {
        .name = "seed",
        .group = "motion",
        .range = {.least = 0.0, .most = 0x1p64, .with_most = false},
        .help = "Random seed of the irregularity.",
        .kind = ParameterKind::integer,
        .default_value = 0.0,
    }},
    {&WaveOptions::threads, {
        .name = "threads",
        .group = "speed",
        .range = {.least = 1.0, .most = 256.0},
        .help = "Threads that share a step; more than one helps above about 10,000 triangles. Results do not depend on it.",
        .kind = ParameterKind::integer,
        .default_value = 1.0,
    }},
};

// Milliseconds that each stage of the last step took, in order.
struct WaveTimings {
    double field = 0.0;
    double direction = 0.0;
    double phase = 0.0;
    double pull = 0.0;
    double amplitude = 0.0;
    double total = 0.0;
};

// Counts of one step.
struct WaveStats {
    int limited = 0;     // vertices whose heights changed as fast as `calm` allows
    int degenerate = 0;  // triangles without area in the rest pose
};

}  // namespace ruckle
