// parameters: the options of wrinkles from examples, and the meaning of each.
//
// Generated from cpp/options/pose_space.toml by `make options`: edit that file.
//
// Example:
//     ruckle::PoseOptions options;
//     options.strength = 1.0f;
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ruckle/parameter.h"
#include "ruckle/types.h"

namespace ruckle {

// Rule that computes the shares of several joints at a vertex from their weights w, whose sum is 1.
enum class MergeRule : std::uint8_t {
    energy,  // w / |w|: wrinkles keep their energy
    paper,  // w: the mean of equation 4
    window,  // min(1, 2 w): each joint counts fully up to the middle between joints
    fitted,  // w: the file contains fitted shares instead of weights
};
inline constexpr const char* merge_rule_words[] = {"energy", "paper", "window", "fitted"};

struct PoseOptions {
    MergeRule merge = MergeRule::energy;
    float strength = 1.0f;  // in [0, 2]
    float trust = 0.0f;     // mesh units, >= 0
};

inline constexpr Option<PoseOptions, MergeRule> pose_parameters[] = {
    {&PoseOptions::merge, {
        .name = "merge",
        .group = "poses",
        .choices = merge_rule_words,
        .help = "Rule that merges the details of several joints: energy keeps the energy of wrinkles, paper is the paper's mean, window uses each joint fully up to the middle between joints, fitted uses shares fitted to a simulation.",
        .kind = ParameterKind::choice,
        .default_value = 0.0,
    }},
    {&PoseOptions::strength, {
        .name = "strength",
        .group = "poses",
        .range = {.least = 0.0, .most = 2.0},
        .help = "Multiplies the details; 1 reproduces the examples.",
        .kind = ParameterKind::number,
        .default_value = 1.0,
    }},
    {&PoseOptions::trust, {
        .name = "trust",
        .group = "poses",
        .unit = "mesh units",
        .range = at_least(0.0),
        .help = "Distance over which details fade if the coarse cloth is farther from its skinned position than in any example; 0: they never fade.",
        .kind = ParameterKind::length,
        .default_value = 0.0,
    }},
};

// Milliseconds that each stage of the last step took, in order.
struct PoseTimings {
    double angles = 0.0;
    double details = 0.0;
    double frames = 0.0;
    double place = 0.0;
    double normals = 0.0;
    double total = 0.0;
};

// Counts of one step.
struct PoseStats {
    int moved = 0;             // joints whose details were read, because they have moved
    int clamped = 0;           // joints with an angle outside the grid of samples
    int undefined_twists = 0;  // joints that swing by a half turn, which leaves their twist undefined
    int collapsed = 0;         // coarse vertices without a frame, because their triangles have collapsed
    int unturned = 0;          // fine vertices that are not rotated, because no coarse vertex around has a frame
    int faded = 0;             // coarse vertices whose details fade: they are farther from their skinned position than in the examples
};

}  // namespace ruckle
