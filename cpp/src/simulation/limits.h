// Constants of the cloth simulator: physical constants, speeds and distances of contact, tolerances, limits of input,
// and sizes of reserved memory. Each has a unit, a reason or the effect of a change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ruckle {

// Density of air, kg/m³.
inline constexpr float air_density = 1.2f;

// Coefficient of linear skin friction, m/s: at 1 m/s, the friction equals a quadratic drag with this coefficient.
// Larger: cloth moves as in water. Smaller: a flag in a steady wind swings along its surface for seconds.
inline constexpr float skin_drag = 0.02f;

// Speed in m/s at which cloth inside a body mesh is pushed out. Also the largest speed that a rounded cone adds to
// cloth, in addition to the speed of the cone. Larger: a garment that starts inside its body explodes. Smaller: pushing
// out takes several frames.
inline constexpr float push_speed = 4.0f;

// Speed in m/s that limits the pressure of tracked cloth on a cone, for friction. It corresponds to ten times the
// weight of the cloth, with 16 substeps in 1/60 s. Larger: tracking presses cloth on the cone, so that it sticks and
// tears from its surroundings. Smaller: the garment slides down. Not used for meshes: close-fitting garments with less
// friction are pushed deep into creases.
inline constexpr float press_speed = 0.1f;

// Share of the way back to the strain limits that one sweep moves a triangle. With 1, limits that cannot be satisfied
// cause oscillations: sheared cloth between clamps shakes by 6 mm per frame. With 0.15 to 0.7 the cloth comes to rest.
inline constexpr float limit_share = 0.5f;

// Friction moment of a hinge, divided by that of the cloth. Hinges of three directions share the curvature of a
// cylinder: the sum of their rates of bending is 3/2 times that of the cylinder.
inline constexpr float hinge_share = 2.0f / 3.0f;

// Excess over the material's largest stretch at which cloth cuts into a body mesh instead of yielding to it.
// yield_sweeps and tracked_yield_sweeps are the most sweeps per substep for this, for free and for tracked cloth.
// Larger stretch or fewer sweeps: pinched cloth tears, and single edges of tracked cloth stretch by a quarter or more.
// Smaller stretch or more sweeps: taut cloth sinks into the body, and free cloth jitters in elbows.
inline constexpr float yield_stretch = 0.1f;
// Largest factor on yield_stretch. The factor is the motion of body and cloth per substep divided by the contact
// distance.
inline constexpr float fastest_yield = 15.0f;
inline constexpr int yield_sweeps = 2, tracked_yield_sweeps = 4;

// Speeds in m/s at which the contact distance to a mesh decreases if the cloth is overstretched (give_speed), and
// increases again (return_speed). Faster: cloth under a passing limb sinks in. Slower: pinched cloth remains
// overstretched for more frames. Equal speeds: the cloth trembles.
inline constexpr float give_speed = 0.12f, return_speed = 0.006f;

// Ratio of length to rest length of an edge above which a frame is rejected, because such a simulation never recovers.
inline constexpr float exploded_stretch = 3.0f;

// Largest velocity at the end of a frame, m/s; larger ones are clamped. Larger: a vertex thrown by a frame of
// microseconds stretches its edges beyond the limit in every later frame. Smaller: cloth of fast vehicles lags behind.
inline constexpr float largest_speed = 1000.0f;

// Largest coordinate of cloth, m. Larger: squares of distances overflow float32.
inline constexpr float largest_coordinate = 1e15f;

// Least mass of a free vertex, kg; lighter vertices do not move. Smaller: sums with its inverse overflow float32.
inline constexpr float least_mass = 1e-20f;

// Shortest frame, s. Shorter: the inverse of a substep's time overflows float32.
inline constexpr float least_frame_time = 1e-9f;

// Speed in m/s below which a vertex is considered settled.
inline constexpr float settled_speed = 1e-3f;

// Fewest vertices per part of the cloth, and most parts (numbering.h). Smaller parts: more elements join two parts, and
// such elements need a separate round. Larger parts: large cloth has fewer parts than threads.
inline constexpr int least_part = 850;
inline constexpr int most_parts = 64;

// Elements in one thread's share of a sweep, a multiple of sweep_block: about ten microseconds of work.
inline constexpr std::int64_t sweep_chunk = 1024;

