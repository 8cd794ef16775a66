// Moves the ends of paths: the part of the persist stage that makes wrinkles longer and shorter (thesis 5.2, length
// update).
//
// Path vertices are on mesh edges, but the length of a wrinkle must change continuously. Therefore each end has a cut:
// the share of its last segment that is outside the wrinkle ("hidden"). A new segment at an end is completely hidden at
// first. A segment is removed when it is completely hidden.
#include <algorithm>
#include <cmath>

#include "constants.h"
#include "numeric/functions.h"
#include "ruckle/paths/persist.h"

namespace ruckle {

namespace {

// One end of a path: its last vertex (the first vertex if the path has been reversed).
struct End {
    Path& path;
    float& cut;
    std::int32_t& blocker;  // segment that last blocked the growth of this end
    float length;           // length of the last segment, mesh units

    // Computes the length of the last segment.
    void measure(const Cloth& cloth) {
        const int n = path.count;
        length = (point_on_edge(cloth.topology, cloth.positions, path.edges[n - 1], path.t[n - 1]) -
                  point_on_edge(cloth.topology, cloth.positions, path.edges[n - 2], path.t[n - 2]))
                     .norm();
    }
};

// Moves the ends of one path.
class EndMover {
  public:
    EndMover(const Cloth& cloth, const TraceOptions& options, const PathPool& pool, int slot, const WrinkleOutline& wrinkle,
             PersistStats& stats)
        : cloth_(cloth), options_(options), pool_(pool), slot_(slot), wrinkle_(wrinkle), stats_(stats) {}

    // Moves the end by at most `step`, mesh units: outward if its last triangle is compressed; otherwise inward until
    // the last triangle is compressed. Ends of fading wrinkles and stuck ends (PathPool::stuck) always move inward, a
    // stuck end at most to the next vertex. other_cut is the cut of the other end, which limits the motion if the path
    // has only one segment.
    void move(End end, float step, float other_cut, bool stuck) {
        end.measure(cloth_);
        const bool retreats = wrinkle_.fading || stuck;
        // a step may add or remove several segments. `guard` limits the number of rounds, because segments may have
        // length 0
        for (int guard = 0; guard < 2 * most_path_vertices && step > 0.0f; ++guard) {
            if (!retreats && is_compressed(end.path)) {
                if (end.cut > 0.0f) {
                    uncover(end, step);
                } else if (!extend(end)) {
                    return;
                }
                continue;
            }
            if (!trim(end, step, other_cut)) {
                return;
            }
            // a stuck end stops at the next vertex; other ends stop if the last triangle of the remaining path is
            // compressed
            if (stuck || (!wrinkle_.fading && is_compressed(end.path))) {
                return;
            }
        }
    }

  private:
    // True if the last triangle of the path is compressed. Growing and trimming use this same test; with two tests, an
    // end would oscillate.
    bool is_compressed(const Path& path) const {
        const std::int32_t face = path.faces[path.count - 2];
        return cloth_.field.compression[face] > options_.grow_tau && !cloth_.field.degenerate[face];
    }

    // Reduces the hidden length by at most `step`, and subtracts this change from `step`.
    static void uncover(End& end, float& step) {
        const float hidden = end.cut * end.length, shown = std::min(hidden, step);
        step -= shown;
        end.cut = shown < hidden ? (hidden - shown) / end.length : 0.0f;
    }

    // Adds a segment, which is completely hidden at first. Returns false if the path cannot grow, or if the new segment
    // has length 0; such a segment remains, with cut 0.
    bool extend(End& end) {
        if (!grow_path(cloth_, options_, pool_, slot_, end.path, end.blocker)) {
            return false;
        }
        ++stats_.extended;
        end.measure(cloth_);
        end.cut = end.length > 0.0f ? 1.0f : 0.0f;
        return end.length > 0.0f;
    }

