// Every tolerance of the core: unit, reason, and effect of a change.
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

// Units per largest pairwise cost. A label that costs more than all links of its triangle is cut off at less than 2^24 units,
// so that costs pass through float32 exactly. Smaller: labelings deviate from the optimum. Larger: the cut-off values round.
inline constexpr int cost_units = 1 << 20;

// Triangles below which a frame is worked on by one thread: waking another costs about as much as 2,000 triangles.
inline constexpr int parallel_triangle_count = 8192;

// Triangles in one thread's share of a stage: large enough to hide the hand-out, small enough to balance.
inline constexpr int parallel_chunk = 4096;

// Factor that pads a bound against float32 rounding, so that a coarse test never rejects a value that the exact test accepts. One
// operation rounds by 6e-8 of its result; a hundred in a row remain far below. Larger: more candidates than necessary.
inline constexpr float rounding_margin = 1.001f;

// The same for a coordinate far from the origin, as a share of it: some ten operations of 6e-8 each.
inline constexpr float coordinate_rounding = 1e-6f;

// Shortest distance of a path vertex to a mesh vertex, as a share of its edge. It keeps every crossing inside its edge, so that
// left and right are defined. Larger: paths visibly avoid mesh vertices. Smaller: float32 no longer separates two vertices.
inline constexpr float edge_margin = 1e-3f;

// Least distance between two path vertices on one edge, as a share of the edge. Larger: paths cannot run close
// together. Smaller: the order of crossings drowns in rounding.
inline constexpr float edge_gap = 5e-4f;

// Distance from a mesh vertex, as a share of the edge, within which the crossings of one path are solved for as one
// (thesis 5.2). Larger: long stretches are straightened. Smaller: paths get stuck at mesh vertices.
inline constexpr float vertex_vicinity = 0.1f;

// Difference over sum of the principal stretches below which compression is isotropic and the direction of wrinkles undefined.
// Larger: clear directions are ignored. Smaller: seeds start in noise.
inline constexpr float open_direction_ratio = 0.03f;

// Cosine of the sharpest turn, from triangle to triangle, that a traced path follows: 60 degrees. Beyond it the field
// belongs to another fold. Larger: wrinkles break at every facet. Smaller: they zigzag.
inline constexpr float least_turn_cosine = 0.5f;

// Sine of the angle to an edge at which a path slides along it when the field beyond points back: 3 degrees. Zero would
// leave the path on the edge; larger values bend it away from the field.
inline constexpr float slide_sine = 0.05f;

// Cosine of the largest angle between the field beyond an edge and a path that slides along that edge: 45 degrees. Smaller:
// paths run against the field. Larger: they stop at every second vertex on coarse garments.
inline constexpr float least_slide_cosine = 0.7071f;

// Share of the distance that seeds keep from paths at which growing paths stop. 1 would end wrinkles that converge
// gently; 0 lets them run on top of one another.
inline constexpr float growth_clearance = 0.5f;

// Shares of the seed distance at which a wrinkle gives way to an older one, and at which it returns. Below growth_clearance, so
// that newborn wrinkles do not give way at once. Larger: close parallel folds vanish. Smaller: bumps pile up in gathered cloth.
inline constexpr float crowding_reach = 0.35f;
inline constexpr float uncrowding_reach = 0.45f;

// Share of the aspect at birth that living wrinkles keep: a wrinkle that becomes shorter, in its own full widths, fades. Near 1:
// newborn wrinkles fade at once. Smaller: stubs remain, which look like pills.
inline constexpr float lasting_share = 0.62f;

// Seeds tried per frame: enough for a garment that crumples at once, few enough to bound the time of a frame.
inline constexpr int most_seeds_per_frame = 64;

// Pause after a seed point gave no path, s; up to twice as long. Larger: wrinkles come late in cloth that gathers slowly. Smaller:
// seeds without a path are traced again too often.
inline constexpr float seed_pause = 0.1f;

// Rise of the compression in its triangle that ends a seed point's pause early. Larger: wrinkles come late in fast motion.
inline constexpr float seed_wake_ratio = 1.03f;

// Seed points in one triangle, most. Larger: a coarse triangle has more points than wrinkles can ever begin in.
inline constexpr int most_seeds_per_face = 16;

// Least barycentric coordinate of a seed point: on the boundary of its triangle the first segment would have length 0. Larger:
// wrinkles begin in the middles of triangles, and the mesh shows.
inline constexpr float seed_margin = 0.02f;

// Triangles around one mesh vertex over which a path can slide; more is left alone.
inline constexpr int most_fan_faces = 48;

// Least sum of the angles around a mesh vertex over which a path can slide, radians: 6 degrees. Its triangles are slivers below.
// Smaller: scaling them up to a full turn magnifies rounding.
inline constexpr float least_fan_angle = 0.1f;

