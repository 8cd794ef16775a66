// parameters: what the options of the field's stages mean. A system that labels cloth, or keeps reference triangles, lists them in
// a table of its own.
#pragma once

#include "ruckle/field/label.h"
#include "ruckle/field/reference.h"
#include "ruckle/parameter.h"

namespace ruckle {

namespace field_parameters {

inline constexpr const char* group = "labels and reference";
inline constexpr const char* methods[] = {"exact", "expansion", "swap", "independent"};  // in the order of LabelMethod

inline constexpr Parameter sigma = {
    .name = "sigma",
    .group = group,
    .range = above(0.0),
    .help = "Width of the rest label's well, in units of stretch.",
};
inline constexpr Parameter alpha = {
    .name = "alpha",
    .group = group,
    .range = at_least(0.0),
    .help = "Decay of the cost of a label that does not dominate.",
};
inline constexpr Parameter beta = {
    .name = "beta",
    .group = group,
    .range = at_least(0.0),
    .help = "Decay of the cost of a label that dominates.",
};
inline constexpr Parameter pairwise = {
    .name = "pairwise",
    .group = group,
    .help = "Symmetric costs between the labels of neighbours, in the order compression, rest, stretch.",
};
inline constexpr Parameter method = {
    .name = "method",
    .group = group,
    .choices = methods,
    .help = "How labels are found, see solve_labels.",
};
inline constexpr Parameter relaxation = {
    .name = "relaxation",
    .group = group,
    .unit = "per 1/30 s",
    .range = between(0.0, 1.0),
    .help = "Share by which the reference of a compressed triangle moves toward it.",
};
inline constexpr Parameter dt = {
    .name = "dt",
    .unit = "seconds",
    .range = {.least = 0.0, .most = 1e6, .with_least = false},  // sums of longer times overflow
    .help = "Time since the previous frame.",
};

}  // namespace field_parameters

inline constexpr Option<LabelCostOptions> label_cost_parameters[] = {
    {&LabelCostOptions::sigma, field_parameters::sigma},
    {&LabelCostOptions::alpha, field_parameters::alpha},
    {&LabelCostOptions::beta, field_parameters::beta},
    {&LabelCostOptions::dt, field_parameters::dt},
};
inline constexpr Option<LabelOptions, PairwiseCosts, LabelMethod> label_parameters[] = {
    {&LabelOptions::pairwise, field_parameters::pairwise},
    {&LabelOptions::method, field_parameters::method},
};
inline constexpr Option<ReferenceOptions> reference_parameters[] = {
    {&ReferenceOptions::relaxation, field_parameters::relaxation},
    {&ReferenceOptions::dt, field_parameters::dt},
};

}  // namespace ruckle
