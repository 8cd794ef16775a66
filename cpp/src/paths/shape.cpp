#include "ruckle/paths/shape.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "constants.h"
#include "paths/geometry.h"

namespace ruckle {

namespace {

// Length over width of the cross-section with η = height / half width.
double length_ratio(double eta) {
    const double slope = 2.0 * eta;
    return slope < 1e-4 ? 1.0 + slope * slope / 6.0 : 0.5 * (std::sqrt(1.0 + slope * slope) + std::asinh(slope) / slope);
}

double solve_height_ratio(double ratio) {
    double eta = std::sqrt(1.5 * (ratio - 1.0));
    for (int i = 0; i < 20; ++i) {
        // d ratio / d η of the formula above
        const double slope = 2.0 * eta, root = std::sqrt(1.0 + slope * slope);
        const double derivative = slope < 1e-4 ? slope * 2.0 / 3.0 : (root - std::asinh(slope) / slope) / slope;
        eta -= (length_ratio(eta) - ratio) / derivative;
    }
    return eta;
}

// η² / (ratio - 1), which is smooth down to ratio 1 where η itself has a root: linear interpolation gives η to 1e-5.
class HeightTable {
  public:
    HeightTable() {
        values_[0] = 1.5f;
        for (int i = 1; i <= steps; ++i) {
            const double excess = static_cast<double>(i) / per_unit, eta = solve_height_ratio(1.0 + excess);
            values_[i] = static_cast<float>(eta * eta / excess);
        }
    }
    float height_ratio(float excess) const {
        const float at = std::min(excess * per_unit, static_cast<float>(steps) - 0.001f);
        const int i = static_cast<int>(at);
        const float between = at - static_cast<float>(i);
        return std::sqrt(excess * (values_[i] + between * (values_[i + 1] - values_[i])));
    }

    static constexpr int per_unit = 256, steps = 2 * per_unit;

