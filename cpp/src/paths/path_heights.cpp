// Updates the state of PathHeights; ruckle/paths/path_heights.h explains the formulas. In the comments below, a face is
// "reached" if a curve point affects heights in it, and the "bend" of a curve point is the curvature of the
// cross-section at its crest.
#include "ruckle/paths/path_heights.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "constants.h"
#include "numeric/dispatch.h"
#include "numeric/functions.h"
#include "paths/path_height_kernel.h"
#include "paths/path_heights_state.h"
#include "surface/texel_kernel.h"

namespace ruckle {

namespace {

// Upper bound of (height of the surface) / (largest height of a sample). The slope along a line adds at most a quarter
// to the height of a sample, and overlapping wrinkles can add the rest.
constexpr float most_blended_height = 1.5f;

// Returns the largest curvature of the cross-section H B(u), 1 / mesh units; 0 if the half width is 0. It occurs at the
// crest: |H B''(0)| / r² with B''(0) = -6.
float section_bend(float height, float half_width) {
    return half_width > 0.0f ? 6.0f * height / (half_width * half_width) : 0.0f;
}

// Returns (length of the cross-section) / (its width) - 1, at least 0; 0 if the half width is 0.
float section_gain(float height, float half_width) {
    if (!(half_width > 0.0f)) {
        return 0.0f;
    }
    // steepest slope of the two parabolas, which determines their lengths (shape.h)
    const float slope = 2.0f * height / half_width;
    // clamp to 0: the formula is 0 / 0 for a flat section, and rounding may make the ratio of a nearly flat section
    // slightly less than 1. Wrinkles must not reduce the area
    return std::max(0.0f,
                    0.5f * (std::sqrt(1.0f + slope * slope) + static_cast<float>(inverse_hyperbolic_sine(slope)) / slope) - 1.0f);
}

// Returns v / |v|; zero if the length is 0 or not finite.
Vector3 unit_or_zero(const Vector3& v) {
    const float length = v.norm();
    return length > 0.0f && std::isfinite(length) ? Vector3(v / length) : Vector3(0.0f, 0.0f, 0.0f);
}

}  // namespace

// Converts the drawn lines of both steps to curve points. Also fills ids, first_later and steepest.
void PathHeights::State::take_points(const DrawnLines& drawn) {
    const LineCloth cloth{topology, rest, normals, resting, positions};
    lines.clear();
    ids.clear();
    for (int later = 0; later < 2; ++later) {
        first_later = static_cast<std::int32_t>(lines.size());
        std::fill(steepest[later].begin(), steepest[later].end(), 0.0f);
        for (const Wrinkle& wrinkle : later ? drawn.later : drawn.earlier) {
            lines.append(cloth, wrinkle.curve, static_cast<int>(ids.size()), edge_length, steepest[later]);
            ids.push_back(wrinkle.id);
        }
    }
}

// Copies the rest positions and computes everything that depends on them: normals, triangles, words of GPU tables, the
// bounding box, and the triangles and edges for the search of reached faces. Returns at once if the rest positions have
// not changed, as usual.
void PathHeights::State::take_rest(std::span<const Vector3> measured) {
    if (has_rest && std::memcmp(rest.data(), measured.data(), measured.size_bytes()) == 0) {
        return;
    }
    std::copy(measured.begin(), measured.end(), rest.begin());
    measure_normals();
    for (std::size_t face = 0; face < resting.size(); ++face) {
        const Face& corners = topology.faces[face];
        const Vector3 first = rest[corners[1]] - rest[corners[0]], second = rest[corners[2]] - rest[corners[0]];
        const Vector3 across = first.cross(second), normal = unit_or_zero(across);
        RestingTriangle& r = resting[face];
        std::copy_n(first.data(), 3, r.first), std::copy_n(second.data(), 3, r.second), std::copy_n(normal.data(), 3, r.normal);
        r.area = across.norm();
    }
    rest_words.resize(texel_words * rest.size());
    kernels<TexelKernels>().pack_vertices(rest.data()->data(), normals.data()->data(), rest_words.data(), topology.vertex_count);
    reach.set_ground(rest, normals);
    box = LineBox(rest);
    has_rest = true;
}

// Computes vertex normals at rest, weighted by the area of the faces.
void PathHeights::State::measure_normals() {
    std::fill(normals.begin(), normals.end(), Vector3::Zero());
    for (const Face& corners : topology.faces) {
        const Vector3& origin = rest[corners[0]];
        const Vector3 across = (rest[corners[1]] - origin).cross(rest[corners[2]] - origin);
        for (const std::int32_t vertex : corners) {
            normals[vertex] += across;
        }
    }
    for (Vector3& normal : normals) {
        normal = unit_or_zero(normal);
    }
}

// Computes the weights of the smooth base from the steepest slopes of the lines.
void PathHeights::State::measure_smoothing() {
    const auto smooth = [](float slope) {
        const float x = std::min(slope / smooth_slope, 1.0f);
        return x * x * (3.0f - 2.0f * x);
    };
    for (std::size_t vertex = 0; vertex < smoothing.size(); ++vertex) {
        const float after = smooth(steepest[1][vertex]);
        smoothing[vertex] = share < 1.0f ? (1.0f - share) * smooth(steepest[0][vertex]) + share * after : after;
    }
}

// Fills `maxima` with the largest bends of 1, 2, 4, ... consecutive points. The maximum of any run is then the maximum
// of two entries. This is fast because the runs of different faces overlap.
void PathHeights::State::find_maxima() {
    std::int32_t longest = 1;
    for (const PathRun& run : reach.runs()) {
        longest = std::max(longest, run.count);
    }
    const std::size_t powers = static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(longest)));
    maxima.resize(powers * lines.size());
    std::copy(bends.begin(), bends.end(), maxima.begin());
    for (std::size_t power = 1; power < powers; ++power) {
        const float* halves = maxima.data() + (power - 1) * lines.size();
        float* own = maxima.data() + power * lines.size();
        // only parts of 2^power points that end at or before the last point
        for (std::size_t i = 0; i + (std::size_t{1} << power) <= lines.size(); ++i) {
            own[i] = std::max(halves[i], halves[i + (std::size_t{1} << (power - 1))]);
        }
    }
}

