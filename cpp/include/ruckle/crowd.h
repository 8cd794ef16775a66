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
//         {.distance = 3.0f, .motion = 0.5f, .dt = 1 / 60.0f, .triangle_count = 500, .paths_are_due = true},
//         {.distance = 40.0f, .motion = 0.5f, .dt = 1 / 60.0f, .triangle_count = 500, .paths_are_due = true}};
//     draw(crowd.plan(members, 250.0f));  // the near member steps
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/types.h"

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

// State of a member before a displayed frame.
struct CrowdMember {
    float distance = 0.0f;            // distance from the viewer, m, >= 0
    float motion = 0.0f;              // cloth_motion since the previous displayed frame, mesh units, >= 0
    float dt = 0.0f;                  // time since the previous displayed frame, s
    std::int32_t triangle_count = 0;  // 0 for a member that is not displayed
    bool paths_are_due = false;       // the interval of its paths is over
    bool has_others = false;          // it has waves or a pattern, which are due in every displayed frame
    bool must = false;                // it must step, because it has never stepped
};

// Returns the largest distance that one of about 16 vertices has moved between two frames, mesh units. This suffices to
// compare members of a crowd.
//
// before  (V) positions of the earlier frame
// now     positions of the later frame: three floats per vertex, at intervals of `stride` bytes
float cloth_motion(std::span<const Vector3> before, const void* now, std::size_t stride = sizeof(Vector3));

class Crowd {
  public:
    // Throws std::invalid_argument with one sentence if an option is invalid.
    explicit Crowd(const CrowdOptions& options = {});

    const CrowdOptions& options() const { return options_; }
    float interval(float distance) const;  // returns the time between two steps of a member at this distance, s
    // Returns the share of an interval by which the second step of a member is early, in [0, 1). The steps of the first
    // n members are distributed evenly for every n.
    static float offset(std::int32_t index);

    // Chooses the members that step in a displayed frame: first all members with `must`, then due members by priority,
    // until the next member exceeds the budget. Members of equal priority step in their order in `members`. A member
    // has the same index in every frame.
    //
    // budget_us  processor time of the frame, µs. The display of all members is subtracted; the rest is for steps.
    //            Members with `must` step even if they exceed the budget
    // Returns (N) 1 for members that step, else 0; valid until the next call.
    std::span<const std::uint8_t> plan(std::span<const CrowdMember> members, float budget_us);
    // Deletes the memory of the member at one index, or of all members.
    void forget(std::size_t index);
    void reset() { histories_.clear(); }

  private:
    // Time since the last step of a member, s, and distance that its cloth has moved since that step, mesh units.
    struct History {
        float since_step = 0.0f, moved = 0.0f;
    };

    float step_cost(const CrowdMember& member) const;

    CrowdOptions options_;
    std::vector<History> histories_;
    std::vector<std::int32_t> order_;
    std::vector<float> priorities_;
    std::vector<std::uint8_t> steps_;
};

}  // namespace ruckle
