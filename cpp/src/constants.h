// Tolerances and limits of the core, with unit, reason, and effect of a change.
#pragma once

namespace ruckle {

// Smallest 2 (area) / (sum of two squared edge lengths) of a triangle that is not a sliver; dimensionless. The float32
// area of a sliver is mostly a rounding error. With a larger value, real, thin triangles lose their wrinkles. With a
// smaller value, directions become noise.
inline constexpr float sliver_ratio = 1e-5f;

// Smallest (difference) / (sum) of the two principal stretches with a direction. Below it, both stretches are equal up
// to rounding. Dimensionless. With a larger value, weak but real directions are lost. With a smaller value, directions
// may be rounding noise.
inline constexpr float isotropic_ratio = 1e-6f;

// Largest ratio of the areas of a triangle and its reference, or of its inverse; dimensionless. A larger ratio means a
// factor of a million in length: one of the two triangles has collapsed. With a larger value, stretches overflow
// float32 before the test.
inline constexpr float area_ratio_limit = 1e12f;

// Stretches per 1/30 s are clamped to [1 / rate_limit, rate_limit] for label costs, because the costs do not change any
// more beyond these values. Dimensionless. With a larger value, squares overflow float32. Smaller values down to about
// ten do not change the labels.
inline constexpr float rate_limit = 1e15f;

// Integer units of the largest pairwise cost. Unary costs are clamped to a bit more than all pairwise costs of a
// triangle together, which is less than 2^24 units, so that float32 represents costs exactly. With a smaller value,
// labelings deviate from the optimum. With a larger value, clamped costs are rounded.
inline constexpr int cost_units = 1 << 20;

// Smallest number of triangles for which several threads process a mesh: waking another thread costs as much time as
// about 2,000 triangles.
inline constexpr int parallel_triangle_count = 8192;

// Number of triangles per task of a stage: large enough to hide the cost of scheduling, small enough to balance
// threads.
inline constexpr int parallel_chunk = 4096;

// Factor that pads a bound against float32 rounding, so that a coarse test never rejects a value that the exact test
// accepts. One operation has a relative error of 6e-8, so the error of a hundred operations is still far smaller. With
// a larger value, coarse tests find more candidates than necessary.
inline constexpr float rounding_margin = 1.001f;

// Padding for the rounding of a coordinate far from the origin, as a share of the coordinate: covers about ten
// operations with a relative error of 6e-8 each.
inline constexpr float coordinate_rounding = 1e-6f;

// Shortest distance of a path vertex from a mesh vertex, as a share of its edge. So every path crosses the inside of an
// edge, and passes each mesh vertex on a defined side. With a larger value, paths visibly avoid mesh vertices. With a
// smaller value, float32 may not separate two vertices.
inline constexpr float edge_margin = 1e-3f;

// Smallest distance between two path vertices on one edge, as a share of the edge. With a larger value, paths cannot
// run close together. With a smaller value, rounding may change the order of crossings.
inline constexpr float edge_gap = 5e-4f;

// Largest distance of path vertices from a mesh vertex, as a share of their edges, at which they are one unknown when
// the path is rebuilt around this mesh vertex (thesis 5.2). With a larger value, long parts of the path are
// straightened. With a smaller value, paths get stuck at mesh vertices.
inline constexpr float vertex_vicinity = 0.1f;

// Smallest (difference) / (sum) of the principal stretches at which the compression has a clear axis. Below it, the
// direction of wrinkles is treated as undefined. With a larger value, clear directions are ignored. With a smaller
// value, seeds start in noise.
inline constexpr float open_direction_ratio = 0.03f;

// Cosine of the sharpest turn of a traced path from triangle to triangle: 60 degrees. At a sharper turn, the field is
// that of another fold. With a larger value, wrinkles break at every facet. With a smaller value, wrinkles zigzag.
inline constexpr float least_turn_cosine = 0.5f;

// Sine of the angle between an edge and a path that slides along this edge: 3 degrees. A path slides if the field of
// the triangle that it would enter points back at the edge. With 0, the path would remain on the edge. A larger value
// bends the path away from the field.
inline constexpr float slide_sine = 0.05f;

// Cosine of the largest angle between a path that slides along an edge and the field of the triangle that it enters: 45
// degrees. With a smaller cosine, paths run against the field. With a larger cosine, paths stop at every second vertex
// on coarse garments.
inline constexpr float least_slide_cosine = 0.7071f;

// Distance at which a growing path stops before another path, as a share of the smallest distance between a seed and a
// path. With 1, wrinkles that converge gently would end. With 0, wrinkles could overlap completely.
inline constexpr float growth_clearance = 0.5f;

// Distances at which a wrinkle fades because of an older wrinkle, and at which it recovers, as shares of the smallest
// distance between a seed and a path. Both are below growth_clearance, so that a new wrinkle does not fade at once.
// With larger values, close parallel folds disappear. With smaller values, bumps accumulate in gathered cloth.
inline constexpr float crowding_reach = 0.35f;
inline constexpr float uncrowding_reach = 0.45f;

// Smallest length of a lasting wrinkle, as a share of the smallest length of a new wrinkle (least_aspect). Shorter
// wrinkles fade. With a value near 1, new wrinkles fade at once. With a smaller value, short stubs remain, which look
// like pills.
inline constexpr float lasting_share = 0.62f;

// Largest number of seeds from which paths are traced in a frame: enough for a garment that crumples at once, and few
// enough to limit the time of a frame.
inline constexpr int most_seeds_per_frame = 64;

// Pause of a seed point from which no path could be traced, s. The actual pause is 1 to 1.9 times as long, depending on
// the point. With a larger value, wrinkles appear late in cloth that gathers slowly. With a smaller value, seeds
// without a path are traced too often.
inline constexpr float seed_pause = 0.1f;

// The pause of a seed point ends early if the compression of its triangle rises by this factor. With a larger value,
// wrinkles appear late in fast motion.
inline constexpr float seed_wake_ratio = 1.03f;

// Largest number of seed points in one triangle. With a larger value, a coarse triangle has more points than wrinkles
// can start in it.
inline constexpr int most_seeds_per_face = 16;

// Smallest barycentric coordinate of a seed point, because the first segment of a path would have length 0 if the seed
// were on the boundary of its triangle. With a larger value, wrinkles start in the middle of triangles, and the mesh
// becomes visible.
inline constexpr float seed_margin = 0.02f;

// Largest number of triangles around a mesh vertex over which a path can slide.
inline constexpr int most_fan_faces = 48;

// Smallest sum of the angles around a mesh vertex over which a path can slide, radians: 6 degrees. Below it the
// triangles are slivers. With a smaller value, scaling the angles to a full turn amplifies rounding.
inline constexpr float least_fan_angle = 0.1f;

// A path may go around a mesh vertex by at most a full turn minus this angle, radians. With 0, rounding could let a
// path cross itself.
inline constexpr float least_sweep_gap = 1e-3f;

// Largest share of a path's first or last segment that may be outside the wrinkle; for a path of one segment, largest
// sum of both shares, so that the ends of the wrinkle remain separate. Dimensionless.
inline constexpr float longest_cut = 0.98f;

// Time constant of the smoothing of κ and of the aspect rule (shape.h), s: two thirds of a change happen in three
// frames of the thesis's data. The field is constant in each triangle, so κ jumps when a path enters another triangle.
// With a larger value, wrinkles lag behind the motion. With a smaller value, widths and heights flicker.
inline constexpr float size_smoothing = 0.1f;

// Fastest change of a wrinkle's crest, in R_min per 1/30 s. Together with end_height_change, it prevents visible jumps
// of heights (changes of 0.15 R_min per frame are visible). With a larger value, wrinkles pop. With a smaller value,
// heights lag behind fast motion.
inline constexpr float most_height_change = 0.1f;

// Fastest change of height that a moving end may cause anywhere along its wrinkle, in R_min per 1/30 s. It limits the
// speed of the ends of high wrinkles. With a larger value, heights jump near the ends. With a smaller value, lengths
// lag behind.
inline constexpr float end_height_change = 0.04f;

// Steepest slope of a wrinkle's height along the wrinkle, in (crest) / (length of the wrinkle). The profile (shape.cpp)
// is a smoothstep over half of the length; the steepest slope of a smoothstep is 3/2, so the value is 2 × 3/2.
inline constexpr float steepest_rise = 3.0f;

// Fastest change of any point of the drawn surface that moving, widening and rising lines may cause, in R_min per 1/30
// s. Changes of 0.15 are visible. With a larger value, wrinkles pop. With a smaller value, drawn lines lag behind their
// paths.
inline constexpr float most_surface_change = 0.13f;

// Fastest movement of a path vertex over the cloth, in half widths of its wrinkle per 1/30 s. With a larger value, a
// wrinkle jumps if the field turns suddenly. With a smaller value, the wrinkle lags behind the field.
inline constexpr float most_drift = 0.5f;

// Smallest squared cosine of the angle between a mesh edge and the direction across a path for which a path vertex
// moves far enough to rotate the path exactly: 60 degrees. Below it, the motion of the vertex is reduced. With a
// smaller value, the vertex runs far along its edge. With a larger value, paths turn slowly on coarse meshes.
inline constexpr float least_across = 0.25f;

// Added to the distances of a path vertex's neighbours from the line of its edge, in mean edge lengths. If the path is
// parallel to the edge, these distances are rounding errors, and so is the point at which a straight path would cross
// the edge. With a smaller value, such vertices jitter and depend on the unit of the mesh. With a larger value, old
// paths are less straight than new paths.
inline constexpr float least_across_edge = 0.01f;

// Largest sine of the mean angle between a path and the field at which the path does not turn as a whole: 12 degrees,
// the precision of the field on a coarse mesh. With a larger value, paths are askew. With a smaller value, paths waver.
inline constexpr float idle_turn_sine = 0.2f;

// Smallest number of vertices of a path that turns as a whole; shorter paths turn by the solve of (5.2).
inline constexpr int least_turning_vertices = 6;

// Relative change of an edge's length per 1/30 s from which on paths follow the field at full speed. If the cloth
// deforms more slowly, paths slow down in proportion, because cloth at rest keeps its folds. With a larger value,
// wrinkles lag behind in slow motion. With a smaller value, wrinkles creep and flicker in a held pose.
inline constexpr float lively_rate = 1e-3f;

// Relative change of an edge's length that float32 rounding causes in a rigid motion, about ten edges away from the
// origin. With a larger value, slow motion stops wrinkles. With a smaller value, wrinkles creep because of rounding.
inline constexpr float rounding_change = 2e-6f;

// Smallest κ (share of length lost) for a radius: R_min (1 - 2/π) / κ grows without limit as κ approaches 0.
inline constexpr float least_share_lost = 1e-3f;

// Steepest slope of a wrinkle's cross-section, in (height) / (half width). It occurs at a third of the half width from
// the crest (shape.h).
inline constexpr float steepest_side = 2.0f;

// Distance between the samples of a drawn line, in half widths; smallest and largest number of steps of a line. With a
// larger distance, short wrinkles do not look round. With a smaller distance, heights take longer to compute.
inline constexpr float curve_spacing = 0.5f;
inline constexpr int least_curve_steps = 10, most_curve_steps = 64;

// Standard deviation of the smoothing of a path for its drawn line, in half widths. With a larger value, bends are cut.
// With a smaller value, the triangles of a coarse mesh are visible as kinks.
inline constexpr float curve_smoothing = 1.0f;

// Limits of (half width at rest) / (current half width), because this ratio is meaningless for collapsed cloth.
inline constexpr float least_rest_widening = 0.5f, most_rest_widening = 3.0f;

// Share of a sample's motion that is directed to its path; the rest is directed to the midpoint of its neighbours. With
// a smaller value, lines lag behind. With 1, lines keep every kink of a sudden move.
inline constexpr float straight_share = 0.7f;

// Time within which a sample must be able to reach its path, s. Otherwise the sample fades, and the line restarts on
// the path. With a larger value, wrinkles sweep over the cloth. With a smaller value, wrinkles blink.
inline constexpr float longest_approach = 0.3f;

// Distance from its goal at which a sample stops, in half widths. With a larger value, lines are visibly off their
// paths. With a smaller value, lines creep long after the motion has stopped.
inline constexpr float resting_distance = 2e-3f;

// Largest height at which samples of a drawn line may appear or disappear, in R_min: far too small to be visible.
inline constexpr float flat_share = 0.01f;

// Largest distance past the end of a path at which a sample still follows the path, in half widths.
inline constexpr float end_tolerance = 0.05f;

// Largest distance along the path, in steps, by which a sample may be behind a previous sample of its line. With a
// larger distance, the line runs backward, and the sample fades.
inline constexpr float most_backward = 0.2f;

// Cosine of the sharpest turn of a drawn line from one sample to the next: 100 degrees. With a larger value, lines
// break at bends. With a smaller value, knots are drawn.
inline constexpr float least_line_cosine = -0.17f;

// Limits of the distance between two samples of a drawn line, in steps. A sample is inserted if the distance is above
// the first limit, and removed if it is below the second.
inline constexpr float most_sample_gap = 1.7f, least_sample_gap = 0.45f;

// Largest length of a gap, in steps, in which a new sample starts at the lowest height of its neighbours, because the
// drawn surface is closed there. In wider gaps, it starts at height 0. With a larger value, wrinkles pop up in gaps.
// With a smaller value, stretched lines get notches.
inline constexpr float most_filled_gap = 2.5f;

// Radius of the weights that average the samples of a drawn line, in half widths. With a larger value, bends are
// rounded off, and more samples affect each point. With a smaller value, samples are visible as beads.
inline constexpr float averaging_reach = 1.6f;

// Smallest (height of a neighbour) / (height of a sample) at which the neighbour hides all samples behind it when the
// direction of the sample is estimated. With a larger value, wrinkles dissolve later at their ends. With a smaller
// value, the direction changes abruptly if a new sample is added.
inline constexpr float opaque_share = 0.5f;

// Length of the line that the last sample represents past its own position, in half widths: half of the distance
// between samples. With a larger value, ends are rounder. With 0, a single sample would have zero weight.
inline constexpr float tip_share = 0.25f;

// Depth of the valleys between two wrinkles below a smooth maximum, as a factor of D (path_heights.h); and distance
// from a crest at which D has its full value, in half widths. With these values, a row of equal wrinkles absorbs the
// right length within 10 %, down to crests one half width apart. Deeper and steeper valleys absorb too much cloth. With
// depth 0, a row of wrinkles at that distance loses a third of the absorbed length and looks like a plateau.
inline constexpr float valley_depth = 0.57f, valley_lean = 0.6f;

// Smallest slope of a wrinkle at a vertex from which on the cloth around the vertex is drawn without kinks (surface.h): the
// largest (height) / (half width) × (barycentric weight of the vertex) of all samples. With a larger value, folds bend at
// coarse edges while they grow. With a smaller value, the cloth under a new fold moves within few frames.
inline constexpr float smooth_slope = 0.15f;

// Factor of the radius of samples in the search for the faces that they affect; it covers the rounding of distances.
// Below 1 + 1e-4, the search may miss the rim of a wrinkle, and the surface opens at an edge.
inline constexpr float reach_margin = 1.001f;

// Relative enlargement of the spheres of a cached search (kept_reach.h). With a larger value, a line is searched less
// often, but lists more samples without effect. With 0, every frame searches.
inline constexpr float kept_margin = 0.125f;

// Largest gap between a wrinkle's cross-section and the fine edges, as a factor of the fine edge length before refinement
// (R_min / 2 at full detail, gap R_min / 16). With a larger value, crests and steep sides look serrated. With a smaller
// value, the number of fine triangles grows in inverse proportion.
inline constexpr float largest_chord_gap = 1.0f / 8.0f;

// Largest factor by which fine edges become shorter to satisfy largest_chord_gap. Each doubling gives four times as
// many fine triangles.
inline constexpr float most_refinement = 2.0f;

// The length of the mean of a vertex's unit face normals classifies the vertex: folded if the length is at most the
// first value (two faces at 91°), round if it is at least the second value (46°), a mixture in between. With lower
// values, hems and collars bulge and pierce their lining. With higher values, sleeves with eight sides keep their
// facets.
inline constexpr float folded_agreement = 0.70f, round_agreement = 0.92f;

// Largest length of the vector that the smooth base (cpp/src/surface/base.h) adds to the direction of an edge at each
// end, in lengths of the edge. With a larger value, crushed cloth folds over itself. With a smaller value, kinks remain
// between triangles of very different strains.
inline constexpr float most_turning = 0.5f;

// Cosines of the angle between two faces: an edge is shaded smoothly if the cosine is above the first value (60°), and
// is a crease if it is below the second (100°). With higher values, sleeves with six sides show their facets. With
// lower values, both layers of a hem share a normal. If the values are closer together, shading flickers while a fold
// opens and closes.
inline constexpr float smooth_cosine = 0.5f, crease_cosine = -0.17f;

// Smallest cosine between the normal of coarse cloth and the line of sight for which the cloth is drawn flat: 84
// degrees. The curvature fades in toward the outline. With a larger value, more of the cloth is divided. With a smaller
// value, edges bend visibly as they approach the outline.
inline constexpr float inner_facing = 0.1f;

// Rounding tolerances of barycentric coordinates: a coordinate may be negative by the first value, and the sum may
// differ from 1 by the second value. With larger values, points outside their face are accepted. With smaller values,
// coordinates that were written with six digits are rejected.
inline constexpr float least_weight = 1e-5f, weight_tolerance = 1e-4f;

// Number of triangles or vertices per task in the computation of vertex normals: about 50 µs of work.
inline constexpr int normals_per_share = 1024;

// Number of rows of the learned operator per task of a product: about 20 µs of work.
inline constexpr int operator_rows_per_share = 2048;

// Largest deviation from 1 of a row sum of the learned operator, relative to the sum of absolute entries. With a larger
// value, other matrices are accepted as operators. With a smaller value, operators stored in half precision are
// rejected.
inline constexpr double row_sum_tolerance = 1e-3;

// Number of coarse faces per task of a fine mesh: few, because faces with wrinkles take a hundred times as long as flat
// faces.
inline constexpr int faces_per_share = 32;

// Smallest squared sine of the angle between two edges of a triangle at rest. If the value is smaller, the triangle is
// excluded from patterns, because its float32 determinant is a rounding error. With a larger limit, thin triangles lose
// their patterns. With a smaller limit, such triangles change the heights of their neighbours at random.
inline constexpr float collapsed_gram_ratio = 1e-6f;

// Uncertainty of a pattern's alignment with the compression (modulation.h). The value is added to the difference
// between the two limits of the growth of squared slopes; it corresponds to a strain of 1 %. With a larger value,
// crossing patterns blend. With a smaller value, weights flip in nearly undeformed cloth.
inline constexpr float alignment_floor = 0.02f;

// Smallest alignment of a pattern. With a larger value, patterns along the compression become visible. A smaller value
// has no effect at the default sharpness.
inline constexpr float least_alignment = 1e-3f;

// Slope at which the presence of a pattern in a triangle is 1/2, relative to the pattern's root mean square slope over
// the garment. With a larger value, area is missing at faint parts of a pattern. With a smaller value, a pattern
// exceeds its limits where it fades out.
inline constexpr float presence_slope = 0.1f;

// Smallest slope that is assumed for every pattern, to limit the factors of nearly flat patterns. With a larger value,
// area is missing for sparse patterns. With a smaller value, sparse patterns look like pills.
inline constexpr float least_slope = 0.02f;

// A collapsed triangle is treated as if its area were at least this share of its target area, so that its demand is
// limited.
inline constexpr float smallest_shrinking = 0.05f;

// Added to the sum of squared factors over a triangle's patterns and corners in a correction. With a larger value, the
// excess area of stretched cloth is not removed near flat vertices. A smaller value has no effect, unless it is so
// small that rounding matters.
inline constexpr float least_squares = 1e-3f;

// Limits of the correction of a vertex's factors. With a wider range, factors oscillate between neighbours. With values
// closer to 1, area remains missing.
inline constexpr float least_correction = 0.5f, most_correction = 1.5f;

// Number of passes that average rotations of the coarse cloth over neighbouring vertices. With more passes, rotations
// are blurred at sharp bends. With fewer passes, collapsed triangles at an inner elbow shake the details on them, which
// increases the error in a pose outside the examples by a quarter.
inline constexpr int turn_smoothing_passes = 3;

// Smallest length of a projected unit vector, or of a mean of unit vectors, whose direction is used. With a larger
// value, steep folds lose their local frames. With a smaller value, rounding decides the direction.
inline constexpr float least_frame_length = 1e-6f;

// Number of steps between two samples of an angle, to which interpolation weights are rounded, because angles from
// float32 matrices have an error of 1e-7. With fewer steps, details jump by more than 1e-4 mm. With more steps,
// rounding errors move the details of joints at rest.
inline constexpr double share_steps = 65536.0;

// A joint is counted as clamped if an angle is outside the range of its samples by more than this, radians. With a
// smaller value, rounding errors are counted, too.
inline constexpr double clamped_angle = 1e-5;

// Largest deviation of (bone matrix) × (its transpose), divided by its scale, from the identity. With a larger value,
// sheared bones, whose angles are meaningless, are accepted. With a smaller value, rotations written with four digits
// are rejected.
inline constexpr double rigid_tolerance = 1e-3;

// Cosines of the angles at which two layers of cloth limit each other's heights: partly below 60 degrees, and fully
// below 30 degrees. Both values apply to the angle between the normals of both layers, and to the angle between the
// normal of a face and the direction to a point of the other layer. With larger angles, folds beyond a hem are limited,
// too. With smaller angles, folds at the hem pierce it.
inline constexpr float widest_room_cosine = 0.5f, full_room_cosine = 0.8660254f;
// tangents of the same two angles
inline constexpr float widest_room_slope = 1.7320508f, full_room_slope = 0.57735027f;

// Largest gap between two layers that is used to limit heights, as a share of the largest height, for points beyond the
// rim of a face. Larger gaps are replaced by this gap. With a larger value, hems also limit folds at a larger distance,
// and more faces must be tested. With a smaller value, heights change faster when a hem slides over them.
inline constexpr float widest_room_gap = 0.6f;

// Share of the gap between two layers of cloth for the heights of each layer, if both may grow into the gap. A layer
// may use twice this share if the other layer does not approach. With a larger value, layers touch. With a smaller
// value, folds under other cloth are lower than necessary.
inline constexpr float common_gap_share = 0.4f;

}  // namespace ruckle
