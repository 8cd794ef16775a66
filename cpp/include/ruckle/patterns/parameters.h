// parameters: the options of modulated patterns, and what each means.
#pragma once

#include <optional>

#include "ruckle/parameter.h"
#include "ruckle/patterns/modulation.h"
#include "ruckle/types.h"

namespace ruckle {

// What folds keep: the length across them, so that cloth that is longer the other way still buckles; or area alone, as in the paper.
enum class Conserve { length, area };

// Units, ranges and meanings stand in modulator_parameters, below.
struct ModulatorOptions {
    float rest_slope = TargetOptions{}.rest_slope;
    Conserve conserve = Conserve::length;
    float slack = TargetOptions{}.slack;
    float sharpness = 4.0f;
    int corrections = 2;
    float steepest = 2.0f;  // a sinusoid never needs more than π/2, uneven folds do
    std::optional<float> highest{};
    float scale = 1.0f;
    float bias = 0.0f;
    float smoothing = 0.1f;
    std::optional<float> r_min{};
    int threads = 1;

    TargetOptions target() const { return {rest_slope, conserve == Conserve::length, slack}; }
};

inline constexpr const char* conserve_words[] = {"length", "area"};  // in the order of Conserve
inline constexpr double modulated_radius_percent = 0.5;              // r_min that was not set, of the character's height at rest

inline constexpr Option<ModulatorOptions, Conserve> modulator_parameters[] = {
    {&ModulatorOptions::rest_slope,
     {
         .name = "rest_slope",
         .group = "patterns",
         .range = at_least(0.0),
         .help = "Root mean square slope of the patterns on the cloth at rest; 0 where it is flat there, 0.4 for the wrinkled "
                 "rest of the paper.",
     }},
    {&ModulatorOptions::conserve,
     {
         .name = "conserve",
         .group = "patterns",
         .choices = conserve_words,
         .help = "What folds keep: the length across them, also where cloth is longer the other way, or area alone.",
     }},
    {&ModulatorOptions::slack,
     {
         .name = "slack",
         .group = "patterns",
         .range = {.least = 0.0, .most = 1.0, .with_most = false},
         .help = "Share of length that goes without a fold.",
     }},
    {&ModulatorOptions::sharpness,
     {
         .name = "sharpness",
         .group = "patterns",
         .range = above(0.0),
         .help = "How clearly the better aligned of several patterns is preferred.",
     }},
    {&ModulatorOptions::corrections,
     {
         .name = "corrections",
         .group = "patterns",
         .range = between(0, 8),
         .help = "Passes that make up for what linear interpolation over triangles loses.",
     }},
    {&ModulatorOptions::steepest,
     {
         .name = "steepest",
         .group = "patterns",
         .range = above(0.0),
         .help = "Steepness that folds of all patterns together may reach at rest: the largest slope of a sinusoid like them.",
     }},
    {&ModulatorOptions::highest,
     {
         .name = "highest",
         .group = "patterns",
         .unit = "mesh units",
         .range = above(0.0),
         .derived = "no limit",
         .help = "Largest height of all patterns together.",
     }},
    {&ModulatorOptions::scale,
     {
         .name = "scale",
         .group = "patterns",
         .range = at_least(0.0),
         .help = "Multiplies the factors, before the limits.",
     }},
    {&ModulatorOptions::bias,
     {
         .name = "bias",
         .group = "patterns",
         .range = between(-1000.0, 1000.0),
         .help = "Added to the factors where a pattern has its full weight, before the limits.",
     }},
    {&ModulatorOptions::smoothing,
     {
         .name = "smoothing",
         .group = "motion",
         .unit = "seconds",
         .range = at_least(0.0),
         .help = "Time in which factors do 1 - 1/e of their way.",
     }},
    {&ModulatorOptions::r_min,
     {
         .name = "r_min",
         .group = "motion",
         .unit = "mesh units",
         .range = at_least(0.0),
         .derived = "0.5 % of the height at rest",
         .height_percent = modulated_radius_percent,
         .help = "Least radius of a fold: heights change by a tenth of it per 1/30 s at most; 0 for no limit.",
     }},
    {&ModulatorOptions::threads,
     {
         .name = "threads",
         .group = "speed",
         .range = between(1, 256),
         .help = "Threads that share a step; more than one helps from some ten thousand triangles, and changes no result.",
     }},
};

}  // namespace ruckle
