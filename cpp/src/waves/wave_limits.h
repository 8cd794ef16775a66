// Tolerances and shares of wrinkle waves: unit, reason, effect of a change. Kernels include this file, so it holds numbers only.
#pragma once

namespace ruckle {

// Upper limit of the lost length of a face, as a share. Larger: a collapsed face dominates the directions around it.
inline constexpr float most_lost_length = 1.5f;

// Weight of the direction of a face that has lost no length. Larger: stretched cloth turns folds. Smaller: directions jump when a
// first compression appears.
inline constexpr float least_tensor_weight = 1e-4f;

// The axis of a face is undefined if the difference of its squared stretches over their sum is below this: rounding of float32.
// Larger: weak directions are lost.
inline constexpr float isotropic_share = 1e-5f;

// Distance over which directions are averaged, in least radii. Larger: elbows and knees lose their fans.
// Smaller: folds break at faces.
inline constexpr float direction_reach = 4.0f;

// Time constants, s, of directions and of amplitudes. Larger: folds lag behind the motion. Smaller: they flicker.
inline constexpr float direction_time = 0.1f, amplitude_time = 0.05f;

// Weight of a vertex without amplitude in the phases of its neighbours; a vertex of amplitude r_min weighs 1. Larger: flat cloth
// drags folds. Smaller: new folds have random phases.
inline constexpr float least_phase_weight = 0.02f;

// Share of the neighbours' mean in a sweep of phases. Larger: phases oscillate between two colours. Smaller: waves agree later.
inline constexpr float phase_relaxation = 0.7f;

// Pull of a covector toward the gradient of its phase: share of the difference, and limits along and across the covector of the
// field, in wave numbers. Coherence is .70 without the pull and .83 with it.
inline constexpr float pull_share = 0.8f, most_pull_along = 0.5f, most_pull_across = 0.2f;

// Sweeps at birth: of the tensors; rounds of phases and pull; sweeps in the first round and in each later round.
inline constexpr int birth_tensor_sweeps = 60, birth_rounds = 12, birth_first_sweeps = 100, birth_sweeps = 10;

// Default wavelength in least radii. Next: limits of a length, so that float32 can represent its inverse square.
inline constexpr float radii_per_wave = 7.0f;
inline constexpr double least_wave_length = 1e-12, largest_wave_length = 1e12;

// Wave number of the second wave over that of the first.
inline constexpr float fine_ratio = 1.6f;

// Irregularity 1: standard deviations of the logarithm of the wavelength, of the direction in radians and of the logarithm of the
// gain. Last: length of the noise in least radii.
inline constexpr float wavelength_noise = 0.25f, direction_noise = 0.12f, gain_noise = 0.3f, noise_reach = 6.0f;

// Length of a hem, in least radii (a quarter of the wearer's height): longer hems are loose. Larger: torsos count as sleeves.
// Smaller: cloth slides down wide legs.
inline constexpr float narrow_hem = 50.0f;

// Distance from a loose hem at which folds have their whole height: share of its length beyond the narrow one, and largest share
// of the farthest distance from it. Larger: smooth chests. Smaller: level rings around loose torsos.
inline constexpr float hem_reach = 0.7f, most_hem_reach = 0.75f;

// A narrow hem is the end of a short sleeve if another boundary is nearer than this along the cloth, in least radii (a fifth of the
// wearer's height). Larger: long sleeves count, whose folds follow the bent elbow.
inline constexpr float short_sleeve = 45.0f;

// Short sleeves slide up the arm and gather in rings around it: pull of their direction over that of loose cloth, and distance from
// the end at which it is gone, in least radii. Larger: folds of the chest turn, too.
inline constexpr float sleeve_hang = 2.5f, sleeve_reach = 40.0f;

// Share of the length lost along a fold that slides away if the cloth has slack. Larger: bare cloth between folds of two directions.
// Smaller: false folds on backs.
inline constexpr float slid_share = 0.5f;

// Boundaries higher than this share of a component's height are held. Larger: collars count as hems. Smaller: cuffs of raised
// sleeves fold like the sleeve.
inline constexpr float held_height = 0.75f;

// For the proof of the bound in wave_field.h. The reach of a turning covector, as a share of a vertex's longest edge; and the
// factor by which points nearer to other vertices may then exceed the bound.
inline constexpr float covector_reach = 2.0f / 3.0f, covector_excess = 1.05f;

}  // namespace ruckle
