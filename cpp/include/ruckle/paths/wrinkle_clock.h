// wrinkle_clock: steps a Wrinkler at a lower rate than pictures, and blends the heights in between.
//
// Wrinkles need fewer steps than pictures. A picture without a step shows the lines of the last two steps on the cloth of the picture,
// with the heights
//     h = (1 - s) h_earlier + s h_later,   s = time since the last step / interval, at most 1
// So a picture is one interval late, and heights are continuous in time: where s reaches 1, the later lines become the earlier ones.
// Heights that are held between steps jerk instead: on sawing at 20 Hz their second difference is 0.011 r_min per picture instead of
// 0.002.
//
// Guarantees: the same pictures give the same bits. A refused picture does not change the state. A shorter interval is approached by
// at most half per step, so that blended heights never change more than twice as fast.
//
// Example:
//     ruckle::WrinkleClock clock(1.0f / 30.0f);
//     for (const auto& positions : frames) {  // pictures
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

// The times of the steps.
class StepClock {
  public:
    // interval  s between two steps, >= 0; 0: a step for each picture, shown at once
    // offset    in [0, 1): share of an interval by which the second step is early; spreads the steps of a crowd
    explicit StepClock(float interval = 0.0f, float offset = 0.0f) : times_{.interval = interval, .offset = offset} {}

    // The state.
    struct Times {
        float interval = 0.0f, offset = 0.0f;    // as given
        float period = 0.0f;                     // interval of the current blend
        float waited = 0.0f, since_step = 0.0f;  // s of the blend; s since the last step
        bool has_begun = false;
    };
    explicit StepClock(const Times& times) : times_(times) {}
    const Times& times() const { return times_; }

    // Changes the interval from the next step on.
    void set_interval(float interval) { times_.interval = interval; }
    float interval() const { return times_.interval; }

    bool is_due(float dt) const;                                        // a picture dt s after the last one needs a step
    float step_time(float dt) const { return times_.since_step + dt; }  // s from the last step to that picture
    // Takes that picture.
    void advance(float dt, bool steps);
    void reset();

    bool blends() const { return times_.period > 0.0f; }  // false: only later lines are drawn
    float share() const;                                  // of the later lines

  private:
    Times times_;
};

class WrinkleClock {
  public:
    explicit WrinkleClock(float interval = 0.0f, float offset = 0.0f) : times_(interval, offset) {}

    void set_interval(float interval) { times_.set_interval(interval); }
    float interval() const { return times_.interval(); }
    bool is_due(float dt) const { return times_.is_due(dt); }

    // Takes the next picture: a step of the wrinkler if it is due, else only a check of the positions.
    //
    // dt        s since the previous picture
    // may_step  false: a step that is due waits, and the share remains 1. The first picture always steps
    StepStatus step(Wrinkler& wrinkler, std::span<const Vector3> positions, float dt, std::span<const float> remaining = {},
                    bool may_step = true);
    bool has_stepped() const { return has_stepped_; }  // at the last picture

    float share() const { return times_.share(); }
    // Appends the lines of the step before the last one: wrinkles with a number and a drawn line, valid until the next step. Appends
    // nothing without an interval.
    void append_earlier(std::vector<Wrinkle>& wrinkles) const;

    // Together with a reset of the wrinkler.
    void reset();

    // The state as bytes; belongs to a state of the wrinkler at the same picture. restore throws StateError for other bytes.
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
