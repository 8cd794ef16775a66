// parameters: the options of wrinkles from examples, and what each means.
#pragma once

#include "ruckle/parameter.h"
#include "ruckle/pose_space/merge.h"

namespace ruckle {

// Units, ranges and meanings stand in pose_parameters, below.
struct PoseOptions {
    MergeRule merge = MergeRule::energy;
    float strength = 1.0f;
    float trust = 0.0f;
};

inline constexpr Option<PoseOptions, MergeRule> pose_parameters[] = {
    {&PoseOptions::merge,
     {
         .name = "merge",
         .group = "poses",
         .choices = merge_rule_words,
         .help = "How the details of several joints are merged: so that wrinkles keep their energy, by the paper's mean, in full "
                 "up to "
                 "the middle between joints, or as fitted.",
     }},
    {&PoseOptions::strength,
     {
         .name = "strength",
         .group = "poses",
         .range = between(0.0, 2.0),
         .help = "Multiplies the details; 1 is as the examples are.",
     }},
    {&PoseOptions::trust,
     {
         .name = "trust",
         .group = "poses",
         .unit = "mesh units",
         .range = at_least(0.0),
         .help =
             "Distance over which details fade where the coarse cloth leaves its skinned place by more than in the examples; 0: "
             "never.",
     }},
};

}  // namespace ruckle
