// Constants of wrinkle waves with unit, reason and effect of a change. Kernels include this file, so it contains
// numbers only.
#pragma once

namespace ruckle {

// Upper limit of the lost length of a face, (rest length) / (current length) - 1 along its compressed axis. Larger: a
// collapsed face dominates the directions around it.
inline constexpr float most_lost_length = 1.5f;

// Weight of the direction of a face without lost length. Larger: stretched cloth rotates folds. Smaller: directions
// jump when compression first appears.
inline constexpr float least_tensor_weight = 1e-4f;

// Relative difference of the squared stretches of a face below which its axis is undefined, because of float32
// rounding. Larger: faces with weak compression lose their direction.
inline constexpr float isotropic_share = 1e-5f;

// Distance over which directions are averaged, in units of r_min. Larger: elbows and knees lose their fans of folds.
// Smaller: folds break at faces.
inline constexpr float direction_reach = 4.0f;

// Time constants of directions, of amplitudes, and of amplitudes without slack, s. Larger: folds lag behind the motion.
// Smaller: folds flicker. Slack is 0 for simulated coarse cloth, which trembles.
inline constexpr float direction_time = 0.3f, amplitude_time = 0.02f, trembling_time = 0.05f;

// Weight of a flat vertex in the phases of its neighbours; (current + wanted amplitude) / r_min is added to it. Larger:
// flat cloth drags folds. Smaller: new folds have random phases.
inline constexpr float least_phase_weight = 0.02f;

// Weight of the neighbours' mean in a phase sweep. Larger: phases oscillate between two colours. Smaller: waves
// converge later.
inline constexpr float phase_relaxation = 0.7f;

// Pull of a covector towards the gradient of its phase: share of the difference, and limits along and across the
// covector, as shares of the wave number. The coherence of phases is .70 without the pull and .83 with it.
inline constexpr float pull_share = 0.8f, most_pull_along = 0.5f, most_pull_across = 0.2f;

// Numbers of iterations in the first frame: tensor sweeps; rounds of phase sweeps and pull; phase sweeps in the first
// round; phase sweeps in each later round.
inline constexpr int birth_tensor_sweeps = 60, birth_rounds = 12, birth_first_sweeps = 100, birth_sweeps = 10;

// Default wavelength in units of r_min. The next two constants are the limits of a wavelength, chosen so that float32
// can represent its inverse square.
inline constexpr float radii_per_wave = 7.0f;
inline constexpr double least_wave_length = 1e-12, largest_wave_length = 1e12;

// Wave number of the second wave divided by that of the first.
inline constexpr float fine_ratio = 1.6f;

// Noise at irregularity 1: standard deviations of the logarithm of the wavelength, of the direction in radians, and of
// the logarithm of the gain. noise_reach: length of the noise in units of r_min.
inline constexpr float wavelength_noise = 0.25f, direction_noise = 0.12f, gain_noise = 0.3f, noise_reach = 6.0f;

// Length of a hem, in units of r_min, above which the hem is loose (a quarter of the wearer's height). Larger: the hems
// of torsos are treated like those of sleeves. Smaller: cloth slides down wide legs.
inline constexpr float narrow_hem = 50.0f;

// The distance from a loose hem at which folds have their full height is hem_reach times the excess of its length over
// narrow_hem, but at most most_hem_reach times the garment's extent from the hem. Larger: smooth chests. Smaller: level
// rings around loose torsos.
inline constexpr float hem_reach = 0.7f, most_hem_reach = 0.75f;

// Distance along the cloth to another boundary, in units of r_min, below which a narrow hem is the end of a short
// sleeve (a fifth of the wearer's height). Larger: folds of long sleeves also become rings, although they should fan
// out at the bent elbow.
inline constexpr float short_sleeve = 45.0f;

// Short sleeves slide up the arm and gather in rings. Strength of this influence on directions relative to that of
// loose cloth, and the distance from the sleeve end at which it ends, in units of r_min. Larger: folds of the chest
// rotate too.
inline constexpr float sleeve_hang = 2.5f, sleeve_reach = 40.0f;

// Share of the length lost along a fold that is ignored if the cloth has slack, because the cloth slides. Larger:
// smooth cloth between folds of two directions. Smaller: false folds on backs.
inline constexpr float slid_share = 0.5f;

// The lost length of a face is multiplied by 1 + resting_share · (vertical component of the normal) if the cloth has
// slack: cloth rests on shoulders, and hangs freely below them. Larger: smooth undersides of sleeves and thighs.
inline constexpr float resting_share = 0.5f;

// The lost length of a face is divided by 1 + taut_share · (largest stretch - 1) if the cloth has slack: taut cloth
// pulls length from its sides. Larger: smooth cloth at raised arms. Smaller: false folds on chests.
inline constexpr float taut_share = 2.0f;

// Height above which the body holds a boundary, as a share of the component's height. Larger: collars are treated as
// hems. Smaller: cuffs of raised sleeves fold like the sleeve.
inline constexpr float held_height = 0.75f;

// Constants in the proof of the bound in wave_field.h. covector_reach: assumed distance at which a covector acts,
// divided by the longest edge at its vertex. covector_excess: factor by which heights at more distant points may exceed
// the bound.
inline constexpr float covector_reach = 2.0f / 3.0f, covector_excess = 1.05f;

}  // namespace ruckle
