#include "ruckle/paths/curve.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "constants.h"

namespace ruckle {

namespace {

Vector3 point_in(const Topology& topology, std::span<const Vector3> positions, std::int32_t face, const Vector3& weights) {
    const Face& corners = topology.faces[face];
    return positions[corners[0]] * weights[0] + positions[corners[1]] * weights[1] + positions[corners[2]] * weights[2];
}

// Changes of the barycentric weights along a vector, of which the part in the plane of the triangle counts; zero where it has
// collapsed.
Vector3 weights_along(const Topology& topology, std::span<const Vector3> positions, std::int32_t face, const Vector3& v) {
    const Face& corners = topology.faces[face];
    const Vector3 a = positions[corners[1]] - positions[corners[0]], b = positions[corners[2]] - positions[corners[0]];
    const float aa = a.squaredNorm(), ab = a.dot(b), bb = b.squaredNorm(), determinant = aa * bb - ab * ab;
    if (!(determinant > collapsed_gram_ratio * aa * bb)) {
        return Vector3::Zero();
    }
    const float va = v.dot(a), vb = v.dot(b);
    const float second = (bb * va - ab * vb) / determinant, third = (aa * vb - ab * va) / determinant;
    // products may have overflowed
    return std::isfinite(second) && std::isfinite(third) && std::isfinite(second + third)
               ? Vector3(-second - third, second, third)
               : Vector3(0.0f, 0.0f, 0.0f);
}

// Rounding may leave a weight a little below 0, and their sum beside 1.
void require_inside(Vector3& weights) {
    weights[0] = 1.0f - weights[1] - weights[2];
    if (!(weights.minCoeff() >= 0.0f)) {
        weights = weights.cwiseMax(0.0f);
        weights /= weights.sum();
    }
}

// Where two triangles meet, as if both lay in one plane: unit vectors along their edge, out of the first one and into the second.
struct Hinge {
    Vector3 along, outward, onward;

    Hinge(const Topology& topology, std::span<const Vector3> positions, std::int32_t face, std::int32_t next, int side) {
        const Face &from = topology.faces[face], &to = topology.faces[next];
        const std::int32_t first = from[side], second = from[(side + 1) % 3], opposite = to[0] + to[1] + to[2] - first - second;
        along = (positions[second] - positions[first]).normalized();
        outward = -across(positions[from[(side + 2) % 3]] - positions[first]);
        onward = across(positions[opposite] - positions[first]);
    }
    Vector3 across(const Vector3& arm) const { return (arm - along * along.dot(arm)).normalized(); }
    Vector3 turned(const Vector3& v) const { return along * along.dot(v) + onward * outward.dot(v); }
};

// Walks over the cloth along a vector, unfolding edges, until its length is used up, the cloth ends, or enters(face, direction into
// it) is false.
template <class Enters>
void walk(const Topology& topology, std::span<const Vector3> positions, Vector3 v, std::int32_t& face, Vector3& weights,
          const Enters& enters) {
    // as many triangles as a sample may ever pass in one frame
    for (int guard = 0; guard < 24; ++guard) {
        const Vector3 change = weights_along(topology, positions, face, v);
        float share = 1.0f;
        int left = -1;
        for (int k = 0; k < 3; ++k) {
            if (change[k] < 0.0f && weights[k] + share * change[k] < 0.0f) {
                share = std::max(-weights[k] / change[k], 0.0f);
                left = k;
            }
        }
        weights += share * change;
        require_inside(weights);
        if (left < 0) {
            return;
        }
        // the side opposite to the corner whose weight has come to 0
        const int side = (left + 1) % 3;
        const std::int32_t next = topology.face_neighbors[face][side];
        if (next < 0) {
            return;
        }
        const Hinge hinge(topology, positions, face, next, side);
        v = hinge.turned((1.0f - share) * v);
        if (!v.allFinite() || !enters(next, hinge.onward)) {
            return;
        }
        const Face &from = topology.faces[face], &to = topology.faces[next];
        Vector3 there = Vector3::Zero();
        for (int k = 0; k < 3; ++k) {
            there[k] = to[k] == from[side] ? weights[side] : to[k] == from[(side + 1) % 3] ? weights[(side + 1) % 3] : 0.0f;
        }
        face = next, weights = there;
    }
}
void walk(const Topology& topology, std::span<const Vector3> positions, const Vector3& v, std::int32_t& face, Vector3& weights) {
    walk(topology, positions, v, face, weights, [](std::int32_t, const Vector3&) { return true; });
}

// The line of a path that samples follow: at equal steps from the wrinkle's one end to the other, smoothed.
class PathLine {
  public:
    // Without anything to draw it has no steps.
    PathLine(const Cloth& cloth, std::span<const Vector3> rest, const CurveGoal& goal)
        : topology_(cloth.topology), rest_(rest), steps_(0) {
        if (goal.profile.width > 0.0f && goal.profile.crest_scale > 0.0f && measure(cloth, goal)) {
            divide(goal);
            smooth();
            give_shape(goal.profile);
            for (int k = 0; k < steps_; ++k) {
                const float square = (points_[k + 1] - points_[k]).squaredNorm();
                inverse_squares_[k] = square > 0.0f ? 1.0f / square : 0.0f;
            }
        }
    }

