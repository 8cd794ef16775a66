// Moves the samples of a drawn line toward their path, one sample per SIMD lane; ruckle/paths/curve.h describes the
// motion. Also computes the line of a path, and profiles of wrinkles.
#include "paths/line_kernel.h"
#include "constants.h"
#include "numeric/triples.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Return the larger or smaller number. If one is NaN, the result is that of std::max and std::min.
inline Real larger(Real a, Real b) {
    return max(b, a);
}
inline Real smaller(Real a, Real b) {
    return min(b, a);
}
inline Real magnitude(Real a) {
    return abs<native_lanes>(a);
}

// Drawn line during its motion: each quantity is an array with sample i at index i + 1, so that every sample can read
// both neighbours. Entries after the last sample are not used.
class Line {
  public:
    explicit Line(MovingLine& line) : line_(line), count_(line.count) {}

    void move() {
        place();
        if (line_.path.steps > 0) {
            find_steps();
            aim();
            if (disordered_) {
                lose_backward_samples();
            }
            if (crowded_) {
                thin_out();
            }
        } else {
            stay();
        }
        level();
        share_out();
        share_out();
        advance();
    }

  private:
    typedef float Column[most_line_samples + native_lanes + 2];

    int rounded() const { return (count_ + native_lanes - 1) / native_lanes * native_lanes; }

    // Loads the samples and their triangles, and computes the rest positions of the samples.
    void place() {
        int i = 0;
        for (; i + native_lanes <= count_; i += native_lanes) {
            place(i, [](int lane) { return lane; });
        }
        if (i < count_) {
            const int last = count_ - 1 - i;
            place(i, [=](int lane) { return lane < last ? lane : last; });
        }
        for (Column& column : at_) {
            column[0] = column[1], column[rounded() + 1] = column[rounded()];
        }
    }
    // Loads the samples i + number(lane) of all lanes; lanes past the end repeat the last sample.
    template <class Number>
    inline void place(int i, const Number& number) {
        const LineSample* samples[native_lanes];
        const float* triangles[native_lanes];
        for (int lane = 0; lane < native_lanes; ++lane) {
            samples[lane] = line_.samples + i + number(lane);
            triangles[lane] = line_.triangles + 24 * (int64_t)samples[lane]->face;
        }
        // head: face and three weights; tail: the last two weights again, half width, height
        const auto head = gather([&](int lane) { return (const float*)samples[lane]; });
        const auto tail = gather([&](int lane) { return samples[lane]->weights + 1; });
        // face numbers are stored as the bits of floats
        store(face_ + i + 1, head.a);
        store(half_width_ + i + 1, tail.c);
        store(height_ + i + 1, tail.d);
        const Real weights[3] = {head.b, head.c, head.d};
        for (int k = 0; k < 3; ++k) {
            store(weights_[k] + i + 1, weights[k]);
            put(gather([&](int lane) { return triangles[lane] + 4 * k; }), i, triangles_[k]);
            put(gather([&](int lane) { return triangles[lane] + 12 + 4 * k; }), i, corners_[k]);
        }
        store_columns(at_, i + 1, point(i, weights));
    }
    // Loads the four numbers at row_of(lane) for all lanes.
    template <class RowOf>
    static Quads<native_lanes> gather(const RowOf& row_of) {
        Floats<4> rows[native_lanes];
        for (int lane = 0; lane < native_lanes; ++lane) {
            rows[lane] = load<Floats<4>>(row_of(lane));
        }
        return transpose<native_lanes>(rows);
    }
    static void put(const Quads<native_lanes>& q, int i, Column (&columns)[3]) { store_columns(columns, i + 1, {q.a, q.b, q.c}); }
    Triple point(int i, const Real (&weights)[3]) const {
        return load_columns(corners_[0], i + 1) * weights[0] + load_columns(corners_[1], i + 1) * weights[1] +
               load_columns(corners_[2], i + 1) * weights[2];
    }

