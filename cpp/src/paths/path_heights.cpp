#include "ruckle/paths/path_heights.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "constants.h"
#include "numeric/dispatch.h"
#include "numeric/functions.h"
#include "numeric/packing.h"
#include "paths/carrier_kernel.h"
#include "paths/path_height_kernel.h"
#include "paths/reach.h"
#include "support/thread_pool.h"
#include "surface/texel_kernel.h"

namespace ruckle {

namespace {

// Words of a vertex at rest in tables for shaders (common/wrinkles.glsl).
constexpr std::size_t record_words = 9;

// Largest integers of a packed curve point: position in its box, sizes, and directions from -1 to 1.
constexpr float most_cell = 1048575.0f, most_size = 65535.0f, most_direction = 4094.0f;

// Cells by which a half width shrinks, because packing moves a point by up to half the diagonal of a cell.
constexpr float cell_reach = 0.87f / averaging_reach;

// A run is one word: 20 bits for its first point, 10 bits for the count, and two flags: first run of a wrinkle; turning.
constexpr int run_count_bit = 20;
constexpr std::int32_t most_run_points = 1023;
constexpr Word run_begins = 1u << 30, run_turns = 1u << 31;

// Only ratios of weights matter. With this scale, 16-bit floats hold weights from 1.5e-8 to 16 squares of the unit.
constexpr float weight_steps = 4096.0f;

// Mesh units. The squares of smaller half widths underflow.
constexpr float least_half_width = 1e-18f;

// 1 / mesh units. The section H B(u) bends most at the crest, by H B''(0) / r² with B''(0) = -6.
float section_bend(float height, float half_width) {
    return half_width > 0.0f ? 6.0f * height / (half_width * half_width) : 0.0f;
}

// Length of the cross-section over its width, less 1.
float section_gain(float height, float half_width) {
    if (!(half_width > 0.0f)) {
        return 0.0f;
    }
    // the slope at the sides of the two parabolas, which determines their lengths (shape.h)
    const float slope = 2.0f * height / half_width;
    // 0 / 0 for a flat section, and slightly below 1 by rounding for a nearly flat one: wrinkles must not reduce area
    return std::max(0.0f,
                    0.5f * (std::sqrt(1.0f + slope * slope) + static_cast<float>(inverse_hyperbolic_sine(slope)) / slope) - 1.0f);
}

Vector3 point_in(const Topology& topology, std::span<const Vector3> positions, const CurveSample& sample) {
    const Face& corners = topology.faces[sample.face];
    return positions[corners[0]] * sample.weights[0] + positions[corners[1]] * sample.weights[1] +
           positions[corners[2]] * sample.weights[2];
}

Vector3 unit_or_zero(const Vector3& v) {
    const float length = v.norm();
    return length > 0.0f && std::isfinite(length) ? Vector3(v / length) : Vector3(0.0f, 0.0f, 0.0f);
}

float twice_area(const Topology& topology, std::span<const Vector3> positions, std::int32_t face) {
    const Face& corners = topology.faces[face];
    const Vector3& origin = positions[corners[0]];
    return (positions[corners[1]] - origin).cross(positions[corners[2]] - origin).norm();
}

// Integer steps of the packed samples.
struct LineUnits {
    explicit LineUnits(std::span<const CurvePoint> points) {
        Vector3 high = low = points.empty() ? Vector3::Zero() : points.front().position;
        for (const CurvePoint& point : points) {
            low = low.cwiseMin(point.position), high = high.cwiseMax(point.position);
            unit = std::max({unit, point.half_width, point.height});
        }
        const float extent = (high - low).maxCoeff();
        cell = extent / most_cell;
        inverse_extent = extent > 0.0f ? 1.0f / extent : 0.0f;
        inverse_unit = 1.0f / unit;
    }
    Vector3 low;
    float cell, inverse_extent, inverse_unit, unit = std::numeric_limits<float>::min();
};

// Packed position of a curve point in the table.
std::array<Word, texel_words> packed(const CurvePoint& point, const LineUnits& units) {
    const auto cell = [&](int k) { return whole_share((point.position[k] - units.low[k]) * units.inverse_extent, most_cell); };
    const auto direction = [&](int k) { return whole_share(0.5f * point.direction[k] + 0.5f, most_direction); };
    const Word y = cell(1), along = direction(2);
    // the packed position must not reach faces that do not list the sample: shrink the reach by its displacement
    const float width = point.half_width - cell_reach * units.cell;
    return {cell(0) | y << 20, y >> 12 | cell(2) << 8 | along >> 8 << 28,
            least_share(width * units.inverse_unit, most_size) | whole_share(point.height * units.inverse_unit, most_size) << 16,
            direction(0) | direction(1) << 12 | along << 24};
}

// Record of a vertex that a wrinkle reaches, after its rest data.
std::array<Word, record_words - texel_words> packed(const Carrier& carrier) {
    const auto& [a, b, c] = carrier.rows;
    return {halves(a[0], a[1]), halves(a[2], b[0]), halves(b[1], b[2]), halves(c[0], c[1]), halves(c[2], 0.0f)};
}

}  // namespace

struct PathHeights::State {
    State(const Topology& mesh, int threads)
        : topology(mesh),
          pool(threads > 1 ? std::make_unique<ThreadPool>(threads) : nullptr),
          positions(static_cast<std::size_t>(mesh.vertex_count)),
          rest(positions),
          resting(mesh.faces.size()),
          normals(positions),
          face_carriers(mesh.faces.size()),
          carriers(positions.size()),
          smoothing(positions.size(), 0.0f),
          reach(mesh, pool.get()),
          face_bends(mesh.faces.size(), -1.0f),
          vertex_numbers(positions.size()) {}

