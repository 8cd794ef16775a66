// Sizes, profiles and curves of wrinkles. The header derives the cross-section. Here the equation for its length is
// solved once for a table of lengths, because heights are needed at many points.
#include "ruckle/paths/shape.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "constants.h"
#include "numeric/dispatch.h"
#include "numeric/functions.h"
#include "paths/geometry.h"
#include "paths/line_kernel.h"

namespace ruckle {

namespace {

// Smallest slope 2η at which the closed form asinh(2η) / (2η) is used. Below it, the closed form loses all digits; the
// series is then exact up to (2η)⁴.
constexpr double least_slope = 1e-4;

// Returns (length) / (width) of the cross-section with η = height / half width. Both pieces are arcs of parabolas whose
// slope s runs from 0 to 2η, so the ratio is the mean of √(1 + s²) over s.
double length_ratio(double eta) {
    const double slope = 2.0 * eta;
    return slope < least_slope ? 1.0 + slope * slope / 6.0
                               : 0.5 * (std::sqrt(1.0 + slope * slope) + inverse_hyperbolic_sine(slope) / slope);
}

// Returns d length_ratio / d η.
double length_ratio_change(double eta) {
    const double slope = 2.0 * eta, root = std::sqrt(1.0 + slope * slope);
    return slope < least_slope ? slope * 2.0 / 3.0 : (root - inverse_hyperbolic_sine(slope) / slope) / slope;
}

// Solves length_ratio(η) = ratio for η by Newton's method, starting from the first term of the series. The ratio is
// convex in η. So all values after the first step are above the solution, and each step doubles the number of correct
// digits.
double solve_height_ratio(double ratio) {
    double eta = std::sqrt(1.5 * (ratio - 1.0));
    for (int i = 0; i < 20; ++i) {
        eta -= (length_ratio(eta) - ratio) / length_ratio_change(eta);
    }
    return eta;
}

// Table of η² / (ratio - 1), with ratio = (length) / (width) of the cross-section. η has a square root singularity at
// ratio 1, but these values are smooth: linear interpolation gives η within 1e-5.
class HeightTable {
  public:
    HeightTable() {
        values_[0] = 1.5f;  // the limit of η² / (ratio - 1) at ratio 1, from the series
        for (int i = 1; i <= steps; ++i) {
            const double excess = static_cast<double>(i) / per_unit, eta = solve_height_ratio(1.0 + excess);
            values_[i] = static_cast<float>(eta * eta / excess);
        }
    }
    float height_ratio(float excess) const {
        // at the upper end of the table, use its last cell
        const float at = std::min(excess * per_unit, most);
        const int i = static_cast<int>(at);
        const float between = at - static_cast<float>(i);
        return std::sqrt(excess * (values_[i] + between * (values_[i + 1] - values_[i])));
    }

    static constexpr int per_unit = 256, steps = 2 * per_unit;
    static constexpr float most = static_cast<float>(steps) - 0.001f;
    static_assert(static_cast<float>(steps) == tabled_excess * static_cast<float>(per_unit));
    const float* values() const { return values_.data(); }