// Computes the bend of each point, and the largest bend of each reached face: of the points alone (run_bends), and
// including the points of `given` (face_bends).
void PathHeights::State::measure_bends() {
    bends.resize(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        bends[i] = section_bend(lines.points[i].height, lines.half_widths_now[i]);
    }
    find_maxima();
    std::fill(face_bends.begin(), face_bends.end(), -1.0f);
    run_bends.clear();
    for (const std::int32_t face : reach.faces()) {
        float largest = -1.0f;
        for (const PathRun& run : reach.runs(face)) {
            const auto count = static_cast<std::uint32_t>(run.count);
            // maximum of two overlapping parts of the run; the length of both parts is a power of two
            const std::size_t power = static_cast<std::size_t>(std::bit_width(count)) - 1;
            const float* of_parts = maxima.data() + power * lines.size();
            largest = std::max({largest, of_parts[run.first], of_parts[run.first + run.count - (1 << power)]});
        }
        face_bends[face] = largest;
        run_bends.push_back(largest);
    }
    for (std::size_t i = 0; given && i < given->faces.size(); ++i) {
        float& largest = face_bends[static_cast<std::size_t>(given->faces[i])];
        largest = std::max(largest, given->bends[i]);
    }
}

// Computes the gradient matrices at the vertices of reached faces. Other vertices are never read.
void PathHeights::State::measure_carriers() {
    carried_faces.clear();
    for (std::int32_t face = 0; face < topology.face_count() && !reached_vertices.empty(); ++face) {
        const Face& corners = topology.faces[face];
        if (vertex_numbers[corners[0]] >= 0 || vertex_numbers[corners[1]] >= 0 || vertex_numbers[corners[2]] >= 0) {
            carried_faces.push_back(face);
        }
    }
    const CarrierArrays arrays{.positions = positions.data()->data(),
                               .faces = topology.faces.data()->data(),
                               .resting = resting.data(),
                               .listed_faces = carried_faces.data(),
                               .listed_vertices = reached_vertices.data(),
                               .vertex_offsets = topology.vertex_offsets.data(),
                               .vertex_faces = topology.vertex_faces.data(),
                               .of_faces = face_carriers.data(),
                               .of_vertices = carriers.data()};
    kernels<CarrierKernels>().carry_faces(arrays, 0, static_cast<std::int64_t>(carried_faces.size()));
    kernels<CarrierKernels>().gather_carriers(arrays, 0, static_cast<std::int64_t>(reached_vertices.size()));
}

// Lists the reached faces in ascending order, including those that the packed lines in `given` reach. Then numbers
// their vertices in the order of the faces.
void PathHeights::State::number_vertices() {
    std::fill(vertex_numbers.begin(), vertex_numbers.end(), -1);
    reached_vertices.clear();
    reached_faces.clear();
    const std::span<const std::int32_t> reached = reach.faces(), others = given ? std::span<const std::int32_t>(given->faces)
                                                                                : std::span<const std::int32_t>();
    std::set_union(reached.begin(), reached.end(), others.begin(), others.end(), std::back_inserter(reached_faces));
    for (const std::int32_t face : reached_faces) {
        for (const std::int32_t vertex : topology.faces[face]) {
            if (vertex_numbers[vertex] < 0) {
                vertex_numbers[vertex] = static_cast<std::int32_t>(reached_vertices.size());
                reached_vertices.push_back(vertex);
            }
        }
    }
}

PathHeights::PathHeights(const Topology& topology, int threads) : state_(std::make_unique<State>(topology, threads)) {}
PathHeights::~PathHeights() = default;
PathHeights::PathHeights(PathHeights&&) noexcept = default;
PathHeights& PathHeights::operator=(PathHeights&&) noexcept = default;

void PathHeights::update(std::span<const Vector3> positions, std::span<const Vector3> rest, std::span<const Wrinkle> wrinkles,
                         float edge_length) {
    update(positions, rest, DrawnLines{.later = wrinkles}, edge_length);
}