    void take_points(std::span<const Wrinkle> wrinkles);
    struct Neighbor {
        Vector3 rest, now;
        float height;
        float apart;  // at rest
    };
    Neighbor neighbor(std::span<const CurveSample> line, std::size_t i, int step) const;
    // Points of the samples of a line, at rest and now.
    std::vector<Vector3> line_rest, line_now;
    void take_line(std::span<const CurveSample> line, int number);
    void take_rest(std::span<const Vector3> measured);
    void measure_normals();
    void measure_smoothing();
    void measure_bends();
    void find_maxima();
    void measure_carriers();
    void number_vertices();
    std::int32_t number_normals();
    Word* write_points(const LineUnits& units, Word* next) const;
    Word* write_runs(std::span<const PathRun> runs, Word normals, Word* next) const;
    Word* write_lists(Word* table, Word* next, Word normals) const;

    const Topology& topology;
    std::unique_ptr<ThreadPool> pool;
    std::vector<Vector3> positions, rest;
    bool has_rest = false;
    std::vector<RestingTriangle> resting;  // (T)
    std::vector<Vector3> normals;          // (V) at rest: unit, or zero
    std::vector<Word> rest_words;          // (V, 4) both of them, in the format of tables
    std::vector<Carrier> face_carriers;    // (T) of the faces around reached vertices
    std::vector<Carrier> carriers;         // (V) of gradients, from rest to now, of the reached vertices
    std::vector<float> smoothing;          // (V)
    std::vector<CurvePoint> points;
    // of each point
    std::vector<std::int32_t> point_faces;
    std::vector<float> lengths;          // at rest, length of the point's part of the line
    std::vector<float> half_widths_now;  // mesh units
    std::vector<float> bends;            // 1 / mesh units
    Reach reach;
    std::vector<float> maxima;      // of the bends from each point on, for one point, two, four, ...
    std::vector<float> face_bends;  // (T) maximum over its points, -1 without points
    // (V) of the vertices of faces that points reach, from 0 in the order of the faces; -1 for the others
    std::vector<std::int32_t> vertex_numbers;
    std::vector<std::int32_t> reached_vertices;  // in the order of their numbers
    std::vector<std::int32_t> carried_faces;     // those around them
    std::vector<std::int32_t> normal_numbers;    // of points that faces turn away from; -1 for the others
    float edge_length = 0.0f;
};

void PathHeights::State::take_points(std::span<const Wrinkle> wrinkles) {
    points.clear();
    point_faces.clear();
    lengths.clear();
    half_widths_now.clear();
    std::fill(smoothing.begin(), smoothing.end(), 0.0f);
    for (std::size_t number = 0; number < wrinkles.size(); ++number) {
        take_line(wrinkles[number].curve, static_cast<int>(number));
    }
}

// Skips the update if the rest shape is unchanged: the usual case, also in a crowd that shares it.
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
    has_rest = true;
}

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