  private:
    std::array<float, steps + 1> values_;
};

const HeightTable& height_table() {
    static const HeightTable table;
    return table;
}

// Returns η for a cross-section whose length is (1 + excess) widths. The argument is the excess only, because near the
// ends of a wrinkle the sum 1 + excess would round it away.
float height_ratio_of_excess(float excess) {
    if (!(excess > 0.0f)) {
        return 0.0f;
    }
    return excess < tabled_excess ? height_table().height_ratio(excess)
                                  : static_cast<float>(solve_height_ratio(1.0 + static_cast<double>(excess)));
}

// Returns the excess length relative to the middle of the wrinkle, at `along` in (0, 1): 0 at the ends, 1 in the
// middle. It is the square of a smoothstep. The height is nearly proportional to the square root of the excess length,
// so the height is a smoothstep that ends without a kink.
float fullness(float along) {
    const float x = 2.0f * std::min(along, 1.0f - along);
    const float step = x * x * (3.0f - 2.0f * x);
    return step * step;
}

// Returns the height of the crest, mesh units: the height at which the full-grown wrinkle conserves the length of the
// cloth, times size (aspect rule), fade and amplitude.
float crest_height(const WrinkleSize& s, const ShapeOptions& options) {
    return options.amplitude * s.fade * s.size * wrinkle_radius(options.r_min, s.kappa) * height_ratio(1.0f / (1.0f - s.kappa));
}

// Returns the size at share x of the way from a to b. The crest is computed from the other members, so that it matches
// the profile.
WrinkleSize between(const WrinkleSize& a, const WrinkleSize& b, float x, const ShapeOptions& options) {
    const auto mix = [x](float from, float to) { return from + x * (to - from); };
    WrinkleSize s{mix(a.kappa, b.kappa), mix(a.size, b.size), mix(a.fade, b.fade), 0.0f};
    s.crest = crest_height(s, options);
    return s;
}

// Returns the κ toward which a wrinkle changes. A wrinkle whose compression is below grow_tau gets the κ of grow_tau
// while it fades. Otherwise its radius, R_min (1 - 2/π) / κ, would grow.
float target_kappa(const SizeTarget& target, const ShapeOptions& options) {
    return share_lost(std::max(target.compression, options.grow_tau));
}

// Returns the target of WrinkleSize::size: length / (`aspect` widths), at most 1.
float target_size(float kappa, float length, const ShapeOptions& options) {
    const float full = options.aspect * 2.0f * wrinkle_radius(options.r_min, kappa);
    return length < full ? length / full : 1.0f;  // the result is 1 also if lengths have overflowed
}

// Returns `from` moved toward `to` by at most `step`.
float toward(float from, float to, float step) {
    return from < to ? std::min(from + step, to) : std::max(from - step, to);
}

// Returns the size on the way from `from` to `to` at which the crest has changed by at most most_change. All members
// change by the same share, so that a wrinkle does not become flat before it becomes wide. Bisection finds the share
// with an error of 1/4096.
WrinkleSize within_limit(const WrinkleSize& from, const WrinkleSize& to, float most_change, const ShapeOptions& options) {
    float allowed = 0.0f, refused = 1.0f;
    for (int i = 0; i < 12; ++i) {
        const float middle = 0.5f * (allowed + refused);
        (std::abs(between(from, to, middle, options).crest - from.crest) <= most_change ? allowed : refused) = middle;
    }
    return between(from, to, allowed, options);
}

// Fills in the length of a polyline up to each point, and returns the total. `segments` may share memory with `lengths`
// from entry 1 on.
float running_length(std::span<const float> segments, std::span<float> lengths) {
    float length = 0.0f;
    lengths[0] = 0.0f;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        length += segments[i];
        lengths[i + 1] = length;
    }
    return length;
}

// Replaces the lengths along a polyline (in `widths`) by the widths of a wrinkle that extends from length `begin` to
// length `end`. Also fills in its heights.
void spread(const WrinkleProfile& profile, float begin, float end, std::span<float> widths, std::span<float> heights) {
    // scale is 0 if the wrinkle has length 0 or lengths have overflowed
    const float scale = end > begin ? 1.0f / (end - begin) : 0.0f;
    for (float& length : widths) {
        length = (length - begin) * scale;
    }
    profile.at(widths, widths, heights);
    // heights are exactly 0 at the ends, so that rounding does not leave a step
    heights.front() = heights.back() = 0.0f;
}

}  // namespace

float share_lost(float compression) {
    return std::clamp(1.0f - 1.0f / compression, 0.0f, largest_share_lost);
}

// These functions return radius and perimeter as in chapter 6 of the thesis. At the largest κ the cross-section is a
// half circle of radius R_min. (Width 2r) / (1 - κ) is the length that the cloth had before it was compressed.
float wrinkle_radius(float r_min, float kappa) {
    return r_min * largest_share_lost / std::clamp(kappa, least_share_lost, largest_share_lost);
}

float wrinkle_perimeter(float r_min, float kappa) {
    return 2.0f * wrinkle_radius(r_min, kappa) / (1.0f - std::clamp(kappa, 0.0f, largest_share_lost));
}

float height_ratio(float ratio) {
    return height_ratio_of_excess(ratio - 1.0f);
}

// Returns the uniform quadratic B-spline, scaled to height 1; 0 outside the wrinkle.
float cross_section(float u) {
    const float x = std::abs(u);
    return x >= 1.0f ? 0.0f : x > 1.0f / 3.0f ? 1.5f * (1.0f - x) * (1.0f - x) : 1.0f - 3.0f * x * x;
}

WrinkleSize settled_size(const SizeTarget& target, const ShapeOptions& options) {
    WrinkleSize s;
    s.kappa = target_kappa(target, options);
    s.size = target_size(s.kappa, target.length, options);
    s.fade = target.fading ? 0.0f : 1.0f;
    s.crest = crest_height(s, options);
    return s;
}

float size_share(const ShapeOptions& options) {
    return 1.0f - exponential(-options.dt / size_smoothing);
}