// How much less than a full turn a path may go around a mesh vertex, radians. Zero: rounding lets a path go around and meet itself.
inline constexpr float least_sweep_gap = 1e-3f;

// Largest hidden share of a first or last segment, so that the wrinkle's ends remain separate. Dimensionless.
inline constexpr float longest_cut = 0.98f;

// Time constant with which κ and the aspect rule follow the cloth, s: two thirds of the way in three frames of the thesis's data.
// The field is piecewise constant, so that κ jumps when a path enters another triangle. Larger: wrinkles lag behind the motion.
// Smaller: widths and heights flicker.
inline constexpr float size_smoothing = 0.1f;

// Fastest change of a wrinkle's crest, in least radii per 1/30 s. With end_height_change below it keeps every height from
// jumping (the eye follows 0.15 R_min per frame). Larger: wrinkles pop. Smaller: they lag behind fast motion.
inline constexpr float most_height_change = 0.1f;

// Fastest change of height that a moving end may cause anywhere along its wrinkle, in least radii per 1/30 s. It bounds the
// speed of the ends of high wrinkles. Larger: heights jump near the ends. Smaller: lengths lag behind.
inline constexpr float end_height_change = 0.04f;

// Steepest rise of a wrinkle's height along it, in crests per length of the wrinkle: twice the steepest slope, 3/2, of the smooth
// step over its half. Follows from the profile (shape.cpp).
inline constexpr float steepest_rise = 3.0f;

// Fastest change of any point of the drawn surface that moving, widening and rising lines may cause, in least radii per 1/30 s. The
// eye follows 0.15. Larger: wrinkles pop. Smaller: drawn lines lag behind their paths.
inline constexpr float most_surface_change = 0.13f;

// Fastest movement of a path vertex over the cloth, in half widths of its wrinkle per 1/30 s. Larger: a wrinkle jumps when the
// field turns suddenly. Smaller: it lags behind the field.
inline constexpr float most_drift = 0.5f;

// Squared cosine of the angle between a mesh edge and the direction across a path below which the vertex on that edge barely
// helps the path to turn: 60 degrees. Smaller: it runs far along its edge. Larger: paths turn slowly on coarse meshes.
inline constexpr float least_across = 0.25f;

// Added to the distances of a path vertex's neighbours from the line of its edge, in mean edge lengths. If the path is parallel
// to the edge, these distances are rounding errors, and so is the crossing of a straight path. Smaller: such vertices jitter, and
// depend on the unit of the mesh. Larger: old paths are less straight than new ones.
inline constexpr float least_across_edge = 0.01f;

// Sine of the mean angle between path and field up to which a path does not turn as a whole: 12 degrees, the precision of the
// field on a coarse mesh. Larger: paths are askew. Smaller: they waver.
inline constexpr float idle_turn_sine = 0.2f;

// Vertices from which on a path turns as a whole; shorter ones turn in the solve.
inline constexpr int least_turning_vertices = 6;

// Relative change of an edge's length per 1/30 s from which paths follow the field at their full pace; below it they slow down in
// proportion, because cloth at rest keeps its folds. Larger: wrinkles lag behind in slow motion. Smaller: they creep
// and flicker while a pose is held.
inline constexpr float lively_rate = 1e-3f;

// Relative change of an edge's length that float32 makes of a rigid motion some ten edges away from the origin. Larger: slow
// motion stops wrinkles. Smaller: they creep with the rounding.
inline constexpr float rounding_change = 2e-6f;

// Least share of length lost that a radius is made from: R_min (1 - 2/π) / κ grows without bound as κ vanishes.
inline constexpr float least_share_lost = 1e-3f;

// Steepest side of a wrinkle's section, in heights per half width: at a third of it (shape.h).
inline constexpr float steepest_side = 2.0f;

// Distance between the samples of a drawn line, in half widths; and the fewest and the most steps of it. Larger: short wrinkles
// lose their roundness. Smaller: heights take longer to find.
inline constexpr float curve_spacing = 0.5f;
inline constexpr int least_curve_steps = 10, most_curve_steps = 64;

// Standard deviation over which a path is smoothed to be drawn, in half widths. Larger: bends are cut. Smaller: the triangles of a
// coarse mesh show as kinks.
inline constexpr float curve_smoothing = 1.0f;

// Bounds of the ratio between the half widths now and in rest positions: the ratio of collapsed cloth is meaningless.
inline constexpr float least_rest_widening = 0.5f, most_rest_widening = 3.0f;

// Share of the way to the path that a sample of a drawn line goes straight; the rest levels it with its neighbours. Smaller: lines
// lag behind. 1: they keep every kink that a sudden move has left.
inline constexpr float straight_share = 0.7f;