    // Increases the hidden length by at most `step`. If the last segment is then completely hidden, removes it and
    // subtracts the change from `step`. Returns false if the end must stop: `step` is used up, or the path has only one
    // segment.
    bool trim(End& end, float& step, float other_cut) {
        Path& path = end.path;
        // a single segment has both cuts, and a part of the segment must remain inside the wrinkle
        const float most = path.count == 2 ? longest_cut - other_cut : 1.0f;
        const float shown = std::max(most - end.cut, 0.0f) * end.length;
        if (shown > step) {
            end.cut += step / end.length;
            return false;
        }
        end.cut = std::max(end.cut, most);
        if (path.count == 2) {
            return false;
        }
        step -= shown;
        --path.count;
        ++stats_.trimmed;
        end.cut = 0.0f;
        end.measure(cloth_);
        return true;
    }

    const Cloth& cloth_;
    const TraceOptions& options_;
    const PathPool& pool_;
    int slot_;
    const WrinkleOutline& wrinkle_;
    PersistStats& stats_;
};

}  // namespace

// Cuts reduce the length. They do not affect the compression: the height of a wrinkle depends on the largest
// compression of all triangles of its path.
Extent wrinkle_extent(const Cloth& cloth, const PathPool& pool, int slot) {
    const auto faces = pool.faces(slot);
    const auto lengths = pool.lengths(slot);
    const auto& cuts = pool.cuts(slot);
    Extent extent{0.0f, 1.0f};
    for (std::size_t i = 0; i < faces.size(); ++i) {
        if (i > 0 && i + 1 < faces.size()) {
            extent.length += lengths[i];
        } else {
            const float share = (i == 0 ? 1.0f - cuts[0] : 1.0f) - (i + 1 == faces.size() ? cuts[1] : 0.0f);
            extent.length += std::max(share, 0.0f) * lengths[i];
        }
        extent.compression = std::max(extent.compression, cloth.field.compression[faces[i]]);
    }
    return extent;
}

// The thesis changes lengths by 15 % per frame, at 30 frames per second. Each of the two ends makes half of this
// change.
float end_share(const PersistOptions& options) {
    return 0.5f * (power(1.0f + options.length_change, options.dt / reference_frame_time) - 1.0f);
}

void update_length(const Cloth& cloth, const TraceOptions& options, float share, const WrinkleOutline& wrinkle, int slot,
                   PathPool& pool, PersistStats& stats) {
    // limit the share, so that a moving end changes heights by at most end_height_change × r_min per 1/30 s: the end
    // moves by share × length, and the slope of heights along the wrinkle is at most steepest_rise × crest / length. If
    // the wrinkle is shorter than r_min, heights may change more, because the end then moves by share × r_min
    if (wrinkle.crest > 0.0f) {
        const float frames = options.dt / reference_frame_time;
        share = std::min(share, end_height_change * frames * options.r_min / (steepest_rise * wrinkle.crest));
    }
    // ends move slowly if the cloth deforms slowly; otherwise they would oscillate around the compression threshold.
    // Ends of fading wrinkles always move at full speed
    share *= wrinkle.fading ? 1.0f : pool.pace(slot);
    // a share of the length, or of r_min if r_min is larger, so that a wrinkle of length 0 can grow
    const float step = share * std::max(wrinkle.length, options.r_min);
    Path path;
    pool.load(slot, path);
    auto cuts = pool.cuts(slot);
    const PersistStats before = stats;
    EndMover mover(cloth, options, pool, slot, wrinkle, stats);
    mover.move(End{path, cuts[1], pool.end_blocker(slot, 1), 0.0f}, step, cuts[0], pool.stuck(slot)[1] != 0);
    // the first end is the last end of the reversed path
    path.reverse();
    mover.move(End{path, cuts[0], pool.end_blocker(slot, 0), 0.0f}, step, cuts[1], pool.stuck(slot)[0] != 0);
    pool.cuts(slot) = cuts;
    if (stats.extended != before.extended || stats.trimmed != before.trimmed) {
        path.reverse();
        pool.store(slot, path);
        pool.measure(slot, cloth.positions);
    }
}

}  // namespace ruckle
