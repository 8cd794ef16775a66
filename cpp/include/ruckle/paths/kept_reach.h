// kept_reach: cache of the faces that the drawn lines of one character reach (affect).
//
// A sample of a drawn line affects the points inside a sphere around it. Drawn lines move slowly over the cloth at
// rest, by a median of 2 % of a half width per frame. Therefore the search for the faces of a line uses spheres that
// are larger than necessary by the share kept_margin (constants.h). The result for a sample can be reused until the
// sample has moved, or has become wider, by more than this margin. If a line gets or loses samples, only its samples
// between the reused beginning and the reused end are searched again. Heights have the same bits as without the cache,
// because samples that only the larger spheres add have weight 0. Tessellation levels may be finer at the rim of a
// wrinkle. Do not use the cache for fine meshes, because their vertices must not depend on the cache.
//
// Example:
//     ruckle::KeptReach kept;  // one per character
//     kept.begin_line(7, false);
//     kept.add_sample({.position = {0.0f, 0.0f, 0.0f}, .radius = 0.1f});
//     kept.add_run({.face = 12, .first = 0, .count = 1});
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/types.h"

namespace ruckle {

class KeptReach {
  public:
    // Removes all lines. Call this function if the rest pose changes.
    void clear() { lines_.clear(), samples_.clear(), runs_.clear(); }

    struct Sample {
        Vector3 position;  // position at rest, mesh units
        float radius;      // radius of the enlarged sphere, mesh units
    };
    // Consecutive samples of a line that may reach a face: samples first to first + count - 1 of the line.
    struct Run {
        std::int32_t face;
        std::uint16_t first, count;
    };
    struct Line {
        std::int64_t id;  // id of the wrinkle
        std::int32_t first_sample, sample_count, first_run, run_count;
        // true if cloth inside the spheres faces away from a sample. The runs of this line are then not stored, because
        // additional samples would change its openings (path_heights.h)
        bool turning;
    };

    // A stored line and the samples that can be reused: those whose current sphere is inside the stored sphere. The first
    // `before` samples are stored at the beginning of the line, the last `after` samples at its end.
    struct Match {
        const Line* line = nullptr;  // null: the wrinkle is not stored
        std::int32_t before = 0, after = 0;
    };
    // Finds the stored line of wrinkle `id`, which now has `count` samples.
    //
    // position_of(i)  position of sample i at rest
    // radius_of(i)    radius of the sphere of sample i now
    template <class PositionOf, class RadiusOf>
    Match find(std::int64_t id, std::int32_t count, const PositionOf& position_of, const RadiusOf& radius_of) const;

    std::span<const Run> runs_of(const Line& line) const {
        return std::span(runs_).subspan(static_cast<std::size_t>(line.first_run), static_cast<std::size_t>(line.run_count));
    }
    std::span<const Sample> samples_of(const Line& line) const {
        return std::span(samples_).subspan(static_cast<std::size_t>(line.first_sample),
                                           static_cast<std::size_t>(line.sample_count));
    }

    // Appends a line without samples and runs. Ids must be ascending. add_sample and add_run then extend this line.
    void begin_line(std::int64_t id, bool turning);
    void add_sample(const Sample& sample) { samples_.push_back(sample), ++lines_.back().sample_count; }
    void add_run(const Run& run) { runs_.push_back(run), ++lines_.back().run_count; }

    // Replaces the contents by those of `other`. Reuses the memory of this object.
    void assign(const KeptReach& other);

  private:
    const Line* line_of(std::int64_t id) const;

    std::vector<Line> lines_;
    std::vector<Sample> samples_;
    std::vector<Run> runs_;
};

template <class PositionOf, class RadiusOf>
KeptReach::Match KeptReach::find(std::int64_t id, std::int32_t count, const PositionOf& position_of,
                                 const RadiusOf& radius_of) const {
    Match match{.line = line_of(id)};
    if (!match.line) {
        return match;
    }
    const std::span<const Sample> stored = samples_of(*match.line);
    // shift: difference between the numbers of the stored sample and of the sample
    const std::int32_t shift = match.line->sample_count - count, most = std::min(count, match.line->sample_count);
    const auto holds = [&](const Sample& sample, std::int32_t i) {
        const float spare = sample.radius - radius_of(i);
        return spare > 0.0f && (position_of(i) - sample.position).squaredNorm() < spare * spare;
    };
    while (match.before < most && holds(stored[match.before], match.before)) {
        ++match.before;
    }
    for (std::int32_t i = count - 1; match.before + match.after < most && holds(stored[i + shift], i); --i) {
        ++match.after;
    }
    return match;
}

}  // namespace ruckle
