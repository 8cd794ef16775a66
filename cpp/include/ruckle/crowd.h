// crowd: decides which members of a crowd compute a step for a displayed frame, within a budget of processor time.
//
// Near members have short intervals between steps, far members long ones (wrinkle_clock.h). If the interval of a member is
// over, it is due. Members that are due step in the order of decreasing
//     priority = age (motion / distance + least_motion)      age: (time since the last step) / interval
// until the budget is used. Members with large apparent motion thus come first, and no member waits forever. The heights of
// members that wait do not change.
//
// Costs are estimates per triangle and not measurements, so that the plan is the same on every machine and for any number of
// threads.
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
    std::array<float, 2> distances{10.0f, 30.0f};                              // m, ascending: where near and middle end
    std::array<float, 3> intervals{1.0f / 30.0f, 1.0f / 15.0f, 2.0f / 15.0f};  // s: near, middle, far
    float step_cost = 300.0f, picture_cost = 60.0f, wave_cost = 25.0f;         // µs per 1,000 triangles
};

// A member when a frame is to be displayed.
struct CrowdMember {
    float distance;     // m from the viewer, >= 0
    float motion;       // m that its cloth has moved since its last step, >= 0
    float age;          // (time since its last step) / interval
    float step_cost;    // µs: estimate for a step
    bool is_due, must;  // its interval is over; it has not stepped yet and therefore must
};

class Crowd {
  public:
    // Throws std::invalid_argument with one sentence if an option is invalid.
    explicit Crowd(const CrowdOptions& options = {});

    const CrowdOptions& options() const { return options_; }
    float interval(float distance) const;  // s between two steps of a member at this distance

    // Chooses the members that step for a displayed frame. Members of equal priority step in their order in `members`.
    //
    // budget_us  µs of processor time for all steps together. Members with `must` step even if this exceeds the budget
    // Returns (N) 1 for members that step, else 0; valid until the next call.
    std::span<const std::uint8_t> plan(std::span<const CrowdMember> members, float budget_us);

  private:
    CrowdOptions options_;
    std::vector<std::int32_t> order_;
    std::vector<float> priorities_;
    std::vector<std::uint8_t> steps_;
};

}  // namespace ruckle
