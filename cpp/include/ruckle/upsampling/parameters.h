// parameters: the options of learned upsampling, and the meaning of each.
//
// Generated from cpp/options/upsampling.toml by `make options`: edit that file.
//
// Example:
//     ruckle::UpsamplerOptions options;
//     options.rate = 1.0f;
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ruckle/parameter.h"
#include "ruckle/types.h"

namespace ruckle {

// Number format of the entries of the learned matrix.
enum class Precision {
    half,  // 16-bit integers, times a unit of each row; error 0.02 mm on a skirt
    single,  // 32 bits
};
inline constexpr const char* precision_words[] = {"half", "single"};

struct UpsamplerOptions {
    Precision precision = Precision::half;
    float rate = 1.0f;      // >= 0
    float richness = 0.0f;  // in [0, 1]
    int threads = 1;        // in [1, 256]
};

inline constexpr Option<UpsamplerOptions, Precision> upsampler_parameters[] = {
    {&UpsamplerOptions::precision, {
        .name = "precision",
        .group = "speed",
        .choices = precision_words,
        .help = "Number format of the operator: half takes half the memory and time of single; its error is 0.02 mm on a skirt.",
        .kind = ParameterKind::choice,
        .default_value = 0.0,
    }},
    {&UpsamplerOptions::rate, {
        .name = "rate",
        .group = "oscillation",
        .range = at_least(0.0),
        .help = "Speed of oscillations, as a multiple of the learned speed.",
        .kind = ParameterKind::number,
        .default_value = 1.0,
    }},
    {&UpsamplerOptions::richness, {
        .name = "richness",
        .group = "neural detail",
        .range = {.least = 0.0, .most = 1.0},
        .help = "Strength of neural detail: 0 gives the least error but looks too smooth, 1 nearly the energy of the fine simulation.",
        .kind = ParameterKind::number,
        .default_value = 0.0,
    }},
    {&UpsamplerOptions::threads, {
        .name = "threads",
        .group = "speed",
        .range = {.least = 1.0, .most = 256.0},
        .help = "Threads that share a step; results do not depend on them.",
        .kind = ParameterKind::integer,
        .default_value = 1.0,
    }},
};

// Milliseconds that each stage of the last step took, in order.
struct UpsamplerTimings {
    double multiply = 0.0;
    double detail = 0.0;
    double normals = 0.0;
    double oscillate = 0.0;
    double attach = 0.0;
    double total = 0.0;
};

}  // namespace ruckle