    int steps() const { return steps_; }
    float step() const { return step_; }  // mesh units at rest

    // A point of the line, x steps from its beginning.
    struct Point {
        Vector3 at;
        float half_width, height;
    };
    Point point(float x) const {
        const int k = std::min(static_cast<int>(x), steps_ - 1);
        const float y = x - static_cast<float>(k);
        return {points_[k] + y * (points_[k + 1] - points_[k]), half_widths_[k] + y * (half_widths_[k + 1] - half_widths_[k]),
                heights_[k] + y * (heights_[k + 1] - heights_[k])};
    }

    // How many steps from the beginning the line comes near to a point: downhill from segment k on, where the answer is left. Less
    // than 0 or more than steps() beyond its ends.
    float nearest(const Vector3& p, int& k) const {
        for (int direction = 0;;) {
            const float x = (points_[k + 1] - points_[k]).dot(p - points_[k]) * inverse_squares_[k];
            const int next = x > 1.0f && k + 1 < steps_ ? 1 : x < 0.0f && k > 0 ? -1 : 0;
            // in a bend's inside or outside the two neighbours send a point to each other
            if (next == 0 || next == -direction) {
                const bool beyond = next == 0;
                return static_cast<float>(k) + (beyond ? x : std::clamp(x, 0.0f, 1.0f));
            }
            k += next;
            direction = next;
        }
    }

    // A sample on the line at its k-th point, without height.
    CurveSample sample(int k) const {
        CurveSample sample{faces_[k], raw_weights(k), half_widths_[k], 0.0f};
        walk(topology_, rest_, points_[k] - raw_[k], sample.face, sample.weights);
        return sample;
    }
    const Vector3& place(int k) const { return points_[k]; }
    float height(int k) const { return heights_[k]; }

  private:
    // Lengths at rest of the path's segments between the wrinkle's ends, and how much wider a wrinkle is there than now.
    bool measure(const Cloth& cloth, const CurveGoal& goal) {
        const std::size_t last = goal.faces.size();
        length_ = 0.0f;
        Vector3 from = vertex(goal, 0), from_now = point_on_edge(topology_, cloth.positions, goal.edges[0], goal.t[0]);
        for (std::size_t i = 0; i < last; ++i) {
            const Vector3 to = vertex(goal, i + 1),
                          to_now = point_on_edge(topology_, cloth.positions, goal.edges[i + 1], goal.t[i + 1]);
            const Vector3 along = to - from;
            widenings_[i] = widening(cloth, goal.faces[i], along.norm(), (to_now - from_now).norm());
            starts_[i] = i == 0 ? Vector3(from + goal.cuts[0] * along) : from;
            const Vector3 end = i + 1 == last ? Vector3(to - goal.cuts[1] * along) : to;
            lengths_[i] = (end - starts_[i]).norm();
            ends_[i] = end;
            length_ += lengths_[i];
            from = to, from_now = to_now;
        }
        return std::isfinite(length_) && length_ > 0.0f;
    }
    Vector3 vertex(const CurveGoal& goal, std::size_t i) const {
        return point_on_edge(topology_, rest_, goal.edges[i], goal.t[i]);
    }