    // Finds the closest point of the path's line for each sample. The search starts at the segment of the previous
    // sample.
    void find_steps() {
        int k = 0;
        for (int i = 1; i <= count_; ++i) {
            step_[i] = nearest_step(line_.path, at_[0][i], at_[1][i], at_[2][i], k);
        }
        for (int i = count_; i < rounded(); ++i) {
            step_[i + 1] = step_[i];
        }
    }
    // Returns the position of the path's point that is closest to (px, py, pz), in steps from the start of the path's
    // line. The position is below 0 if the given point is before the start of the line, and above the number of steps
    // if it is after the end. k: segment at which the search starts; updated.
    static float nearest_step(const LineOfPath& path, float px, float py, float pz, int& k) {
        for (int direction = 0;;) {
            const float *from = path.points + 4 * (int64_t)k, *way = path.step_vectors + 4 * (int64_t)k;
            const float x =
                (way[0] * (px - from[0]) + way[1] * (py - from[1]) + way[2] * (pz - from[2])) * path.inverse_squares[k];
            // at a bend, a point may be after the end of one segment (x > 1) and before the start of the next (x < 0):
            // then return the corner between them
            if (x > 1.0f && k + 1 < path.steps) {
                if (direction < 0) {
                    return (float)k + 1.0f;
                }
                direction = 1;
            } else if (x < 0.0f && k > 0) {
                if (direction > 0) {
                    return (float)k;
                }
                direction = -1;
            } else {
                return (float)k + x;
            }
            k += direction;
        }
    }

    // Closest points of the path's line, with half width and height there, one per lane.
    struct Goals {
        Triple place;
        Real half_width, height;
    };
    // Returns the goals at positions in [0, steps] along the path's line.
    Goals goals(Real along) const {
        const LineOfPath& path = line_.path;
        const Mask whole = to_ints<native_lanes>(along), last = Mask{} + (path.steps - 1), at = whole < last ? whole : last;
        const Real y = along - to_floats<native_lanes>(at);
        Floats<4> rows[native_lanes];
        Real low, high;
        for (int lane = 0; lane < native_lanes; ++lane) {
            const int64_t k = at[lane];
            rows[lane] = load<Floats<4>>(path.points + 4 * k) + y[lane] * load<Floats<4>>(path.step_vectors + 4 * k);
            low[lane] = path.heights[k], high[lane] = path.heights[k + 1];
        }
        const auto q = transpose<native_lanes>(rows);
        return {{q.a, q.b, q.c}, q.d, low + y * (high - low)};
    }

    // Sets the pull, half width and height toward which each sample moves, and marks samples that are beyond an end of
    // the path or cannot reach it (lost). Marked samples keep their positions and half widths, and their heights fade
    // to 0. Also sets the flags disordered_ and crowded_.
    void aim() {
        const Real none = splat_real(0.0f), all = splat_real((float)line_.path.steps);
        for (int i = 0; i < count_; i += native_lanes) {
            const Real half_width = load_real(half_width_ + i + 1), height = load_real(height_ + i + 1);
            const Real step = load_real(step_ + i + 1);
            // the comparison is false for NaN: `along` is 0 if squares have overflowed
            const Real along = step > none ? smaller(all, step) : none;
            store(line_.along + i + 1, along);
            line_.along[0] = line_.along[1];
            const Goals goal = goals(along);
            const Triple way = goal.place - load_columns(at_, i + 1);
            const Real square = dot(way, way), near = end_tolerance * goal.half_width;
            const Mask beyond = (step != along) & (square > near * near);
            const Real high = larger(larger(height, goal.height), splat_real(line_.flat)),
                       reach = line_.approach * goal.half_width;
            const Mask within_reach = square * steepest_side * steepest_side * high * high <= reach * reach;
            const Mask follows = ~beyond & within_reach, lost = ~beyond & ~within_reach, sharp = turns_back(i);
            store_columns(line_.pull, i + 1, select(follows, way, zero_triple()));
            store(to_width_ + i + 1, follows ? goal.half_width : half_width);
            store(to_height_ + i + 1, follows ? goal.height : none);
            store(line_.beyond + i + 1, beyond);
            store(line_.lost + i + 1, lost);
            store(sharp_ + i + 1, sharp);
            // both flags remain false if all samples are in order along the path and not too close to each other, as
            // usual
            disordered_ |= lane_bits(~follows | sharp | (along < load_real(line_.along + i))) != 0;
            crowded_ |= (lane_bits(is_close_to_last(i)) & used_lanes(i)) != 0;
        }
    }
    // Returns a bit mask of the lanes that contain samples. Copies of the last sample fill the other lanes.
    int used_lanes(int i) const {
        const int left = count_ - i;
        return left < native_lanes ? (1 << left) - 1 : (1 << native_lanes) - 1;
    }
    // Returns a mask of samples that are too close to the previous sample.
    Mask is_close_to_last(int i) const {
        const Triple apart = load_columns(at_, i + 1) - load_columns(at_, i);
        Mask close = dot(apart, apart) < line_.close_square;
        if (i == 0) {
            close[0] = 0;
        }
        return close;
    }
    // Returns a mask of samples at which the line turns by a large angle.
    Mask turns_back(int i) const {
        const Triple at = load_columns(at_, i + 1), first = at - load_columns(at_, i), second = load_columns(at_, i + 2) - at;
        const Real along = dot(first, second);
        const Mask back = along < 0.0f;
        // compute square roots only if the line turns by more than 90° at any of these samples
        if (lane_bits(back) == 0) {
            return back;
        }
        return back & (along < least_line_cosine * sqrt(dot(first, first)) * sqrt(dot(second, second)));
    }

