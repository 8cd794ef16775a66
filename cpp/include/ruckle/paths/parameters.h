// parameters: the options of wrinkle paths, and the meaning of each.
//
// Two options are derived if they are not set: grow_tau from tau, and r_min from the first frame, whose extent along Y
// is taken as the height of the character. Set r_min if the garment is not as tall as its wearer.
//
// Departs from the paper: there, wrinkles grow while λ̃ exceeds τ, and new wrinkles may have any length. With grow_tau
// = tau, four in five wrinkles are shorter than three widths, and a third are fading at any time. With grow_tau at a
// third of the way from 1 to tau, instead of half of the way, folds extend far into flat cloth. With least_aspect = 0,
// one wrinkle in five looks like a pill, because it is shorter than 2.5 of its widths. For the behaviour of the paper,
// set grow_tau = tau and least_aspect = 0.
//
// Generated from cpp/options/paths.toml by `make options`: edit that file.
//
// Example:
//     ruckle::WrinklerOptions options;
//     options.amplitude = 1.0f;
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ruckle/field/parameters.h"
#include "ruckle/parameter.h"
#include "ruckle/types.h"

namespace ruckle {

// value of r_min if it is not set, in percent of the character's height
inline constexpr double least_radius_percent = 0.5;

// value of grow_tau if it is not set, as a share of the way from 1 to tau
inline constexpr double growing_share = 0.5;

// largest r_min, mesh units: sums of such lengths are far below the largest float32, 3.4e38
inline constexpr double largest_length = static_cast<double>(1e30f);

// a smaller r_min is treated as 0, so that no wrinkles are computed; mesh units
inline constexpr float least_radius = 1e-30f;

inline constexpr Parameter wrinkle_radius_parameter = {
    .name = "r_min",
    .unit = "mesh units",
    .range = {.least = 0.0, .most = largest_length, .with_least = false},
    .help = "Smallest radius of a wrinkle.",
    .kind = ParameterKind::length,
};

struct WrinklerOptions {
    std::optional<float> r_min{};                      // mesh units, in [0, 1e+30]
    float amplitude = 1.0f;                            // in [0, 10]
    float tau = 1.4f;                                  // > 1
    std::optional<float> grow_tau{};                   // in (1, tau]
    float least_aspect = 4.5f;                         // widths, >= 0
    float aspect = 3.0f;                               // widths, >= 0
    std::uint64_t seed = 0;                            // in [0, 2^64)
    float path_alpha = 0.4f;                           // per 1/30 s, >= 0
    float straightness = 1.5f;                         // per 1/30 s, >= 0
    float length_change = 0.15f;                       // per 1/30 s, in [0, 1]
    float fade_in = 0.4f;                              // seconds, >= 0
    float fade_out = 0.4f;                             // seconds, >= 0
    bool coherent = true;
    float sigma = LabelCostOptions{}.sigma;            // > 0
    float alpha = LabelCostOptions{}.alpha;            // >= 0
    float beta = LabelCostOptions{}.beta;              // >= 0
    PairwiseCosts pairwise = LabelOptions{}.pairwise;
    LabelMethod method = LabelOptions{}.method;
    float relaxation = ReferenceOptions{}.relaxation;  // per 1/30 s, in [0, 1]
    int threads = 1;                                   // in [1, 256]
};

// Returns LabelCostOptions with the values that `options` contains.
inline LabelCostOptions shared_label_cost_options(const WrinklerOptions& options) {
    LabelCostOptions shared;
    shared.sigma = options.sigma;
    shared.alpha = options.alpha;
    shared.beta = options.beta;
    return shared;
}

// Returns LabelOptions with the values that `options` contains.
inline LabelOptions shared_label_options(const WrinklerOptions& options) {
    LabelOptions shared;
    shared.pairwise = options.pairwise;
    shared.method = options.method;
    return shared;
}

// Returns ReferenceOptions with the values that `options` contains.
inline ReferenceOptions shared_reference_options(const WrinklerOptions& options) {
    ReferenceOptions shared;
    shared.relaxation = options.relaxation;
    return shared;
}

inline constexpr Option<WrinklerOptions, PairwiseCosts, LabelMethod> wrinkler_parameters[] = {
    {&WrinklerOptions::r_min, {
        .name = "r_min",
        .group = "wrinkles",
        .unit = "mesh units",
        .range = {.least = 0.0, .most = largest_length},
        .derived = "0.5 % of the height",
        .height_percent = least_radius_percent,
        .help = "Smallest radius of a wrinkle: that of a half circle at the largest compression. With 0, only the compression is computed.",
        .kind = ParameterKind::length,
    }},
    {&WrinklerOptions::amplitude, {
        .name = "amplitude",
        .group = "wrinkles",
        .range = {.least = 0.0, .most = 10.0},
        .help = "Multiplies the heights: 1 keeps the length of the cloth; smaller values give flatter folds of the same width, larger ones deeper folds.",
        .kind = ParameterKind::number,
        .default_value = 1.0,
    }},
    {&WrinklerOptions::tau, {
        .name = "tau",
        .group = "wrinkles",
        .range = above(1.0),
        .help = "Compression above which wrinkles form: smaller for thin fabrics, larger for stiff ones.",
        .kind = ParameterKind::number,
        .default_value = 1.4,
    }},
    {&WrinklerOptions::grow_tau, {
        .name = "grow_tau",
        .group = "wrinkles",
        .range = above(1.0),
        .ceiling = "tau",
        .derived = "half way from 1 to tau",
        .help = "Compression above which an existing wrinkle remains and grows; the thesis uses tau, which makes wrinkles shorter and more restless.",
        .kind = ParameterKind::number,
    }},
    {&WrinklerOptions::least_aspect, {
        .name = "least_aspect",
        .group = "wrinkles",
        .unit = "widths",
        .range = at_least(0.0),
        .help = "Shortest length of a new wrinkle; wrinkles below 62 % of it fade. 0 in the thesis.",
        .kind = ParameterKind::number,
        .default_value = 4.5,
    }},
    {&WrinklerOptions::aspect, {
        .name = "aspect",
        .group = "wrinkles",
        .unit = "widths",
        .range = at_least(0.0),
        .help = "Length above which a wrinkle has its full size; shorter wrinkles are smaller in proportion.",
        .kind = ParameterKind::number,
        .default_value = 3.0,
    }},
    {&WrinklerOptions::seed, {
        .name = "seed",
        .group = "wrinkles",
        .range = {.least = 0.0, .most = 0x1p64, .with_most = false},
        .help = "Random seed of the points at which wrinkles begin; the same seed gives the same wrinkles on any machine.",
        .kind = ParameterKind::integer,
        .default_value = 0.0,
    }},
    {&WrinklerOptions::path_alpha, {
        .name = "path_alpha",
        .group = "motion",
        .unit = "per 1/30 s",
        .range = at_least(0.0),
        .help = "How strongly paths turn across the compression: the weight alpha in (5.2) of the thesis.",
        .kind = ParameterKind::number,
        .default_value = 0.4,
    }},
    {&WrinklerOptions::straightness, {
        .name = "straightness",
        .group = "motion",
        .unit = "per 1/30 s",
        .range = at_least(0.0),
        .help = "How strongly paths straighten; with 0, as in the thesis, old paths become ragged.",
        .kind = ParameterKind::number,
        .default_value = 1.5,
    }},
    {&WrinklerOptions::length_change, {
        .name = "length_change",
        .group = "motion",
        .unit = "per 1/30 s",
        .range = {.least = 0.0, .most = 1.0},
        .help = "Largest change of a wrinkle's length, as a share of it.",
        .kind = ParameterKind::number,
        .default_value = 0.15,
    }},
    {&WrinklerOptions::fade_in, {
        .name = "fade_in",
        .group = "motion",
        .unit = "seconds",
        .range = at_least(0.0),
        .help = "Time in which a new wrinkle rises to its full height.",
        .kind = ParameterKind::number,
        .default_value = 0.4,
    }},
    {&WrinklerOptions::fade_out, {
        .name = "fade_out",
        .group = "motion",
        .unit = "seconds",
        .range = at_least(0.0),
        .help = "Time in which a wrinkle without compression sinks to nothing.",
        .kind = ParameterKind::number,
        .default_value = 0.4,
    }},
    {&WrinklerOptions::coherent, {
        .name = "coherent",
        .group = "motion",
        .help = "Keep wrinkles from frame to frame; otherwise each frame traces new ones, at full height.",
        .kind = ParameterKind::flag,
        .default_value = 1.0,
    }},
    {&WrinklerOptions::sigma, {
        .name = "sigma",
        .group = "labels and reference",
        .range = above(0.0),
        .help = "Deviation of stretches from 1 up to which the rest label is cheap.",
        .kind = ParameterKind::number,
        .default_value = 0.05,
    }},
    {&WrinklerOptions::alpha, {
        .name = "alpha",
        .group = "labels and reference",
        .range = at_least(0.0),
        .help = "Decay of the costs of compression and stretch if neither dominates.",
        .kind = ParameterKind::number,
        .default_value = 9.0,
    }},
    {&WrinklerOptions::beta, {
        .name = "beta",
        .group = "labels and reference",
        .range = at_least(0.0),
        .help = "Decay of the cost of compression or stretch if it clearly dominates the other.",
        .kind = ParameterKind::number,
        .default_value = 90.0,
    }},
    {&WrinklerOptions::pairwise, {
        .name = "pairwise",
        .group = "labels and reference",
        .help = "Symmetric costs between the labels of neighbours, in the order compression, rest, stretch.",
        .kind = ParameterKind::matrix,
    }},
    {&WrinklerOptions::method, {
        .name = "method",
        .group = "labels and reference",
        .choices = label_method_words,
        .help = "Solver that finds the labels, see solve_labels.",
        .kind = ParameterKind::choice,
        .default_value = 0.0,
    }},
    {&WrinklerOptions::relaxation, {
        .name = "relaxation",
        .group = "labels and reference",
        .unit = "per 1/30 s",
        .range = {.least = 0.0, .most = 1.0},
        .help = "Share of the way that the reference of a compressed triangle moves toward its current shape.",
        .kind = ParameterKind::number,
        .default_value = 0.05,
    }},
    {&WrinklerOptions::threads, {
        .name = "threads",
        .group = "speed",
        .range = {.least = 1.0, .most = 256.0},
        .help = "Threads that share a step; more than one helps above about 10,000 triangles. Results do not depend on it.",
        .kind = ParameterKind::integer,
        .default_value = 1.0,
    }},
};

// Milliseconds that each stage of the last step took, in pipeline order.
struct StageTimings {
    double stretch = 0.0;
    double label = 0.0;
    double reference = 0.0;
    double persist = 0.0;
    double trace = 0.0;
    double shape = 0.0;
    double total = 0.0;
};

}  // namespace ruckle
