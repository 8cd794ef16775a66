#include "waves/wave_rest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>

#include <Eigen/Geometry>

#include "constants.h"
#include "mesh/height.h"
#include "numeric/finite.h"
#include "numeric/functions.h"
#include "support/saved_state.h"
#include "waves/hems.h"
#include "waves/wave_limits.h"

namespace ruckle {

namespace {

WaveOptions resolved(WaveOptions options, std::span<const Vector3> rest) {
    const double least = least_wave_length, most = largest_wave_length;
    if (!options.r_min) {
        options.r_min = static_cast<float>(std::clamp(wave_radius_percent / 100.0 * height_of(rest), least, most));
    }
    if (!options.wavelength) {
        options.wavelength = static_cast<float>(std::min(static_cast<double>(radii_per_wave * *options.r_min), most));
    }
    return options;
}

// Returns the next number in [0, 1) of the pseudorandom sequence SplitMix64.
double next_share(std::uint64_t& state) {
    std::uint64_t bits = state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
}

// Noise at points in space, nearly normally distributed: a sum of waves with lengths between a third of `reach` and
// `reach`. The noise depends only on the position, not on vertex order, triangles or level of detail.
class Noise {
  public:
    Noise(std::uint64_t& state, float reach) {
        for (Wave& wave : waves_) {
            const double up = 2.0 * next_share(state) - 1.0, level = std::sqrt(1.0 - up * up);
            const SineAndCosine turn = sine_and_cosine(2.0 * std::numbers::pi * next_share(state));
            const double size = (1.0 + 2.0 * next_share(state)) / static_cast<double>(reach);
            wave.covector = {size * level * static_cast<double>(turn.cosine), size * up,
                             size * level * static_cast<double>(turn.sine)};
            wave.phase = 2.0 * std::numbers::pi * next_share(state);
        }
    }
    float at(const Vector3& point) const {
        double sum = 0.0;
        for (const Wave& wave : waves_) {
            const double angle = wave.phase + wave.covector[0] * static_cast<double>(point[0]) +
                                 wave.covector[1] * static_cast<double>(point[1]) +
                                 wave.covector[2] * static_cast<double>(point[2]);
            sum += static_cast<double>(sine_and_cosine(std::clamp(angle, -1e5, 1e5)).sine);
        }
        return static_cast<float>(std::clamp(sum * std::sqrt(2.0 / static_cast<double>(waves_.size())), -2.0, 2.0));
    }

