// parameters: the options of learned upsampling, and what each means.
#pragma once

#include "ruckle/parameter.h"

namespace ruckle {

// How the entries of the operator are kept: in 16 bits, as whole multiples of a unit of their row, or in 32.
enum class Precision { half, single };

// Units, ranges and meanings stand in upsampler_parameters, below.
struct UpsamplerOptions {
    Precision precision = Precision::half;
    float rate = 1.0f;
    float richness = 0.0f;
    int threads = 1;
};

inline constexpr const char* precision_words[] = {"half", "single"};  // in the order of Precision

inline constexpr Option<UpsamplerOptions, Precision> upsampler_parameters[] = {
    {&UpsamplerOptions::precision,
     {
         .name = "precision",
         .group = "speed",
         .choices = precision_words,
         .help = "How the operator is kept: half needs half the memory and half the time, and errs by 0.02 mm on a skirt.",
     }},
    {&UpsamplerOptions::rate,
     {
         .name = "rate",
         .group = "oscillation",
         .range = at_least(0.0),
         .help = "Speed of oscillations, as a multiple of what was learnt.",
     }},
    {&UpsamplerOptions::richness,
     {
         .name = "richness",
         .group = "neural detail",
         .range = between(0.0, 1.0),
         .help = "From the least error, which looks smoother than cloth, to the energy of the truth.",
     }},
    {&UpsamplerOptions::threads,
     {
         .name = "threads",
         .group = "speed",
         .range = between(1, 256),
         .help = "Threads that share a step; they change no result.",
     }},
};

}  // namespace ruckle
