#include "ruckle/paths/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "constants.h"
#include "numeric/dispatch.h"
#include "paths/line_kernel.h"
#include "paths/line_samples.h"
#include "paths/path_line.h"
#include "paths/surface_walk.h"

namespace ruckle {

namespace {

// value of left_out_ if no sample was removed
constexpr float none_left_out = std::numeric_limits<float>::infinity();

// Moves the samples of a line toward its path with the line kernel, then adds and removes samples. In the comments
// below, a sample is "flat" if its height is treated as 0, "beyond" if it is past an end of the path, and "lost" if it
// cannot reach the path.
class Follower {
  public:
    Follower(const RestCloth& rest, const PathLine& path, const CurveOptions& options, std::span<const CurveSample> samples)
        : rest_(rest), path_(path), flat_(flat_height(options.r_min)), count_(static_cast<int>(samples.size())) {
        static_assert(most_curve_samples % most_lanes == 0);
        moving_.triangles = rest.triangle_rows();
        moving_.path = path.lanes();
        moving_.approach = longest_approach / reference_frame_time * most_surface_change * options.r_min;
        moving_.bound = most_surface_change * options.r_min * options.dt / reference_frame_time;
        moving_.flat = flat_;
        const float step_square = path.step() * path.step();
        moving_.close_square = least_sample_gap * least_sample_gap * step_square;
        moving_.wide_square = most_sample_gap * most_sample_gap * step_square;
        moving_.count = count_;
        moving_.samples = as_lanes(samples.data());
        moving_.moved = as_lanes(moved_.data());
        moving_.any_leaving = 0;
    }

    void move(CurveLine& line) {
        kernels<LineKernels>().move_line(moving_);
        for (int i = 0; moving_.any_leaving && i < count_; ++i) {
            if (moving_.leaving[i + moving_.first]) {
                leave_triangle(i);
            }
        }
        rebuild(line);
    }

  private:
    CurveSample& sample(int i) { return moved_[static_cast<std::size_t>(i)]; }
    const CurveSample& sample(int i) const { return moved_[static_cast<std::size_t>(i)]; }
    Point4 at(int i) const { return Point4::Map(moving_.at[i]); }
    bool follows(int i) const { return !moving_.beyond[i + moving_.first] && !is_lost(i); }
    bool is_lost(int i) const { return moving_.lost[i + moving_.first] != 0; }
    float along(int i) const { return moving_.along[i + moving_.first]; }
    static Point4 column(const float (&columns)[3][MovingLine::room], int i) {
        i += MovingLine::first;
        return {columns[0][i], columns[1][i], columns[2][i], 0.0f};
    }

    // Moves a sample that leaves its triangle over the neighbouring triangles, and updates its rest position.
    void leave_triangle(int i) {
        CurveSample& own = sample(i);
        const Point4 pull = column(moving_.pull, i), chord = column(moving_.chord, i);
        // a sample stops at an edge if its pull in the next triangle points back across the edge; otherwise it would
        // oscillate
        const auto enters = [&](std::int32_t face, const Point4& onward) {
            return dot(onward, within(face, pull, chord)) > 0.0f;
        };
        walk_surface(rest_, moving_.share[i + moving_.first] * column(moving_.move, i), own.face, own.weights, enters);
        Point4::Map(moving_.at[i]) = rest_.point(own.face, own.weights);
    }
    // Returns the part of `pull` (from the sample toward its goal) that is in the plane of a face and perpendicular to
    // `chord` (from the previous to the next sample), like `within` in the kernel.
    Point4 within(std::int32_t face, const Point4& pull, const Point4& chord) const {
        const Point4 along = rest_.in_plane(face, chord), flat = rest_.in_plane(face, pull);
        const float square = dot(along, along);
        return square > 0.0f ? Point4(flat - along * (dot(along, flat) / square)) : flat;
    }

    // Writes the new line: removes samples that have faded, and adds new samples.
    void rebuild(CurveLine& line) {
        line.count = 0;
        const auto [first, stop] = between_flat_ends();
        // covered: position along the path, in steps, up to which the line has samples; past the end of the path if no
        // sample may be added after the last sample. open: true at the start and after a group of removed lost samples,
        // where new samples may be added before the next sample
        float covered = -1.0f;
        bool open = true;
        for (int i = first; i < stop;) {
            if (is_lost(i) && fades_out(i, stop)) {
                // skip the lost samples. `covered` does not change, so that new samples replace them
                for (open = true; i < stop && is_lost(i); ++i) {
                }
                continue;
            }
            if (follows(i) && open) {
                begin_between(covered, along(i), line);
            }
            keep(sample(i), at(i), line);
            i = keep_all(i + 1, stop, line);
            covered = follows(i - 1) ? along(i - 1) : static_cast<float>(path_.steps()) + 1.0f;
            open = false;
        }
        if (path_.steps() > 0) {
            begin_between(covered, static_cast<float>(path_.steps()) + 1.0f, line);
        }
    }

