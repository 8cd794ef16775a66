// kept_reach: cache of the faces that the drawn lines of one character reach (affect).
//
// A sample of a drawn line affects the points inside a sphere around it. Drawn lines move slowly over the cloth at
// rest, by a median of 2 % of a half width per frame. Therefore the search for the faces of a line uses spheres that
// are larger than necessary by the share kept_margin (constants.h). The result can be reused until a sample has moved,
// or has become wider, by more than this margin. Heights have the same bits as without the cache, because samples that
// only the larger spheres add have weight 0. Tessellation levels may be finer at the rim of a wrinkle. Do not use the
// cache for fine meshes, because their vertices must not depend on the cache.
//
// Example:
//     ruckle::KeptReach kept;  // one per character
//     kept.begin_line(7, false);
//     kept.add_sample({.position = {0.0f, 0.0f, 0.0f}, .radius = 0.1f});
//     kept.add_run({.face = 12, .first = 0, .count = 1});
#pragma once

#include <cstdint>
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

    // Returns the stored line of wrinkle `id`, or null if the caller must search its faces again. A line is returned if
    // it has `count` samples, and each sample's current sphere is inside the stored sphere.
    //
    // position_of(i)  position of sample i at rest
    // radius_of(i)    radius of the sphere of sample i now
    template <class PositionOf, class RadiusOf>
    const Line* find(std::int64_t id, std::int32_t count, const PositionOf& position_of, const RadiusOf& radius_of) const;

    std::vector<Run>::const_iterator runs_of(const Line& line) const { return runs_.begin() + line.first_run; }

    // Appends a line without samples and runs. Ids must be ascending. add_sample and add_run then extend this line.
    void begin_line(std::int64_t id, bool turning);
    void add_sample(const Sample& sample) { samples_.push_back(sample), ++lines_.back().sample_count; }
    void add_run(const Run& run) { runs_.push_back(run), ++lines_.back().run_count; }
    // Appends a line of another cache, with its samples and runs.
    void copy_line(const KeptReach& other, const Line& line);

    // Replaces the contents by those of `other`. Reuses the memory of this object.
    void assign(const KeptReach& other);

  private:
    const Line* line_of(std::int64_t id) const;

    std::vector<Line> lines_;
    std::vector<Sample> samples_;
    std::vector<Run> runs_;
};

template <class PositionOf, class RadiusOf>
const KeptReach::Line* KeptReach::find(std::int64_t id, std::int32_t count, const PositionOf& position_of,
                                       const RadiusOf& radius_of) const {
    const Line* const line = line_of(id);
    if (!line || line->sample_count != count) {
        return nullptr;
    }
    const Sample* sample = samples_.data() + line->first_sample;
    for (std::int32_t i = 0; i < count; ++i, ++sample) {
        const float spare = sample->radius - radius_of(i);
        if (!(spare > 0.0f && (position_of(i) - sample->position).squaredNorm() < spare * spare)) {
            return nullptr;
        }
    }
    return line;
}

}  // namespace ruckle