// Motion of cloth relative to a cone between two contact samples, divided by (smallest radius + thickness). Larger:
// fast thin cones pass through cloth that they only graze. Smaller: more time. most_samples: largest number of samples
// per substep.
inline constexpr float sample_way = 0.5f;
inline constexpr int most_samples = 64;

// Largest number of rounded cones of a body: enough for a character with fingers. Memory for them is reserved.
inline constexpr std::size_t most_cones = 128;

// Search radius for self-contacts, divided by the distance between layers. Predicted approach is added. Larger: more
// pairs to test. Smaller: a change of speed causes a new search sooner.
inline constexpr float self_reach = 1.1f;

// Depth on either side of a face, divided by the distance between layers. A vertex over the face is assigned to a side,
// or brought back from the wrong side, only within this depth. Larger: vertices that pass at a distance are held on the
// wrong side. Smaller: fast cloth passes through.
inline constexpr float self_depth = 1.5f;

// Share of the missing distance that a substep restores; each move is at most half the distance between layers. Larger:
// several pairs of one vertex push it too far, and heaps jitter. Smaller: layers sink into each other under weight.
inline constexpr float self_push = 0.6f;

// Largest predicted approach of a vertex and a face, divided by the distance between layers. Larger: one vertex that
// shoots away makes pairs with all faces. Smaller: layers that approach at several metres per second are not detected.
inline constexpr float self_approach = 4.0f;

// Rest distance of a vertex and a face, divided by the distance between layers, below which they are neighbors and
// never repel. The value is π/2, the length of a half circle of diameter 1: it is the cloth in a round fold whose
// layers are one such distance apart. Larger: sharp folds pass through themselves. Smaller: flat cloth is full of
// pairs.
inline constexpr float self_rest = 1.57f;

// Number of substeps between tests of whether a new search for self-contacts is due within a frame. self_way: deviation
// of a vertex from its predicted path, divided by the distance between layers, that causes a search. Larger: contact is
// missed. Smaller: more searches.
inline constexpr int self_interval = 4;
inline constexpr float self_way = 0.5f;

// If more than 1 / stray_share of the vertices have left their predicted paths, all vertices are searched. Larger: full
// searches are more frequent. Smaller: the search around these vertices takes as long as a full search.
inline constexpr std::size_t stray_share = 8;

// Largest motion of a vertex relative to the whole cloth between two searches for crossings, divided by the mean edge
// length. Larger: rollbacks stretch the edges around them, and fast cloth explodes. Smaller: more searches.
inline constexpr float zone_way = 0.5f;

// A cosine above 1: as a flatness limit, it excludes no pair of blocks.
inline constexpr float never_flat = 2.0f;

// Connected cloth does not touch itself if all its normals are within an angle of one direction; this is the cosine of
// that angle. It must be at least self_reach / self_rest: then points within the search radius are neighbors at rest.
// Larger: more to test. Smaller: cloth that is crushed in its plane passes through itself undetected.
inline constexpr float flat_cosine = 0.75f;
static_assert(flat_cosine >= self_reach / self_rest);

// Smallest rollback of a zone vertex, divided by the mean edge length, after which strain limits move the surrounding
// cloth, in zone_sweeps sweeps. Larger, or fewer sweeps: the next substeps throw the cloth after the zone. Smaller, or
// more sweeps: more time.
inline constexpr float zone_pull = 0.15f;
inline constexpr int zone_sweeps = 8;

// A zone vertex retains a share of its motion relative to the zone. Shares above this are halved, smaller shares become
// 0. Larger: zones become rigid sooner and stretch the cloth around them. Smaller: more rounds.
inline constexpr float least_zone_share = 0.4f;

// Largest number of rounds in which zones grow until nothing crosses. Smaller: crossings remain in dense heaps.
inline constexpr int most_zone_rounds = 24;

// Mass of a pinned vertex in a zone, kg: about a million times that of a free vertex.
inline constexpr double pinned_zone_mass = 1e3;

// Edge contact keeps this distance between an edge and a face that have crossed: edge_share times the distance between
// layers, or edge_rest times their own distance at rest if that is less. Larger: folds cannot close, and crowded folds
// burst. Smaller: edge and face touch, and cross again with the next push.
inline constexpr float edge_share = 0.5f;
inline constexpr float edge_rest = 0.5f;

// Distance in metres below which the direction from an edge to a face is undefined.
inline constexpr float least_edge_distance = 1e-7f;

