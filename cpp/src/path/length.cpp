// The ends of paths: the part of the persist stage that makes wrinkles longer and shorter.
#include <algorithm>
#include <cmath>

#include "constants.h"
#include "ruckle/persist.h"

namespace ruckle {

namespace {

// One end of a path: its last vertex, or after turning the path around its first.
struct End {
    Path& path;
    float& cut;
    float length;  // of the end segment

    void measure(const Cloth& cloth) {
        const int n = path.count;
        length = (point_on_edge(cloth.topology, cloth.positions, path.edges[n - 1], path.t[n - 1]) -
                  point_on_edge(cloth.topology, cloth.positions, path.edges[n - 2], path.t[n - 2]))
                     .norm();
    }
};

// Moves the end by at most `step`; other_cut is the cut at the other end, which matters when one segment is left.
void move_end(const Cloth& cloth, const TraceOptions& trace_options, const PathPool& pool, int slot, bool fading, float step,
              float other_cut, End end, PersistStats& stats) {
    Path& path = end.path;
    end.measure(cloth);
    for (int guard = 0; guard < 2 * most_path_vertices && step > 0.0f; ++guard) {
        const std::int32_t face = path.faces[path.count - 2];
        const bool keep = !fading && cloth.field.compression[face] > trace_options.grow_tau && !cloth.field.degenerate[face];
        if (keep && end.cut > 0.0f) {
            const float hidden = end.cut * end.length, shown = std::min(hidden, step);
            step -= shown;
            end.cut = shown < hidden ? (hidden - shown) / end.length : 0.0f;
            continue;
        }
        if (keep) {
            if (!grow_path(cloth, trace_options, pool, slot, path)) {
                return;
            }
            ++stats.extended;
            end.cut = 1.0f;
            end.measure(cloth);
            if (!(end.length > 0.0f)) {
                end.cut = 0.0f;
                return;
            }
            continue;
        }
        const float most = path.count == 2 ? longest_cut - other_cut : 1.0f;
        const float shown = std::max(most - end.cut, 0.0f) * end.length;
        if (shown > step) {
            end.cut += step / end.length;
            return;
        }
        if (path.count == 2) {
            end.cut = std::max(end.cut, most);
            return;
        }
        step -= shown;
        --path.count;
        ++stats.trimmed;
        end.cut = 0.0f;
        end.measure(cloth);
        // what is left may be compressed: then the end stays where it is
        const std::int32_t inner = path.faces[path.count - 2];
        if (!fading && cloth.field.compression[inner] > trace_options.grow_tau) {
            return;
        }
    }
}

}  // namespace

Extent wrinkle_extent(const Cloth& cloth, const PathPool& pool, int slot) {
    const auto faces = pool.faces(slot);
    const auto points = pool.points(slot);
    const auto& cuts = pool.cuts(slot);
    Extent extent{0.0f, 1.0f};
    for (std::size_t i = 0; i < faces.size(); ++i) {
        float share = 1.0f;
        share -= i == 0 ? cuts[0] : 0.0f;
        share -= i + 1 == faces.size() ? cuts[1] : 0.0f;
        extent.length += std::max(share, 0.0f) * (points[i + 1] - points[i]).norm();
        extent.compression = std::max(extent.compression, cloth.field.compression[faces[i]]);
    }
    return extent;
}

void follow_length(const Cloth& cloth, const TraceOptions& trace_options, const PersistOptions& options, float length, float crest,
                   bool fading, int slot, PathPool& pool, PersistStats& stats) {
    const float frames = options.dt / reference_frame_time;
    // each end may take half of the change; a crest's height profile is at most 3 crests steep per wrinkle length
    float share = 0.5f * (std::pow(1.0f + options.length_change, frames) - 1.0f);
    if (crest > 0.0f) {
        share = std::min(share, end_height_change * frames * trace_options.r_min / (3.0f * crest));
    }
    // a wrinkle without length could never grow again
    const float step = share * std::max(length, trace_options.r_min);
    Path path;
    pool.load(slot, path);
    auto cuts = pool.cuts(slot);
    const PersistStats before = stats;
    move_end(cloth, trace_options, pool, slot, fading, step, cuts[0], End{path, cuts[1], 0.0f}, stats);
    path.reverse();
    move_end(cloth, trace_options, pool, slot, fading, step, cuts[1], End{path, cuts[0], 0.0f}, stats);
    path.reverse();
    pool.cuts(slot) = cuts;
    if (stats.extended != before.extended || stats.trimmed != before.trimmed) {
        pool.store(slot, path);
        pool.measure(slot, cloth.positions);
    }
}

}  // namespace ruckle
