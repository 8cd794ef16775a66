// trace: seeds and curves of new wrinkles (thesis 5.1).
//
// Wrinkles run across the compression. From a seed inside a compressed triangle (λ̃ > τ) a path grows both ways along the
// direction orthogonal to maximal compression in each triangle. It ends if λ̃ falls below the growing threshold, at a boundary, and
// before it would cross another path or itself. One step of tangential Laplacian smoothing follows.
//
// Guarantees: paths are valid and do not cross (path.h). Seeds are counter-based: they depend on the seed number, the triangle
// and the number of the point alone, so that the same motion gives the same wrinkles on any machine, thread count and frame rate.
// Nothing allocates after SeedSet::choose.
//
// The direction field is unsigned: a path takes the sign that continues it. If the field across an edge points back at the path,
// the path slides along that edge to the next mesh vertex if this is at most 45 degrees off the field, else it ends. Compression
// without a direction (both stretches equal) gives no seeds, and an arriving path goes straight on.
//
// Departs from the paper: seeds are fixed points of each triangle instead of new ones every frame, in the order of decreasing
// compression. A point that gave no path pauses for a few frames. A path also ends before a turn of more than 60 degrees at one
// edge, and before it comes within half a wrinkle width of another path. Optional, neutral by default: a lower threshold for
// growing than for seeding, and a least length at birth.
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
    float r_min = 0.0f;                      // mesh units, > 0: least radius of a wrinkle (thesis 6)
    float tau = WrinklerOptions{}.tau;       // > 1: seeds need λ̃ above this
    float grow_tau = WrinklerOptions{}.tau;  // in (1, tau]: paths grow while λ̃ is above this
    float least_aspect = 0.0f;               // >= 0: least length of a new path, in its own full widths
    std::uint64_t seed = 0;                  // of the random points
    bool smooth = true;                      // one step of tangential Laplacian smoothing
    float dt = reference_frame_time;         // s, >= 0: time since the previous call
};

// Counts of one frame's tracing.
struct TraceStats {
    int tried = 0;     // seeds from which a path was traced
    int born = 0;      // paths that entered the pool
    int crossing = 0;  // seeds given up because their first segment would cross a path
    int too_short = 0;
    int full = 0;  // paths not born because the pool is full
};

// The seed points of a mesh, the last path that covered each, and the points that recently failed to give a path. Positions are
// computed on demand: a few instructions cost less than memory.
class SeedSet {
  public:
    // Chooses about one point per square of one least wrinkle width, at most 16 per triangle. Allocates.
    void choose(std::span<const Matrix2> current, float r_min, std::uint64_t seed);
    // Distributes the points that `offsets` count, uncovered and not paused. Allocates.
    void begin(std::uint64_t seed);
    // Moves all points. counter is 0 in ordinary use, or the frame number for independent frames.
    void scatter(std::uint64_t seed, std::uint64_t counter);

    std::int32_t count() const { return static_cast<std::int32_t>(notes.size()); }
    // Barycentric coordinates of the face's vertices 1 and 2.
    Vector2 position(std::int32_t face, std::int32_t point) const;

    std::vector<std::int32_t> offsets;  // (T + 1) points of triangle f: [offsets[f], offsets[f + 1])

    // A point that failed to give a path pauses for some time, or until the compression of its triangle has clearly increased.
    struct Refusal {
        double until;       // s, on the clock
        float compression;  // when it was refused
        std::int32_t point;
    };
    // Null if the point is not paused.
    const Refusal* refusal(std::int32_t point) const { return notes[point] < -1 ? &refusals[-2 - notes[point]] : nullptr; }
    void refuse(const Refusal& refusal);
    // Removes refusals that have expired.
    void wake();

    // (N) the path segment that covered the point last, -1 for none, -2 - i during refusal i, because few points pause at a time
    std::vector<std::int32_t> notes;
    std::vector<Refusal> refusals;
    double clock = 0.0;     // s, time seeded since choose
    std::uint64_t key = 0;  // of the points' positions
};

// Seeds and traces new paths into the pool until every compressed seed point is covered or paused, at most
// most_seeds_per_frame (constants.h). Appends their slots to born.
TraceStats seed_paths(const Cloth& cloth, const TraceOptions& options, SeedSet& seeds, PathPool& pool,
                      std::vector<std::int32_t>& born);

// Traces the paths of a single frame into an empty pool, until all compressed points have been tried. Allocates.
void trace_frame(const Cloth& cloth, const TraceOptions& options, PathPool& pool);

// Traces one path through a point of a triangle, in the triangle's plane. False if the result is not a valid path.
bool trace_path(const Cloth& cloth, const TraceOptions& options, const PathPool& pool, std::int32_t face, const Vector2& point,
                Path& path);

// Grows the path at its last vertex by one segment, if the field continues there. `slot` is the path's own, or -1; `blocker` is a
// segment that may still block the growth, see PathPool::covers.
bool grow_path(const Cloth& cloth, const TraceOptions& options, const PathPool& pool, int slot, Path& path,
               std::int32_t& blocker);

// One tangential Laplacian step (thesis 5.1, figure 5.1): each inner vertex moves half of the distance to the intersection of its
// edge with the straight line between its neighbours, with the two triangles unfolded into a plane. A vertex does not move if it
// would cross another path.
void smooth_path(const Topology& topology, std::span<const Vector3> positions, const PathPool& pool, int slot, Path& path);

// Length of the polyline, mesh units.
float path_length(const Topology& topology, std::span<const Vector3> positions, const Path& path);

}  // namespace ruckle