  private:
    std::array<float, steps + 1> values_;
};

// How full the wrinkle is at a place in (0, 1) along it: 0 at the ends, 1 in the middle. The square of a smooth step, so that the
// height, which goes with the root of the excess length, is a smooth step itself and dissolves into the cloth.
float fullness(float where) {
    const float x = 2.0f * std::min(where, 1.0f - where);
    const float step = x * x * (3.0f - 2.0f * x);
    return step * step;
}

float crest_height(const WrinkleSize& s, float r_min) {
    return s.fade * s.size * wrinkle_radius(r_min, s.kappa) * height_ratio(1.0f / (1.0f - s.kappa));
}

WrinkleSize between(const WrinkleSize& a, const WrinkleSize& b, float x, float r_min) {
    const auto mix = [x](float from, float to) { return from + x * (to - from); };
    WrinkleSize s{mix(a.kappa, b.kappa), mix(a.size, b.size), mix(a.fade, b.fade), 0.0f};
    s.crest = crest_height(s, r_min);
    return s;
}

float target_kappa(const SizeTarget& target, const ShapeOptions& options) {
    return share_lost(std::max(target.compression, options.tau));
}

float target_size(float kappa, float length, const ShapeOptions& options) {
    const float full = options.aspect * 2.0f * wrinkle_radius(options.r_min, kappa);
    return length < full ? length / full : 1.0f;  // full size too where positions so large that lengths overflow
}

float toward(float from, float to, float step) {
    return from < to ? std::min(from + step, to) : std::max(from - step, to);
}

}  // namespace

float share_lost(float compression) {
    return std::clamp(1.0f - 1.0f / compression, 0.0f, largest_share_lost);
}

float wrinkle_radius(float r_min, float kappa) {
    return r_min * largest_share_lost / std::clamp(kappa, least_share_lost, largest_share_lost);
}

float wrinkle_perimeter(float r_min, float kappa) {
    return 2.0f * wrinkle_radius(r_min, kappa) / (1.0f - std::clamp(kappa, 0.0f, largest_share_lost));
}

namespace {

// η for a length of 1 + excess widths: near the ends of a wrinkle 1 + excess would round the excess away.
float height_ratio_of_excess(float excess) {
    static const HeightTable table;
    if (!(excess > 0.0f)) {
        return 0.0f;
    }
    return excess < 2.0f ? table.height_ratio(excess) : static_cast<float>(solve_height_ratio(1.0 + static_cast<double>(excess)));
}

}  // namespace

float height_ratio(float ratio) {
    return height_ratio_of_excess(ratio - 1.0f);
}

float cross_section(float u) {
    const float x = std::abs(u);
    return x >= 1.0f ? 0.0f : x > 1.0f / 3.0f ? 1.5f * (1.0f - x) * (1.0f - x) : 1.0f - 3.0f * x * x;
}

WrinkleSize settled_size(const SizeTarget& target, const ShapeOptions& options) {
    WrinkleSize s;
    s.kappa = target_kappa(target, options);
    s.size = target_size(s.kappa, target.length, options);
    s.fade = target.fading ? 0.0f : 1.0f;
    s.crest = crest_height(s, options.r_min);
    return s;
}

void follow_size(const SizeTarget& target, const ShapeOptions& options, WrinkleSize& size) {
    WrinkleSize old = size;
    if (old.kappa == 0.0f) {  // newborn
        old.kappa = target_kappa(target, options);
        old.size = target_size(old.kappa, target.length, options);
    }
    const float share = options.smoothing > 0.0f ? 1.0f - std::exp(-options.dt / options.smoothing) : 1.0f;
    WrinkleSize next = old;
    next.kappa += share * (target_kappa(target, options) - old.kappa);
    next.size += share * (target_size(next.kappa, target.length, options) - old.size);
    const float fade_time = target.fading ? options.fade_out : options.fade_in, goal = target.fading ? 0.0f : 1.0f;
    next.fade = fade_time > 0.0f ? toward(old.fade, goal, options.dt / fade_time) : goal;
    next.crest = crest_height(next, options.r_min);

    const float limit = most_height_change * options.r_min * options.dt / reference_frame_time;
    if (std::abs(next.crest - old.crest) <= limit) {
        size = next;
        return;
    }
    // as far toward the new size as the limit allows
    float allowed = 0.0f, refused = 1.0f;
    for (int i = 0; i < 12; ++i) {
        const float middle = 0.5f * (allowed + refused);
        (std::abs(between(old, next, middle, options.r_min).crest - old.crest) <= limit ? allowed : refused) = middle;
    }
    size = between(old, next, allowed, options.r_min);
}

Profile::Profile(const WrinkleSize& size, float r_min)
    : width(2.0f * size.size * wrinkle_radius(r_min, size.kappa)),
      perimeter(size.size * wrinkle_perimeter(r_min, size.kappa)),
      crest_scale(size.fade) {}

void Profile::at(float where, float& local_width, float& height) const {
    if (!(where > 0.0f && where < 1.0f)) {  // at the ends and beyond, or lengths have overflowed
        local_width = perimeter;
        height = 0.0f;
        return;
    }
    const float excess = (perimeter - width) * fullness(where);
    local_width = perimeter - excess;
    height = local_width > 0.0f ? crest_scale * 0.5f * local_width * height_ratio_of_excess(excess / local_width) : 0.0f;
}

void wrinkle_shape(std::span<const Vector3> points, const std::array<float, 2>& cuts, const Profile& profile,
                   std::span<float> widths, std::span<float> heights, std::array<float, 2>& extent) {
    const std::size_t count = points.size();
    assert(count >= 2 && widths.size() == count && heights.size() == count);
    float length = 0.0f;
    widths[0] = 0.0f;  // holds the length along the polyline first
    for (std::size_t i = 1; i < count; ++i) {
        length += (points[i] - points[i - 1]).norm();
        widths[i] = length;
    }
    extent = {cuts[0] * widths[1], length - cuts[1] * (length - widths[count - 2])};
    const float scale = extent[1] > extent[0] ? 1.0f / (extent[1] - extent[0]) : 0.0f;
    for (std::size_t i = 0; i < count; ++i) {
        profile.at((widths[i] - extent[0]) * scale, widths[i], heights[i]);
    }
    heights[0] = heights[count - 1] = 0.0f;  // exactly: rounding must not leave a step where the path ends
}

void limit_heights(std::span<const std::int32_t> previous_edges, std::span<const float> previous_heights,
                   std::span<const std::int32_t> edges, float most, std::span<float> heights) {
    std::size_t hint = 0;  // mostly the same edges in the same order
    for (std::size_t i = 1; i + 1 < edges.size(); ++i) {
        for (std::size_t tried = 0; tried < previous_edges.size();
             ++tried, hint = hint + 1 < previous_edges.size() ? hint + 1 : 0) {
            if (previous_edges[hint] == edges[i]) {
                heights[i] = std::clamp(heights[i], previous_heights[hint] - most, previous_heights[hint] + most);
                break;
            }
        }
    }
}

namespace {

// Tangent of the smooth curve at vertex i, in the frame of its edge: along, and forward across it.
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

// The largest share of a handle that keeps it inside the triangle.
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

}  // namespace

void wrinkle_curve(const Cloth& cloth, const Path& path, const std::array<float, 2>& cuts, const Profile& profile,
                   int per_segment, std::span<Vector3> points, std::span<float> widths, std::span<float> heights) {
    const Topology& topology = cloth.topology;
    points[0] = point_on_edge(topology, cloth.positions, path.edges[0], path.t[0]);
    for (int i = 0; i + 1 < path.count; ++i) {
        const std::int32_t face = path.faces[i];
        const Matrix2& current = cloth.current[face];
        const Vector2 a = point_in_face(topology, current, face, path.edges[i], path.t[i]);
        const Vector2 d = point_in_face(topology, current, face, path.edges[i + 1], path.t[i + 1]);
        const float third = (d - a).norm() / 3.0f;
        Vector2 leave = edge_tangent(cloth, path, i), arrive = edge_tangent(cloth, path, i + 1);
        arrive[1] = -arrive[1];  // forward across the far edge is outward of this face
        leave = third * EdgeFrame(topology, current, face, path.edges[i]).vector(leave);
        arrive = -third * EdgeFrame(topology, current, face, path.edges[i + 1]).vector(arrive);
        const Vector2 b = a + handle_share(current, a, leave) * leave, c = d + handle_share(current, d, arrive) * arrive;
        // from the plane back into space, by barycentric coordinates
        const Face& corners = topology.faces[face];
        const float area = current.determinant();
        for (int k = 1; k <= per_segment; ++k) {
            const float x = static_cast<float>(k) / static_cast<float>(per_segment), y = 1.0f - x;
            const Vector2 p = y * y * y * a + 3.0f * y * y * x * b + 3.0f * y * x * x * c + x * x * x * d;
            const float u = cross(p, corner(current, 2)) / area, v = cross(corner(current, 1), p) / area;
            Vector3& point = points[i * per_segment + k];
            point =
                cloth.positions[corners[0]] * (1.0f - u - v) + cloth.positions[corners[1]] * u + cloth.positions[corners[2]] * v;
            if (k == per_segment || !point.allFinite()) {
                point = point_on_edge(topology, cloth.positions, path.edges[i + 1], path.t[i + 1]);
            }
        }
    }
    // ends at the same shares of the first and last triangle as the polyline's
    const auto chord = [&](int first) {
        float length = 0.0f;
        for (int k = 1; k <= per_segment; ++k) {
            length += (points[first + k] - points[first + k - 1]).norm();
        }
        return length;
    };
    const int last = (path.count - 1) * per_segment;
    float length = 0.0f;
    widths[0] = 0.0f;
    for (int k = 1; k <= last; ++k) {
        length += (points[k] - points[k - 1]).norm();
        widths[k] = length;
    }
    const float begin = cuts[0] * chord(0), end = length - cuts[1] * chord(last - per_segment);
    const float scale = end > begin ? 1.0f / (end - begin) : 0.0f;
    for (int k = 0; k <= last; ++k) {
        profile.at((widths[k] - begin) * scale, widths[k], heights[k]);
    }
    heights[0] = heights[last] = 0.0f;
}

}  // namespace ruckle