// Number of pairs that are tested together before the touching ones are solved in order. Larger: contacts that result
// from a solved pair are found a substep later. Smaller: more calls.
inline constexpr std::int64_t pair_chunk = 512;

// Largest number of pairs, per vertex of the cloth. Memory for them is reserved.
inline constexpr std::size_t pairs_per_vertex = 24;

// Number of vertices whose moments are summed in float32 before the sum continues in double. Larger: the residual is
// less precise.
inline constexpr std::int64_t tracking_chunk = 256;

// Largest condition number of T W Tᵀ for which tracking is possible: float32 test functions are not more precise.
inline constexpr double largest_condition = 1e7;

// Residual in metres after contact above which the cloth around contacts restores the moments that bodies changed, in
// at most contact_rounds rounds. Larger, or fewer rounds: pushed fine cloth separates from the coarse cloth. Smaller,
// or more rounds: more time.
inline constexpr double contact_tolerance = 5e-5;
inline constexpr int contact_rounds = 4;

// Residual in metres above which moments are not restored, because fine cloth cannot follow the coarse cloth there.
// Larger: free cloth around a limb explodes if coarse cloth passed through the limb. Smaller: cloth pushed hard by a
// body separates from the coarse cloth.
inline constexpr double largest_contact_residual = 4e-4;

// Substeps between searches of a body mesh for tracked cloth. Larger: cloth that slides fast over knees and between
// legs sinks into sides that it has not found. Smaller: more time.
inline constexpr int search_interval = 16;

// body_reach: search radius for a body mesh, in addition to the contact distance, m. first_reach: factor on the radius
// for the nearest side. Larger: more to test. Smaller: cloth that moves more before the next search enters the body,
// such as a hem that snaps back.
inline constexpr float body_reach = 0.04f;
inline constexpr float first_reach = 2.0f;

// Depth in metres beyond which cloth is assumed to be inside another part of the body, and is not pushed out.
inline constexpr float deepest_contact = 0.03f;

// Smallest distance of tracked cloth from a mesh at the end of a frame, m. Closer cloth is moved, by at most
// largest_way_out. Larger: this undoes strain limits, and cloth between intersecting parts tears. Smaller: skin shows,
// first between vertices.
inline constexpr float shown_distance = 1e-3f;
inline constexpr float largest_way_out = 1e-3f;

// A side of a body faces the nearest side if the cosine between its normal and the outward direction at the nearest side
// is at most this.
inline constexpr float facing_cosine = -0.2f;

// crease_cosine: largest cosine between the outward direction at the nearest side and the normal of a side beyond a
// crease. crease_reach: search radius for such a side, divided by twice the contact distance. Smaller cosine: cloth
// that slides across a bent elbow sinks into its other side. Larger cosine or radius: more to test.
inline constexpr float crease_cosine = 0.7f;
inline constexpr float crease_reach = 2.0f;

// Substeps between searches for ridges below edges. Larger: a knee that rises to the cloth within a frame shows through
// it.
inline constexpr int ridge_interval = 8;

// Distance of edge midpoints from ridges of a body, divided by the thickness. Larger: cloth is stretched over ridges.
// Smaller: skin shows if cloth slides onto a ridge.
inline constexpr float ridge_share = 0.5f;

// Distance between two facing sides of a body, divided by the cloth's thickness: the sides hold cloth below pinch_room
// and release it above pinch_release. Larger: cloth sticks in corners that it could leave. Smaller: cloth is pushed
// from side to side and never rests. Equal values: cloth is held in every second frame.
inline constexpr float pinch_room = 2.5f;
inline constexpr float pinch_release = 3.0f;

// Speed in m/s at which two sides must separate to release cloth. Larger: an opening elbow tears deep cloth through the
// arm. Smaller: slow limbs push held cloth from side to side.
inline constexpr float pinch_opening = 0.05f;

// Excess of an edge's stretch over the material's largest stretch at which its pinched ends are released. Larger: cloth
// in a lap tears. Smaller: taut cloth in an elbow is pushed from side to side.
inline constexpr float slip_stretch = 0.03f;

// Depth in metres behind a facing side beyond which the side is ignored, because it is the back of a thin part. Not
// ignored if both sides faced each other in the body's first pose.
inline constexpr float second_side_depth = 0.004f;

// Distance in metres of the center of the cloth's bounding box from the origin of coordinates, along an axis, above
// which the origin is moved. Larger: positions lose digits.
inline constexpr float origin_reach = 1.0f;

}  // namespace ruckle
