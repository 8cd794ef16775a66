// parameters: the options of modulated patterns, and the meaning of each.
//
// Generated from cpp/options/patterns.toml by `make options`: edit that file.
//
// Example:
//     ruckle::ModulatorOptions options;
//     options.rest_slope = 0.0f;
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ruckle/parameter.h"
#include "ruckle/types.h"

namespace ruckle {

// value of r_min if it is not set, in percent of the character's height at rest
inline constexpr double modulated_radius_percent = 0.5;

// The quantity that folds preserve.
enum class Conserve {
    length,  // the length across folds, even if the cloth is stretched along them
    area,  // the area, as in the paper
};
inline constexpr const char* conserve_words[] = {"length", "area"};

struct ModulatorOptions {
    float rest_slope = 0.0f;         // >= 0
    Conserve conserve = Conserve::length;
    float slack = 0.02f;             // in [0, 1)
    float sharpness = 4.0f;          // > 0
    int corrections = 2;             // in [0, 8]
    float steepest = 2.0f;           // > 0
    std::optional<float> highest{};  // mesh units, > 0
    float scale = 1.0f;              // >= 0
    float bias = 0.0f;               // in [-1000, 1000]
    float smoothing = 0.1f;          // seconds, >= 0
    std::optional<float> r_min{};    // mesh units, >= 0
    int threads = 1;                 // in [1, 256]
};

inline constexpr Option<ModulatorOptions, Conserve> modulator_parameters[] = {
    {&ModulatorOptions::rest_slope, {
        .name = "rest_slope",
        .group = "patterns",
        .range = at_least(0.0),
        .help = "Root mean square slope of the patterns on the cloth at rest; 0 for flat cloth, 0.4 for the wrinkled rest of the paper.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&ModulatorOptions::conserve, {
        .name = "conserve",
        .group = "patterns",
        .choices = conserve_words,
        .help = "The quantity that folds preserve: the length across them, even if the cloth is stretched along them, or the area.",
        .kind = ParameterKind::choice,
        .default_value = 0.0,
    }},
    {&ModulatorOptions::slack, {
        .name = "slack",
        .group = "patterns",
        .range = {.least = 0.0, .most = 1.0, .with_most = false},
        .help = "Share of its length that cloth can lose without folds.",
        .kind = ParameterKind::number,
        .default_value = 0.02,
    }},
    {&ModulatorOptions::sharpness, {
        .name = "sharpness",
        .group = "patterns",
        .range = above(0.0),
        .help = "Preference for the pattern that is best aligned with the compression: weights are the alignment to this power.",
        .kind = ParameterKind::number,
        .default_value = 4.0,
    }},
    {&ModulatorOptions::corrections, {
        .name = "corrections",
        .group = "patterns",
        .range = {.least = 0.0, .most = 8.0},
        .help = "Passes that correct the error of interpolating factors linearly over triangles.",
        .kind = ParameterKind::integer,
        .default_value = 2.0,
    }},
    {&ModulatorOptions::steepest, {
        .name = "steepest",
        .group = "patterns",
        .range = above(0.0),
        .help = "Upper limit of the slope of all patterns together, on the cloth at rest: the largest slope of an equivalent sinusoid.",
        .kind = ParameterKind::number,
        .default_value = 2.0,
    }},
    {&ModulatorOptions::highest, {
        .name = "highest",
        .group = "patterns",
        .unit = "mesh units",
        .range = above(0.0),
        .derived = "no limit",
        .help = "Largest height of all patterns together.",
        .kind = ParameterKind::length,
    }},
    {&ModulatorOptions::scale, {
        .name = "scale",
        .group = "patterns",
        .range = at_least(0.0),
        .help = "Multiplies the factors of all patterns, before the limits.",
        .kind = ParameterKind::number,
        .default_value = 1.0,
    }},
    {&ModulatorOptions::bias, {
        .name = "bias",
        .group = "patterns",
        .range = {.least = -1000.0, .most = 1000.0},
        .help = "Number that is added, times the weight of a pattern, to its factors before the limits.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&ModulatorOptions::smoothing, {
        .name = "smoothing",
        .group = "motion",
        .unit = "seconds",
        .range = at_least(0.0),
        .help = "Time constant of the factors: the time in which they make 63 % of a change.",
        .kind = ParameterKind::number,
        .default_value = 0.1,
    }},
    {&ModulatorOptions::r_min, {
        .name = "r_min",
        .group = "motion",
        .unit = "mesh units",
        .range = at_least(0.0),
        .derived = "0.5 % of the height at rest",
        .height_percent = modulated_radius_percent,
        .help = "Smallest radius of a fold: a height changes by at most a tenth of it per 1/30 s; 0 for no limit.",
        .kind = ParameterKind::length,
    }},
    {&ModulatorOptions::threads, {
        .name = "threads",
        .group = "speed",
        .range = {.least = 1.0, .most = 256.0},
        .help = "Threads that share a step; more than one helps above about 10,000 triangles. Results do not depend on it.",
        .kind = ParameterKind::integer,
        .default_value = 1.0,
    }},
};

// Milliseconds that each stage of the last step took, in order.
struct ModulatorTimings {
    double gram = 0.0;
    double fold = 0.0;
    double modulate = 0.0;
    double follow = 0.0;
    double total = 0.0;
};

// Counts of one step.
struct ModulatorStats {
    int limited = 0;        // vertices with a factor at its limit (options `steepest` and `highest`)
    int hurried = 0;        // vertices whose heights changed as fast as r_min allows
    int degenerate = 0;     // triangles without area in the rest pose
    int flat_patterns = 0;  // patterns without any slope, which cannot restore length
};

}  // namespace ruckle