    // Sets the goals of a line without a path: all samples keep their positions and half widths, and their heights fade
    // to 0.
    void stay() {
        for (int i = 0; i < count_; i += native_lanes) {
            store_columns(line_.pull, i + 1, zero_triple());
            store(line_.along + i + 1, splat_real(0.0f));
            store(to_width_ + i + 1, load_real(half_width_ + i + 1));
            store(to_height_ + i + 1, splat_real(0.0f));
            store(line_.beyond + i + 1, Mask{} - 1);
            store(line_.lost + i + 1, Mask{});
        }
    }

    // Marks samples as lost if the line turns sharply there, or if they are behind a previous sample along the path.
    // Lost samples keep their positions and half widths, and their heights fade to 0.
    void lose_backward_samples() {
        float farthest = 0.0f;
        for (int i = 1; i <= count_; ++i) {
            if (line_.beyond[i]) {
                continue;
            }
            const bool sharp = i > 1 && i < count_ && sharp_[i];
            if (sharp || line_.along[i] < farthest - most_backward) {
                line_.lost[i] = -1;
                line_.pull[0][i] = line_.pull[1][i] = line_.pull[2][i] = 0.0f;
                to_width_[i] = half_width_[i], to_height_[i] = 0.0f;
            }
            if (!line_.lost[i]) {
                farthest = farthest < line_.along[i] ? line_.along[i] : farthest;
            }
        }
    }

    // If two neighbouring samples are too close, sets the target height of the lower sample to 0; the sample is removed
    // when its height has faded to 0. The lower sample is chosen, because its height may already fade since the last
    // frame. Skips the pair if the removal would open a wide gap.
    void thin_out() {
        int before = 0, last = 0;
        for (int i = 1; i <= count_; ++i) {
            if (line_.beyond[i] || line_.lost[i]) {
                before = last = 0;
                continue;
            }
            if (last > 0 && apart_squared(i, last) < line_.close_square) {
                if (height_[i] <= height_[last]) {
                    to_height_[i] = 0.0f;
                    continue;
                }
                if (before == 0 || apart_squared(i, before) <= line_.wide_square) {
                    to_height_[last] = 0.0f;
                    last = i;
                    continue;
                }
            }
            before = last, last = i;
        }
    }
    float apart_squared(int i, int j) const {
        const float x = at_[0][i] - at_[0][j], y = at_[1][i] - at_[1][j], z = at_[2][i] - at_[2][j];
        return x * x + y * y + z * z;
    }

