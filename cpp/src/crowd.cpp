#include "ruckle/crowd.h"

#include <algorithm>
#include <cmath>
#include <cstring>
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

// Number of vertices whose motion is compared; their distance in the mesh is rounded down.
constexpr std::size_t compared_vertices = 16;

// Returns the cost of a member, µs, from the cost per thousand triangles.
float cost(const CrowdMember& member, float per_thousand) {
    return 1e-3f * per_thousand * static_cast<float>(member.triangle_count);
}

}  // namespace

float cloth_motion(std::span<const Vector3> before, const void* now, std::size_t stride) {
    const auto* bytes = static_cast<const std::byte*>(now);
    const std::size_t every = std::max<std::size_t>(1, before.size() / compared_vertices);
    float most = 0.0f;
    for (std::size_t v = 0; v < before.size(); v += every) {
        Vector3 position;
        std::memcpy(position.data(), bytes + stride * v, sizeof position);
        const float moved = (position - before[v]).norm();
        // the comparison is false for NaN
        most = moved > most ? moved : most;
    }
    return most;
}

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

float Crowd::offset(std::int32_t index) {
    // multiples of the golden ratio modulo 1
    const float multiple = 0.618034f * static_cast<float>(index);
    return multiple - std::floor(multiple);
}

float Crowd::step_cost(const CrowdMember& member) const {
    return (member.paths_are_due ? cost(member, options_.step_cost) : 0.0f) +
           (member.has_others ? cost(member, options_.wave_cost) : 0.0f);
}

void Crowd::forget(std::size_t index) {
    if (index < histories_.size()) {
        histories_[index] = {};
    }
}

std::span<const std::uint8_t> Crowd::plan(std::span<const CrowdMember> members, float budget_us) {
    steps_.assign(members.size(), 0);
    priorities_.resize(members.size());
    histories_.resize(members.size());
    order_.clear();
    float spent = 0.0f;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const CrowdMember& member = members[i];
        History& history = histories_[i];
        history.since_step += member.dt;
        history.moved += member.motion;
        budget_us -= cost(member, options_.picture_cost);
        if (member.must) {
            steps_[i] = 1;
            spent += step_cost(member);
        } else if (member.paths_are_due || member.has_others) {
            // the formula of crowd.h
            const float age = history.since_step / std::max(interval(member.distance), member.dt);
            priorities_[i] = age * (history.moved / std::max(member.distance, least_distance) + least_motion);
            order_.push_back(static_cast<std::int32_t>(i));
        }
    }
    std::ranges::stable_sort(order_, std::ranges::greater{},
                             [&](std::int32_t i) { return priorities_[static_cast<std::size_t>(i)]; });
    for (const std::int32_t number : order_) {
        const auto i = static_cast<std::size_t>(number);
        // stop at the first member that exceeds the budget: if cheaper members could step before it in every frame, it
        // would never step
        if (spent + step_cost(members[i]) > budget_us) {
            break;
        }
        spent += step_cost(members[i]);
        steps_[i] = 1;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (steps_[i] != 0) {
            histories_[i] = {};
        }
    }
    return steps_;
}

}  // namespace ruckle