void update_size(const SizeTarget& target, const ShapeOptions& options, float share, WrinkleSize& size) {
    WrinkleSize old = size;
    // a new wrinkle does not have a previous size: it starts with its target size and fades in
    if (old.kappa == 0.0f) {
        old.kappa = target_kappa(target, options);
        old.size = target_size(old.kappa, target.length, options);
    }
    WrinkleSize next = old;
    next.kappa += share * (target_kappa(target, options) - old.kappa);
    next.size += share * (target_size(next.kappa, target.length, options) - old.size);
    const float fade_time = target.fading ? options.fade_out : options.fade_in, goal = target.fading ? 0.0f : 1.0f;
    next.fade = fade_time > 0.0f ? toward(old.fade, goal, options.dt / fade_time) : goal;
    next.crest = crest_height(next, options);

    const float limit = most_height_change * options.r_min * options.dt / reference_frame_time;
    size = std::abs(next.crest - old.crest) <= limit ? next : within_limit(old, next, limit, options);
}

WrinkleProfile::WrinkleProfile(const WrinkleSize& size, float r_min, float amplitude)
    : width(2.0f * size.size * wrinkle_radius(r_min, size.kappa)),
      perimeter(size.size * wrinkle_perimeter(r_min, size.kappa)),
      crest_scale(amplitude * size.fade) {}

// P is constant along the wrinkle, while the width grows from 2r in the middle to P at the ends. The excess length, P
// minus the width, determines the height.
void WrinkleProfile::at(float along, float& local_width, float& height) const {
    if (!(along > 0.0f && along < 1.0f)) {  // at or past the ends; also for NaN, if lengths have overflowed
        local_width = perimeter;
        height = 0.0f;
        return;
    }
    const float excess = (perimeter - width) * fullness(along);
    local_width = perimeter - excess;
    height = local_width > 0.0f ? crest_scale * 0.5f * local_width * height_ratio_of_excess(excess / local_width) : 0.0f;
}

ProfileRow WrinkleProfile::row() const {
    return {width, perimeter, crest_scale, height_table().values(), float{HeightTable::per_unit}, HeightTable::most};
}

// The kernel processes padded copies, because it writes whole SIMD vectors and would write past the end of the caller's
// arrays.
void WrinkleProfile::at(std::span<const float> along, std::span<float> local_widths, std::span<float> heights) const {
    constexpr std::size_t room = 64;
    static_assert(room % most_lanes == 0);
    const ProfileRow shared = row();
    std::array<float, room> here, wide, high;
    for (std::size_t begin = 0; begin < along.size(); begin += room) {
        const std::size_t count = std::min(room, along.size() - begin),
                          whole = (count + most_lanes - 1) / most_lanes * most_lanes;
        const auto part = along.subspan(begin, count);
        std::fill(std::copy(part.begin(), part.end(), here.begin()), here.begin() + static_cast<std::ptrdiff_t>(whole), 0.0f);
        if (!kernels<LineKernels>().spread_profile(shared, here.data(), static_cast<std::int64_t>(whole), wide.data(),
                                                   high.data())) {
            for (std::size_t i = 0; i < count; ++i) {
                at(here[i], wide[i], high[i]);
            }
        }
        std::copy_n(wide.begin(), count, local_widths.subspan(begin).begin());
        std::copy_n(high.begin(), count, heights.subspan(begin).begin());
    }
}

void wrinkle_shape(std::span<const float> lengths, const std::array<float, 2>& cuts, const WrinkleProfile& profile,
                   std::span<float> widths, std::span<float> heights, std::array<float, 2>& extent) {
    const std::size_t count = lengths.size() + 1;
    assert(count >= 2 && widths.size() == count && heights.size() == count);
    const float length = running_length(lengths, widths);
    extent = {cuts[0] * widths[1], length - cuts[1] * (length - widths[count - 2])};
    spread(profile, extent[0], extent[1], widths, heights);
}

namespace {

// Returns the tangent of the smooth curve at vertex i, in the frame of its edge: components along the edge and forward
// across it.
Vector2 edge_tangent(const Cloth& cloth, const Path& path, int i) {
    const auto direction = [&](int segment) {
        const std::int32_t face = path.faces[segment];
        const Matrix2& current = cloth.current[face];
        const Vector2 step = point_in_face(cloth.topology, current, face, path.edges[segment + 1], path.t[segment + 1]) -
                             point_in_face(cloth.topology, current, face, path.edges[segment], path.t[segment]);
        const float length = step.norm();
        Vector2 c =
            EdgeFrame(cloth.topology, current, face, path.edges[i]).components(length > 0.0f ? Vector2(step / length) : step);
        c[1] = std::abs(c[1]);
        return c;
    };
    if (i == 0 || i == path.count - 1) {
        return direction(i == 0 ? 0 : i - 1);
    }
    const Vector2 sum = direction(i - 1) + direction(i);
    const float length = sum.norm();
    return length > 0.0f ? Vector2(sum / length) : Vector2(0.0f, 1.0f);
}

// Returns the largest share of a Bezier handle that keeps the control point inside the triangle. A control point
// outside the triangle could move the curve off the cloth.
float handle_share(const Matrix2& current, const Vector2& from, const Vector2& handle) {
    float share = 1.0f;
    for (int side = 0; side < 3; ++side) {
        const Vector2 start = corner(current, side), vector = corner(current, (side + 1) % 3) - start;
        const float inside = cross(vector, from - start), approach = -cross(vector, handle);
        if (approach > 0.0f && approach > inside) {
            share = std::min(share, std::max(inside, 0.0f) / approach);
        }
    }
    return share;
}

// The curve through one triangle, in its plane: a cubic Bezier segment from a to d with the inner control points b and
// c.
struct CurveSegment {
    Vector2 a, b, c, d;

