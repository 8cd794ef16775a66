// trace: seeds new wrinkles and traces their paths (thesis 5.1).
//
// Wrinkles are perpendicular to the compression. From a seed in a compressed triangle (λ̃ > τ), a path grows in both
// directions, in each triangle perpendicular to the largest compression. The path ends if λ̃ is below the growing
// threshold, at a boundary, and before it would cross another path or itself. One step of tangential Laplacian
// smoothing follows.
//
// Guarantees: paths are valid and do not cross (path.h). The random points depend only on the option `seed`, the
// triangle and the number of the point. So the same motion gives the same wrinkles on any machine, for any thread count
// and frame rate.
// Nothing allocates after SeedSet::choose.
//
// The direction field does not have a sign: the sign that continues the path is chosen. If the field of the next
// triangle points back at the edge that the path crosses, the path continues along this edge to the next mesh vertex,
// provided that the edge is at most 45 degrees off the field. Otherwise the path ends. A triangle without a direction
// (equal stretches) does not get seeds, and paths cross it in a straight line.
//
// Departs from the paper: seeds are fixed points of each triangle, in the order of decreasing compression; the paper
// chooses new points in every frame. A point from which no path could be traced pauses for a few frames. A path also
// ends before a turn of more than 60 degrees at one edge, and before it comes within half a wrinkle width of another
// path. TraceOptions also has a lower threshold for growing than for seeding, and a minimal length of new paths. By
// default, neither has an effect; the Wrinkler sets both from WrinklerOptions.
//
// Example:
//     const ruckle::Cloth cloth{topology, positions, current, field};
//     ruckle::PathPool pool(topology, ruckle::path_capacity(topology));
//     ruckle::trace_frame(cloth, {.r_min = 0.2f, .tau = 1.2f, .grow_tau = 1.1f}, pool);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/paths/parameters.h"
#include "ruckle/paths/path.h"

namespace ruckle {

struct TraceOptions {
    float r_min = 0.0f;                 // smallest radius of a wrinkle (thesis 6), mesh units, > 0
    float tau = WrinklerOptions{}.tau;  // compression λ̃ above which a triangle gets seeds, > 1
    // compression λ̃ above which a path continues through a triangle, in (1, tau]
    float grow_tau = WrinklerOptions{}.tau;
    float least_aspect = 0.0f;        // smallest length of a new path, in widths of its full-grown wrinkle, >= 0
    std::uint64_t seed = 0;           // seed of the random points
    bool smooth = true;               // true: one step of tangential Laplacian smoothing of each new path
    float dt = reference_frame_time;  // time since the previous call, s, >= 0
};

// Counts of one frame's tracing.
struct TraceStats {
    int tried = 0;  // number of seeds from which tracing was tried, with or without a new path
    int born = 0;   // number of paths that were added to the pool
    // number of seeds without a valid path, for example because the first segment would cross another path
    int crossing = 0;
    int too_short = 0;  // number of paths that were not added because they were shorter than least_aspect
    int full = 0;       // 1 if the frame ended early because the pool was full
};

// The seed points of a mesh, the path segment that covered each point last, and the pauses of points from which no path
// could be traced recently. Positions of points are not stored, because computing them takes less time than reading
// them from memory.
class SeedSet {
  public:
    // Sets the number of points of each triangle from its edge matrix: about one point per square whose side is the
    // smallest width of a wrinkle, 1 to 16 points. Then calls begin. Allocates.
    void choose(std::span<const Matrix2> current, float r_min, std::uint64_t seed);
    // Resets all points that `counts` describes: they are not covered and not paused, and get new positions from
    // `seed`. Allocates.
    void begin(std::uint64_t seed);
    // Moves all points to other random positions. counter: 0 for fixed points; the frame number for new points in each
    // frame. Ends all pauses.
    void scatter(std::uint64_t seed, std::uint64_t counter);

    std::int32_t count() const { return static_cast<std::int32_t>(notes.size()); }
    // Returns the barycentric coordinates of a point with respect to vertices 1 and 2 of its face.
    //
    // number  number of the point in its face, from 0
    Vector2 position(std::int32_t face, std::int32_t number) const;

    // (T) number of points of each triangle. All points are numbered face by face.
    std::vector<std::uint8_t> counts;

    // A point from which no path could be traced pauses for some time, or until the compression of its triangle has clearly
    // increased.
    struct Pause {
        double until;       // value of `clock` at the end of the pause, s
        float compression;  // compression of the triangle when the pause began
        std::int32_t point;
    };
    // Returns the pause of a point, or null if the point does not pause.
    const Pause* pause_of(std::int32_t point) const;
    // Starts the pause of a point, or replaces its current pause.
    void add_pause(const Pause& pause);
    // Ends the pauses whose time is over.
    void end_pauses();
    // Returns the path segment that covered a point last; -1 if it is not known.
    std::int32_t segment_of(std::int32_t point) const { return notes[point] < no_segment ? notes[point] : -1; }
    // Stores the segment that covers a point. Does nothing if the point pauses.
    void set_segment(std::int32_t point, std::int32_t segment);

    // Notes have 16 bits, because there are several thousand per garment. Segments from no_segment on, which exist only
    // on large meshes, are not stored. Pause i has the note first_pause + i % pause_notes.
    static constexpr std::int32_t no_segment = 57344, first_pause = no_segment + 1, pause_notes = 0x10000 - first_pause;
    // (N) one number per point: the path segment that covered the point last; no_segment; or the note of its pause
    std::vector<std::uint16_t> notes;
    std::vector<Pause> pauses;
    double clock = 0.0;     // total time of all seed_paths calls since `choose`, s
    std::uint64_t key = 0;  // random key of the points' positions

  private:
    static std::uint16_t note_of_pause(std::size_t i) { return static_cast<std::uint16_t>(first_pause + i % pause_notes); }
};

// Adds new paths to the pool until every compressed seed point is covered or paused, but tries at most
// most_seeds_per_frame seeds (constants.h). A point from which no path could be traced starts to pause. Returns the
// counts of the frame.
TraceStats seed_paths(const Cloth& cloth, const TraceOptions& options, SeedSet& seeds, PathPool& pool);

// Traces the paths of a single frame and adds them to an empty pool, until all compressed points have been tried.
// Allocates.
void trace_frame(const Cloth& cloth, const TraceOptions& options, PathPool& pool);

// Traces one path through `point` of a face, in coordinates of the triangle's plane. Writes it to `path`; does not add
// it to the pool. Returns false if no valid path exists.
bool trace_path(const Cloth& cloth, const TraceOptions& options, const PathPool& pool, std::int32_t face, const Vector2& point,
                Path& path);

// Adds one segment after the last vertex of the path. Returns false if the path ends there; the path then does not
// change.
//
// slot     slot of the path in the pool, which is ignored in tests; -1 if the path is not in the pool
// blocker  segment that blocked the growth last time, tested first; updated (see PathPool::covers)
bool grow_path(const Cloth& cloth, const TraceOptions& options, const PathPool& pool, int slot, Path& path,
               std::int32_t& blocker);

// Smooths a path by one tangential Laplacian step (thesis 5.1, figure 5.1). Each inner vertex moves along its edge,
// half of the distance to the straight line between its neighbours, with the two triangles unfolded into a plane.
// Vertices do not move past vertices of other paths.
void smooth_path(const Topology& topology, std::span<const Vector3> positions, const PathPool& pool, int slot, Path& path);

// Returns the length of the path, mesh units.
float path_length(const Topology& topology, std::span<const Vector3> positions, const Path& path);

}  // namespace ruckle