  private:
    struct Wave {
        std::array<double, 3> covector;
        double phase;
    };
    std::array<Wave, 16> waves_;
};

Vector3 unit_or(const Vector3& vector, const Vector3& otherwise) {
    const float length = vector.norm();
    return length > std::numeric_limits<float>::min() && std::isfinite(length) ? Vector3(vector / length) : otherwise;
}

// Returns cosine and sine of the angle between two tangent bases (x, y) and (across, upward), after the smallest
// rotation that aligns their planes.
std::array<float, 2> turn_between(const Vector3& across, const Vector3& upward, const Vector3& x, const Vector3& y) {
    const float cosine = across.dot(x) + upward.dot(y), sine = upward.dot(x) - across.dot(y);
    const float length = std::sqrt(cosine * cosine + sine * sine);
    // returns an angle of 0 if the planes face in opposite directions, because the smallest rotation is then undefined
    return length > least_frame_length ? std::array{cosine / length, sine / length} : std::array{1.0f, 0.0f};
}

}  // namespace

WaveRest::WaveRest(std::shared_ptr<const Topology> given_mesh, std::span<const Vector3> rest_positions,
                   std::span<const float> painted, const WaveOptions& given)
    : topology(std::move(given_mesh)),
      positions(rest_positions.begin(), rest_positions.end()),
      paint(painted.begin(), painted.end()) {
    require_in_range(wave_parameters, given);
    const auto vertices = static_cast<std::size_t>(topology->vertex_count);
    if (positions.size() != vertices) {
        throw MeshError("rest: expected " + std::to_string(vertices) + " vertices, got " + std::to_string(positions.size()));
    }
    if (!all_finite(positions)) {
        throw MeshError("rest: every coordinate must be finite");
    }
    // `bounded` is also false for NaN
    const bool bounded = std::ranges::all_of(painted, [](float share) { return share >= 0.0f && share <= 1.0f; });
    if (!bounded || (!painted.empty() && painted.size() != vertices)) {
        throw std::invalid_argument("paint: expected a number in [0, 1] for each of " + std::to_string(vertices) + " vertices");
    }
    options = resolved(given, positions);
    hash = hash_bytes(std::as_bytes(std::span(positions))) ^ (hash_bytes(std::as_bytes(painted)) * 3);
    measure_faces();
    list_halves();
    solve_slopes();
    fill_slots(color_vertices());
    grow_trees();
    measure_vertices(painted);
}

void WaveRest::measure_faces() {
    for (auto* values : {&inverse_edges_[0], &inverse_edges_[1], &inverse_edges_[2]}) {
        values->assign(topology->faces.size(), 0.0f);
    }
    std::vector<Vector3> normals(positions.size(), Vector3::Zero());
    for (const Face& f : topology->faces) {
        const Vector3 first = positions[f[1]] - positions[f[0]], second = positions[f[2]] - positions[f[0]];
        const Vector3 normal = first.cross(second), along = unit_or(first, Vector3::UnitX());
        for (const std::int32_t v : f) {
            normals[v] += normal;
        }
        face_bases_.push_back({along, unit_or(normal, Vector3::UnitZ()).cross(along)});
        const float length = first.norm(), area = normal.norm(), height = area / length;
        // infinity and NaN do not pass the comparison with infinity, so their faces are degenerate too
        const bool sound =
            area < std::numeric_limits<float>::infinity() && area > sliver_ratio * (first.squaredNorm() + second.squaredNorm());
        if (sound) {
            const std::size_t i = areas_.size();
            inverse_edges_[0][i] = 1.0f / length;
            inverse_edges_[1][i] = -second.dot(along) / (length * height);
            inverse_edges_[2][i] = 1.0f / height;
        }
        degenerate_count += sound ? 0 : 1;
        areas_.push_back(sound ? area : 0.0f);
    }
    for (const Vector3& normal : normals) {
        const Vector3 n = unit_or(normal, Vector3::UnitZ());
        // on nearly level cloth, a level axis is not unique, so uses another axis
        const Vector3 level = Vector3::UnitY().cross(n), axis = level.norm() > 0.1f ? level : Vector3(n.cross(Vector3::UnitZ()));
        across.push_back(unit_or(axis, Vector3::UnitX()));
        upward.push_back(n.cross(across.back()));
    }
}

void WaveRest::list_halves() {
    halves_.resize(positions.size());
    for (const auto& edge : topology->edges) {
        const auto [cosine, sine] = turn_between(across[edge[0]], upward[edge[0]], across[edge[1]], upward[edge[1]]);
        for (const int end : {0, 1}) {
            const std::int32_t v = edge[end], j = edge[1 - end];
            const Vector3 way = positions[j] - positions[v];
            const float x = way.dot(across[v]), y = way.dot(upward[v]);
            const float inverse = 1.0f / std::max(way.squaredNorm(), std::numeric_limits<float>::min());
            halves_[v].push_back({.end = j,
                                  .turn = {cosine, end == 0 ? sine : -sine},
                                  .own = {x, y},
                                  .other = {way.dot(across[j]), way.dot(upward[j])},
                                  .slope = {inverse * x, inverse * y},
                                  .place = 0});
        }
    }
}

// Replaces Half::slope: converts t/ℓ² (t: edge vector, ℓ: its length) to K = (Σ t tᵀ/ℓ²)⁺ t/ℓ², which computes the
// gradient of a linear function from its differences along the edges.
void WaveRest::solve_slopes() {
    for (std::vector<Half>& halves : halves_) {
        float xx = 0.0f, xy = 0.0f, yy = 0.0f;
        for (const Half& half : halves) {
            xx += half.slope[0] * half.own[0], xy += half.slope[0] * half.own[1], yy += half.slope[1] * half.own[1];
        }
        const float determinant = xx * yy - xy * xy;
        // K is zero if all edges are nearly parallel, because the gradient is then undetermined in one direction
        const float inverse = determinant > 1e-3f * (xx + yy) * (xx + yy) ? 1.0f / determinant : 0.0f;
        for (Half& half : halves) {
            const auto [x, y] = half.slope;
            half.slope = {inverse * (yy * x - xy * y), inverse * (xx * y - xy * x)};
        }
    }
}

// Returns a colour per vertex: the first colour that none of its neighbours has. Vertices of one colour can be
// processed in any order or in parallel.
std::vector<int> WaveRest::color_vertices() const {
    std::vector<int> colors(positions.size(), -1);
    std::vector<char> taken;
    for (std::size_t v = 0; v < positions.size(); ++v) {
        taken.assign(halves_[v].size() + 1, 0);
        for (const Half& half : halves_[v]) {
            const int color = colors[half.end];
            if (color >= 0 && color < static_cast<int>(taken.size())) {
                taken[static_cast<std::size_t>(color)] = 1;
            }
        }
        colors[v] = static_cast<int>(std::ranges::find(taken, 0) - taken.begin());
    }
    return colors;
}

// Fills slots, rows and color_offsets: sorts vertices by colour, then by number of neighbours, so that the vertices of
// a group fill similar numbers of rows. Each colour is padded to whole groups.
void WaveRest::fill_slots(const std::vector<int>& colors) {
    std::vector<std::int32_t> order(positions.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int32_t v) { return std::pair(colors[v], -std::ssize(halves_[v])); });
    color_offsets.assign(1, 0);
    group_rows_.assign(1, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        slots_.push_back(order[i]);
        if (i + 1 == order.size() || colors[order[i + 1]] != colors[order[i]]) {
            slots_.resize((slots_.size() + wave_group - 1) / wave_group * wave_group, topology->vertex_count);
            color_offsets.push_back(static_cast<std::int32_t>(slots_.size()));
        }
    }
    for (std::size_t slot = 0; slot < slots_.size(); slot += wave_group) {
        fill_rows(slot);
    }
}