// Time within which a sample must be able to reach its path, s; otherwise it fades and restarts on the path. Larger: wrinkles
// sweep over the cloth. Smaller: they blink.
inline constexpr float longest_approach = 0.3f;

// Distance from its goal at which a sample stops, in half widths. Larger: lines are visibly off their paths. Smaller: they creep
// long after a pose is held.
inline constexpr float resting_distance = 2e-3f;

// Height up to which a drawn line may appear, vanish and be cut, in least radii: far below visibility.
inline constexpr float flat_share = 0.01f;

// Distance beyond the end of a path up to which a sample still belongs to it, in half widths.
inline constexpr float end_tolerance = 0.05f;

// Backward step of a sample along the path from which on the line counts as running back, in steps.
inline constexpr float most_backward = 0.2f;

// Cosine of the sharpest turn of a drawn line from one sample to the next: 100 degrees. Larger: bends tear. Smaller: knots are
// drawn.
inline constexpr float least_line_cosine = -0.17f;

// Distance between two samples of a drawn line, in steps, from which on another joins them, and up to which one sinks and leaves.
inline constexpr float most_sample_gap = 1.7f, least_sample_gap = 0.45f;

// Gap between two samples, in steps, up to which a new sample in between takes the mean of their heights, because the drawn
// surface is closed there. Larger: wrinkles pop up in gaps. Smaller: notches in stretched lines.
inline constexpr float most_filled_gap = 2.5f;

// Reach of the weights by which the samples of a drawn line are averaged, in half widths. Larger: bends are rounded off, and more
// samples reach each point. Smaller: samples show as beads.
inline constexpr float averaging_reach = 1.6f;

// Height of a neighbour, as a share of a sample's height, from which on it hides the samples after it in the estimate of the
// direction. Larger: wrinkles dissolve later at their ends. Smaller: they turn abruptly if a new sample joins.
inline constexpr float opaque_share = 0.5f;

// Length of line that the last sample represents past itself, in half widths: half of the distance between samples. Larger: ends
// are rounder. 0: a single sample has zero weight.
inline constexpr float tip_share = 0.25f;

// Depth of the valleys between two wrinkles below a smooth maximum, in heights of their flanks; and the distance from a crest at
// which its flank begins, in half widths. With both, a row of equal wrinkles keeps its length within 10 %, down to crests one
// half width apart. Deeper, steeper: they absorb too much cloth. 0: a row of wrinkles at that distance loses a third of the
// absorbed length, and looks like a plateau.
inline constexpr float valley_depth = 0.57f, valley_lean = 0.6f;

// Height over half width, times the weight of a vertex. From this value on, the cloth around the vertex is drawn without kinks
// (surface.h). Larger: folds bend at coarse edges while they grow. Smaller: the cloth under a new fold moves within few frames.
inline constexpr float smooth_slope = 0.15f;

// Factor on the reach of samples when lists are made: covers the rounding of distances. Below 1 + 1e-4 lists may miss the rim of
// a wrinkle, and the surface opens at an edge.
inline constexpr float reach_margin = 1.001f;

// Share by which the spheres of a kept search are larger (kept_reach.h). Larger: a line is searched less often, but lists more samples
// in vain. 0: every frame searches.
inline constexpr float kept_margin = 0.125f;

// Largest gap between a wrinkle's section and the chords that fine edges make of it, in edge lengths: R_min / 16 at full detail.
// Larger: crests and the sides of steep wrinkles look serrated. Smaller: more fine triangles, as its inverse.
inline constexpr float largest_chord_gap = 1.0f / 8.0f;

// How much finer than the edge length edges become for it. More: four times the fine triangles for each doubling.
inline constexpr float most_refinement = 2.0f;

// Length of the mean of a vertex's unit face normals up to which it counts as folded, and from which on as round: folds by
// 91° and 46°. Lower: hems and collars bulge and pierce their lining. Higher: sleeves with eight sides keep their facets.
inline constexpr float folded_agreement = 0.70f, round_agreement = 0.92f;

// Largest turn of an edge at its ends by the smooth base, in lengths of the edge. Larger: crushed cloth folds over itself.
// Smaller: kinks remain between triangles of very different strains.
inline constexpr float most_turning = 0.5f;

// Cosines of the angle between two faces: edges above the first are smooth to light, edges below the second are creases: 60° and
// 100°. Higher: sleeves with six sides show their facets. Lower: both layers of a hem share a normal. Closer together: shading
// flickers as a fold opens and closes.
inline constexpr float smooth_cosine = 0.5f, crease_cosine = -0.17f;

// Cosine between normal and line of sight from which on coarse cloth is inside the outline and drawn flat: 84 degrees. Toward the
// outline the curvature fades in. Larger: more of the cloth is divided. Smaller: edges bend visibly as they reach the outline.
inline constexpr float inner_facing = 0.1f;

