// crowd: decides which members of a crowd (characters in wrinkled cloth) compute a step for a displayed frame,
// within a budget of processor time.
//
// Members near the viewer have short intervals between steps; far members have long intervals (wrinkle_clock.h). A
// member is due if its interval is over. Members that are due step in the order of decreasing
//     priority = age (motion / distance + least_motion)      age: (time since the last step) / interval
// until the budget is used. motion is the distance that the member's cloth has moved since its last step, and distance
// is the distance from the viewer. So members with large apparent motion step first. least_motion is a small constant,
// so that members at rest do not wait forever. The heights of members that wait do not change.
//
// Costs are estimated from the number of triangles and not measured, so that the plan is the same on every machine and
// for any number of threads.
//
// Example:
//     ruckle::Crowd crowd;
//     const std::vector<ruckle::CrowdMember> members{
//         {.distance = 3.0f, .motion = 0.5f, .age = 1.2f, .step_cost = 150.0f, .is_due = true, .must = false},
//         {.distance = 40.0f, .motion = 0.5f, .age = 1.0f, .step_cost = 150.0f, .is_due = true, .must = false}};
//     draw(crowd.plan(members, 200.0f));  // the near member steps
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ruckle {

struct CrowdOptions {
    // Largest distance from the viewer of near members, and of middle members, m.
    std::array<float, 2> distances{10.0f, 30.0f};
    // Time between two steps of near, middle and far members, s.
    std::array<float, 3> intervals{1.0f / 30.0f, 1.0f / 15.0f, 2.0f / 15.0f};
    // Estimated time of a step of paths with its table, of a displayed frame without a step, and of a step of the other
    // layers (waves, pattern); µs per 1,000 triangles.
    float step_cost = 300.0f, picture_cost = 60.0f, wave_cost = 25.0f;
};

// State of a member before a frame.
struct CrowdMember {
    float distance;     // distance from the viewer, m, >= 0
    float motion;       // distance that the cloth has moved since the member's last step, m, >= 0
    float age;          // (time since the member's last step) / (its interval)
    float step_cost;    // estimated time of a step, µs
    bool is_due, must;  // is_due: the interval is over. must: the member must step, because it has never stepped
};

class Crowd {
  public:
    // Throws std::invalid_argument with one sentence if an option is invalid.
    explicit Crowd(const CrowdOptions& options = {});

    const CrowdOptions& options() const { return options_; }
    float interval(float distance) const;  // returns the time between two steps of a member at this distance, s

    // Chooses the members that step in a displayed frame: first all members with `must`, then due members by priority,
    // until the next member exceeds the budget. Members of equal priority step in their order in `members`.
    //
    // budget_us  processor time for all steps together, µs. Members with `must` step even if they exceed the budget
    // Returns (N) 1 for members that step, else 0; valid until the next call.
    std::span<const std::uint8_t> plan(std::span<const CrowdMember> members, float budget_us);

  private:
    CrowdOptions options_;
    std::vector<std::int32_t> order_;
    std::vector<float> priorities_;
    std::vector<std::uint8_t> steps_;
};

}  // namespace ruckle