// Adds the rows of the group of eight slots that begins at `first_slot`.
void WaveRest::fill_rows(std::size_t first_slot) {
    const Topology& t = *topology;
    const auto vertices = std::span(slots_).subspan(first_slot, wave_group);
    const auto begin = static_cast<std::size_t>(group_rows_.back());
    std::size_t count = 0;
    for (const std::int32_t v : vertices) {
        // a vertex has at least as many neighbours as faces
        count = std::max(count, v < t.vertex_count ? halves_[v].size() : 0);
    }
    WaveFaces no_faces{};
    WaveEnds no_ends{};
    std::ranges::fill(no_faces.faces, t.face_count());
    std::ranges::fill(no_ends.ends, t.vertex_count);
    row_faces_.resize(begin + count, no_faces), row_ends_.resize(begin + count, no_ends);
    row_edges_.resize(begin + count), row_slopes_.resize(begin + count);
    group_rows_.push_back(static_cast<std::int32_t>(begin + count));
    for (std::size_t lane = 0; lane < wave_group; ++lane) {
        const auto v = static_cast<std::size_t>(vertices[lane]);
        if (v == positions.size()) {
            continue;
        }
        for (std::size_t row = begin; Half& half : halves_[v]) {
            half.place = static_cast<std::int32_t>(row * wave_group + lane);
            row_ends_[row].ends[lane] = half.end;
            for (const std::size_t k : {0, 1}) {
                row_ends_[row].turns[k][lane] = half.turn[k], row_slopes_[row].slopes[k][lane] = half.slope[k];
                row_edges_[row].vectors[0][k][lane] = half.own[k], row_edges_[row].vectors[1][k][lane] = half.other[k];
            }
            ++row;
        }
        const auto fan = std::span(t.vertex_faces).subspan(t.vertex_offsets[v], t.vertex_offsets[v + 1] - t.vertex_offsets[v]);
        float total = 0.0f;
        for (const std::int32_t face : fan) {
            total += areas_[face];
        }
        for (std::size_t i = 0; i < fan.size(); ++i) {
            WaveFaces& row = row_faces_[begin + i];
            const std::int32_t face = fan[i];
            const float share = total > 0.0f ? areas_[face] / total : 0.0f;
            const auto [cosine, sine] = turn_between(across[v], upward[v], face_bases_[face][0], face_bases_[face][1]);
            row.faces[lane] = face, row.shares[lane] = share;
            row.turns[0][lane] = share * (cosine * cosine - sine * sine);
            row.turns[1][lane] = share * 2.0f * sine * cosine;
        }
    }
}

// Fills tree_order and tree_halves: a tree of shortest paths along edges for each component. Its root is the vertex
// with the largest distance from the middle of the mesh. Trees depend only on lengths, not on the vertex order.
void WaveRest::grow_trees() {
    Vector3 middle = Vector3::Zero();
    for (const Vector3& position : positions) {
        middle += position / static_cast<float>(positions.size());
    }
    std::vector<std::int32_t> roots(positions.size());
    std::iota(roots.begin(), roots.end(), 0);
    std::ranges::stable_sort(roots, std::greater(), [&](std::int32_t v) { return (positions[v] - middle).squaredNorm(); });
    tree_halves.assign(positions.size(), -1);
    std::vector<char> reached(positions.size(), 0);
    using Way = std::tuple<float, std::int32_t, std::int32_t>;  // path length, vertex, half edge to the parent
    std::priority_queue<Way, std::vector<Way>, std::greater<>> ways;
    for (const std::int32_t root : roots) {
        ways.emplace(0.0f, root, -1);
        while (!ways.empty()) {
            const auto [length, v, back] = ways.top();
            ways.pop();
            if (reached[v]) {
                continue;
            }
            reached[v] = 1;
            tree_halves[v] = back;
            tree_order.push_back(v);
            for (const Half& half : halves_[v]) {
                const std::int32_t place = std::ranges::find(halves_[half.end], v, &Half::end)->place;
                ways.emplace(length + (positions[half.end] - positions[v]).norm(), half.end, place);
            }
        }
    }
}