    // Returns the range of samples that remain. Flat samples at either end are removed if they are beyond the path or
    // cannot reach it.
    std::array<int, 2> between_flat_ends() const {
        const auto idle = [&](int i) { return !follows(i) && sample(i).height <= flat_; };
        int first = 0, stop = count_;
        while (first < stop && idle(first)) {
            ++first;
        }
        while (stop > first && idle(stop - 1)) {
            --stop;
        }
        return {first, stop};
    }

    // True if sample i and all lost samples directly after it are flat.
    bool fades_out(int i, int stop) const {
        for (; i < stop && is_lost(i); ++i) {
            if (sample(i).height > flat_) {
                return false;
            }
        }
        return true;
    }

    // Adds samples of height 0 on the path, one per step, between two positions along the path (in steps), each at
    // least half a step away from both positions.
    void begin_between(float from, float to, CurveLine& line) {
        for (int k = static_cast<int>(std::ceil(from + 0.5f)); static_cast<float>(k) <= to - 0.5f && k <= path_.steps(); ++k) {
            append(path_.sample(k), line);
            place_before_ = line.count > 1 ? last_place_ : path_.place(k);
            last_place_ = path_.place(k);
        }
    }

    // Appends a sample. If the gap before the sample is wide, first appends a sample in the middle of the gap. If the
    // sample and the last appended sample are too close and one of them is flat, only the other sample remains; both
    // remain if the removal of the last sample would leave a wide gap. Does not compare distances if the path has no
    // line.
    void keep(const CurveSample& sample, const Point4& place, CurveLine& line) {
        if (line.count > 0 && path_.steps() > 0) {
            CurveSample& last = line.samples[static_cast<std::size_t>(line.count - 1)];
            const Point4 apart = place - last_place_, wide = place - place_before_;
            const float square = dot(apart, apart), step_square = path_.step() * path_.step();
            const bool close = square < moving_.close_square;
            if (close && sample.height <= flat_) {
                left_out_ = sample.height;
                return;
            }
            if (close && last.height <= flat_ && dot(wide, wide) <= moving_.wide_square) {
                last = sample, last_place_ = place;
                return;
            }
            if (square > moving_.wide_square) {
                CurveSample middle = last;
                walk_surface(rest_, 0.5f * apart, middle.face, middle.weights);
                middle.half_width = 0.5f * last.half_width + 0.5f * sample.half_width;
                // a gap this wide did not show a wrinkle, so the height of the new sample starts at 0
                const bool open = square > most_filled_gap * most_filled_gap * step_square;
                // in a narrow gap, the new sample starts at the lowest height of its neighbours and of the removed
                // sample, so that heights do not jump up
                middle.height = open ? 0.0f : std::min({last.height, sample.height, left_out_});
                append(middle, line);
            }
        }
        append(sample, line);
        place_before_ = line.count > 1 ? last_place_ : place;
        last_place_ = place;
        left_out_ = none_left_out;
    }
    // Fast path for most samples: appends the samples from `first` up to the first sample that is lost, or too close to
    // or too far from the previous sample. Returns the index of that sample, or stop.
    int keep_all(int first, int stop, CurveLine& line) {
        int i = first;
        while (i < stop && !is_lost(i) && stands_apart(i, i > first ? at(i - 1) : last_place_)) {
            do {
                ++i;
            } while (i < stop && moving_.even[i + moving_.first]);
        }
        if (i > first) {
            const int count = std::min(i - first, most_curve_samples - line.count);
            std::copy_n(as_lanes(moved_.data()) + first, count, as_lanes(line.samples.data()) + line.count);
            line.count += count;
            place_before_ = i - first > 1 ? at(i - 2) : last_place_;
            last_place_ = at(i - 1);
            left_out_ = none_left_out;
        }
        return i;
    }
    // True if the distance of sample i from `before` is between least_sample_gap and most_sample_gap, or if the path
    // has no line.
    bool stands_apart(int i, const Point4& before) const {
        const Point4 apart = at(i) - before;
        const float square = dot(apart, apart);
        return path_.steps() == 0 || (square >= moving_.close_square && square <= moving_.wide_square);
    }
    // Appends a sample, or drops it if the line is full.
    static void append(const CurveSample& sample, CurveLine& line) {
        if (line.count < most_curve_samples) {
            line.samples[static_cast<std::size_t>(line.count++)] = sample;
        }
    }

    const RestCloth& rest_;
    const PathLine& path_;
    float flat_;
    int count_;
    MovingLine moving_;
    std::array<CurveSample, most_curve_samples> moved_;
    // rest positions of the last appended sample and of the sample before it
    Point4 last_place_, place_before_;
    // height of the sample that was removed after the last appended sample
    float left_out_ = none_left_out;
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

void follow_path(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal, const CurveOptions& options,
                 std::span<const CurveSample> before, CurveLine& line) {
    const PathLine path(cloth, rest, goal);
    Follower(rest, path, options, before).move(line);
}

}  // namespace ruckle
