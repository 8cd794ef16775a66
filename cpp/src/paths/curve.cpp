#include "ruckle/paths/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "constants.h"
#include "paths/path_line.h"
#include "paths/walk.h"

namespace ruckle {

namespace {

// A sample on its way.
struct Moving {
    CurveSample sample;
    Point4 at;     // at rest
    Point4 pull;   // to its goal, through the air
    Point4 chord;  // between its neighbours; zero at the ends
    Point4 move;   // what of the pull lies within the cloth
    float along;   // steps along the path's line
    float to_width, to_height;
    float share;   // of the way that it may go
    bool beyond;   // an end of the path
    bool is_lost;  // it cannot follow

    bool follows() const { return !beyond && !is_lost; }
};

constexpr float none_left_out = std::numeric_limits<float>::infinity();

class Follower {
  public:
    Follower(const RestCloth& rest, const PathLine& path, const CurveOptions& options)
        : rest_(rest),
          path_(path),
          r_min_(options.r_min),
          bound_(most_surface_change * options.r_min * options.dt / reference_frame_time),
          flat_(flat_height(options.r_min)) {}

    void move(CurveLine& line) {
        for (const CurveSample& sample : line.used()) {
            // without a goal it fades where it is
            const Point4 none = Point4::Zero();
            moving_[count_++] = {sample, at(sample), none, none, none, 0.0f, sample.half_width, 0.0f, 1.0f, true, false};
        }
        if (path_.steps() > 0) {
            set_goals();
            lose_what_runs_back();
            level();
        }
        share_out();
        advance();
        rebuild(line);
    }

  private:
    std::span<Moving> moving() { return std::span(moving_).first(static_cast<std::size_t>(count_)); }
    Point4 at(const CurveSample& sample) const { return rest_.point(sample.face, sample.weights); }

    void set_goals() {
        int segment = 0;
        for (Moving& m : moving()) {
            const float x = path_.nearest(m.at, segment);
            // 0 where squares have overflowed
            m.along = x > 0.0f ? std::min(x, static_cast<float>(path_.steps())) : 0.0f;
            const PathLine::Point goal = path_.point(m.along);
            const Point4 way = goal.at - m.at;
            const float square = dot(way, way), near = end_tolerance * goal.half_width;
            m.beyond = x != m.along && square > near * near;
            if (m.beyond) {
                continue;
            }
            const float high = std::max({m.sample.height, goal.height, flat_});
            const float reach = longest_approach / reference_frame_time * most_surface_change * r_min_ * goal.half_width;
            m.is_lost = !(square * steepest_side * steepest_side * high * high <= reach * reach);
            if (!m.is_lost) {
                m.pull = way, m.to_width = goal.half_width, m.to_height = goal.height;
            }
        }
    }

    void lose_what_runs_back() {
        float farthest = 0.0f;
        for (int i = 0; i < count_; ++i) {
            Moving& m = moving_[i];
            const bool sharp = i > 0 && i + 1 < count_ && is_sharp(moving_[i - 1].at, m.at, moving_[i + 1].at);
            if (!m.beyond && (sharp || m.along < farthest - most_backward)) {
                m.is_lost = true;
                m.pull = Point4::Zero(), m.to_width = m.sample.half_width, m.to_height = 0.0f;
            }
            if (m.follows()) {
                farthest = std::max(farthest, m.along);
            }
        }
    }
    static bool is_sharp(const Point4& before, const Point4& at, const Point4& after) {
        const Point4 first = at - before, second = after - at;
        const float along = dot(first, second);
        // most lines run on: roots only for what turns back
        return along < 0.0f && along < least_line_cosine * std::sqrt(dot(first, first)) * std::sqrt(dot(second, second));
    }

    // Toward the middle of the neighbours as well.
    void level() {
        for (int i = 0; i < count_; ++i) {
            Moving& m = moving_[i];
            m.chord = Point4::Zero();
            if (m.follows() && i > 0 && i + 1 < count_) {
                const Point4 &before = moving_[i - 1].at, &after = moving_[i + 1].at;
                m.pull = straight_share * m.pull + (1.0f - straight_share) * (0.5f * (before + after) - m.at);
                m.chord = after - before;
            }
            m.move = within(m.sample.face, m);
        }
    }
    // What the pull asks for within a triangle's plane, and across the line: along it samples would wander for ever.
    Point4 within(std::int32_t face, const Moving& m) const {
        const Point4 along = rest_.in_plane(face, m.chord), flat = rest_.in_plane(face, m.pull);
        const float square = dot(along, along);
        return square > 0.0f ? Point4(flat - along * (dot(along, flat) / square)) : flat;
    }

    // How far each may go; neighbours go together, and nobody farther than by the bound.
    void share_out() {
        for (Moving& m : moving()) {
            const float high = std::max(m.sample.height, m.to_height), narrow = std::min(m.sample.half_width, m.to_width);
            float distance = std::sqrt(dot(m.move, m.move));
            // or it would creep for ever
            if (distance < resting_distance * m.sample.half_width) {
                m.move = Point4::Zero(), distance = 0.0f;
            }
            const float aside = distance + std::abs(m.to_width - m.sample.half_width);
            const float change = std::abs(m.to_height - m.sample.height) + steepest_side * high / narrow * aside;
            m.share = change > bound_ ? bound_ / change : 1.0f;
        }
        for (int pass = 0; pass < 2; ++pass) {
            float before = count_ > 0 ? moving_[0].share : 0.0f;
            for (int i = 0; i < count_; ++i) {
                const float own = moving_[i].share, after = i + 1 < count_ ? moving_[i + 1].share : own;
                moving_[i].share = std::min(own, 0.25f * (before + after) + 0.5f * own);
                before = own;
            }
        }
    }

