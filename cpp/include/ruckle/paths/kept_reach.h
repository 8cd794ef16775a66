// kept_reach: the faces that the drawn lines of one character reach, kept from step to step.
//
// Drawn lines move slowly over the rest pose, by a median of 2 % of a half width per frame. So the search of a line uses spheres that
// are larger by kept_margin. Its result contains all faces that the samples reach until one of them has moved or widened by more
// than the margin. Heights are the same bits as without: samples listed in vain have weight 0. Levels may be finer at the rim of a
// wrinkle, so that fine meshes should be made without.
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
    // Call if the rest pose changes.
    void clear() { lines_.clear(), samples_.clear(), runs_.clear(); }

    struct Sample {
        Vector3 position;  // at rest, mesh units
        float radius;      // of the larger sphere
    };
    // Consecutive samples of a line that may reach a face.
    struct Run {
        std::int32_t face;
        std::uint16_t first, count;
    };
    struct Line {
        std::int64_t id;  // of the wrinkle
        std::int32_t first_sample, sample_count, first_run, run_count;
        bool turning;  // cloth inside the spheres turns away from a sample, so that runs are not kept (paths/reach.h)
    };

    // The line of a wrinkle, if no sample has left its sphere; null otherwise.
    //
    // radius_of(i)  sphere that sample i needs now
    template <class PositionOf, class RadiusOf>
    const Line* find(std::int64_t id, std::int32_t count, const PositionOf& position_of, const RadiusOf& radius_of) const;

    std::vector<Run>::const_iterator runs_of(const Line& line) const { return runs_.begin() + line.first_run; }

    // Appends a line in ascending order of ids.
    void begin_line(std::int64_t id, bool turning);
    void add_sample(const Sample& sample) { samples_.push_back(sample), ++lines_.back().sample_count; }
    void add_run(const Run& run) { runs_.push_back(run), ++lines_.back().run_count; }
    void copy_line(const KeptReach& other, const Line& line);

    // Copies the contents and keeps the own memory.
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
