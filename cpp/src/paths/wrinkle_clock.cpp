#include "ruckle/paths/wrinkle_clock.h"

#include <algorithm>

#include "numeric/finite.h"
#include "ruckle/field/parameters.h"
#include "support/per_thread.h"
#include "support/state_bytes.h"

namespace ruckle {

bool StepClock::is_due(float dt) const {
    // a step is due at the frame nearest to the end of the interval: half a frame early at most
    return !times_.has_begun || times_.waited + 1.5f * dt >= times_.period;
}

void StepClock::advance(float dt, bool steps) {
    Times& t = times_;
    t.waited += dt;
    t.since_step += dt;
    if (!steps) {
        return;
    }
    // a shorter interval takes effect gradually: each step at most halves the period
    const float shortest = 0.5f * t.period;
    t.period = t.has_begun && t.interval < shortest && shortest > dt ? shortest : t.interval;
    t.waited = t.has_begun ? 0.0f : t.offset * t.interval;
    t.since_step = 0.0f;
    t.has_begun = true;
}

void StepClock::reset() {
    times_ = {.interval = times_.interval, .offset = times_.offset};
}

float StepClock::share() const {
    return times_.period > 0.0f ? std::min(times_.waited / times_.period, 1.0f) : 1.0f;
}

namespace {

// Writes or reads the times of a clock.
template <class State>
void exchange_times(StepClock::Times& times, State& state) {
    for (float* time : {&times.interval, &times.offset, &times.period, &times.waited, &times.since_step}) {
        state.number(*time, 0.0f, largest_float, "a time");
    }
    auto begun = static_cast<std::int32_t>(times.has_begun);
    state.number(begun, 0, 1, "a flag");
    times.has_begun = begun != 0;
}

}  // namespace

// Replaces `result` by the ids and drawn lines of all wrinkles.
void WrinkleClock::copy(const Wrinkler& wrinkler, Lines& result) {
    result.lines.clear();
    result.samples.clear();
    for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
        const Wrinkle wrinkle = wrinkler.wrinkle(i);
        result.lines.push_back(
            {wrinkle.id, static_cast<std::int32_t>(result.samples.size()), static_cast<std::int32_t>(wrinkle.curve.size())});
        result.samples.insert(result.samples.end(), wrinkle.curve.begin(), wrinkle.curve.end());
    }
}

StepStatus WrinkleClock::step(Wrinkler& wrinkler, std::span<const Vector3> positions, float dt, std::span<const float> remaining,
                              bool may_step) {
    const bool is_first = wrinkler.frame_count() == 0;
    if (!is_first && !(may_step && times_.is_due(dt))) {
        if (positions.size() != static_cast<std::size_t>(wrinkler.topology().vertex_count)) {
            return StepStatus::wrong_vertex_count;
        }
        if (!frame_time_parameter.range.contains(static_cast<double>(dt))) {
            return StepStatus::wrong_time;
        }
        if (!all_finite(positions)) {
            return StepStatus::not_finite;
        }
        times_.advance(dt, false);
        has_stepped_ = false;
        return StepStatus::done;
    }
    // copy the lines before the step, because the step replaces them. Copy them to scratch memory, because the step may
    // reject the frame and earlier_ must then remain
    const bool blends = times_.interval() > 0.0f || times_.blends();
    Lines& before = of_this_thread<Lines>();
    if (blends && !is_first) {
        copy(wrinkler, before);
    }
    const StepStatus status = wrinkler.step(positions, is_first ? dt : times_.step_time(dt), remaining);
    if (status != StepStatus::done) {
        return status;
    }
    times_.advance(dt, true);
    has_stepped_ = true;
    if (!times_.blends()) {
        earlier_.lines.clear();
        earlier_.samples.clear();
    } else if (is_first) {
        copy(wrinkler, earlier_);
    } else {
        earlier_.lines.assign(before.lines.begin(), before.lines.end());
        earlier_.samples.assign(before.samples.begin(), before.samples.end());
    }
    return status;
}

void WrinkleClock::append_earlier(std::vector<Wrinkle>& wrinkles) const {
    for (const Line& line : earlier_.lines) {
        Wrinkle& wrinkle = wrinkles.emplace_back();
        wrinkle.id = line.id;
        wrinkle.curve =
            std::span(earlier_.samples).subspan(static_cast<std::size_t>(line.first), static_cast<std::size_t>(line.count));
    }
}

void WrinkleClock::reset() {
    times_.reset();
    earlier_ = {};
    has_stepped_ = false;
}

// Writes the times and the earlier lines to a StateWriter, or reads them from a StateReader.
template <class Self, class State>
void WrinkleClock::exchange(Self& clock, State& state, int face_count) {
    StepClock::Times times = clock.times_.times();
    exchange_times(times, state);
    if constexpr (State::loads) {
        clock.times_ = StepClock(times);
    }
    auto count = static_cast<std::int32_t>(clock.earlier_.lines.size());
    state.number(count, 0, most_faces, "the number of lines");
    if constexpr (State::loads) {
        clock.earlier_ = {};
    }
    for (std::int32_t i = 0; i < count; ++i) {
        Line line{};
        if constexpr (!State::loads) {
            line = clock.earlier_.lines[static_cast<std::size_t>(i)];
        }
        state.number(line.id, std::int64_t{0}, std::int64_t{1} << 62, "the number of a wrinkle");
        state.number(line.count, 0, most_curve_samples, "the number of samples of a drawn line");
        const auto first = static_cast<std::size_t>(line.first);
        for (std::int32_t k = 0; k < line.count; ++k) {
            CurveSample sample{};
            if constexpr (!State::loads) {
                sample = clock.earlier_.samples[first + static_cast<std::size_t>(k)];
            }
            state.number(sample.face, 0, face_count - 1, "the face of a sample");
            state.numbers(std::span(sample.weights.data(), 3), -1.0f, 2.0f, "the weights of a sample");
            state.number(sample.half_width, 0.0f, largest_float, "a half width");
            state.number(sample.height, 0.0f, largest_float, "a height");
            if constexpr (State::loads) {
                clock.earlier_.samples.push_back(sample);
            }
        }
        if constexpr (State::loads) {
            line.first = static_cast<std::int32_t>(clock.earlier_.samples.size()) - line.count;
            clock.earlier_.lines.push_back(line);
        }
    }
}

std::size_t WrinkleClock::state_size() const {
    StateWriter measured;
    exchange(*this, measured, 0);
    return measured.size();
}

void WrinkleClock::save(std::span<std::byte> state) const {
    StateWriter writer(state);
    exchange(*this, writer, 0);
}

void WrinkleClock::restore(std::span<const std::byte> state, const Topology& topology) {
    WrinkleClock loaded;
    StateReader reader(state);
    exchange(loaded, reader, topology.face_count());
    require_state(reader.empty(), "the length");
    *this = std::move(loaded);
}

}  // namespace ruckle