    // Adds a pull toward the midpoint of the neighbours. Computes the move of each sample, and the share of the move in
    // this frame, which limits the change of the surface.
    void level() {
        for (int i = 0; i < count_; i += native_lanes) {
            const Triple pull = levelled(i);
            Triple move = within(i, pull, load_columns(line_.chord, i + 1));
            store_columns(line_.pull, i + 1, pull);
            const Real half_width = load_real(half_width_ + i + 1), to_width = load_real(to_width_ + i + 1);
            const Real height = load_real(height_ + i + 1), to_height = load_real(to_height_ + i + 1);
            const Real high = larger(height, to_height), narrow = smaller(half_width, to_width);
            Real distance = sqrt(dot(move, move));
            // a sample that is very close to its goal rests; otherwise it would creep forever
            const Mask rests = distance < resting_distance * half_width;
            move = select(rests, zero_triple(), move);
            distance = rests ? splat_real(0.0f) : distance;
            store_columns(line_.move, i + 1, move);
            const Real aside = distance + magnitude(to_width - half_width);
            const Real change = magnitude(to_height - height) + steepest_side * high / narrow * aside;
            const Real bound = splat_real(line_.bound);
            store(line_.share + i + 1, change > bound ? bound / change : splat_real(1.0f));
        }
    }
    // Returns the pull of each sample, mixed with the vector to the midpoint of its neighbours. The pulls of the first
    // and the last sample, and of samples that are beyond the path or lost, do not change. Also stores the vectors
    // between the neighbours (chords).
    Triple levelled(int i) {
        const Triple before = load_columns(at_, i), at = load_columns(at_, i + 1), after = load_columns(at_, i + 2);
        Mask inner = ~load<Mask>(line_.beyond + i + 1) & ~load<Mask>(line_.lost + i + 1);
        if (i == 0) {
            inner[0] = 0;
        }
        if (i + native_lanes >= count_) {
            inner[count_ - 1 - i] = 0;
        }
        const Triple own = load_columns(line_.pull, i + 1), middle = (before + after) * splat_real(0.5f) - at;
        store_columns(line_.chord, i + 1, select(inner, after - before, zero_triple()));
        return select(inner, own * splat_real(straight_share) + middle * splat_real(1.0f - straight_share), own);
    }
    // Returns the part of the pull in the triangle's plane and perpendicular to the line. If the pull along the line
    // were included, samples would drift along it forever.
    Triple within(int i, Triple pull, Triple chord) const {
        const Triple normal = load_columns(triangles_[2], i + 1);
        const Triple along = chord - normal * dot(normal, chord), flat = pull - normal * dot(normal, pull);
        const Real square = dot(along, along);
        return select(square > 0.0f, flat - along * (dot(along, flat) / square), flat);
    }

    // Replaces each share by (before + 2 own + after) / 4 if this mean is smaller, so that neighbours move together.
    void share_out() {
        float* share = line_.share;
        share[0] = share[1], share[count_ + 1] = share[count_];
        // the last lane reads this entry even if the lane does not contain a sample
        share[rounded() + 1] = share[count_];
        Real before = load_real(share);
        for (int i = 0; i < count_; i += native_lanes) {
            const Real own = load_real(share + i + 1), both = before + load_real(share + i + 2);
            // load these numbers before the store below overwrites the last number
            before = load_real(share + i + native_lanes);
            store(share + i + 1, smaller(own, 0.25f * both + 0.5f * own));
        }
    }

    // Moves the samples by their shares and writes the results. Samples that would leave their triangle are only
    // marked.
    void advance() {
        Mask leaving = {};
        for (int i = 0; i < count_; i += native_lanes) {
            const Real share = load_real(line_.share + i + 1);
            Real half_width = load_real(half_width_ + i + 1), height = load_real(height_ + i + 1);
            height += share * (load_real(to_height_ + i + 1) - height);
            half_width += share * (load_real(to_width_ + i + 1) - half_width);
            Real weights[3] = {load_real(weights_[0] + i + 1), load_real(weights_[1] + i + 1), load_real(weights_[2] + i + 1)};
            const Mask leaves = step_inside(i, share, weights);
            store(line_.leaving + i + 1, leaves);
            leaving |= leaves;
            const Triple at = point(i, weights);
            store_columns(at_, i + 1, at);
            store_quads<native_lanes>(line_.at[i], {at.x, at.y, at.z, splat_real(0.0f)});
            write(i, weights, half_width, height);
        }
        line_.any_leaving = lane_bits(leaving);
        line_.leaving[0] = 0;
        for (int i = 0; i < count_; i += native_lanes) {
            const Triple apart = load_columns(at_, i + 1) - load_columns(at_, i);
            const Real square = dot(apart, apart);
            const Mask unsettled =
                load<Mask>(line_.leaving + i) | load<Mask>(line_.leaving + i + 1) | load<Mask>(line_.lost + i + 1);
            store(line_.even + i + 1, ~unsettled & (square >= line_.close_square) & (square <= line_.wide_square));
        }
    }
    // Updates the barycentric coordinates of samples that remain in their triangle. Returns a mask of samples that
    // would leave their triangle; their coordinates do not change.
    Mask step_inside(int i, Real share, Real (&weights)[3]) const {
        const Triple move = load_columns(line_.move, i + 1), v = move * share;
        const Real none = splat_real(0.0f);
        const Mask still = (magnitude(move.x) <= none) & (magnitude(move.y) <= none) & (magnitude(move.z) <= none);
        const Real second = dot(load_columns(triangles_[0], i + 1), v), third = dot(load_columns(triangles_[1], i + 1), v);
        // the change is set to 0 if products have overflowed
        const Mask finite = magnitude(second) + magnitude(third) < __builtin_inff();
        const Real change[3] = {finite ? -second - third : none, finite ? second : none, finite ? third : none};
        Real moved[3];
        Mask leaves = {};
        for (int k = 0; k < 3; ++k) {
            moved[k] = weights[k] + change[k];
            leaves |= (change[k] < none) & (moved[k] < none);
        }
        moved[0] = 1.0f - moved[1] - moved[2];
        // rounding may make a weight slightly negative; such a sample also counts as leaving
        leaves |= ~((moved[0] >= none) & (moved[1] >= none) & (moved[2] >= none));
        leaves &= ~still;
        for (int k = 0; k < 3; ++k) {
            weights[k] = (leaves | still) ? weights[k] : moved[k];
        }
        return leaves;
    }
    // Writes the moved samples [i, i + native_lanes); their faces do not change.
    void write(int i, const Real (&weights)[3], Real half_width, Real height) {
        float heads[native_lanes][4], tails[native_lanes][4];
        store_quads<native_lanes>(heads[0], {load_real(face_ + i + 1), weights[0], weights[1], weights[2]});
        store_quads<native_lanes>(tails[0], {half_width, height, half_width, height});
        for (int lane = 0; lane < native_lanes; ++lane) {
            LineSample& sample = line_.moved[i + lane];
            __builtin_memcpy(&sample, heads[lane], 16);
            __builtin_memcpy(&sample.half_width, tails[lane], 8);
        }
    }