// Returns the influence of a short sleeve on the direction near its end: strength times cos 2β, sin 2β; β: direction
// along the arm. Zero far from sleeve ends.
std::array<float, 2> WaveRest::sleeve_pull(std::size_t v, std::span<const float> distances) const {
    const float share = distances[v] / (sleeve_reach * *options.r_min);
    // the negated test also returns zero for infinite distances
    if (!(share < 1.0f)) {
        return {0.0f, 0.0f};
    }
    float x = 0.0f, y = 0.0f;
    for (const Half& half : halves_[v]) {
        const float rise = distances[half.end] - distances[v];
        x += half.slope[0] * rise, y += half.slope[1] * rise;
    }
    const float square = x * x + y * y;
    const float strength = square > 0.0f ? sleeve_hang * (1.0f - share * share * (3.0f - 2.0f * share)) / square : 0.0f;
    return {strength * (x * x - y * y), strength * 2.0f * x * y};
}

void WaveRest::measure_vertices(std::span<const float> painted) {
    const Topology& t = *topology;
    std::uint64_t state = options.seed;
    const float r_min = *options.r_min, reach = noise_reach * r_min, strength = options.irregularity;
    const Noise of_lengths(state, reach), of_directions(state, reach), of_gains(state, reach);
    const Hems hems = measure_hems(t, positions, r_min, options.hem);
    // keeps and spreads have one more entry: the values of empty slots, 0
    std::vector<float> keeps(positions.size() + 1, 0.0f), spreads(positions.size() + 1, 0.0f);
    for (std::size_t v = 0; v < positions.size(); ++v) {
        const Vector3& p = positions[v];
        const float length = *options.wavelength * exponential(wavelength_noise * strength * of_lengths.at(p));
        const SineAndCosine turn = sine_and_cosine(static_cast<double>(direction_noise * strength * of_directions.at(p)));
        float squares = 0.0f, longest = 0.0f;
        for (const Half& half : halves_[v]) {
            const float square = (positions[half.end] - p).squaredNorm();
            squares += square, longest = std::max(longest, square);
        }
        const auto degree = static_cast<float>(halves_[v].size());
        const float reach_square = 4.0f * (direction_reach * r_min) * (direction_reach * r_min);
        // spread = x / (1 + x), with x = 4 direction_reach² r_min² / mean square length of the edges
        const float spread = degree > 0.0f ? reach_square / (reach_square + squares / degree) : 0.0f;
        wave_numbers_.push_back(2.0f * std::numbers::pi_v<float> / length);
        gains_.push_back(2.0f * options.gain * exponential(gain_noise * strength * of_gains.at(p)));
        limits_.push_back(degree > 0.0f ? hems.shares[v] * (painted.empty() ? 1.0f : painted[v]) : 0.0f);
        const auto [level, rising] = sleeve_pull(v, hems.to_sleeve_ends);
        drapes_[0].push_back(options.hang * (hems.looseness[v] + level)), drapes_[1].push_back(options.hang * rising);
        bends_[0].push_back(turn.cosine), bends_[1].push_back(turn.sine);
        keeps[v] = 1.0f - spread, spreads[v] = degree > 0.0f ? spread / degree : 0.0f;
        reaches_.push_back(std::sqrt(longest));
    }
    for (const std::int32_t v : slots_) {
        keeps_.push_back(keeps[v]), spreads_.push_back(spreads[v]);
    }
    mesh = {.vertex_count = t.vertex_count,
            .face_count = t.face_count(),
            .slot_count = std::ssize(slots_),
            .row_count = std::ssize(row_ends_),
            .inverse_edges = {inverse_edges_[0].data(), inverse_edges_[1].data(), inverse_edges_[2].data()},
            .faces = t.faces.empty() ? nullptr : t.faces.front().data(),
            .slots = slots_.data(),
            .group_rows = group_rows_.data(),
            .faces_around = row_faces_.data(),
            .ends = row_ends_.data(),
            .edges = row_edges_.data(),
            .slopes = row_slopes_.data(),
            .keeps = keeps_.data(),
            .spreads = spreads_.data(),
            .wave_numbers = wave_numbers_.data(),
            .gains = gains_.data(),
            .limits = limits_.data(),
            .drapes = {drapes_[0].data(), drapes_[1].data()},
            .bends = {bends_[0].data(), bends_[1].data()},
            .reaches = reaches_.data()};
}

}  // namespace ruckle
