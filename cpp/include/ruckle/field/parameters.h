// parameters: the options of the field's stages: labels and reference triangles.
//
// Generated from cpp/options/field.toml by `make options`: edit that file.
//
// Example:
//     ruckle::LabelCostOptions options;
//     options.sigma = 0.05f;
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ruckle/parameter.h"
#include "ruckle/types.h"

namespace ruckle {

enum class LabelMethod {
    exact,  // one minimum cut; requires pairwise costs that are submodular in some order of labels
    expansion,  // alpha-expansion; requires pairwise costs that are a metric of the labels
    swap,  // alpha-beta swap; requires pairwise costs of at least 0 between different labels
    independent,  // the cheapest label of each triangle alone: the thesis's "without graph cut"
};
inline constexpr const char* label_method_words[] = {"exact", "expansion", "swap", "independent"};

inline constexpr Parameter frame_time_parameter = {
    .name = "dt",
    .unit = "seconds",
    .range = {.least = 0.0, .most = 1000000.0, .with_least = false},
    .help = "Time since the previous frame.",
    .kind = ParameterKind::number,
};

struct LabelCostOptions {
    float sigma = 0.05f;              // > 0
    float alpha = 9.0f;               // >= 0
    float beta = 90.0f;               // >= 0
    float dt = reference_frame_time;  // seconds, in (0, 1e6]
};

using PairwiseCosts = std::array<std::array<float, 3>, 3>;

struct LabelOptions {
    PairwiseCosts pairwise = {{{0.0f, 0.2f, 0.4f}, {0.2f, 0.0f, 0.2f}, {0.4f, 0.2f, 0.0f}}};
    LabelMethod method = LabelMethod::exact;
};

struct ReferenceOptions {
    float relaxation = 0.05f;         // per 1/30 s, in [0, 1]
    float dt = reference_frame_time;  // seconds, in (0, 1e6]
};

inline constexpr Option<LabelCostOptions> label_cost_parameters[] = {
    {&LabelCostOptions::sigma, {
        .name = "sigma",
        .group = "labels and reference",
        .range = above(0.0),
        .help = "Deviation of stretches from 1 up to which the rest label is cheap.",
        .kind = ParameterKind::number,
        .default_value = 0.05,
    }},
    {&LabelCostOptions::alpha, {
        .name = "alpha",
        .group = "labels and reference",
        .range = at_least(0.0),
        .help = "Decay of the costs of compression and stretch if neither dominates.",
        .kind = ParameterKind::number,
        .default_value = 9.0,
    }},
    {&LabelCostOptions::beta, {
        .name = "beta",
        .group = "labels and reference",
        .range = at_least(0.0),
        .help = "Decay of the cost of compression or stretch if it clearly dominates the other.",
        .kind = ParameterKind::number,
        .default_value = 90.0,
    }},
    {&LabelCostOptions::dt, {
        .name = "dt",
        .unit = "seconds",
        .range = {.least = 0.0, .most = 1000000.0, .with_least = false},
        .help = "Time between the two frames. Stretches are raised to the power (1/30)/dt, so that labels do not depend on the frame rate.",
        .kind = ParameterKind::number,
        .default_value = shortest_decimal(reference_frame_time),
    }},
};

inline constexpr Option<LabelOptions, PairwiseCosts, LabelMethod> label_parameters[] = {
    {&LabelOptions::pairwise, {
        .name = "pairwise",
        .group = "labels and reference",
        .help = "Symmetric costs between the labels of neighbours, in the order compression, rest, stretch.",
        .kind = ParameterKind::matrix,
    }},
    {&LabelOptions::method, {
        .name = "method",
        .group = "labels and reference",
        .choices = label_method_words,
        .help = "Solver that finds the labels, see solve_labels.",
        .kind = ParameterKind::choice,
        .default_value = 0.0,
    }},
};

inline constexpr Option<ReferenceOptions> reference_parameters[] = {
    {&ReferenceOptions::relaxation, {
        .name = "relaxation",
        .group = "labels and reference",
        .unit = "per 1/30 s",
        .range = {.least = 0.0, .most = 1.0},
        .help = "Share of the way that the reference of a compressed triangle moves toward its current shape.",
        .kind = ParameterKind::number,
        .default_value = 0.05,
    }},
    {&ReferenceOptions::dt, {
        .name = "dt",
        .unit = "seconds",
        .range = {.least = 0.0, .most = 1000000.0, .with_least = false},
        .help = "Time since the previous frame.",
        .kind = ParameterKind::number,
        .default_value = shortest_decimal(reference_frame_time),
    }},
};

}  // namespace ruckle