    MovingLine& line_;
    const int count_;
    bool disordered_ = false, crowded_ = false;
    Column at_[3], corners_[3][3], triangles_[3][3], face_, weights_[3], half_width_, height_, step_, to_width_, to_height_;
    int32_t sharp_[most_line_samples + native_lanes + 2];
};

// Returns η = height / half width, √(excess × table entry), for excess in (0, tabled_excess); otherwise 0.
inline Real height_ratio(const ProfileRow& profile, Real excess) {
    const Mask tabled = (excess > 0.0f) & (excess < tabled_excess);
    const Real known = tabled ? excess : splat_real(0.0f);
    // at the upper end of the table, use its last cell
    const Real at = smaller(known * profile.per_unit, splat_real(profile.most));
    const Mask cell = to_ints<native_lanes>(at);
    Real low, high;
    for (int lane = 0; lane < native_lanes; ++lane) {
        low[lane] = profile.ratios[cell[lane]], high[lane] = profile.ratios[cell[lane] + 1];
    }
    const Real between = at - to_floats<native_lanes>(cell);
    return sqrt(known * (low + between * (high - low)));
}

// Width and height of a wrinkle at several positions along it.
struct Section {
    Real width, height;
    Mask beyond_table;
};
// Returns width and height at the positions `here` along a wrinkle, whose ends are 0 and 1. beyond_table: the height is
// 0 instead of its right value, because the table of height ratios ends before this excess.
inline Section section_at(const ProfileRow& profile, Real here) {
    const Real none = splat_real(0.0f);
    const Mask inside = (here > 0.0f) & (here < 1.0f);
    const Real x = 2.0f * smaller(here, 1.0f - here), step = x * x * (3.0f - 2.0f * x), fullness = step * step;
    const Real excess = (profile.perimeter - profile.width) * fullness, width = profile.perimeter - excess;
    const Real share = excess / width;
    const Mask rises = inside & (width > 0.0f);
    return {inside ? width : splat_real(profile.perimeter),
            rises ? profile.crest_scale * 0.5f * width * height_ratio(profile, share) : none, rises & (share >= tabled_excess)};
}

