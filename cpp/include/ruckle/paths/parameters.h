// parameters: the options of wrinkle paths, and what each means.
//
// What is not set is derived: the growing threshold from tau, and r_min from the first frame, whose vertices are taken for a
// character standing along Y. Set r_min where the garment is not as tall as its wearer.
//
// Departs from the paper: its wrinkles grow while λ̃ exceeds τ and are born at any length. With grow_tau = tau four in five are
// shorter than three widths and a third are fading at any time; at a third of the way instead of half, folds run far into cloth
// that lies flat. With least_aspect = 0 one wrinkle in five is a pill, shorter than 2.5 of its widths. Both stay within reach.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ruckle/field/parameters.h"
#include "ruckle/parameter.h"
#include "ruckle/paths/persist.h"
#include "ruckle/paths/shape.h"
#include "ruckle/paths/trace.h"
#include "ruckle/types.h"

namespace ruckle {

// Units, ranges and meanings stand in wrinkler_parameters, below.
struct WrinklerOptions {
    std::optional<float> r_min{};
    float amplitude = ShapeOptions{}.amplitude;
    float tau = TraceOptions{}.tau;
    std::optional<float> grow_tau{};
    float least_aspect = 4.5f;
    float aspect = ShapeOptions{}.aspect;
    std::uint64_t seed = 0;
    float path_alpha = PersistOptions{}.alpha;
    float straightness = 1.5f;
    float length_change = PersistOptions{}.length_change;
    float fade_in = ShapeOptions{}.fade_in;
    float fade_out = ShapeOptions{}.fade_out;
    bool coherent = true;
    float sigma = LabelCostOptions{}.sigma;
    float alpha = LabelCostOptions{}.alpha;
    float beta = LabelCostOptions{}.beta;
    PairwiseCosts pairwise = default_pairwise;
    LabelMethod method = LabelOptions{}.method;
    float relaxation = ReferenceOptions{}.relaxation;
    int threads = 1;
};

inline constexpr double least_radius_percent = 0.5;  // r_min that was not set, of the character's height
inline constexpr double growing_share = 0.5;         // grow_tau that was not set, of the way from 1 to tau
inline constexpr double largest_amplitude = 10.0;    // steeper folds are walls
inline constexpr int most_threads = 256;             // more cost more to start than they save

// Lengths whose squares and sums float32 still tells apart; a smaller radius means no wrinkles.
inline constexpr double largest_length = static_cast<double>(1e30f);
inline constexpr float least_radius = 1e-30f;

// Of stages that shape wrinkles, which without a radius have no shape.
inline constexpr Parameter wrinkle_radius_parameter = {
    .name = "r_min",
    .unit = "mesh units",
    .range = {.least = 0.0, .most = largest_length, .with_least = false},
    .help = "Least radius of a wrinkle.",
    .kind = ParameterKind::length,
};

inline constexpr Option<WrinklerOptions, PairwiseCosts, LabelMethod> wrinkler_parameters[] = {
    {&WrinklerOptions::r_min,
     {
         .name = "r_min",
         .group = "wrinkles",
         .unit = "mesh units",
         .range = between(0.0, largest_length),
         .derived = "0.5 % of the height",
         .height_percent = least_radius_percent,
         .help = "Least radius of a wrinkle, that of a half circle at the largest compression; 0 for no wrinkles, only the "
                 "compression field.",
     }},
    {&WrinklerOptions::amplitude,
     {
         .name = "amplitude",
         .group = "wrinkles",
         .range = between(0.0, largest_amplitude),
         .help = "Times the height that keeps the length of the cloth: below 1 for flatter folds of the same width, above for "
                 "deeper ones.",
     }},
    {&WrinklerOptions::tau,
     {
         .name = "tau",
         .group = "wrinkles",
         .range = above(1.0),
         .help = "Compression above which wrinkles form: smaller for thin fabrics, larger for stiff ones.",
     }},
    {&WrinklerOptions::grow_tau,
     {
         .name = "grow_tau",
         .group = "wrinkles",
         .range = above(1.0),
         .ceiling = "tau",
         .derived = "half way from 1 to tau",
         .help =
             "Compression above which a wrinkle goes on, once begun; tau is the thesis's rule, with shorter and more restless "
             "wrinkles.",
     }},
    {&WrinklerOptions::least_aspect,
     {
         .name = "least_aspect",
         .group = "wrinkles",
         .unit = "widths",
         .range = at_least(0.0),
         .help = "Length from which wrinkles are born; below 62 % of it they fade. 0 in the thesis.",
     }},
    {&WrinklerOptions::aspect,
     {
         .name = "aspect",
         .group = "wrinkles",
         .unit = "widths",
         .range = at_least(0.0),
         .help = "Length from which a wrinkle has its full size; shorter ones are smaller in proportion.",
     }},
    {&WrinklerOptions::seed,
     {
         .name = "seed",
         .group = "wrinkles",
         .range = {.least = 0.0, .most = 0x1p64, .with_most = false},
         .help = "Chooses the random points where wrinkles begin; the same seed gives the same wrinkles on any machine.",
     }},
    {&WrinklerOptions::path_alpha,
     {
         .name = "path_alpha",
         .group = "motion",
         .unit = "per 1/30 s",
         .range = at_least(0.0),
         .help = "How much paths follow the field, the weight alpha of thesis (5.2).",
     }},
    {&WrinklerOptions::straightness,
     {
         .name = "straightness",
         .group = "motion",
         .unit = "per 1/30 s",
         .range = at_least(0.0),
         .help = "How much paths straighten; 0 in the thesis, whose old paths become ragged.",
     }},
    {&WrinklerOptions::length_change,
     {
         .name = "length_change",
         .group = "motion",
         .unit = "per 1/30 s",
         .range = between(0.0, 1.0),
         .help = "Largest share by which a wrinkle grows or shrinks.",
     }},
    {&WrinklerOptions::fade_in,
     {
         .name = "fade_in",
         .group = "motion",
         .unit = "seconds",
         .range = at_least(0.0),
         .help = "Time in which a new wrinkle rises.",
     }},
    {&WrinklerOptions::fade_out,
     {
         .name = "fade_out",
         .group = "motion",
         .unit = "seconds",
         .range = at_least(0.0),
         .help = "Time in which a wrinkle that has lost its compression sinks.",
     }},
    {&WrinklerOptions::coherent,
     {
         .name = "coherent",
         .group = "motion",
         .help = "Keep wrinkles alive from frame to frame; otherwise they are traced anew in each, at full height.",
     }},
    {&WrinklerOptions::sigma, field_parameters::sigma},
    {&WrinklerOptions::alpha, field_parameters::alpha},
    {&WrinklerOptions::beta, field_parameters::beta},
    {&WrinklerOptions::pairwise, field_parameters::pairwise},
    {&WrinklerOptions::method, field_parameters::method},
    {&WrinklerOptions::relaxation, field_parameters::relaxation},
    {&WrinklerOptions::threads,
     {
         .name = "threads",
         .group = "speed",
         .range = between(1, most_threads),
         .help = "Threads that share a step; more than one helps from some ten thousand triangles, and changes no result.",
     }},
};

// Throws std::invalid_argument, in one sentence, for options that cannot be used.
void require_sound(const WrinklerOptions& options);

// Fills in what is not set. Lengths need r_min, or the first frame; without either they stay unset.
//
// first_frame  (V) positions, mesh units, finite; r_min is 0 where they all lie in one point
WrinklerOptions resolved(WrinklerOptions options, std::span<const Vector3> first_frame = {});

}  // namespace ruckle