    // |F t| / det F
    float widening(const Cloth& cloth, std::int32_t face, float length, float length_now) const {
        const Face& corners = topology_.faces[face];
        const Vector3 &a = rest_[corners[0]], &b = rest_[corners[1]], &c = rest_[corners[2]];
        const float area = (b - a).cross(c - a).norm(), area_now = std::abs(cloth.current[face].determinant());
        const float ratio = length_now * area / (length * area_now);
        return std::isfinite(ratio) ? std::clamp(ratio, least_rest_widening, most_rest_widening) : 1.0f;
    }

    // Puts the points down.
    void divide(const CurveGoal& goal) {
        float mean = 0.0f;
        for (std::size_t i = 0; i < goal.faces.size(); ++i) {
            mean += widenings_[i] * lengths_[i] / length_;
        }
        half_width_ = 0.5f * goal.profile.width * mean;
        const float wanted = std::ceil(length_ / (curve_spacing * half_width_));
        // lengths may have overflowed
        steps_ = wanted < float{most_curve_steps} ? std::max(static_cast<int>(wanted), least_curve_steps) : most_curve_steps;
        step_ = length_ / static_cast<float>(steps_);
        std::size_t segment = 0;
        float passed = 0.0f;  // before the segment
        for (int k = 0; k <= steps_; ++k) {
            const float along = step_ * static_cast<float>(k);
            while (segment + 1 < goal.faces.size() && along > passed + lengths_[segment]) {
                passed += lengths_[segment++];
            }
            const float length = lengths_[segment], x = length > 0.0f ? std::clamp((along - passed) / length, 0.0f, 1.0f) : 0.0f;
            raw_[k] = points_[k] = starts_[segment] + x * (ends_[segment] - starts_[segment]);
            faces_[k] = goal.faces[segment];
            half_widths_[k] = widenings_[segment];
        }
    }

    // Two rounds of means over as many points to either side as make the deviation: (2 n + 1)² - 1 = 6 times its square. Narrower
    // toward the ends, which stay.
    void smooth() {
        const float deviation = curve_smoothing * std::min(half_width_ / step_, 1.0f / curve_spacing);
        const int reach = static_cast<int>(std::round(0.5f * (std::sqrt(1.0f + 6.0f * deviation * deviation) - 1.0f)));
        for (int round = 0; round < 2; ++round) {
            smoothed_ = points_, smoothed_widths_ = half_widths_;
            for (int k = 1; k < steps_; ++k) {
                const int own = std::min({reach, k, steps_ - k});
                const float share = 1.0f / static_cast<float>(2 * own + 1);
                Vector3 sum = smoothed_[k];
                float width = smoothed_widths_[k];
                for (int j = 1; j <= own; ++j) {
                    sum += smoothed_[k - j] + smoothed_[k + j];
                    width += smoothed_widths_[k - j] + smoothed_widths_[k + j];
                }
                points_[k] = sum * share, half_widths_[k] = width * share;
            }
        }
    }

    // From the widening to the half width there.
    void give_shape(const Profile& profile) {
        for (int k = 0; k <= steps_; ++k) {
            float width;
            profile.at(static_cast<float>(k) / static_cast<float>(steps_), width, heights_[k]);
            half_widths_[k] *= 0.5f * width;
        }
    }

