// Tolerances of the cloth simulator. Each has a unit, a reason and the effect of a change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ruckle {

// Density of air, kg/m³.
inline constexpr float air_density = 1.2f;

// Coefficient of linear skin friction, m/s: as strong as a drag of this coefficient at 1 m/s. Larger: cloth moves as in
// water. Smaller: a flag in a steady wind swings along its surface for seconds.
inline constexpr float skin_drag = 0.02f;

// Speed in m/s at which cloth inside a mesh is pushed out. Also the largest speed that a cone adds to cloth beyond the body's own.
// Larger: a garment that starts inside its body explodes. Smaller: coming out takes several frames.
inline constexpr float push_speed = 4.0f;

// Largest speed in m/s, for friction, at which tracked cloth presses on a cone: ten times its weight with 16 substeps of 1/60 s.
// Larger: the pressure of tracking, which is not a force, makes cloth stick and tear from its surroundings. Smaller: the garment
// slides down. Not used on meshes: close-fitting garments that stick less are pushed deep into creases.
inline constexpr float press_speed = 0.1f;

// Share of the way back to the strain limits that one sweep moves a triangle. At 1 the limit excites itself if it cannot be met:
// sheared cloth between clamps shakes by 6 mm per frame. From 0.15 to 0.7 the cloth rests.
inline constexpr float limit_share = 0.5f;

// Excess over the material's largest stretch at which cloth no longer yields to a mesh but cuts into it. yield_sweeps and
// tracked_yield_sweeps limit the sweeps for this per substep, for free and for tracked cloth. Larger stretch or fewer sweeps:
// pinched cloth tears, and single edges of tracked cloth stretch by a quarter or more. Smaller stretch or more sweeps: taut cloth
// sinks into the body, and free cloth jitters in elbows.
inline constexpr float yield_stretch = 0.1f;
// fastest_yield: largest factor on yield_stretch. The factor is the motion of body and cloth per substep over the contact distance.
inline constexpr float fastest_yield = 15.0f;
inline constexpr int yield_sweeps = 2, tracked_yield_sweeps = 4;

// Speed in m/s at which contact with a mesh gives way to strain, and at which it returns. Faster: cloth under a passing limb sinks
// in. Slower: pinched cloth stays overstretched for more frames. Return as fast as giving way: the cloth trembles.
inline constexpr float give_speed = 0.12f, return_speed = 0.006f;

// Length over rest length of an edge above which a frame is refused: such a simulation never recovers.
inline constexpr float exploded_stretch = 3.0f;

// Velocities are clamped to this at the end of a frame, m/s. Larger: a vertex thrown by a frame of microseconds stretches its edges
// beyond the limit in every later frame. Smaller: cloth of fast vehicles falls behind.
inline constexpr float largest_speed = 1000.0f;

// Largest coordinate of cloth, m. Larger: squares of distances overflow float32.
inline constexpr float largest_coordinate = 1e15f;

// Least mass of a vertex that moves, kg. Less: its inverse overflows float32 in sums.
inline constexpr float least_mass = 1e-20f;

// Shortest frame, s. Shorter: the inverse of a substep's time overflows float32.
inline constexpr float least_frame_time = 1e-9f;

// Speed in m/s below which a vertex counts as settled.
inline constexpr float settled_speed = 1e-3f;

// Fewest vertices per part of the cloth, and most parts (numbering.h). Fewer vertices: more elements join parts, and those need a
// separate round. More vertices: large cloth has fewer parts than threads.
inline constexpr int least_part = 850;
inline constexpr int most_parts = 64;

// Elements in one thread's share of a sweep, a whole number of blocks: about ten microseconds of work.
inline constexpr std::int64_t sweep_chunk = 1024;

// Relative motion of cloth and cone between two contact samples, over the sum of least cone radius and thickness; and most samples
// per substep. Larger: fast thin cones pass through cloth near their rims. Smaller: more time.
inline constexpr float sample_way = 0.5f;
inline constexpr int most_samples = 64;

