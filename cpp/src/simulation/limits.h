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

// Speed in m/s at which tracked cloth presses upon a cone at most, for friction: ten times its weight, with 16 substeps of 1/60 s.
// Larger: what tracking presses, which is no force, sticks, and tears from the cloth around. Smaller: the garment slides down. Not
// on meshes, in whose creases garments that fit closely, and stick less, are pushed deep.
inline constexpr float press_speed = 0.1f;

// Share of the way back to the strain limits that a sweep moves a triangle. At 1 the limit excites itself where it cannot be met:
// sheared cloth between clamps shakes by 6 mm per frame. From 0.15 to 0.7 it rests.
inline constexpr float limit_share = 0.5f;

// Stretch over the material's largest from which on cloth gives way to a mesh no further, which is cut instead, and sweeps for that in
// every substep at most, of cloth on its own and of what tracks. Larger, fewer: pinched cloth is torn, and single edges of what tracks are
// drawn out by a quarter and more. Smaller, more: taut cloth sinks in, and what is on its own trembles in elbows.
inline constexpr float yield_stretch = 0.1f;
// fastest_yield: how many times as far it stretches before a body that comes through its distance as many times in a substep.
inline constexpr float fastest_yield = 15.0f;
inline constexpr int yield_sweeps = 2, tracked_yield_sweeps = 4;

// Length over rest length of an edge above which a frame is refused: a simulation that has come so far never recovers.
inline constexpr float exploded_stretch = 3.0f;

// Speed in m/s at which velocities are cut when a frame ends. Larger: a vertex that a frame of microseconds has thrown stretches its edges
// beyond the limit in every later frame. Smaller: cloth of fast vehicles falls behind.
inline constexpr float largest_speed = 1000.0f;

// Shortest frame, s. Shorter: the time of a substep has no inverse in float32.
inline constexpr float least_frame_time = 1e-9f;

// Speed in m/s below which a vertex counts as settled.
inline constexpr float settled_speed = 1e-3f;

// Vertices of a part of the cloth at least, and parts at most (numbering.h). Fewer: more elements join parts, and come in a
// round of their own. More: large cloth has fewer parts than there are threads.
inline constexpr int least_part = 850;
inline constexpr int most_parts = 64;

// Elements in one thread's share of a sweep, a whole number of blocks: some ten microseconds of work.
inline constexpr std::int64_t sweep_chunk = 1024;

// Way of cloth and cone relative to each other from one sample of contact to the next, over the least radius of the cone and the cloth's
// thickness together; and samples per substep at most. Larger: fast thin cones pass through cloth near their rims. Smaller: time.
inline constexpr float sample_way = 0.5f;
inline constexpr int most_samples = 64;

// Rounded cones of one body: those of a character with fingers. Steps reserve room for as many.
inline constexpr std::size_t most_cones = 128;

// Reach of the search for self-contacts over the distance that layers keep, beside their approach at the speeds of the search.
// Larger: more pairs to look at. Smaller: cloth whose speed changes is searched again sooner.
inline constexpr float self_reach = 1.1f;

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

// Substeps from one time at which self-contacts may be searched again within a frame to the next, and how far a vertex must have strayed
// from its expected way for that, over the distance that layers keep. Larger: layers meet unseen. Smaller: more searches.
inline constexpr int self_interval = 4;
inline constexpr float self_way = 0.5f;

// One in so many vertices may stray before all are looked for anew. Larger: all look at all more often. Smaller: strays alone take as long.
inline constexpr std::size_t stray_share = 8;

// How far a vertex may go, beside all of the cloth, from one look for crossings to the next, over the mean edge. Larger: what is taken
// back then stretches the edges around it, and fast cloth explodes. Smaller: more looks.
inline constexpr float zone_way = 0.5f;

// The same for all to meet, whatever lies flat.
inline constexpr float never_flat = 2.0f;

// Cosine of the angle from a common direction up to which all normals of cloth that hangs together lie while it meets itself nowhere: at
// least self_reach over self_rest, for what is within reach in space is then a neighbor at rest. Larger: more to look at. Smaller: what
// is crushed within its plane passes through itself unseen.
inline constexpr float flat_cosine = 0.75f;
static_assert(flat_cosine >= self_reach / self_rest);

// How far zones take a vertex back at least, over the mean edge, for strain limits to let what is around follow, in so many sweeps.
// Larger, fewer: the next substeps throw it after them. Smaller, more: time.
inline constexpr float zone_pull = 0.15f;
inline constexpr int zone_sweeps = 8;

