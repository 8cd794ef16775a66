// Every tolerance of the cloth simulator: its unit, its reason, and what breaks when it changes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ruckle {

// Density of air, kg/m³.
inline constexpr float air_density = 1.2f;

// Coefficient of linear skin friction, m/s: as strong as a drag of this coefficient at 1 m/s. Larger: cloth moves as in
// water. Smaller: a flag in a steady wind swings along its surface for seconds.
inline constexpr float skin_drag = 0.02f;

// Speed in m/s at which cloth that lies in a mesh comes out of it, and the most that a cone gives it, beside the body's own.
// Larger: a garment that starts inside its body explodes. Smaller: it takes frames to come out.
inline constexpr float push_speed = 4.0f;

// Stretch over the material's largest from which on cloth gives way to a mesh no further, which is cut instead, and sweeps
// for that in every substep. Larger, fewer: pinched cloth is torn. Smaller, more: taut cloth sinks in.
inline constexpr float yield_stretch = 0.1f;
inline constexpr int yield_sweeps = 2;

// Length over rest length of an edge above which a frame is refused: a simulation that has come so far never recovers.
inline constexpr float exploded_stretch = 3.0f;

// Speed in m/s below which a vertex counts as settled.
inline constexpr float settled_speed = 1e-3f;

// Vertices of a part of the cloth at least, and parts at most (numbering.h). Fewer: more elements join parts, and come in a
// round of their own. More: large cloth has fewer parts than there are threads.
inline constexpr int least_part = 850;
inline constexpr int most_parts = 64;

// Elements in one thread's share of a sweep, a whole number of blocks: some ten microseconds of work.
inline constexpr std::int64_t sweep_chunk = 1024;

// Rounded cones of one body: those of a character with fingers. Steps reserve room for as many.
inline constexpr std::size_t most_cones = 128;

// Reach of the search for self-contacts over the distance that layers keep, beside their approach at the speeds of the search.
// Larger: more pairs to look at. Smaller: cloth whose speed changes is searched again sooner.
inline constexpr float self_reach = 1.25f;

// Distance from a face over that which layers keep within which a vertex that comes over it gets its side, and to which it is brought
// back from the other one. Larger: what passes by at some distance is held where it does not belong. Smaller: fast cloth goes through.
inline constexpr float self_depth = 1.5f;

// Share of the missing distance that a substep makes up, and half the distance at most. Larger: several pairs of one vertex push it too
// far together, and a heap trembles. Smaller: layers sink into each other under weight.
inline constexpr float self_push = 0.6f;

// Longest approach after a search that counts, over the distance that layers keep. Larger: one vertex that shoots
// away makes all faces look far. Smaller: layers that approach at more than some metres per second meet unseen.
inline constexpr float self_approach = 4.0f;

// Distance at rest, over the distance that layers keep, below which a vertex and a face are neighbors and never repel: the
// half circle, π/2, of a fold whose layers keep that distance. Larger: sharp folds pass through themselves. Smaller: flat
// cloth is full of pairs.
inline constexpr float self_rest = 1.57f;

// Substeps at least from one search for self-contacts to the next.
inline constexpr int self_interval = 4;

// How far from the nearest corner of a face a point of it lies at most, over the longest edge at rest: 1/√3, and a quarter for its
// stretch. Smaller: long faces are not found from their middle. Larger: more faces to look at.
inline constexpr float farthest_corner = 0.72f;

// One in so many vertices may stray before all are gathered again. Larger: all look at all more often. Smaller: strays alone take as long.
inline constexpr std::size_t stray_share = 8;

// Pairs that are looked at together before those that touch are solved one by one. Larger: what one moves into another is seen a
// substep later. Smaller: calls.
inline constexpr std::int64_t pair_chunk = 512;

// Pairs from that search that are measured together.
inline constexpr std::size_t candidate_chunk = 512;

// Cells of the grid for that search, and pairs per vertex, for which steps reserve room.
inline constexpr std::size_t most_cells = 1 << 18;
inline constexpr std::size_t pairs_per_vertex = 24;

// Vertices whose moments are summed in float32 before the sum goes on in double. Larger: digits of the residual are lost.
inline constexpr std::int64_t tracking_chunk = 256;

// Condition number of T W Tᵀ above which tracking is refused: float32 test functions carry no more.
inline constexpr double largest_condition = 1e7;

// Residual in metres after contact above which the cloth around gives back what bodies have taken from the moments, and how often
// it does at most. Larger, fewer: fine cloth comes off the coarse one where it is pushed. Smaller, more: time.
inline constexpr double contact_tolerance = 5e-5;
inline constexpr int contact_rounds = 4;

// Residual in metres from which on it gives nothing back: coarse cloth has gone where fine cloth cannot follow. Larger: what is
// free around a limb that coarse cloth has gone through explodes. Smaller: cloth that a body pushes hard comes off the coarse one.
inline constexpr double largest_contact_residual = 4e-4;

// Distance in metres within which cloth looks for a body mesh once per frame. Larger: more to look at. Smaller: what moves
// faster than this per frame enters the body.
inline constexpr float body_reach = 0.04f;

// Depth in metres below which cloth is taken to be inside of another part of the body, and left alone.
inline constexpr float deepest_contact = 0.03f;

// Cosine between the way out of the body and the normals of a second side that faces the first.
inline constexpr float facing_cosine = -0.2f;

// Share of the thickness that middles of edges keep from a body's ridges. Larger: cloth is stretched over them. Smaller: skin is
// seen where it slides onto one.
inline constexpr float ridge_share = 0.5f;

// Room between two sides that face each other, over the cloth's thickness, below which they hold what lies between them, and above
// which they let it go. Larger: cloth sticks in corners that it could leave. Smaller: it is pushed to and fro between sides, and
// never rests. The same: it is held in every second frame.
inline constexpr float pinch_room = 2.5f;
inline constexpr float pinch_release = 3.0f;

// Depth in metres behind such a side at which it is still one, unless both faced each other in the body's first pose:
// beyond, it is the back of a thin part.
inline constexpr float second_side_depth = 0.004f;

// Distance in metres from which the origin of coordinates follows the cloth. Larger: positions lose digits.
inline constexpr float origin_reach = 1.0f;

}  // namespace ruckle
