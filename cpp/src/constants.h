// Every tolerance of the core: its unit, its reason, and what breaks when it changes.
#pragma once

namespace ruckle {

// Twice the triangle's area over the sum of its two squared edge lengths, dimensionless. Below this a triangle is a
// sliver whose float32 area is mostly rounding. Larger: real, thin triangles lose their wrinkles. Smaller: directions
// become noise.
inline constexpr float sliver_ratio = 1e-5f;

// Difference over sum of the two principal stretches, dimensionless. Below this they are equal up to rounding and no
// direction is special. Larger: weak but real directions are lost. Smaller: rounding points anywhere.
inline constexpr float isotropic_ratio = 1e-6f;

// Largest ratio between the areas of a triangle and its reference, either way, dimensionless. A garment triangle that
// shrinks a million times in length has collapsed. Larger: stretches overflow float32 before they are caught.
inline constexpr float area_ratio_limit = 1e12f;

// Largest stretch per 1/30 s, and the inverse of the smallest, that label costs tell apart, dimensionless. Costs have long
// reached their limits there. Larger: squares overflow float32. Smaller: nothing, down to some ten.
inline constexpr float rate_limit = 1e15f;

// Units into which the largest pairwise cost is divided. A label that costs more than its neighbours can make up for is
// cut off at less than 2^24 units, so that costs pass through float32 exactly. Smaller: optima blur.
// Larger: the cut-off values round.
inline constexpr int cost_units = 1 << 20;

// Triangles below which a frame is worked on by one thread: waking another costs about as much as 2,000 triangles.
inline constexpr int parallel_triangle_count = 8192;

// Triangles in one thread's share of a stage: large enough to hide the hand-out, small enough to balance.
inline constexpr int parallel_chunk = 4096;

}  // namespace ruckle
