// Generated from the tables in cpp/options by `make options`: edit those files.
// clang-format off
#include "c_options.h"

#include <algorithm>
#include <iterator>

#include "c_call.h"

namespace ruckle::c {

ruckle_options to_c(const WrinklerOptions& core) {
    ruckle_options given{};
    given.r_min = core.r_min.value_or(RUCKLE_UNSET);
    given.amplitude = core.amplitude;
    given.tau = core.tau;
    given.grow_tau = core.grow_tau.value_or(RUCKLE_UNSET);
    given.least_aspect = core.least_aspect;
    given.aspect = core.aspect;
    given.seed = core.seed;
    given.path_alpha = core.path_alpha;
    given.straightness = core.straightness;
    given.length_change = core.length_change;
    given.fade_in = core.fade_in;
    given.fade_out = core.fade_out;
    given.coherent = core.coherent;
    given.sigma = core.sigma;
    given.alpha = core.alpha;
    given.beta = core.beta;
    std::copy_n(&core.pairwise[0][0], 9, given.pairwise);
    given.method = static_cast<std::int32_t>(core.method);
    given.relaxation = core.relaxation;
    given.threads = core.threads;
    return given;
}

WrinklerOptions to_core(const ruckle_options& given) {
    WrinklerOptions core;
    core.r_min = set(given.r_min);
    core.amplitude = given.amplitude;
    core.tau = given.tau;
    core.grow_tau = set(given.grow_tau);
    core.least_aspect = given.least_aspect;
    core.aspect = given.aspect;
    core.seed = given.seed;
    core.path_alpha = given.path_alpha;
    core.straightness = given.straightness;
    core.length_change = given.length_change;
    core.fade_in = given.fade_in;
    core.fade_out = given.fade_out;
    core.coherent = given.coherent != 0;
    core.sigma = given.sigma;
    core.alpha = given.alpha;
    core.beta = given.beta;
    std::copy_n(given.pairwise, 9, &core.pairwise[0][0]);
    core.method = static_cast<LabelMethod>(given.method);
    core.relaxation = given.relaxation;
    core.threads = given.threads;
    return core;
}

ruckle_status choose(const ruckle_options* given, WrinklerOptions& chosen) {
    chosen = WrinklerOptions{};
    if (!given) {
        return RUCKLE_OK;
    }
    // checked before the cast, because the C++ enumeration must have a declared value
    if (given->method < 0 || given->method > 3) {
        return fail(RUCKLE_BAD_OPTION, "method: expected a ruckle_method, 0 to 3, got %d", given->method);
    }
    chosen = to_core(*given);
    return RUCKLE_OK;
}

ruckle_modulator_options to_c(const ModulatorOptions& core) {
    ruckle_modulator_options given{};
    given.rest_slope = core.rest_slope;
    given.conserve = static_cast<std::int32_t>(core.conserve);
    given.slack = core.slack;
    given.sharpness = core.sharpness;
    given.corrections = core.corrections;
    given.steepest = core.steepest;
    given.highest = core.highest.value_or(RUCKLE_UNSET);
    given.scale = core.scale;
    given.bias = core.bias;
    given.smoothing = core.smoothing;
    given.r_min = core.r_min.value_or(RUCKLE_UNSET);
    given.threads = core.threads;
    return given;
}

ModulatorOptions to_core(const ruckle_modulator_options& given) {
    ModulatorOptions core;
    core.rest_slope = given.rest_slope;
    core.conserve = static_cast<Conserve>(given.conserve);
    core.slack = given.slack;
    core.sharpness = given.sharpness;
    core.corrections = given.corrections;
    core.steepest = given.steepest;
    core.highest = set(given.highest);
    core.scale = given.scale;
    core.bias = given.bias;
    core.smoothing = given.smoothing;
    core.r_min = set(given.r_min);
    core.threads = given.threads;
    return core;
}

ruckle_status choose(const ruckle_modulator_options* given, ModulatorOptions& chosen) {
    chosen = ModulatorOptions{};
    if (!given) {
        return RUCKLE_OK;
    }
    // checked before the cast, because the C++ enumeration must have a declared value
    if (given->conserve < 0 || given->conserve > 1) {
        return fail(RUCKLE_BAD_OPTION, "conserve: expected a ruckle_conserve, 0 or 1, got %d", given->conserve);
    }
    chosen = to_core(*given);
    return RUCKLE_OK;
}

ruckle_pose_options to_c(const PoseOptions& core) {
    ruckle_pose_options given{};
    given.merge = static_cast<std::int32_t>(core.merge);
    given.strength = core.strength;
    given.trust = core.trust;
    return given;
}

PoseOptions to_core(const ruckle_pose_options& given) {
    PoseOptions core;
    core.merge = static_cast<MergeRule>(given.merge);
    core.strength = given.strength;
    core.trust = given.trust;
    return core;
}

ruckle_status choose(const ruckle_pose_options* given, PoseOptions& chosen) {
    chosen = PoseOptions{};
    if (!given) {
        return RUCKLE_OK;
    }
    // checked before the cast, because the C++ enumeration must have a declared value
    if (given->merge < 0 || given->merge > 3) {
        return fail(RUCKLE_BAD_OPTION, "merge: expected a ruckle_merge, 0 to 3, got %d", given->merge);
    }
    chosen = to_core(*given);
    return RUCKLE_OK;
}

ruckle_cloth_material to_c(const ClothMaterial& core) {
    ruckle_cloth_material given{};
    given.density = core.density;
    given.stretch = core.stretch;
    given.bending = core.bending;
    given.damping = core.damping;
    given.bend_damping = core.bend_damping;
    given.bend_friction = core.bend_friction;
    given.edge_damping = core.edge_damping;
    given.air_drag = core.air_drag;
    given.static_friction = core.static_friction;
    given.dynamic_friction = core.dynamic_friction;
    given.thickness = core.thickness;
    given.least_stretch = core.least_stretch;
    given.largest_stretch = core.largest_stretch;
    return given;
}

ClothMaterial to_core(const ruckle_cloth_material& given) {
    ClothMaterial core;
    core.density = given.density;
    core.stretch = given.stretch;
    core.bending = given.bending;
    core.damping = given.damping;
    core.bend_damping = given.bend_damping;
    core.bend_friction = given.bend_friction;
    core.edge_damping = given.edge_damping;
    core.air_drag = given.air_drag;
    core.static_friction = given.static_friction;
    core.dynamic_friction = given.dynamic_friction;
    core.thickness = given.thickness;
    core.least_stretch = given.least_stretch;
    core.largest_stretch = given.largest_stretch;
    return core;
}

ruckle_cloth_options to_c(const ClothOptions& core) {
    ruckle_cloth_options given{};
    given.material = to_c(core.material);
    given.substeps = core.substeps;
    given.strain_sweeps = core.strain_sweeps;
    given.compression = core.compression;
    given.rest_curvature = core.rest_curvature;
    given.attachment_rate = core.attachment_rate;
    std::copy_n(core.gravity.data(), 3, given.gravity);
    given.margin = core.margin;
    given.contact_spacing = core.contact_spacing;
    given.self_distance = core.self_distance;
    given.threads = core.threads;
    return given;
}

ClothOptions to_core(const ruckle_cloth_options& given) {
    ClothOptions core;
    core.material = to_core(given.material);
    core.substeps = given.substeps;
    core.strain_sweeps = given.strain_sweeps;
    core.compression = given.compression;
    core.rest_curvature = given.rest_curvature != 0;
    core.attachment_rate = given.attachment_rate;
    std::copy_n(given.gravity, 3, core.gravity.data());
    core.margin = given.margin;
    core.contact_spacing = given.contact_spacing;
    core.self_distance = given.self_distance;
    core.threads = given.threads;
    return core;
}

ruckle_status choose(const ruckle_cloth_options* given, ClothOptions& chosen) {
    chosen = ClothOptions{};
    if (!given) {
        return RUCKLE_OK;
    }
    chosen = to_core(*given);
    return RUCKLE_OK;
}

ruckle_upsampler_options to_c(const UpsamplerOptions& core) {
    ruckle_upsampler_options given{};
    given.precision = static_cast<std::int32_t>(core.precision);
    given.rate = core.rate;
    given.richness = core.richness;
    given.threads = core.threads;
    return given;
}

UpsamplerOptions to_core(const ruckle_upsampler_options& given) {
    UpsamplerOptions core;
    core.precision = static_cast<Precision>(given.precision);
    core.rate = given.rate;
    core.richness = given.richness;
    core.threads = given.threads;
    return core;
}

ruckle_status choose(const ruckle_upsampler_options* given, UpsamplerOptions& chosen) {
    chosen = UpsamplerOptions{};
    if (!given) {
        return RUCKLE_OK;
    }
    // checked before the cast, because the C++ enumeration must have a declared value
    if (given->precision < 0 || given->precision > 1) {
        return fail(RUCKLE_BAD_OPTION, "precision: expected a ruckle_precision, 0 or 1, got %d", given->precision);
    }
    chosen = to_core(*given);
    return RUCKLE_OK;
}

ruckle_wave_options to_c(const WaveOptions& core) {
    ruckle_wave_options given{};
    given.r_min = core.r_min.value_or(RUCKLE_UNSET);
    given.wavelength = core.wavelength.value_or(RUCKLE_UNSET);
    given.gain = core.gain;
    given.slack = core.slack;
    given.steepest = core.steepest;
    given.sharpness = core.sharpness;
    given.detail = core.detail;
    given.sag = core.sag;
    given.lift = core.lift;
    given.irregularity = core.irregularity;
    given.coherence = core.coherence;
    given.hang = core.hang;
    given.hem = core.hem;
    given.calm = core.calm;
    given.seed = core.seed;
    given.threads = core.threads;
    return given;
}

WaveOptions to_core(const ruckle_wave_options& given) {
    WaveOptions core;
    core.r_min = set(given.r_min);
    core.wavelength = set(given.wavelength);
    core.gain = given.gain;
    core.slack = given.slack;
    core.steepest = given.steepest;
    core.sharpness = given.sharpness;
    core.detail = given.detail;
    core.sag = given.sag;
    core.lift = given.lift;
    core.irregularity = given.irregularity;
    core.coherence = given.coherence;
    core.hang = given.hang;
    core.hem = given.hem;
    core.calm = given.calm;
    core.seed = given.seed;
    core.threads = given.threads;
    return core;
}

ruckle_status choose(const ruckle_wave_options* given, WaveOptions& chosen) {
    chosen = WaveOptions{};
    if (!given) {
        return RUCKLE_OK;
    }
    chosen = to_core(*given);
    return RUCKLE_OK;
}

ruckle_timings to_c(const StageTimings& found) {
    return {.stretch = found.stretch, .label = found.label, .reference = found.reference, .persist = found.persist, .trace = found.trace, .shape = found.shape, .total = found.total};
}

ruckle_stats to_c(const FrameStats& found) {
    return {.compression_labels = found.label_counts[compression_label], .rest_labels = found.label_counts[rest_label], .stretch_labels = found.label_counts[stretch_label], .label_changes = found.label_changes, .degenerate = found.degenerate_count, .wrinkles = found.wrinkle_count, .fading = found.fading_count, .born = found.trace.born, .died = found.died};
}

ruckle_modulator_timings to_c(const ModulatorTimings& found) {
    return {.gram = found.gram, .fold = found.fold, .modulate = found.modulate, .follow = found.follow, .total = found.total};
}

ruckle_modulator_stats to_c(const ModulatorStats& found) {
    return {.limited = found.limited, .hurried = found.hurried, .degenerate = found.degenerate, .flat_patterns = found.flat_patterns};
}

ruckle_pose_timings to_c(const PoseTimings& found) {
    return {.angles = found.angles, .details = found.details, .frames = found.frames, .place = found.place, .normals = found.normals, .total = found.total};
}

ruckle_pose_stats to_c(const PoseStats& found) {
    return {.moved = found.moved, .clamped = found.clamped, .undefined_twists = found.undefined_twists, .collapsed = found.collapsed, .unturned = found.unturned, .faded = found.faded};
}

ruckle_cloth_timings to_c(const ClothTimings& found) {
    return {.air = found.air, .edges = found.edges, .bends = found.bends, .self_contact = found.self_contact, .strain = found.strain, .tracking = found.tracking, .bodies = found.bodies, .other = found.other, .total = found.total};
}

ruckle_cloth_stats to_c(const ClothStats& found) {
    return {.largest_speed = found.largest_speed, .settled_share = found.settled_share, .largest_edge_stretch = found.largest_edge_stretch, .self_pairs = found.self_pair_count, .dropped_pairs = found.dropped_pair_count, .crossings = found.crossing_count};
}

ruckle_upsampler_timings to_c(const UpsamplerTimings& found) {
    return {.multiply = found.multiply, .detail = found.detail, .normals = found.normals, .oscillate = found.oscillate, .attach = found.attach, .total = found.total};
}

ruckle_wave_timings to_c(const WaveTimings& found) {
    return {.field = found.field, .direction = found.direction, .phase = found.phase, .pull = found.pull, .amplitude = found.amplitude, .total = found.total};
}

ruckle_wave_stats to_c(const WaveStats& found) {
    return {.limited = found.limited, .degenerate = found.degenerate};
}

}  // namespace ruckle::c