    Vector3 raw_weights(int k) const {
        const std::int32_t face = faces_[k];
        Vector3 weights = weights_along(topology_, rest_, face, raw_[k] - rest_[topology_.faces[face][0]]);
        weights[0] += 1.0f;
        require_inside(weights);
        return weights;
    }

    const Topology& topology_;
    std::span<const Vector3> rest_;
    int steps_;
    float length_ = 0.0f, half_width_ = 0.0f, step_ = 0.0f;
    // of the path's segments
    std::array<Vector3, most_path_vertices> starts_, ends_;
    std::array<float, most_path_vertices> lengths_, widenings_;
    // of the line's points; raw: where they were before they were smoothed
    std::array<Vector3, most_curve_steps + 1> points_, raw_, smoothed_;
    std::array<std::int32_t, most_curve_steps + 1> faces_;
    std::array<float, most_curve_steps + 1> half_widths_, smoothed_widths_, heights_;
    std::array<float, most_curve_steps> inverse_squares_;  // 1 / squared length of each step, 0 without length
};

// A sample on its way.
struct Moving {
    CurveSample sample;
    Vector3 at;     // at rest
    Vector3 pull;   // to its goal, through the air
    Vector3 chord;  // between its neighbours; zero at the ends
    Vector3 move;   // what of the pull lies within the cloth
    float along;    // steps along the path's line
    float to_width, to_height;
    float share;   // of the way that it may go
    bool beyond;   // an end of the path
    bool is_lost;  // it cannot follow

    bool follows() const { return !beyond && !is_lost; }
};

class Follower {
  public:
    Follower(const Topology& topology, std::span<const Vector3> rest, const PathLine& path, const CurveOptions& options)
        : topology_(topology),
          rest_(rest),
          path_(path),
          r_min_(options.r_min),
          bound_(most_surface_change * options.r_min * options.dt / reference_frame_time),
          flat_(flat_height(options.r_min)) {}