// Neighbours before or after a sample. Flat samples are skipped: if they appear or vanish, the direction of their neighbours does
// not change.
PathHeights::State::Neighbor PathHeights::State::neighbor(std::span<const CurveSample> line, std::size_t i, int step) const {
    Neighbor sum{Vector3::Zero(), Vector3::Zero(), 0.0f, 0.0f};
    const float opaque_height = opaque_share * line[i].height;
    float covered = 0.0f;
    const auto add = [&](std::size_t number, float share) {
        sum.rest += share * line_rest[number];
        sum.now += share * line_now[number];
        sum.height += share * line[number].height;
        // a flat stretch ends the part of the line that the sample represents
        sum.apart += share * std::min((line_rest[number] - line_rest[i]).norm(), line[i].half_width);
    };
    for (std::size_t next = i + step; next < line.size() && covered < 1.0f; next += step) {
        const float height = line[next].height;
        const float cover = height < opaque_height ? height / opaque_height : 1.0f;
        // each sample hides lower ones: a row of low samples that rise together turns the direction by at most as much as a single
        // one
        if (cover > covered) {
            add(next, cover - covered);
            covered = cover;
        }
    }
    if (covered < 1.0f) {
        sum.apart += (1.0f - covered) * tip_share * line[i].half_width;
        add(i, 1.0f - covered);
    }
    return sum;
}

void PathHeights::State::take_line(std::span<const CurveSample> line, int number) {
    line_rest.resize(line.size());
    line_now.resize(line.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
        line_rest[i] = point_in(topology, rest, line[i]);
        line_now[i] = point_in(topology, positions, line[i]);
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
        const CurveSample& own = line[i];
        if (!(own.height > 0.0f && own.half_width > least_half_width)) {
            continue;
        }
        // central differences, one-sided at the ends
        const Neighbor before = neighbor(line, i, -1), after = neighbor(line, i, 1);
        const Vector3 along = after.rest - before.rest, along_now = after.now - before.now;
        const float length = along.norm(), reach_radius = averaging_reach * own.half_width;
        // between nearly flat or coincident samples the direction would be noise, and would jump if one of them leaves
        const float span = std::max(length, tip_share * own.half_width);
        points.push_back({.position = line_rest[i],
                          .inverse_reach_square = 1.0f / (reach_radius * reach_radius),
                          .direction = along / span,
                          // means over the line do not depend on its sampling
                          .weight = own.height * 0.5f * (before.apart + after.apart) / (edge_length * edge_length),
                          .half_width = own.half_width,
                          .height = own.height,
                          .slope = (after.height - before.height) / span,
                          .wrinkle = static_cast<float>(number),
                          .normal = point_in(topology, normals, own),
                          .unused = 0.0f});
        point_faces.push_back(own.face);
        for (int k = 0; k < 3; ++k) {
            float& steepest = smoothing[topology.faces[own.face][k]];
            steepest = std::max(steepest, own.weights[k] * own.height / own.half_width);
        }
        lengths.push_back(0.5f * length);
        // current width from the width at rest: w = w_rest det F / |F t|
        const float narrowing = twice_area(topology, positions, own.face) * length / (resting[own.face].area * along_now.norm());
        half_widths_now.push_back(
            own.half_width *
            (std::isfinite(narrowing) ? std::clamp(narrowing, 1.0f / most_rest_widening, 1.0f / least_rest_widening) : 1.0f));
    }
}

// Computed from the steepest slopes that take_line stored.
void PathHeights::State::measure_smoothing() {
    for (float& share : smoothing) {
        const float x = std::min(share / smooth_slope, 1.0f);
        share = x * x * (3.0f - 2.0f * x);
    }
}

// Triangles need the largest bend of long runs, which overlap.
void PathHeights::State::find_maxima() {
    std::int32_t longest = 1;
    for (const PathRun& run : reach.runs()) {
        longest = std::max(longest, run.count);
    }
    const std::size_t powers = static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(longest)));
    maxima.resize(powers * points.size());
    std::copy(bends.begin(), bends.end(), maxima.begin());
    for (std::size_t power = 1; power < powers; ++power) {
        const float* halves = maxima.data() + (power - 1) * points.size();
        float* own = maxima.data() + power * points.size();
        // a run starts early enough to end at or before the last point
        for (std::size_t i = 0; i + (std::size_t{1} << power) <= points.size(); ++i) {
            own[i] = std::max(halves[i], halves[i + (std::size_t{1} << (power - 1))]);
        }
    }
}