// Places the points of a line at equal steps along the segments of its path. Writes `at_segment` and `raw`.
inline void divide(const LinePoints& line) {
    const Mask lanes = lane_numbers();
    int first = 0;
    for (int k = 0; k <= line.steps; k += native_lanes) {
        const Real along = line.step * to_floats<native_lanes>(lanes + k), none = splat_real(0.0f);
        Mask segment = Mask{} + first;
        for (int s = first; s + 1 < line.segments && line.passed[s + 1] < along[native_lanes - 1]; ++s) {
            segment -= along > line.passed[s + 1];
        }
        first = segment[native_lanes - 1];
        store(line.at_segment + k, segment);
        Real length, before;
        for (int lane = 0; lane < native_lanes; ++lane) {
            length[lane] = line.lengths[segment[lane]], before[lane] = line.passed[segment[lane]];
        }
        const Real share = smaller(splat_real(1.0f), larger((along - before) / length, none)), x = length > 0.0f ? share : none;
        for (int lane = 0; lane < native_lanes; ++lane) {
            const int64_t row = 4 * (int64_t)segment[lane];
            store(line.raw + 4 * (int64_t)(k + lane),
                  load<Floats<4>>(line.starts + row) + x[lane] * load<Floats<4>>(line.vectors + row));
        }
    }
}

// Computes the moving mean of each row with `reach` rows on both sides; rows have four numbers. The mean includes fewer
// rows near the ends. The first and the last row do not change.
template <int reach>
inline void smooth_once(const float* from, int steps, float* to) {
    const auto mean = [&]<int N, int own>(int64_t i) {
        Floats<N> sum = load<Floats<N>>(from + i);
        for (int j = 1; j <= own; ++j) {
            sum += load<Floats<N>>(from + i - 4 * j) + load<Floats<N>>(from + i + 4 * j);
        }
        store(to + i, sum * (1.0f / (float)(2 * own + 1)));
    };
    const int64_t last = 4 * (int64_t)steps;
    // the loop may write past the last row; later stores overwrite these numbers, or they are padding
    for (int64_t i = 4 * reach; i + 4 * reach <= last; i += native_lanes) {
        mean.template operator()<native_lanes, reach>(i);
    }
    if constexpr (reach > 1) {
        mean.template operator()<4, 1>(4), mean.template operator()<4, 1>(last - 4);
    }
    store(to, load<Floats<4>>(from)), store(to + last, load<Floats<4>>(from + last));
}

// Applies the moving mean twice. Writes `points`.
inline void smooth(const LinePoints& line) {
    if (line.reach == 0) {
        __builtin_memcpy(line.points, line.raw, 16 * (uint64_t)(line.steps + 1));
        return;
    }
    const auto once = line.reach == 1 ? smooth_once<1> : smooth_once<2>;
    once(line.raw, line.steps, line.smoothed);
    once(line.smoothed, line.steps, line.points);
}

bool shape_line(const LinePoints& line) {
    divide(line);
    smooth(line);
    Mask beyond_table = {};
    const Mask lanes = lane_numbers();
    const Real all = splat_real((float)line.steps);
    for (int k = 0; k <= line.steps; k += native_lanes) {
        const Section section = section_at(line.profile, to_floats<native_lanes>(lanes + k) / all);
        beyond_table |= section.beyond_table;
        store(line.heights + k, section.height);
        auto rows = load_quads<native_lanes>(line.points + 4 * (int64_t)k);
        rows.d = rows.d * 0.5f * section.width;
        store_quads<native_lanes>(line.points + 4 * (int64_t)k, rows);
    }
    for (int64_t i = 0; i < 4 * (int64_t)line.steps; i += native_lanes) {
        store(line.step_vectors + i, load_real(line.points + i + 4) - load_real(line.points + i));
    }
    for (int k = 0; k < line.steps; k += native_lanes) {
        const auto way = load_quads<native_lanes>(line.step_vectors + 4 * (int64_t)k);
        const Triple along{way.a, way.b, way.c};
        const Real square = dot(along, along);
        store(line.inverse_squares + k, square > 0.0f ? 1.0f / square : splat_real(0.0f));
    }
    return lane_bits(beyond_table) == 0;
}

bool spread_profile(const ProfileRow& profile, const float* along, int64_t count, float* widths, float* heights) {
    Mask beyond_table = {};
    for (int64_t i = 0; i < count; i += native_lanes) {
        const Section section = section_at(profile, load_real(along + i));
        beyond_table |= section.beyond_table;
        store(widths + i, section.width);
        store(heights + i, section.height);
    }
    return lane_bits(beyond_table) == 0;
}

void move_line(MovingLine& line) {
    if (line.count > 0) {
        Line(line).move();
    }
}

constexpr LineKernels kernels = {.move_line = move_line, .shape_line = shape_line, .spread_profile = spread_profile};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::LineKernels ruckle::LineKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
