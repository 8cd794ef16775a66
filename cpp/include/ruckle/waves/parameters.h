// parameters: the options of wrinkle waves, and what each means.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ruckle/parameter.h"
#include "ruckle/types.h"

namespace ruckle {

// Units, ranges and meanings are in wave_parameters, below. The defaults suit skinned garments.
struct WaveOptions {
    std::optional<float> r_min{};
    std::optional<float> wavelength{};
    float gain = 1.5f;
    float slack = 0.01f;
    float steepest = 0.9f;
    float sharpness = 0.2f;
    float detail = 0.5f;
    float sag = 0.25f;
    float lift = 0.0f;
    float irregularity = 1.0f;
    float coherence = 0.5f;
    float anisotropy = 0.5f;
    float hem = 0.5f;
    float calm = 0.3f;
    std::uint64_t seed = 0;
    int threads = 1;
};

// For coarse cloth that was simulated: it keeps more of its length by itself, and what it loses it folds up.
constexpr WaveOptions simulated_waves() {
    WaveOptions options;
    options.gain = 2.0f, options.slack = 0.0f, options.steepest = 1.3f;
    options.anisotropy = 0.0f, options.hem = 1.0f;
    return options;
}

inline constexpr double wave_radius_percent = 0.5;  // r_min that was not set, of the height at rest
inline constexpr float radii_per_wave = 7.0f;       // wavelength that was not set, in least radii

// Lengths whose inverse squares float32 still tells apart.
inline constexpr double least_wave_length = 1e-12, largest_wave_length = 1e12;

inline constexpr Option<WaveOptions> wave_parameters[] = {
    {&WaveOptions::r_min,
     {
         .name = "r_min",
         .group = "waves",
         .unit = "mesh units",
         .range = between(least_wave_length, largest_wave_length),
         .derived = "0.5 % of the height at rest",
         .height_percent = wave_radius_percent,
         .help = "Least radius of a fold, the unit of the lengths of this layer.",
     }},
    {&WaveOptions::wavelength,
     {
         .name = "wavelength",
         .group = "waves",
         .unit = "mesh units",
         .range = between(least_wave_length, largest_wave_length),
         .derived = "7 r_min",
         .help = "Distance from fold to fold on the cloth at rest.",
     }},
    {&WaveOptions::gain,
     {
         .name = "gain",
         .group = "waves",
         .range = between(0.0, 10.0),
         .help = "Slope of folds; 1 gives cloth back all the length that it has lost.",
     }},
    {&WaveOptions::slack,
     {
         .name = "slack",
         .group = "waves",
         .range = between(0.0, 1.0),
         .help = "Lost share of length at which folds have half of their slope; less is lost by sliding and hanging.",
     }},
    {&WaveOptions::steepest,
     {
         .name = "steepest",
         .group = "waves",
         .range = {.least = 0.0, .most = 10.0, .with_least = false},
         .help = "Largest slope of a fold, of a cosine with the same length.",
     }},
    {&WaveOptions::sharpness,
     {
         .name = "sharpness",
         .group = "profile",
         .range = between(0.0, 0.5),
         .help = "Sharper crests and flatter valleys: height of the second harmonic.",
     }},
    {&WaveOptions::detail,
     {
         .name = "detail",
         .group = "profile",
         .range = between(0.0, 2.0),
         .help = "Height of a second wave, 1.6 times as fine, over that of the first.",
     }},
    {&WaveOptions::sag,
     {
         .name = "sag",
         .group = "profile",
         .range = between(0.0, 1.0),
         .help = "How far level folds lean down.",
     }},
    {&WaveOptions::lift,
     {
         .name = "lift",
         .group = "profile",
         .range = between(0.0, 2.0),
         .help = "Share of the depth of the valleys by which folds move outward.",
     }},
    {&WaveOptions::irregularity,
     {
         .name = "irregularity",
         .group = "profile",
         .range = between(0.0, 3.0),
         .help = "Variation of length, direction and gain over the cloth.",
     }},
    {&WaveOptions::coherence,
     {
         .name = "coherence",
         .group = "fading",
         .range = between(0.0, 4.0),
         .help = "Exponent by which folds are lower if the phases around disagree.",
     }},
    {&WaveOptions::anisotropy,
     {
         .name = "anisotropy",
         .group = "fading",
         .range = between(0.0, 4.0),
         .help = "Exponent by which folds are lower if the cloth shrinks in all directions.",
     }},
    {&WaveOptions::hem,
     {
         .name = "hem",
         .group = "fading",
         .range = between(0.0, 1.0),
         .help = "Share of the height of folds at hems and other boundaries.",
     }},
    {&WaveOptions::calm,
     {
         .name = "calm",
         .group = "motion",
         .unit = "r_min per 1/30 s",
         .range = {.least = 0.0, .most = 100.0, .with_least = false},
         .help = "Largest change of any height, an upper bound.",
     }},
    {&WaveOptions::seed,
     {
         .name = "seed",
         .group = "motion",
         .help = "Of the irregularity.",
     }},
    {&WaveOptions::threads,
     {
         .name = "threads",
         .group = "speed",
         .range = between(1, 256),
         .help = "Threads that share a step; more than one helps from some ten thousand triangles, and changes no result.",
     }},
};

}  // namespace ruckle