void PathHeights::State::measure_bends() {
    bends.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        bends[i] = section_bend(points[i].height, half_widths_now[i]);
    }
    find_maxima();
    std::fill(face_bends.begin(), face_bends.end(), -1.0f);
    for (const std::int32_t face : reach.faces()) {
        float largest = -1.0f;
        for (const PathRun& run : reach.runs(face)) {
            const auto count = static_cast<std::uint32_t>(run.count);
            // maximum of two overlapping parts whose length is a power of two
            const std::size_t power = static_cast<std::size_t>(std::bit_width(count)) - 1;
            const float* of_parts = maxima.data() + power * points.size();
            largest = std::max({largest, of_parts[run.first], of_parts[run.first + run.count - (1 << power)]});
        }
        face_bends[face] = largest;
    }
}

// Carriers at the vertices of the faces that points reach; no others are read.
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

void PathHeights::State::number_vertices() {
    std::fill(vertex_numbers.begin(), vertex_numbers.end(), -1);
    reached_vertices.clear();
    for (const std::int32_t face : reach.faces()) {
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
    State& s = *state_;
    assert(positions.size() == s.positions.size());
    // copies: the surface asks this source again after update, when the caller's arrays may be gone
    std::copy(positions.begin(), positions.end(), s.positions.begin());
    // a Wrinkler that draws nothing has an empty list
    assert(rest.size() == positions.size() || wrinkles.empty());
    if (!wrinkles.empty()) {
        s.take_rest(rest);
    }
    s.edge_length = edge_length;
    s.take_points(wrinkles);
    s.measure_smoothing();
    s.reach.collect(s.points, s.point_faces);
    s.measure_bends();
    s.number_vertices();
    s.measure_carriers();
}

std::span<const CurvePoint> PathHeights::curve_points() const {
    return state_->points;
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

void PathHeights::add_heights(const HeightBlock& block) const {
    const State& s = *state_;
    const auto runs = s.reach.runs(block.face);
    // most coarse faces of a garment
    if (runs.empty()) {
        return;
    }
    static_assert(sizeof(PathPoint) == sizeof(CurvePoint) && offsetof(PathPoint, wrinkle) == offsetof(CurvePoint, wrinkle));
    PathPatch patch;
    patch.points = reinterpret_cast<const PathPoint*>(s.points.data());
    patch.runs = runs.data();
    patch.run_count = static_cast<std::int32_t>(runs.size());
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
    for (std::size_t i = 0; i < s.points.size(); ++i) {
        // the share is equal at rest and now, except for the slopes of the section
        const float area = 2.0f * s.lengths[i] * s.points[i].half_width;
        gains[s.point_faces[i]] += area * section_gain(s.points[i].height, s.half_widths_now[i]);
    }
    for (std::int32_t face = 0; face < s.topology.face_count(); ++face) {
        const float area = 0.5f * s.resting[face].area;
        gains[face] = area > 0.0f ? gains[face] / area : 0.0f;
    }
}

// Numbers the points from which faces turn away, in ascending order; other points do not store a normal. Returns their number.
std::int32_t PathHeights::State::number_normals() {
    normal_numbers.assign(points.size(), -1);
    for (const PathRun& run : reach.runs()) {
        if (run.turns) {
            std::fill_n(normal_numbers.begin() + run.first, run.count, 0);
        }
    }
    std::int32_t count = 0;
    for (std::int32_t& number : normal_numbers) {
        number = number < 0 ? number : count++;
    }
    return count;
}

// Writes the points, in units of their box. Returns the offset of the vertex records.
Word* PathHeights::State::write_points(const LineUnits& units, Word* next) const {
    next = std::transform(units.low.data(), units.low.data() + 3, next, word_of);
    *next++ = word_of(units.cell);
    for (const CurvePoint& point : points) {
        const auto words = packed(point, units);
        next = std::copy(words.begin(), words.end(), next);
    }
    const float weight_scale = weight_steps * (edge_length / units.unit) * (edge_length / units.unit);
    next = std::transform(points.begin(), points.end(), next,
                          [&](const CurvePoint& point) { return halves(weight_scale * point.weight, point.slope); });
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (normal_numbers[i] >= 0) {
            const Vector3& normal = points[i].normal;
            *next++ = shares(normal[0], normal[1]);
            *next++ = shares(normal[2], 0.0f);
        }
    }
    return next;
}

Word* PathHeights::State::write_runs(std::span<const PathRun> runs, Word normals, Word* next) const {
    float wrinkle = -1.0f;
    for (const PathRun& run : runs) {
        for (std::int32_t first = run.first, end = run.first + run.count, count = 0; first < end; first += count) {
            count = std::min(end - first, most_run_points);
            const float own = points[first].wrinkle;
            const Word flags = (own == wrinkle ? 0u : run_begins) | (run.turns ? run_turns : 0u);
            wrinkle = own;
            *next++ = static_cast<Word>(first) | static_cast<Word>(count) << run_count_bit | flags;
            if (run.turns) {
                *next++ = word_of(run.opening);
                *next++ = normals + 2 * static_cast<Word>(normal_numbers[first]);
            }
        }
    }
    return next;
}

// normals  index of the first word of the points' normals. Returns the end of the last face's list.
Word* PathHeights::State::write_lists(Word* table, Word* next, Word normals) const {
    Word* of_faces = table + SurfaceLayout::faces;
    auto reached = reach.faces().begin();
    for (std::int32_t face = 0; face < topology.face_count(); ++face) {
        const Word parted = of_faces[face];
        of_faces[face] = static_cast<Word>(next - table) | (parted & SurfaceLayout::has_normals);
        if ((parted & SurfaceLayout::has_normals) != 0) {
            *next++ = table[parted & ~SurfaceLayout::has_normals];
        }
        // skip faces without runs, the usual case
        if (reached != reach.faces().end() && *reached == face) {
            next = write_runs(reach.runs(face), normals, next);
            ++reached;
        }
    }
    of_faces[topology.face_count()] = static_cast<Word>(next - table);
    return next;
}

void PathHeights::append_texels(std::vector<Word>& table) const {
    State& s = *state_;
    const SurfaceLayout layout(s.topology);
    assert(table.size() >= layout.parted && s.points.size() < std::size_t{1} << run_count_bit);
    const std::size_t first = table.size(), weights = first + texel_words * (1 + s.points.size()),
                      normals = weights + s.points.size();
    const LineUnits units(s.points);
    const auto records = normals + 2 * static_cast<std::size_t>(s.number_normals());
    table.resize(records + record_words * s.reached_vertices.size());
    table[SurfaceLayout::lines] = static_cast<Word>(first / texel_words);
    table[SurfaceLayout::lines + 1] = word_of(units.unit);
    table[SurfaceLayout::lines + 2] = static_cast<Word>(weights);
    Word* next = s.write_points(units, table.data() + first);
    for (const std::int32_t vertex : s.reached_vertices) {
        table[layout.records + static_cast<std::size_t>(vertex)] = static_cast<Word>(next - table.data());
        next = std::copy_n(s.rest_words.begin() + static_cast<std::ptrdiff_t>(texel_words) * vertex, texel_words, next);
        const auto words = packed(s.carriers[vertex]);
        next = std::copy(words.begin(), words.end(), next);
    }
    // a run too long for its bits is split in two
    const std::size_t lists = table.size();
    const auto of_faces = table.begin() + SurfaceLayout::faces;
    auto most_words = static_cast<std::size_t>(std::count_if(of_faces, of_faces + s.topology.face_count(),
                                                             [](Word word) { return (word & SurfaceLayout::has_normals) != 0; }));
    for (const PathRun& run : s.reach.runs()) {
        most_words += static_cast<std::size_t>((run.turns ? 3 : 1) * (1 + run.count / most_run_points));
    }
    table.resize(lists + most_words);
    table.resize(
        static_cast<std::size_t>(s.write_lists(table.data(), table.data() + lists, static_cast<Word>(normals)) - table.data()));
    table.resize(texel_words * texels_for(table.size()));
}

}  // namespace ruckle
