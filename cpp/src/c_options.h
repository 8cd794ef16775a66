// c_options: converts options between their structs in C and C++.
//
// Generated from the tables in cpp/options by `make options`: edit those files.
// clang-format off
#pragma once

#include "ruckle/paths/parameters.h"
#include "ruckle/patterns/parameters.h"
#include "ruckle/pose_space/parameters.h"
#include "ruckle/simulation/parameters.h"
#include "ruckle/upsampling/parameters.h"
#include "ruckle/waves/parameters.h"
#include "ruckle/paths/wrinkler.h"
#include "ruckle/simulation/cloth.h"
#include "ruckle/ruckle_c.h"

namespace ruckle::c {

ruckle_options to_c(const WrinklerOptions& core);
WrinklerOptions to_core(const ruckle_options& given);
// Sets `chosen` to the given options, or to the defaults if `given` is NULL.
// Returns RUCKLE_BAD_OPTION and sets the error message if an enumeration has an invalid value.
ruckle_status choose(const ruckle_options* given, WrinklerOptions& chosen);

ruckle_modulator_options to_c(const ModulatorOptions& core);
ModulatorOptions to_core(const ruckle_modulator_options& given);
// Sets `chosen` to the given options, or to the defaults if `given` is NULL.
// Returns RUCKLE_BAD_OPTION and sets the error message if an enumeration has an invalid value.
ruckle_status choose(const ruckle_modulator_options* given, ModulatorOptions& chosen);

ruckle_pose_options to_c(const PoseOptions& core);
PoseOptions to_core(const ruckle_pose_options& given);
// Sets `chosen` to the given options, or to the defaults if `given` is NULL.
// Returns RUCKLE_BAD_OPTION and sets the error message if an enumeration has an invalid value.
ruckle_status choose(const ruckle_pose_options* given, PoseOptions& chosen);

ruckle_cloth_material to_c(const ClothMaterial& core);
ClothMaterial to_core(const ruckle_cloth_material& given);

ruckle_cloth_options to_c(const ClothOptions& core);
ClothOptions to_core(const ruckle_cloth_options& given);
// Sets `chosen` to the given options, or to the defaults if `given` is NULL.
// Returns RUCKLE_BAD_OPTION and sets the error message if an enumeration has an invalid value.
ruckle_status choose(const ruckle_cloth_options* given, ClothOptions& chosen);

ruckle_upsampler_options to_c(const UpsamplerOptions& core);
UpsamplerOptions to_core(const ruckle_upsampler_options& given);
// Sets `chosen` to the given options, or to the defaults if `given` is NULL.
// Returns RUCKLE_BAD_OPTION and sets the error message if an enumeration has an invalid value.
ruckle_status choose(const ruckle_upsampler_options* given, UpsamplerOptions& chosen);

ruckle_wave_options to_c(const WaveOptions& core);
WaveOptions to_core(const ruckle_wave_options& given);
// Sets `chosen` to the given options, or to the defaults if `given` is NULL.
// Returns RUCKLE_BAD_OPTION and sets the error message if an enumeration has an invalid value.
ruckle_status choose(const ruckle_wave_options* given, WaveOptions& chosen);

ruckle_timings to_c(const StageTimings& found);
ruckle_stats to_c(const FrameStats& found);
ruckle_modulator_timings to_c(const ModulatorTimings& found);
ruckle_modulator_stats to_c(const ModulatorStats& found);
ruckle_pose_timings to_c(const PoseTimings& found);
ruckle_pose_stats to_c(const PoseStats& found);
ruckle_cloth_timings to_c(const ClothTimings& found);
ruckle_cloth_stats to_c(const ClothStats& found);
ruckle_upsampler_timings to_c(const UpsamplerTimings& found);
ruckle_wave_timings to_c(const WaveTimings& found);
ruckle_wave_stats to_c(const WaveStats& found);

}  // namespace ruckle::c
