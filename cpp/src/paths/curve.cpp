#include "paths/curve.h"

#include <algorithm>
#include <cmath>

#include "constants.h"

namespace ruckle {

namespace {

// The wrinkle's path as the path stages know it.
Path path_of(const Wrinkle& wrinkle) {
    Path path;
    path.count = static_cast<int>(wrinkle.edges.size());
    std::copy(wrinkle.edges.begin(), wrinkle.edges.end(), path.edges.begin());
    std::copy(wrinkle.t.begin(), wrinkle.t.end(), path.t.begin());
    std::copy(wrinkle.faces.begin(), wrinkle.faces.end(), path.faces.begin());
    return path;
}

// Samples per segment of a path: a profile needs some twenty to look round.
int samples_per_segment(int path_count) {
    return std::clamp((least_curve_samples + path_count - 2) / (path_count - 1), 4, CurveSamples::most_per_segment);
}

// What the Wrinkler's temporal limits make of the profile's height at a point of the path: it is lowered by a factor and
// raised by an amount, because a factor would grow without bound where the profile vanishes.
struct HeightLimit {
    float factor, raise;
};

HeightLimit limit_at(const CurveSamples& samples, const Wrinkle& wrinkle, int vertex) {
    const float profile = samples.path_heights[vertex], given = wrinkle.heights[vertex];
    return {given < profile ? given / profile : 1.0f, std::max(given - profile, 0.0f)};
}

// Between the wrinkle's ends, where nothing is raised and the factor is that of the nearest inner vertex.
void limit_curve_heights(const Wrinkle& wrinkle, int per_segment, float begin, float end, CurveSamples& samples) {
    const int last = static_cast<int>(wrinkle.edges.size()) - 1;
    // the ends of a single segment have no height, and show nothing of what was limited between them
    if (last < 2) {
        return;
    }
    for (int segment = 0; segment < last; ++segment) {
        const int first_sample = segment * per_segment;
        HeightLimit from = limit_at(samples, wrinkle, std::max(segment, 1)),
                    to = limit_at(samples, wrinkle, std::min(segment + 1, last - 1));
        float start = samples.along[first_sample], stop = samples.along[first_sample + per_segment];
        if (segment == 0) {
            start = begin, from.raise = 0.0f;
        }
        if (segment == last - 1) {
            stop = end, to.raise = 0.0f;
        }
        for (int k = first_sample; k < first_sample + per_segment; ++k) {
            const float x = stop > start ? std::clamp((samples.along[k] - start) / (stop - start), 0.0f, 1.0f) : 0.0f;
            samples.heights[k] =
                samples.heights[k] * (from.factor + x * (to.factor - from.factor)) + from.raise + x * (to.raise - from.raise);
        }
    }
}

// Samples the path's curve with its widths and limited heights; where along it the wrinkle begins and ends.
std::array<float, 2> sample_curve(const Cloth& cloth, const Wrinkle& wrinkle, const Path& path, int per_segment,
                                  CurveSamples& s) {
    // r_min is not known here: the wrinkle brings width and perimeter, which its Profile has made of it
    Profile profile({}, 1.0f);
    profile.width = wrinkle.width, profile.perimeter = wrinkle.perimeter, profile.crest_scale = wrinkle.size.fade;
    s.count = (path.count - 1) * per_segment + 1;
    wrinkle_curve(cloth, path, wrinkle.cuts, profile, per_segment, s.points, s.widths, s.heights);
    s.along[0] = 0.0f;
    for (int k = 1; k < s.count; ++k) {
        s.along[k] = s.along[k - 1] + (s.points[k] - s.points[k - 1]).norm();
    }
    const float length = s.along[s.count - 1];
    // cuts are shares of the first and the last segment; here they become lengths along the curve
    const float begin = wrinkle.cuts[0] * s.along[per_segment];
    const float end = length - wrinkle.cuts[1] * (length - s.along[s.count - 1 - per_segment]);
    std::array<Vector3, most_path_vertices> points;
    for (int i = 0; i < path.count; ++i) {
        points[i] = s.points[i * per_segment];
    }
    std::array<float, 2> extent;
    const auto count = static_cast<std::size_t>(path.count);
    // what the profile gives at the path's own vertices, to be compared with the limited heights that the wrinkle has there
    wrinkle_shape(std::span(points).first(count), wrinkle.cuts, profile, std::span(s.path_widths).first(count),
                  std::span(s.path_heights).first(count), extent);
    limit_curve_heights(wrinkle, per_segment, begin, end, s);
    return {begin, end};
}

// Where a wrinkle begins or ends: height and slope keep their 0.
CurveVertex vertex_between(const CurveSamples& s, int k, float along, float half_width) {
    const float step = s.along[k + 1] - s.along[k];
    const float x = step > 0.0f ? (along - s.along[k]) / step : 0.0f;
    CurveVertex vertex;
    vertex.position = s.points[k] + (s.points[k + 1] - s.points[k]) * x;
    vertex.half_width = half_width;
    return vertex;
}

// The samples between the ends, no two closer than a third of the half width: planes of very short segments cross at once.
void keep_samples(const CurveSamples& s, const Wrinkle& wrinkle, const Path& path, int per_segment, std::array<float, 2> extent,
                  std::vector<CurveVertex>& vertices, std::vector<std::int32_t>& vertex_faces) {
    const auto [begin, end] = extent;
    // a wide wrinkle that is short keeps some eight vertices, too
    const float gap = std::min(least_curve_spacing * 0.5f * wrinkle.width, 0.125f * (end - begin));
    const auto keep = [&](const CurveVertex& vertex, int segment) {
        vertices.push_back(vertex);
        vertex_faces.push_back(path.faces[segment]);
    };
    int k = 0;
    while (k + 2 < s.count && s.along[k + 1] <= begin) {
        ++k;
    }
    keep(vertex_between(s, k, begin, 0.5f * wrinkle.perimeter), k / per_segment);
    float kept = begin;
    for (++k; k + 1 < s.count && s.along[k] < end - gap; ++k) {
        if (s.along[k] >= kept + gap) {
            CurveVertex vertex;
            vertex.position = s.points[k], vertex.half_width = 0.5f * s.widths[k], vertex.height = s.heights[k];
            keep(vertex, k / per_segment);
            kept = s.along[k];
        }
    }
    k = s.count - 2;
    while (k > 0 && s.along[k] > end) {
        --k;
    }
    keep(vertex_between(s, k, end, 0.5f * wrinkle.perimeter), k / per_segment);
}

// The curve of one wrinkle with its segments, where vertex i begins segment i.
struct Curve {
    std::span<CurveVertex> vertices;
    std::span<const Vector3> directions;
    std::span<const float> lengths;