// Least share, of what vertices of a zone go besides the zone, that is still halved: what is left then is taken back altogether.
// Larger: zones are stiff sooner, and stretch what is around them. Smaller: more rounds.
inline constexpr float least_zone_share = 0.4f;

// Rounds in which zones grow until nothing crosses. Fewer: crossings are left in dense heaps.
inline constexpr int most_zone_rounds = 24;

// Mass of a pinned vertex in a zone, kg: about a million times that of all others.
inline constexpr double pinned_zone_mass = 1e3;

// Share of the distance that layers keep, and of their own at rest, at which an edge and a face are held that have tried to pass each
// other. Larger: folds cannot close, and crowded ones burst. Smaller: they lie upon each other, and pass with the next push.
inline constexpr float edge_share = 0.5f;
inline constexpr float edge_rest = 0.5f;

// Distance in metres below which an edge and a face have no direction from one to the other.
inline constexpr float least_edge_distance = 1e-7f;

// Pairs that are looked at together before those that touch are solved one by one. Larger: what one moves into another is seen a
// substep later. Smaller: calls.
inline constexpr std::int64_t pair_chunk = 512;

// Pairs per vertex for which steps reserve room.
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

// Substeps from one look for a body mesh to the next, of what tracks. More: cloth that slides fast over knees and between legs sinks
// into sides that it does not know. Fewer: time.
inline constexpr int search_interval = 16;

// Distance in metres within which cloth looks for a body mesh, and how many times as far for the nearest side. Larger: more to look
// at. Smaller: what goes farther until the next look, as a hem that snaps back does, enters the body.
inline constexpr float body_reach = 0.04f;
inline constexpr float first_reach = 2.0f;

// Depth in metres below which cloth is taken to be inside of another part of the body, and left alone.
inline constexpr float deepest_contact = 0.03f;

// Distance in metres from a mesh to which tracked cloth that lies closer is brought when a frame ends, and how far it goes for that at
// most. Larger: strain, which has just had its way, is undone, and what lies between parts that cut into each other is torn. Smaller:
// skin is seen, at last between vertices.
inline constexpr float shown_distance = 1e-3f;
inline constexpr float largest_way_out = 1e-3f;

// Way in metres of body and cloth in a frame from which on contact has the last word, not strain: 6 m/s at 60 frames per second. Larger:
// fast bodies enter taut cloth. Smaller: cloth that limbs pinch is torn.
inline constexpr float fast_way = 0.1f;

// Cosine between the way out of the body and the normals of a second side that faces the first.
inline constexpr float facing_cosine = -0.2f;

// Cosine between the way out of the body and the normals of a side beyond a crease, and how far it is looked for, over the distance
// within which cloth touches the body. Smaller: cloth that a body moves from one side of a bent elbow to the other sinks into that.
// Larger, farther: more to look at.
inline constexpr float crease_cosine = 0.7f;
inline constexpr float crease_reach = 2.0f;

// Substeps from one look for ridges below edges to the next. More: a knee that comes up to the cloth within a frame is seen through it.
inline constexpr int ridge_interval = 8;

// Share of the thickness that middles of edges keep from a body's ridges. Larger: cloth is stretched over them. Smaller: skin is
// seen where it slides onto one.
inline constexpr float ridge_share = 0.5f;

// Room between two sides that face each other, over the cloth's thickness, below which they hold what lies between them, and above
// which they let it go. Larger: cloth sticks in corners that it could leave. Smaller: it is pushed to and fro between sides, and
// never rests. The same: it is held in every second frame.
inline constexpr float pinch_room = 2.5f;
inline constexpr float pinch_release = 3.0f;

// Speed in m/s at which two such sides move apart from which on they hold nothing. Larger: cloth that lies deep in an elbow is torn through
// the arm when that opens. Smaller: what slow limbs hold is pushed to and fro between them.
inline constexpr float pinch_opening = 0.05f;

// Stretch over the material's largest of an edge from which on its ends are not held. Larger: cloth in a lap is torn. Smaller: taut
// cloth in an elbow is pushed to and fro.
inline constexpr float slip_stretch = 0.03f;

// Depth in metres behind such a side at which it is still one, unless both faced each other in the body's first pose:
// beyond, it is the back of a thin part.
inline constexpr float second_side_depth = 0.004f;

// Distance in metres from which the origin of coordinates follows the cloth. Larger: positions lose digits.
inline constexpr float origin_reach = 1.0f;

}  // namespace ruckle