void PathHeights::update(std::span<const Vector3> positions, std::span<const Vector3> rest, const DrawnLines& lines,
                         float edge_length) {
    State& s = *state_;
    assert(positions.size() == s.positions.size());
    // copy the positions: the surface calls this source after update, when the caller's arrays may not exist any more
    std::copy(positions.begin(), positions.end(), s.positions.begin());
    // the rest pose of a Wrinkler that does not draw anything is empty
    const bool is_empty = lines.earlier.empty() && lines.later.empty() && !lines.packed;
    assert(rest.size() == positions.size() || is_empty);
    if (!is_empty) {
        s.take_rest(rest);
    }
    s.edge_length = edge_length;
    s.share = lines.share;
    s.given = lines.packed;
    s.take_points(lines);
    s.measure_smoothing();
    if (lines.kept) {
        s.reach.collect(s.lines.points, s.lines.faces, s.ids, static_cast<std::int32_t>(lines.earlier.size()), *lines.kept);
    } else {
        s.reach.collect(s.lines.points, s.lines.faces);
    }
    s.measure_bends();
    s.number_vertices();
    s.measure_carriers();
}

void PathHeights::carry(std::span<const Vector3> positions, float share) {
    State& s = *state_;
    assert(positions.size() == s.positions.size());
    std::copy(positions.begin(), positions.end(), s.positions.begin());
    s.share = share;
    s.measure_smoothing();
    s.measure_carriers();
}

std::span<const CurvePoint> PathHeights::curve_points() const {
    return state_->lines.points;
}
FaceLists PathHeights::face_lists() const {
    FaceLists result;
    for (std::int32_t face = 0; face < state_->topology.face_count(); ++face) {
        result.offsets.push_back(static_cast<std::int32_t>(result.points.size()));
        for (const PathRun& run : state_->reach.runs(face)) {
            for (std::int32_t i = 0; i < run.count; ++i) {
                result.points.push_back(run.first + i);
                result.openings.push_back(run.opening);
            }
        }
    }
    result.offsets.push_back(static_cast<std::int32_t>(result.points.size()));
    return result;
}
std::span<const float> PathHeights::smoothing() const {
    return state_->smoothing;
}
std::span<const Vector3> PathHeights::rest() const {
    return state_->rest;
}
std::span<const float> PathHeights::bends() const {
    return state_->face_bends;
}
float PathHeights::edge_length() const {
    return state_->edge_length;
}
HeightRange PathHeights::range() const {
    float highest = state_->given ? state_->given->highest : 0.0f;
    for (const CurvePoint& point : state_->lines.points) {
        highest = std::max(highest, point.height);
    }
    return {most_blended_height * highest, 0.0f};
}

void PathHeights::add_heights(const HeightBlock& block) const {
    const State& s = *state_;
    assert(!s.given);
    const auto runs = s.reach.runs(block.face);
    // most coarse faces of a garment are not reached by any line
    if (runs.empty()) {
        return;
    }
    static_assert(sizeof(PathPoint) == sizeof(CurvePoint) && offsetof(PathPoint, wrinkle) == offsetof(CurvePoint, wrinkle));
    PathPatch patch;
    patch.points = reinterpret_cast<const PathPoint*>(s.lines.points.data());
    patch.runs = runs.data();
    patch.run_count = static_cast<std::int32_t>(runs.size());
    const auto later =
        std::partition_point(runs.begin(), runs.end(), [&](const PathRun& run) { return run.first < s.first_later; });
    patch.earlier_count = static_cast<std::int32_t>(later - runs.begin());
    patch.share = s.share;
    for (int k = 0; k < 3; ++k) {
        const std::int32_t vertex = s.topology.faces[block.face][k];
        std::copy_n(s.rest[vertex].data(), 3, patch.corners[k]);
        std::copy_n(s.normals[vertex].data(), 3, patch.normals[k]);
        for (int row = 0; row < 3; ++row) {
            std::copy_n(s.carriers[vertex].rows[row], 3, patch.carriers[k][row]);
        }
    }
    kernels<PathHeightKernels>().add_path_heights(patch, block);
}

void PathHeights::measure_gains(std::span<float> gains) const {
    const State& s = *state_;
    assert(gains.size() == s.topology.faces.size());
    std::fill(gains.begin(), gains.end(), 0.0f);
    for (std::size_t i = 0; i < s.lines.size(); ++i) {
        const float share = i < static_cast<std::size_t>(s.first_later) ? 1.0f - s.share : s.share;
        // use the area that the sample represents at rest, divided by the rest area of the face that contains it:
        // deformation changes both by the same factor
        const float area = 2.0f * s.lines.lengths[i] * s.lines.points[i].half_width;
        gains[s.lines.faces[i]] += share * (area * section_gain(s.lines.points[i].height, s.lines.half_widths_now[i]));
    }
    for (std::int32_t face = 0; face < s.topology.face_count(); ++face) {
        const float area = 0.5f * s.resting[face].area;
        gains[face] = area > 0.0f ? gains[face] / area : 0.0f;
    }
}

}  // namespace ruckle
