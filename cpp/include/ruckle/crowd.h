// crowd: decides which members of a crowd step at a picture, within a budget of processor time.
//
// Near members get short intervals between steps, far members long ones (wrinkle_clock.h). Members whose interval is over compete
// for the budget in the order of
//     priority = age (motion / distance + least_motion)      age: time since the last step over the interval
// so that large apparent motion goes first and no member waits forever. Members that wait hold their heights.
//
// Costs are estimates per triangle and not measurements, so that the plan is the same on every machine and for any number of threads.
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

// A member at a picture.
struct CrowdMember {
    float distance;     // m from the viewer, >= 0
    float motion;       // m that its cloth has moved since its last step, >= 0
    float age;          // time since its last step over its interval
    float step_cost;    // µs of a step
    bool is_due, must;  // its interval is over; it has no step yet
};

class Crowd {
  public:
    // Throws std::invalid_argument with one sentence.
    explicit Crowd(const CrowdOptions& options = {});

    const CrowdOptions& options() const { return options_; }
    float interval(float distance) const;  // s between steps of a member

    // Chooses the members that step at a picture. Equal priorities are in the order of the members.
    //
    // budget_us  of all steps, µs of processor time; members that must step do so even above it
    // Returns (N) 1 for members that step; valid until the next call.
    std::span<const std::uint8_t> plan(std::span<const CrowdMember> members, float budget_us);

  private:
    CrowdOptions options_;
    std::vector<std::int32_t> order_;
    std::vector<float> priorities_;
    std::vector<std::uint8_t> steps_;
};

}  // namespace ruckle