// Most rounded cones of one body: enough for a character with fingers. Steps reserve room for this many.
inline constexpr std::size_t most_cones = 128;

// Search radius for self-contacts over the distance between layers; predicted approach is added to it. Larger: more pairs to test.
// Smaller: cloth is searched again sooner after its speed changes.
inline constexpr float self_reach = 1.1f;

// Depth over the distance between layers, on either side of a face. A vertex over the face within this depth gets its side; one on
// the wrong side within this depth is brought back. Larger: vertices that pass at a distance are held on the wrong side. Smaller:
// fast cloth passes through.
inline constexpr float self_depth = 1.5f;

// Share of the missing distance that a substep restores, at most half the distance. Larger: several pairs of one vertex push it too
// far, and a heap jitters. Smaller: layers sink into each other under weight.
inline constexpr float self_push = 0.6f;

// Longest predicted approach, over the distance between layers. Larger: one vertex that shoots away brings all faces within reach.
// Smaller: layers that approach at several metres per second meet undetected.
inline constexpr float self_approach = 4.0f;

// Rest distance, over the distance between layers, below which a vertex and a face are neighbors and never repel. It is half a
// circle, π/2: a fold whose layers keep that distance. Larger: sharp folds pass through themselves. Smaller: flat cloth is full of
// pairs.
inline constexpr float self_rest = 1.57f;

// Substeps between possible searches for self-contacts within a frame. And the deviation from the predicted path that triggers one,
// over the distance between layers. Larger: layers meet undetected. Smaller: more searches.
inline constexpr int self_interval = 4;
inline constexpr float self_way = 0.5f;

// If more than one vertex in this many strays, the search covers all vertices. Larger: full searches are more frequent. Smaller:
// searching around the strays takes as long as a full search.
inline constexpr std::size_t stray_share = 8;

// Largest motion of a vertex relative to the whole cloth between two searches for crossings, over the mean edge. Larger: rollbacks
// stretch the edges around them, and fast cloth explodes. Smaller: more searches.
inline constexpr float zone_way = 0.5f;

// The flatness limit that lets all blocks meet, flat ones included.
inline constexpr float never_flat = 2.0f;

// Connected cloth does not meet itself if all its normals are within an angle of one direction; this is the cosine of that angle.
// It is at least self_reach over self_rest: points within reach in space are then neighbors at rest. Larger: more to test. Smaller:
// cloth that is crushed in its plane passes through itself undetected.
inline constexpr float flat_cosine = 0.75f;
static_assert(flat_cosine >= self_reach / self_rest);

// Least rollback of a zone vertex, over the mean edge, after which strain limits let the cloth around it follow; and the sweeps for
// this. Larger, or fewer sweeps: the next substeps throw the cloth after the zone. Smaller, or more sweeps: more time.
inline constexpr float zone_pull = 0.15f;
inline constexpr int zone_sweeps = 8;

// A vertex of a zone keeps a share of its motion relative to the zone. Shares above this are halved; smaller ones become 0. Larger:
// zones become rigid sooner, and stretch the cloth around them. Smaller: more rounds.
inline constexpr float least_zone_share = 0.4f;

// Most rounds in which zones grow until nothing crosses. Fewer: dense heaps keep crossings.
inline constexpr int most_zone_rounds = 24;

// Mass of a pinned vertex in a zone, kg: about a million times that of all others.
inline constexpr double pinned_zone_mass = 1e3;

// Distance kept between an edge and a face that tried to pass each other, over the distance between layers and over their own rest
// distance. Larger: folds cannot close, and crowded folds burst. Smaller: both touch, and pass with the next push.
inline constexpr float edge_share = 0.5f;
inline constexpr float edge_rest = 0.5f;

// Distance in metres below which the direction from an edge to a face is undefined.
inline constexpr float least_edge_distance = 1e-7f;

// Pairs tested together before the touching ones are solved one by one. Larger: contacts caused by a solved pair are found a
// substep later. Smaller: more calls.
inline constexpr std::int64_t pair_chunk = 512;

