// wrinkle_clock: steps a Wrinkler less often than frames are displayed, and blends the heights between two steps.
//
// A displayed frame (a "picture" in the C interface) without a step shows the drawn lines of the last two steps on the
// cloth of the frame. Its heights are
//     h = (1 - s) h_earlier + s h_later,   s = (time since the last step) / interval, at most 1
// Wrinkles are thus displayed one interval late, and heights are continuous in time: when s reaches 1, a new step is
// due, and the later lines become the earlier lines. Heights that remain constant between steps would jerk. For cloth
// that is shaken at 20 Hz, their second difference is 0.011 r_min per frame, instead of 0.002 r_min.
//
// Guarantees: the same frames give the same bits. A rejected frame does not change the state. If the interval becomes
// shorter, each step at most halves the interval in use, so that the speed of blended heights at most doubles per step.
//
// Example:
//     ruckle::WrinkleClock clock(1.0f / 30.0f);
//     for (const auto& positions : frames) {
//         clock.step(wrinkler, positions, dt);
//         if (clock.has_stepped()) {
//             std::vector<ruckle::Wrinkle> earlier, later;
//             clock.append_earlier(earlier);
//             for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
//                 later.push_back(wrinkler.wrinkle(i));
//             }
//             path_heights.update(positions, wrinkler.rest(), {earlier, later, clock.share()}, 0.1f);
//         } else {
//             path_heights.carry(positions, clock.share());
//         }
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/paths/wrinkler.h"
#include "ruckle/types.h"

namespace ruckle {

// Decides when a step is due, and computes the share of the blend.
class StepClock {
  public:
    // interval  time between two steps, s, >= 0; 0: every frame is a step and is displayed without delay
    // offset    in [0, 1): share of an interval by which the second step is early. Different offsets prevent that all
    //           members of a crowd step in the same frame
    explicit StepClock(float interval = 0.0f, float offset = 0.0f) : times_{.interval = interval, .offset = offset} {}

    // State of the clock.
    struct Times {
        // interval and offset: arguments of the constructor; set_interval changes the interval
        float interval = 0.0f, offset = 0.0f;
        float period = 0.0f;  // duration of the current blend, s; 0: no blend
        // time since the current blend began (waited), and time since the last step, s
        float waited = 0.0f, since_step = 0.0f;
        // true after the first step
        bool has_begun = false;
    };
    explicit StepClock(const Times& times) : times_(times) {}
    const Times& times() const { return times_; }

    // Changes the interval from the next step on.
    void set_interval(float interval) { times_.interval = interval; }
    float interval() const { return times_.interval; }

    // True if a frame that is dt seconds after the previous frame must be a step.
    bool is_due(float dt) const;
    // returns the time from the last step to a frame that is dt seconds after the previous frame, s
    float step_time(float dt) const { return times_.since_step + dt; }
    // Advances by one frame of dt seconds. steps: true if this frame is a step. A step starts a new blend.
    void advance(float dt, bool steps);
    void reset();

    // true if two steps are blended; false: only the lines of the last step are drawn
    bool blends() const { return times_.period > 0.0f; }
    float share() const;  // weight s of the later lines in the formula above; 1 if blends() is false

  private:
    Times times_;
};

class WrinkleClock {
  public:
    explicit WrinkleClock(float interval = 0.0f, float offset = 0.0f) : times_(interval, offset) {}

    void set_interval(float interval) { times_.set_interval(interval); }
    float interval() const { return times_.interval(); }
    bool is_due(float dt) const { return times_.is_due(dt); }

    // Advances to the next displayed frame. Steps the wrinkler if a step is due; otherwise only checks the positions.
    // Returns `done`, or the reason why the frame was rejected; then nothing changes.
    //
    // dt        s since the previous frame
    // may_step  false: a step that is due is postponed, and share() remains 1. The first frame is always a step
    StepStatus step(Wrinkler& wrinkler, std::span<const Vector3> positions, float dt, std::span<const float> remaining = {},
                    bool may_step = true);
    bool has_stepped() const { return has_stepped_; }  // true if the last frame was a step

    float share() const { return times_.share(); }
    // Appends the lines of the step before the last step (after the first step: of this step), as wrinkles that have
    // only an id and a drawn line. The wrinkles are valid until the next step. Appends nothing if steps are not
    // blended.
    void append_earlier(std::vector<Wrinkle>& wrinkles) const;

    // Returns to the state before the first frame. Call this function together with Wrinkler::reset.
    void reset();

    // Size of the state as bytes, and functions that write and read the bytes. Save and restore the state together with
    // the state of the wrinkler, at the same frame. restore throws StateError if the bytes are not a valid state; the
    // clock then does not change.
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state, const Topology& topology);

  private:
    struct Line {
        std::int64_t id;
        std::int32_t first, count;
    };
    struct Lines {
        std::vector<Line> lines;
        std::vector<CurveSample> samples;
    };
    static void copy(const Wrinkler& wrinkler, Lines& result);
    template <class Self, class State>
    static void exchange(Self& clock, State& state, int face_count);

    StepClock times_;
    Lines earlier_;
    bool has_stepped_ = false;
};

}  // namespace ruckle
