// Every tolerance of the cloth simulator: its unit, its reason, and what breaks when it changes.
#pragma once

#include <cstdint>

namespace ruckle {

// Density of air, kg/m³.
inline constexpr float air_density = 1.2f;

// Coefficient of linear skin friction, m/s: as strong as a drag of this coefficient at 1 m/s. Larger: cloth moves as in
// water. Smaller: a flag in a steady wind swings along its surface for seconds.
inline constexpr float skin_drag = 0.02f;

// Speed in m/s at which a contact that was not there before pushes cloth out; what is deeper moves without gaining speed.
// Larger: a garment that starts inside its body explodes. Smaller: fast limbs sink in.
inline constexpr float push_speed = 4.0f;

// Length over rest length of an edge above which a frame is refused: a simulation that has come so far never recovers.
inline constexpr float exploded_stretch = 3.0f;

// Speed in m/s below which a vertex counts as settled.
inline constexpr float settled_speed = 1e-3f;

// Elements in one thread's share of a sweep, a whole number of blocks: some ten microseconds of work.
inline constexpr std::int64_t sweep_chunk = 1024;

// Rounded cones of one body: those of a character with fingers. Steps reserve room for as many.
inline constexpr std::size_t most_cones = 128;

// Distance in metres from which the origin of coordinates follows the cloth. Larger: positions lose digits.
inline constexpr float origin_reach = 1.0f;

}  // namespace ruckle