    CurveSegment(const Cloth& cloth, const Path& path, int i) {
        const std::int32_t face = path.faces[i], first = path.edges[i], second = path.edges[i + 1];
        const Matrix2& current = cloth.current[face];
        a = point_in_face(cloth.topology, current, face, first, path.t[i]);
        d = point_in_face(cloth.topology, current, face, second, path.t[i + 1]);
        // each handle has a third of the length of the chord, so that the parameter is uniform on a straight path
        const float third = (d - a).norm() / 3.0f;
        Vector2 leave = edge_tangent(cloth, path, i), arrive = edge_tangent(cloth, path, i + 1);
        arrive[1] = -arrive[1];  // the forward direction at the far edge points out of this face
        leave = third * EdgeFrame(cloth.topology, current, face, first).vector(leave);
        arrive = -third * EdgeFrame(cloth.topology, current, face, second).vector(arrive);
        b = a + handle_share(current, a, leave) * leave;
        c = d + handle_share(current, d, arrive) * arrive;
    }
    Vector2 at(float x) const {
        const float y = 1.0f - x;
        return y * y * y * a + 3.0f * y * y * x * b + 3.0f * y * x * x * c + x * x * x * d;
    }
};

// Samples the segment at parameters in (0, 1], in space. The last sample is exactly on the mesh edge, so that
// neighbouring segments connect. In a collapsed triangle barycentric coordinates are undefined, so all samples are at
// the position of the last sample.
void sample_segment(const Cloth& cloth, const Path& path, int i, std::span<Vector3> samples) {
    const CurveSegment segment(cloth, path, i);
    const Matrix2& current = cloth.current[path.faces[i]];
    const Face& corners = cloth.topology.faces[path.faces[i]];
    const float area = current.determinant();
    for (std::size_t k = 1; k <= samples.size(); ++k) {
        const Vector2 p = segment.at(static_cast<float>(k) / static_cast<float>(samples.size()));
        const float u = cross(p, corner(current, 2)) / area, v = cross(corner(current, 1), p) / area;
        Vector3& point = samples[k - 1];
        point = cloth.positions[corners[0]] * (1.0f - u - v) + cloth.positions[corners[1]] * u + cloth.positions[corners[2]] * v;
        if (k == samples.size() || !point.allFinite()) {
            point = point_on_edge(cloth.topology, cloth.positions, path.edges[i + 1], path.t[i + 1]);
        }
    }
}

// Returns the length of the polyline through the points.
float chord_length(std::span<const Vector3> points) {
    float length = 0.0f;
    for (std::size_t k = 1; k < points.size(); ++k) {
        length += (points[k] - points[k - 1]).norm();
    }
    return length;
}

}  // namespace

void wrinkle_curve(const Cloth& cloth, const Path& path, const std::array<float, 2>& cuts, const WrinkleProfile& profile,
                   int per_segment, std::span<Vector3> points, std::span<float> widths, std::span<float> heights) {
    const auto step = static_cast<std::size_t>(per_segment), segments = static_cast<std::size_t>(path.count - 1);
    const std::size_t count = segments * step + 1;
    assert(points.size() >= count && widths.size() >= count && heights.size() >= count);
    points = points.first(count);
    points[0] = point_on_edge(cloth.topology, cloth.positions, path.edges[0], path.t[0]);
    for (std::size_t i = 0; i < segments; ++i) {
        sample_segment(cloth, path, static_cast<int>(i), points.subspan(i * step + 1, step));
    }
    // the wrinkle covers the same share of the curve in the first and the last triangle as on the polyline
    const std::span<float> lengths = widths.subspan(1, count - 1);
    segment_lengths(points, lengths);
    const float length = running_length(lengths, widths);
    const float end = length - cuts[1] * chord_length(points.last(step + 1));
    spread(profile, cuts[0] * chord_length(points.first(step + 1)), end, widths.first(count), heights.first(count));
}

}  // namespace ruckle
