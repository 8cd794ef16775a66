// persist: motion of existing wrinkles from one frame to the next (thesis 5.2).
//
// First every path follows the cloth: its vertices keep their t, then move along their edges to minimise
//     α Σ ((p_{i+1} - p_i)·e_i)²  +  ℓ² Σ (t_i - t̄_i)²  +  Σ ‖p_i - (p_{i-1} + p_{i+1})/2 - c̄_i‖²             (5.2)
// with e_i the compression axis in the triangle of segment i, t̄ the previous frame's t and c̄_i the previous frame's
// p̄_i - (p̄_{i-1} + p̄_{i+1})/2; beyond the ends p_{-1} = p_1, p_{n+1} = p_{n-1}. If t leaves [0, 1], the path slides over
// a mesh vertex: the triangles around it are unfolded and the path is rebuilt from straight lines. Then both ends grow or
// shrink toward the growing threshold.
//
// (The Wrinkler fades a wrinkle that has come too close to an older one over more than half of its vertices.)
//
// Guarantees: paths remain valid and do not cross for any motion of the cloth; no allocation; scaling mesh and R_min by any
// factor leaves every t unchanged up to rounding. If a rebuild gives no valid path, the crossing keeps its edge with t inside [0,
// 1], and is counted.
//
// Departs from the paper: the second sum is weighted by ℓ², the square of the mean edge length of the first frame (as printed the
// sums have different units). α is multiplied by 30 dt, so that paths turn at the same speed at any frame rate. A fourth sum,
// straightness × 30 dt × Σ s_i² with s_i the distance of vertex i, along its edge, from the straight line between its neighbours
// (the two triangles unfolded), keeps old paths as smooth as new ones. c̄ is rotated with the cloth around its edge, so that a
// turning garment does not bend its wrinkles. With `turning`, a long path turns as a whole before the solve: (5.2) pulls at the
// ends of a straight path and holds the rest, so that n vertices take n² frames. An end that passes a mesh vertex continues along
// the third side of its triangle, or is trimmed. Below a rate of deformation (lively_rate in constants.h) paths turn and ends
// move in proportion to the rate, so that a held pose comes to rest.
// Ends of high wrinkles move slower than 15 % per frame if their heights would jump.
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
    float alpha = WrinklerOptions{}.path_alpha;  // >= 0: how much paths follow the field, per 1/30 s
    float straightness = 0.0f;                   // >= 0: how much paths straighten, per 1/30 s; 0 is the thesis's (5.2)
    float turning = 0.0f;                        // >= 0: how much paths turn as a whole, per 1/30 s; 0 is the thesis's (5.2)
    float length_unit = 1.0f;                    // ℓ, mesh units, > 0
    float length_change = WrinklerOptions{}.length_change;  // per 1/30 s, >= 0: largest share by which a wrinkle grows or shrinks
    float dt = reference_frame_time;
};

struct PersistStats {
    int slid = 0;      // times a path passed over a mesh vertex
    int rebuilt = 0;   // neighbourhoods of mesh vertices rebuilt, slid ones included
    int clamped = 0;   // rebuilds that gave no valid path
    int extended = 0;  // segments added at the ends
    int trimmed = 0;   // segments removed at the ends
};

// Memory that adapt_paths reuses. Allocates when constructed.
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

// The minimiser of (5.2) for one path, t not confined to [0, 1].
//
// previous  (V) positions of the previous frame; those of the cloth are the current ones
// t         (n) result
void optimize_path(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options, const Path& path,
                   std::span<double> t);

// Moves all paths of the pool along with the cloth: solves (5.2), slides over mesh vertices.
PersistStats adapt_paths(const Cloth& cloth, std::span<const Vector3> previous, const PersistOptions& options,
                         PersistWorkspace& workspace, PathPool& pool);

// Properties of a wrinkle that limit the motion of its ends.
struct WrinkleOutline {
    float length;  // between its ends now, mesh units
    float crest;   // mesh units
    bool fading;
};

// The largest share of a wrinkle's length by which one of its ends moves in a frame: half of length_change per 1/30 s. Compute it
// once for all wrinkles, because it is not cheap.
float end_share(const PersistOptions& options);

// Moves both ends of a path toward the growing threshold of the field. Each moves by at most `share` of the wrinkle's length, or
// less if a wrinkle of this crest would jump. A fading wrinkle shrinks at both ends. A stuck end is trimmed to the next vertex.
// Requires a measured path; measures it again if it changes.
void update_length(const Cloth& cloth, const TraceOptions& options, float share, const WrinkleOutline& wrinkle, int slot,
                   PathPool& pool, PersistStats& stats);

// Length of the wrinkle on a measured path, between its ends; and the largest compression of the triangles that it passes.
struct Extent {
    float length;
    float compression;
};
Extent wrinkle_extent(const Cloth& cloth, const PathPool& pool, int slot);

}  // namespace ruckle
