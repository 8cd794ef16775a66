// persist: moves existing wrinkles from one frame to the next (thesis 5.2).
//
// First every path moves with the cloth, with the t of its vertices unchanged. Then its vertices move along their edges to
// minimise
//     α Σ ((p_{i+1} - p_i)·e_i)²  +  ℓ² Σ (t_i - t̄_i)²  +  Σ ‖p_i - (p_{i-1} + p_{i+1})/2 - c̄_i‖²             (5.2)
// with e_i the compression axis in the triangle of segment i, t̄ the previous frame's t, and c̄_i the previous frame's
// p̄_i - (p̄_{i-1} + p̄_{i+1})/2. Beyond the ends of a path with the vertices p_0 to p_n, p_{-1} = p_1 and p_{n+1} =
// p_{n-1}. If t leaves [0, 1], the path slides over a mesh vertex: the triangles around this vertex are unfolded, and
// the path is rebuilt from straight lines. Then both ends move outward or inward, toward the point at which the
// compression equals the growing threshold (WrinklerOptions::grow_tau).
//
// (The Wrinkler fades out a wrinkle if more than half of its vertices are too close to an older wrinkle.)
//
// Guarantees: for any motion of the cloth, paths remain valid and do not cross. Nothing allocates. If mesh and R_min
// are scaled by the same factor, every t remains the same up to rounding. If a rebuild does not give a valid path, the
// path vertex remains on its edge, t is clamped to [0, 1], and PersistStats::clamped counts this case.
//
// Departs from the paper: the second sum is weighted by ℓ², the square of the mean edge length of the first frame,
// because the printed sums have different units. α is multiplied by 30 dt, so that paths turn at the same speed at any
// frame rate. With a fourth sum, straightness × 30 dt × Σ s_i², old paths remain smooth. s_i is the distance of vertex
// i, along its edge, from the straight line between its neighbours, with the two triangles unfolded. c̄ is rotated with
// the cloth around its edge, so that a turning garment does not bend its wrinkles. With `turning`, a long path first
// rotates as a whole: (5.2) alone moves only the ends of a straight path at first, and takes n² frames for n vertices.
// An end that passes a mesh vertex continues along the third side of its triangle, or is trimmed. If the cloth deforms
// more slowly than lively_rate (constants.h), paths turn and ends move in proportion to the rate, so that they come to
// rest in a held pose. Ends of high wrinkles move more slowly than length_change allows if their heights would jump.
//
// Example:
//     ruckle::PersistWorkspace workspace;
//     ruckle::adapt_paths(cloth, previous_positions, {.length_unit = 1.0f}, workspace, pool);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/paths/parameters.h"
#include "ruckle/paths/path.h"
#include "ruckle/paths/trace.h"

namespace ruckle {

struct PersistOptions {
    float alpha = WrinklerOptions{}.path_alpha;  // weight of the directions of the field (first sum), per 1/30 s, >= 0
    // weight of the fourth sum (straightness), per 1/30 s, >= 0; 0 in the thesis
    float straightness = 0.0f;
    // share of the mean angle between path and field by which a long path rotates as a whole, per 1/30 s, >= 0; 0 in
    // the thesis
    float turning = 0.0f;
    float length_unit = 1.0f;  // unit of length ℓ, mesh units, > 0
    // largest share of its length by which a wrinkle grows or shrinks, per 1/30 s, >= 0
    float length_change = WrinklerOptions{}.length_change;
    // time since the previous frame, s
    float dt = reference_frame_time;
};

struct PersistStats {
    int slid = 0;      // number of times that a path passed over a mesh vertex, by a rebuild or with one of its ends
    int rebuilt = 0;   // number of rebuilds of a path around a mesh vertex, whether it passed over the vertex or not
    int clamped = 0;   // number of rebuilds without a valid path, so that a t outside [0, 1] was clamped
    int extended = 0;  // number of segments added at the ends of paths
    int trimmed = 0;   // number of segments removed at the ends of paths
};

// Memory that adapt_paths reuses. The constructor allocates all of this memory.
class PersistWorkspace {
  public:
    PersistWorkspace();
    ~PersistWorkspace();
    PersistWorkspace(PersistWorkspace&&) noexcept;
    PersistWorkspace& operator=(PersistWorkspace&&) noexcept;

    struct Storage;
    Storage& storage() { return *storage_; }

  private:
    std::unique_ptr<Storage> storage_;
};

// Computes the t that minimise (5.2) for one path, with all of its vertices as unknowns and without `turning`. The t
// may be outside [0, 1]. If the solution at a vertex is not finite, the t of this vertex in the path is returned.
//
// previous  (V) positions of the previous frame, mesh units; `cloth` contains the current positions
// t         (n) result: position of each path vertex on its edge
void optimize_path(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options, const Path& path,
                   std::span<double> t);

// Moves all paths of the pool with the cloth: solves (5.2), and slides paths over mesh vertices. Also sets the pace
// (path.h) of each path. Paths with pace 0 keep their t; all others get new values of `stuck` (path.h). Does not
// measure the paths, and does not change the lengths of wrinkles (update_length does). Returns the counts of the frame.
PersistStats adapt_paths(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options,
                         PersistWorkspace& workspace, PathPool& pool);

// Properties of a wrinkle that limit the motion of its ends.
struct WrinkleOutline {
    float length;  // current length between the ends, mesh units
    float crest;   // height of the crest, mesh units
    // true if the wrinkle must disappear
    bool fading;
};

// Returns the largest share of a wrinkle's length by which one of its ends moves in a frame:
// ½ ((1 + length_change)^(30 dt) - 1). The call is slow: compute the share once for all wrinkles.
float end_share(const PersistOptions& options);

// Moves both ends of a path toward the point at which compression equals the growing threshold. An end moves by at most
// share × pace (path.h) × max(length of the wrinkle, r_min), or less if the heights of a wrinkle with this crest would
// jump. A fading wrinkle becomes shorter at both ends, without the factor pace. A stuck end moves inward, at most to
// the next vertex. Writes the path, its cuts and the counts in `stats`. The caller must have measured the path; the
// function measures it again if its vertices change.
void update_length(const Cloth& cloth, const TraceOptions& options, float share, const WrinkleOutline& wrinkle, int slot,
                   PathPool& pool, PersistStats& stats);

// Length of a wrinkle between its ends, mesh units, and the largest compression of the triangles that its path crosses,
// at least 1. The path must have been measured.
struct Extent {
    float length;
    float compression;
};
Extent wrinkle_extent(const Cloth& cloth, const PathPool& pool, int slot);

}  // namespace ruckle
