#include "ruckle/paths/kept_reach.h"

#include <algorithm>

namespace ruckle {

const KeptReach::Line* KeptReach::line_of(std::int64_t id) const {
    const auto found = std::lower_bound(lines_.begin(), lines_.end(), id,
                                        [](const Line& line, std::int64_t wanted) { return line.id < wanted; });
    return found != lines_.end() && found->id == id ? &*found : nullptr;
}

void KeptReach::begin_line(std::int64_t id, bool turning) {
    lines_.push_back({.id = id,
                      .first_sample = static_cast<std::int32_t>(samples_.size()),
                      .sample_count = 0,
                      .first_run = static_cast<std::int32_t>(runs_.size()),
                      .run_count = 0,
                      .turning = turning});
}

void KeptReach::assign(const KeptReach& other) {
    // allocate first: if this fails, lines would otherwise refer to runs that do not exist
    lines_.reserve(other.lines_.size()), samples_.reserve(other.samples_.size()), runs_.reserve(other.runs_.size());
    lines_.assign(other.lines_.begin(), other.lines_.end());
    samples_.assign(other.samples_.begin(), other.samples_.end());
    runs_.assign(other.runs_.begin(), other.runs_.end());
}

}  // namespace ruckle