void ruckle_default_options(ruckle_options* options) {
    if (options) {
        *options = ruckle::c::to_c(ruckle::WrinklerOptions{});
    }
}

int32_t ruckle_parameter_count(void) {
    return static_cast<int32_t>(std::size(ruckle::wrinkler_parameters));
}

ruckle_status ruckle_get_parameter(int32_t index, ruckle_parameter* parameter) {
    return ruckle::c::describe(ruckle::wrinkler_parameters, index, parameter);
}

void ruckle_modulator_default_options(ruckle_modulator_options* options) {
    if (options) {
        *options = ruckle::c::to_c(ruckle::ModulatorOptions{});
    }
}

int32_t ruckle_modulator_parameter_count(void) {
    return static_cast<int32_t>(std::size(ruckle::modulator_parameters));
}

ruckle_status ruckle_modulator_get_parameter(int32_t index, ruckle_parameter* parameter) {
    return ruckle::c::describe(ruckle::modulator_parameters, index, parameter);
}

void ruckle_pose_default_options(ruckle_pose_options* options) {
    if (options) {
        *options = ruckle::c::to_c(ruckle::PoseOptions{});
    }
}

int32_t ruckle_pose_parameter_count(void) {
    return static_cast<int32_t>(std::size(ruckle::pose_parameters));
}