    std::size_t segment_count() const { return vertices.size() - 1; }
};

Curve measure_segments(std::span<CurveVertex> vertices, CurveSamples& samples) {
    const std::size_t count = vertices.size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
        const Vector3 step = vertices[i + 1].position - vertices[i].position;
        const float length = samples.lengths[i] = step.norm();
        // without a direction no plane cuts the segment, and narrow_bends closes the wrinkle there
        samples.directions[i] = length > 0.0f ? Vector3(step / length) : Vector3(0.0f, 0.0f, 0.0f);
    }
    return {vertices, std::span(samples.directions).first(count), std::span(samples.lengths).first(count)};
}

// Where a path turns back on itself the directions of two segments cancel, and their bisector is rounding.
Vector3 unit_or(const Vector3& v, const Vector3& otherwise) {
    const float length = v.norm();
    return length > 1e-3f ? Vector3(v / length) : otherwise;
}

// Largest half width for which the planes at both ends of segment i do not cross within reach: 0.9 L / |k0 - k1|, where
// k = n / (d·n) - d is the plane's tilt. Zero where a plane does not cut the segment.
float largest_half_width(const Curve& curve, std::size_t i) {
    const Vector3 &own = curve.vertices[i].normal, &next = curve.vertices[i + 1].normal;
    const float first = curve.directions[i].dot(own), second = curve.directions[i].dot(next);
    if (!(first > least_plane_cosine && second > least_plane_cosine)) {
        return 0.0f;
    }
    const float turn = (own / first - next / second).norm();
    return most_plane_approach * curve.lengths[i] / std::max(turn, 1e-6f);
}

// Within the wrinkle's width: farther out the planes of every bend cross, and no point is projected there.
bool planes_cross(const Curve& curve, std::size_t i) {
    return std::max(curve.vertices[i].half_width, curve.vertices[i + 1].half_width) > largest_half_width(curve, i);
}

bool any_planes_cross(const Curve& curve) {
    for (std::size_t i = 0; i < curve.segment_count(); ++i) {
        if (planes_cross(curve, i)) {
            return true;
        }
    }
    return false;
}

// A plane that halves the angle between two segments leaves both the same reach; at the ends it stands across the curve.
void bisect_joints(const Curve& curve) {
    Vector3 before = curve.directions[0];
    curve.vertices[0].normal = before;
    for (std::size_t i = 1; i < curve.segment_count(); ++i) {
        const Vector3 after = curve.directions[i];
        curve.vertices[i].normal = unit_or(before + after, before);
        before = after;
    }
    curve.vertices.back().normal = before;
}

// Spreads sharp turns over the neighbouring joints.
void turn_planes_apart(const Curve& curve) {
    for (int pass = 0; pass < plane_passes; ++pass) {
        bool crossing = false;
        Vector3 previous = curve.vertices[0].normal;
        for (std::size_t i = 1; i < curve.segment_count(); ++i) {
            const Vector3 own = curve.vertices[i].normal;
            if (planes_cross(curve, i - 1) || planes_cross(curve, i)) {
                crossing = true;
                curve.vertices[i].normal = unit_or(previous + 2.0f * own + curve.vertices[i + 1].normal, own);
            }
            // the normal before this pass, as that of the next joint is: the same planes whichever way the path runs
            previous = own;
        }
        if (!crossing) {
            return;
        }
    }
}

// Where planes still cross, the wrinkle becomes narrower, and lower with it; and gradually.
void narrow_bends(const Curve& curve) {
    bool narrowed = false;
    const auto narrow = [&](CurveVertex& vertex, float limit) {
        if (vertex.half_width > limit) {
            // the section keeps its shape, and with it its slopes
            vertex.height *= limit / vertex.half_width;
            vertex.half_width = limit;
            narrowed = true;
        }
    };
    const std::span<CurveVertex> vertices = curve.vertices;
    for (std::size_t i = 0; i < curve.segment_count(); ++i) {
        const float limit = largest_half_width(curve, i);
        narrow(vertices[i], limit);
        narrow(vertices[i + 1], limit);
    }
    if (!narrowed) {
        return;
    }
    for (std::size_t i = 0; i < curve.segment_count(); ++i) {
        // forth and back, which is enough on a line: afterwards no two neighbours differ by more than the slope allows
        narrow(vertices[i + 1], vertices[i].half_width + most_narrowing * curve.lengths[i]);
    }
    for (std::size_t i = curve.segment_count(); i > 0; --i) {
        narrow(vertices[i - 1], vertices[i].half_width + most_narrowing * curve.lengths[i - 1]);
    }
}

// Central differences, one per joint: both segments shade with the same slope where they meet.
void measure_slopes(const Curve& curve) {
    for (std::size_t i = 1; i < curve.segment_count(); ++i) {
        const float around = curve.lengths[i - 1] + curve.lengths[i];
        curve.vertices[i].slope = (curve.vertices[i + 1].height - curve.vertices[i - 1].height) / std::max(around, 1e-30f);
    }
}

}  // namespace

void append_curve(const Cloth& cloth, const Wrinkle& wrinkle, int number, CurveSamples& samples,
                  std::vector<CurveVertex>& vertices, std::vector<std::int32_t>& vertex_faces) {
    if (!(wrinkle.width > 0.0f && wrinkle.size.fade > 0.0f)) {
        return;
    }
    const Path path = path_of(wrinkle);
    const int per_segment = samples_per_segment(path.count);
    const std::array<float, 2> extent = sample_curve(cloth, wrinkle, path, per_segment, samples);
    if (!(extent[1] > extent[0])) {
        return;
    }
    const std::size_t first = vertices.size();
    keep_samples(samples, wrinkle, path, per_segment, extent, vertices, vertex_faces);
    const Curve curve = measure_segments(std::span(vertices).subspan(first), samples);
    for (CurveVertex& vertex : curve.vertices) {
        vertex.wrinkle = static_cast<float>(number);
    }
    curve.vertices.back().last = 1.0f;
    bisect_joints(curve);
    // most wrinkles run straight enough
    if (any_planes_cross(curve)) {
        turn_planes_apart(curve);
        narrow_bends(curve);
    }
    measure_slopes(curve);
}

}  // namespace ruckle