    void advance() {
        for (Moving& m : moving()) {
            m.sample.height += m.share * (m.to_height - m.sample.height);
            m.sample.half_width += m.share * (m.to_width - m.sample.half_width);
            if (!m.move.isZero(0.0f)) {
                // where both sides of a fold push a sample over their edge it stays there, or it would go back and forth
                const auto enters = [&](std::int32_t face, const Point4& onward) { return dot(onward, within(face, m)) > 0.0f; };
                walk(rest_, m.share * m.move, m.sample.face, m.sample.weights, enters);
                m.at = at(m.sample);
            }
        }
    }

    // Writes the line anew: without what has faded, with what joins.
    void rebuild(CurveLine& line) {
        line.count = 0;
        const auto [first, stop] = between_flat_ends();
        // steps of the path up to which it has samples, or fresh ones cannot join
        float covered = -1.0f;
        bool open = true;
        for (int i = first; i < stop;) {
            if (moving_[i].is_lost && fades_out(i, stop)) {
                // `covered` stays: fresh samples take the place of those that are left out
                for (open = true; i < stop && moving_[i].is_lost; ++i) {
                }
                continue;
            }
            const Moving& m = moving_[i++];
            if (m.follows() && open) {
                begin_between(covered, m.along, line);
            }
            keep(m.sample, m.at, line);
            covered = m.along;
            open = false;
            if (!m.follows()) {
                covered = static_cast<float>(path_.steps()) + 1.0f;
            }
        }
        if (path_.steps() > 0) {
            begin_between(covered, static_cast<float>(path_.steps()) + 1.0f, line);
        }
    }

    // Of flat samples beyond an end of the path, or lost, the line needs none.
    std::array<int, 2> between_flat_ends() const {
        const auto idle = [&](int i) { return !moving_[i].follows() && moving_[i].sample.height <= flat_; };
        int first = 0, stop = count_;
        while (first < stop && idle(first)) {
            ++first;
        }
        while (stop > first && idle(stop - 1)) {
            --stop;
        }
        return {first, stop};
    }

    // Whether all of a lost stretch has become flat.
    bool fades_out(int i, int stop) const {
        for (; i < stop && moving_[i].is_lost; ++i) {
            if (moving_[i].sample.height > flat_) {
                return false;
            }
        }
        return true;
    }

    // Samples of the path that lie between two others, given in steps along it.
    void begin_between(float from, float to, CurveLine& line) {
        for (int k = static_cast<int>(std::ceil(from + 0.5f)); static_cast<float>(k) <= to - 0.5f && k <= path_.steps(); ++k) {
            append(path_.sample(k), line);
            place_before_ = line.count > 1 ? last_place_ : path_.place(k);
            last_place_ = path_.place(k);
        }
    }

    // Puts one in between where there is a gap, and leaves out the lower of two that are too close, unless that opens a gap: up a
    // slope each would take the place of the one before, and none would be left.
    void keep(const CurveSample& sample, const Point4& place, CurveLine& line) {
        if (line.count > 0 && path_.steps() > 0) {
            CurveSample& last = line.samples[static_cast<std::size_t>(line.count - 1)];
            const Point4 apart = place - last_place_;
            const float square = dot(apart, apart), step_square = path_.step() * path_.step();
            const bool close = leaving_ < most_leaving_samples && square < least_sample_gap * least_sample_gap * step_square;
            if (close && sample.height <= last.height) {
                left_out_ = sample.height;
                ++leaving_;
                return;
            }
            const Point4 wide = place - place_before_;
            if (close && dot(wide, wide) <= most_sample_gap * most_sample_gap * step_square) {
                last = sample, last_place_ = place;
                ++leaving_;
                return;
            }
            if (square > most_sample_gap * most_sample_gap * step_square) {
                CurveSample middle = last;
                walk(rest_, 0.5f * apart, middle.face, middle.weights);
                middle.half_width = 0.5f * last.half_width + 0.5f * sample.half_width;
                // a wide gap shows: what fills it must rise as all that begins
                const bool open = square > most_filled_gap * most_filled_gap * step_square;
                // nor may it rise at once above a low one that was there
                middle.height = open ? 0.0f : std::min(0.5f * last.height + 0.5f * sample.height, left_out_);
                append(middle, line);
            }
        }
        append(sample, line);
        place_before_ = line.count > 1 ? last_place_ : place;
        last_place_ = place;
        left_out_ = none_left_out;
    }
    static void append(const CurveSample& sample, CurveLine& line) {
        if (line.count < most_curve_samples) {
            line.samples[static_cast<std::size_t>(line.count++)] = sample;
        }
    }

    const RestCloth& rest_;
    const PathLine& path_;
    float r_min_, bound_, flat_;
    int count_ = 0;
    std::array<Moving, most_curve_samples> moving_;
    // at rest, of the sample that was kept last, and of the one before it
    Point4 last_place_, place_before_;
    // height of the sample that was left out since; how many have been
    float left_out_ = none_left_out;
    int leaving_ = 0;
};

}  // namespace

float flat_height(float r_min) {
    return flat_share * r_min;
}

void draw_curve(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal, CurveLine& line) {
    const PathLine path(cloth, rest, goal);
    line.count = path.steps() > 0 ? path.steps() + 1 : 0;
    for (int k = 0; k < line.count; ++k) {
        CurveSample& sample = line.samples[static_cast<std::size_t>(k)] = path.sample(k);
        sample.height = path.height(k);
    }
}

void follow_path(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal, const CurveOptions& options, CurveLine& line) {
    const PathLine path(cloth, rest, goal);
    Follower(rest, path, options).move(line);
}

}  // namespace ruckle