ruckle_status ruckle_pose_get_parameter(int32_t index, ruckle_parameter* parameter) {
    return ruckle::c::describe(ruckle::pose_parameters, index, parameter);
}

void ruckle_cloth_default_options(ruckle_cloth_options* options) {
    if (options) {
        *options = ruckle::c::to_c(ruckle::ClothOptions{});
    }
}

int32_t ruckle_cloth_parameter_count(void) {
    return static_cast<int32_t>(std::size(ruckle::cloth_parameters));
}

ruckle_status ruckle_cloth_get_parameter(int32_t index, ruckle_parameter* parameter) {
    return ruckle::c::describe(ruckle::cloth_parameters, index, parameter);
}

void ruckle_upsampler_default_options(ruckle_upsampler_options* options) {
    if (options) {
        *options = ruckle::c::to_c(ruckle::UpsamplerOptions{});
    }
}

int32_t ruckle_upsampler_parameter_count(void) {
    return static_cast<int32_t>(std::size(ruckle::upsampler_parameters));
}

ruckle_status ruckle_upsampler_get_parameter(int32_t index, ruckle_parameter* parameter) {
    return ruckle::c::describe(ruckle::upsampler_parameters, index, parameter);
}

void ruckle_waves_default_options(ruckle_wave_options* options) {
    if (options) {
        *options = ruckle::c::to_c(ruckle::WaveOptions{});
    }
}

int32_t ruckle_waves_parameter_count(void) {
    return static_cast<int32_t>(std::size(ruckle::wave_parameters));
}

ruckle_status ruckle_waves_get_parameter(int32_t index, ruckle_parameter* parameter) {
    return ruckle::c::describe(ruckle::wave_parameters, index, parameter);
}