    void move(CurveLine& line) {
        for (const CurveSample& sample : line.used()) {
            // without a goal it fades where it is
            const Vector3 none = Vector3::Zero();
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
    Vector3 at(const CurveSample& sample) const { return point_in(topology_, rest_, sample.face, sample.weights); }

    void set_goals() {
        int segment = 0;
        for (Moving& m : moving()) {
            const float x = path_.nearest(m.at, segment);
            // 0 where squares have overflowed
            m.along = x > 0.0f ? std::min(x, static_cast<float>(path_.steps())) : 0.0f;
            const PathLine::Point goal = path_.point(m.along);
            const Vector3 way = goal.at - m.at;
            const float square = way.squaredNorm(), near = end_tolerance * goal.half_width;
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
                m.pull = Vector3::Zero(), m.to_width = m.sample.half_width, m.to_height = 0.0f;
            }
            if (m.follows()) {
                farthest = std::max(farthest, m.along);
            }
        }
    }
    static bool is_sharp(const Vector3& before, const Vector3& at, const Vector3& after) {
        const Vector3 first = at - before, second = after - at;
        return first.dot(second) < least_line_cosine * first.norm() * second.norm();
    }

    // Toward the middle of the neighbours as well.
    void level() {
        for (int i = 0; i < count_; ++i) {
            Moving& m = moving_[i];
            m.chord = Vector3::Zero();
            if (m.follows() && i > 0 && i + 1 < count_) {
                const Vector3 &before = moving_[i - 1].at, &after = moving_[i + 1].at;
                m.pull = straight_share * m.pull + (1.0f - straight_share) * (0.5f * (before + after) - m.at);
                m.chord = after - before;
            }
            m.move = within(m.sample.face, m);
        }
    }
    // What the pull asks for within a triangle's plane, and across the line: along it samples would wander for ever.
    Vector3 within(std::int32_t face, const Moving& m) const {
        const Vector3 normal = unit_normal(face), along = m.chord - normal * normal.dot(m.chord);
        const Vector3 flat = m.pull - normal * normal.dot(m.pull);
        const float square = along.squaredNorm();
        return square > 0.0f ? Vector3(flat - along * (along.dot(flat) / square)) : flat;
    }
    // Zero where the triangle has collapsed.
    Vector3 unit_normal(std::int32_t face) const {
        const Face& corners = topology_.faces[face];
        const Vector3& origin = rest_[corners[0]];
        const Vector3 across = (rest_[corners[1]] - origin).cross(rest_[corners[2]] - origin);
        const float square = across.squaredNorm();
        return square > 0.0f ? Vector3(across / std::sqrt(square)) : Vector3(0.0f, 0.0f, 0.0f);
    }

    // How far each may go; neighbours go together, and nobody farther than by the bound.
    void share_out() {
        for (Moving& m : moving()) {
            const float high = std::max(m.sample.height, m.to_height), narrow = std::min(m.sample.half_width, m.to_width);
            float distance = m.move.norm();
            // or it would creep for ever
            if (distance < resting_distance * m.sample.half_width) {
                m.move = Vector3::Zero(), distance = 0.0f;
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
                const auto enters = [&](std::int32_t face, const Vector3& onward) { return onward.dot(within(face, m)) > 0.0f; };
                walk(topology_, rest_, m.share * m.move, m.sample.face, m.sample.weights, enters);
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
    void keep(const CurveSample& sample, const Vector3& place, CurveLine& line) {
        if (line.count > 0 && path_.steps() > 0) {
            CurveSample& last = line.samples[static_cast<std::size_t>(line.count - 1)];
            const Vector3 apart = place - last_place_;
            const float square = apart.squaredNorm(), step_square = path_.step() * path_.step();
            const bool close = square < least_sample_gap * least_sample_gap * step_square;
            if (close && sample.height <= last.height) {
                return;
            }
            if (close && (place - place_before_).squaredNorm() <= most_sample_gap * most_sample_gap * step_square) {
                last = sample, last_place_ = place;
                return;
            }
            if (square > most_sample_gap * most_sample_gap * step_square) {
                CurveSample middle = last;
                walk(topology_, rest_, 0.5f * apart, middle.face, middle.weights);
                middle.half_width = 0.5f * last.half_width + 0.5f * sample.half_width;
                // a wide gap shows: what fills it must rise as all that begins
                const bool open = square > most_filled_gap * most_filled_gap * step_square;
                middle.height = open ? 0.0f : 0.5f * last.height + 0.5f * sample.height;
                append(middle, line);
            }
        }
        append(sample, line);
        place_before_ = line.count > 1 ? last_place_ : place;
        last_place_ = place;
    }
    static void append(const CurveSample& sample, CurveLine& line) {
        if (line.count < most_curve_samples) {
            line.samples[static_cast<std::size_t>(line.count++)] = sample;
        }
    }

    const Topology& topology_;
    std::span<const Vector3> rest_;
    const PathLine& path_;
    float r_min_, bound_, flat_;
    int count_ = 0;
    std::array<Moving, most_curve_samples> moving_;
    // at rest, of the sample that was kept last, and of the one before it
    Vector3 last_place_, place_before_;
};

}  // namespace

float flat_height(float r_min) {
    return flat_share * r_min;
}

void draw_curve(const Cloth& cloth, std::span<const Vector3> rest, const CurveGoal& goal, CurveLine& line) {
    const PathLine path(cloth, rest, goal);
    line.count = path.steps() > 0 ? path.steps() + 1 : 0;
    for (int k = 0; k < line.count; ++k) {
        CurveSample& sample = line.samples[static_cast<std::size_t>(k)] = path.sample(k);
        sample.height = path.height(k);
    }
}

void follow_path(const Cloth& cloth, std::span<const Vector3> rest, const CurveGoal& goal, const CurveOptions& options,
                 CurveLine& line) {
    const PathLine path(cloth, rest, goal);
    Follower(cloth.topology, rest, path, options).move(line);
}

}  // namespace ruckle