// How far below 0 a barycentric weight may fall by rounding, and how far from 1 the sum of three. Larger: points outside their face
// pass. Smaller: weights that were written with six digits are refused.
inline constexpr float least_weight = 1e-5f, weight_tolerance = 1e-4f;

// Triangles or vertices in one thread's share of vertex normals: some 50 µs of work.
inline constexpr int normals_per_share = 1024;

// Rows of the learned operator in one thread's share of a product: some 20 µs of work.
inline constexpr int operator_rows_per_share = 2048;

// Largest deviation from 1 of a row sum of the learned operator, as a share of the sum of absolute entries. Larger: other
// matrices pass as operators. Smaller: operators stored in half precision are refused.
inline constexpr double row_sum_tolerance = 1e-3;

// Coarse faces in one thread's share of a fine mesh: few, because those with wrinkles take a hundred times as long.
inline constexpr int faces_per_share = 32;

// Squared sine of the angle between two edges of a triangle below which it has collapsed at rest and does not need patterns: its
// determinant is rounding of float32. Larger: thin triangles lose their patterns. Smaller: they raise their neighbours at random.
inline constexpr float collapsed_gram_ratio = 1e-6f;

// Cosine² up to which a pattern's alignment with the compression is uncertain, as a share of the difference of the two growths plus
// itself: 1 % of strain. Larger: crossing patterns blend. Smaller: weights flip in nearly undeformed cloth.
inline constexpr float alignment_floor = 0.02f;

// Least alignment of a pattern. Larger: patterns along the compression show. Smaller: nothing, at the default sharpness.
inline constexpr float least_alignment = 1e-3f;

// Slope, as a share of its root mean square over the garment, at which a pattern counts as half present in a triangle. Larger: a
// pattern's faint parts leave area missing. Smaller: patterns that end there are raised beyond their limits.
inline constexpr float presence_slope = 0.1f;

// Slope that every pattern is taken to have at least: it bounds the factors of nearly flat patterns. Larger: sparse patterns leave
// area missing. Smaller: they become pills.
inline constexpr float least_slope = 0.02f;

// Smallest share of its target area that a collapsed triangle is taken to have, so that it wants a bounded amount.
inline constexpr float smallest_shrinking = 0.05f;

// Added to the sum of squared factors over a triangle's patterns and corners in a correction. Larger: excess of stretched cloth
// is left to flat vertices. Smaller: no effect, until rounding counts.
inline constexpr float least_squares = 1e-3f;

// Bounds of the correction of a vertex's factors. Wider: factors swing between neighbours. Closer to 1: area remains missing.
inline constexpr float least_correction = 0.5f, most_correction = 1.5f;

// Passes in which turns of the coarse cloth are averaged over neighbours. More: details lag behind sharp bends. Fewer: collapsed
// triangles at an inner elbow shake the details on them, by a quarter of the error of a held-out pose.
inline constexpr int turn_smoothing_passes = 3;

// Length of a projected unit vector, or of a mean of unit vectors, below which its direction is undefined. Larger: steep folds
// lose their frames. Smaller: rounding decides the direction.
inline constexpr float least_frame_length = 1e-6f;

// Steps between two samples: float32 matrices give angles to 1e-7. Fewer: details move in leaps larger than 1e-4 mm. More:
// rounding moves joints at rest.
inline constexpr double share_steps = 65536.0;

// Radians by which an angle may exceed the grid before its joint counts as clamped. Smaller: rounding is counted.
inline constexpr double clamped_angle = 1e-5;

// Entries of a bone's matrix times its transpose, divided by its scale, may differ so much from the identity. Larger: sheared bones
// pass, whose angles mean nothing. Smaller: rotations written with four digits are refused.
inline constexpr double rigid_tolerance = 1e-3;

// Angles between the normals of two layers of cloth, and between a face's normal and a point beside the face: at 60 degrees the
// layers begin to limit each other's heights, and within 30 degrees they limit them fully. Larger: folds beside a hem pierce it.
// Smaller: seams between parts are flat.
inline constexpr float widest_room_cosine = 0.5f, full_room_cosine = 0.8660254f;
inline constexpr float widest_room_slope = 1.7320508f, full_room_slope = 0.57735027f;  // tangents

// Share of the largest height: a gap above it counts as this one for points beside a face. Larger: hems limit folds that are
// farther beside them, and more faces meet. Smaller: heights change faster as a hem slides over them.
inline constexpr float widest_room_gap = 0.6f;

// Share of the gap between two layers of cloth that the heights of each may use if both may grow into it. A layer that the other
// one does not approach uses twice this. Larger: layers touch. Smaller: folds under other cloth are lower than they could be.
inline constexpr float common_gap_share = 0.4f;

}  // namespace ruckle