// Pairs per vertex for which steps reserve room.
inline constexpr std::size_t pairs_per_vertex = 24;

// Vertices whose moments are summed in float32 before the sum goes on in double. Larger: digits of the residual are lost.
inline constexpr std::int64_t tracking_chunk = 256;

// Condition number of T W Tᵀ above which tracking is refused: float32 test functions carry no more.
inline constexpr double largest_condition = 1e7;

// Residual in metres after contact above which the surrounding cloth restores the moments that bodies changed; and most rounds of
// this. Larger, or fewer rounds: pushed fine cloth separates from the coarse cloth. Smaller, or more rounds: more time.
inline constexpr double contact_tolerance = 5e-5;
inline constexpr int contact_rounds = 4;

// Residual in metres above which moments are not restored: fine cloth cannot follow the coarse cloth there. Larger: free cloth
// around a limb explodes if coarse cloth passed through the limb. Smaller: cloth pushed hard by a body separates from the coarse
// cloth.
inline constexpr double largest_contact_residual = 4e-4;

// Substeps between searches of a body mesh for tracked cloth. More: cloth that slides fast over knees and between legs sinks into
// sides that it has not found. Fewer: more time.
inline constexpr int search_interval = 16;

// Search radius around cloth for a body mesh, m; and the factor on it for the nearest side. Larger: more to test. Smaller: cloth
// that moves beyond this before the next search enters the body, such as a hem that snaps back.
inline constexpr float body_reach = 0.04f;
inline constexpr float first_reach = 2.0f;

// Depth in metres beyond which cloth is considered inside another part of the body and is not pushed.
inline constexpr float deepest_contact = 0.03f;

// Tracked cloth closer to a mesh than this, m, is moved to this distance at the end of a frame, by at most largest_way_out. Larger:
// the preceding strain limits are undone, and cloth between intersecting parts tears. Smaller: skin shows, first between vertices.
inline constexpr float shown_distance = 1e-3f;
inline constexpr float largest_way_out = 1e-3f;

// Cosine between the way out of the body and the normals of a second side that faces the first.
inline constexpr float facing_cosine = -0.2f;

// Cosine between the outward direction and the normals of a side beyond a crease; and its search radius over the contact distance.
// Smaller cosine: cloth that a body moves across a bent elbow sinks into the other side. Larger cosine or radius: more to test.
inline constexpr float crease_cosine = 0.7f;
inline constexpr float crease_reach = 2.0f;

// Substeps between searches for ridges below edges. More: a knee that rises to the cloth within a frame shows through it.
inline constexpr int ridge_interval = 8;

// Share of the thickness that edge midpoints keep from a body's ridges. Larger: cloth is stretched over them. Smaller: skin shows
// if cloth slides onto a ridge.
inline constexpr float ridge_share = 0.5f;

// Room between two facing sides, over the cloth's thickness: below pinch_room they hold the cloth, above pinch_release they let it
// go. Larger: cloth sticks in corners that it could leave. Smaller: it is pushed to and fro between sides, and never rests. Equal
// values: it is held in every second frame.
inline constexpr float pinch_room = 2.5f;
inline constexpr float pinch_release = 3.0f;

// Speed in m/s at which two separating sides no longer hold cloth. Larger: an opening elbow tears deep cloth through the arm.
// Smaller: slow limbs push held cloth to and fro between them.
inline constexpr float pinch_opening = 0.05f;

// Excess of an edge's stretch over the material's largest that releases its held ends. Larger: cloth in a lap tears. Smaller: taut
// cloth in an elbow is pushed to and fro.
inline constexpr float slip_stretch = 0.03f;

// Depth in metres behind a facing side at which it still counts, unless both sides faced each other in the body's first pose.
// Deeper, it is the back of a thin part.
inline constexpr float second_side_depth = 0.004f;

// Distance in metres from which the origin of coordinates follows the cloth. Larger: positions lose digits.
inline constexpr float origin_reach = 1.0f;

}  // namespace ruckle
