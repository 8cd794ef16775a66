#include "ruckle/crowd.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ruckle {

namespace {

// Apparent motion (distance moved / distance from the camera) that is added for every member, radians. So members at
// rest also step, for example after a change of options.
constexpr float least_motion = 1e-3f;

// Smallest distance from the camera that is used in priorities, m; smaller distances are replaced by this value.
constexpr float least_distance = 0.1f;

bool is_sound(float number, float least) {
    return std::isfinite(number) && number >= least;
}

// Returns the priority of a due member by the formula of crowd.h.
float priority_of(const CrowdMember& member) {
    return member.age * (member.motion / std::max(member.distance, least_distance) + least_motion);
}

}  // namespace

Crowd::Crowd(const CrowdOptions& options) : options_(options) {
    const auto is_length = [](float number) { return is_sound(number, 0.0f); };
    if (!std::ranges::all_of(options.distances, is_length) || options.distances[0] > options.distances[1]) {
        throw std::invalid_argument("distances: expected two finite lengths of at least 0 in ascending order");
    }
    if (!std::ranges::all_of(options.intervals, is_length)) {
        throw std::invalid_argument("intervals: expected three finite times of at least 0 s");
    }
    for (const float cost : {options.step_cost, options.picture_cost, options.wave_cost}) {
        if (!is_length(cost)) {
            throw std::invalid_argument("costs: expected finite numbers of at least 0 µs");
        }
    }
}

float Crowd::interval(float distance) const {
    const auto& ends = options_.distances;
    return options_.intervals[distance < ends[0] ? 0 : distance < ends[1] ? 1 : 2];
}

std::span<const std::uint8_t> Crowd::plan(std::span<const CrowdMember> members, float budget_us) {
    steps_.assign(members.size(), 0);
    priorities_.resize(members.size());
    order_.clear();
    float spent = 0.0f;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const CrowdMember& member = members[i];
        if (member.must) {
            steps_[i] = 1;
            spent += member.step_cost;
        } else if (member.is_due) {
            priorities_[i] = priority_of(member);
            order_.push_back(static_cast<std::int32_t>(i));
        }
    }
    std::ranges::stable_sort(order_, std::ranges::greater{},
                             [&](std::int32_t i) { return priorities_[static_cast<std::size_t>(i)]; });
    for (const std::int32_t number : order_) {
        const auto i = static_cast<std::size_t>(number);
        // stop at the first member that exceeds the budget: if cheaper members could step before it in every frame, it
        // would never step
        if (spent + members[i].step_cost > budget_us) {
            break;
        }
        spent += members[i].step_cost;
        steps_[i] = 1;
    }
    return steps_;
}

}  // namespace ruckle
