// The part of drawn lines in tables for shaders (layout: shaders/common/wrinkles.glsl).
#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "constants.h"
#include "numeric/packing.h"
#include "paths/path_heights_state.h"

namespace ruckle {

namespace {

// Words of a carrier.
constexpr std::size_t carrier_words = 5;

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

}  // namespace

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

namespace {

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

// Carrier of a vertex that a wrinkle reaches.
std::array<Word, carrier_words> packed(const Carrier& carrier) {
    const auto& [a, b, c] = carrier.rows;
    return {halves(a[0], a[1]), halves(a[2], b[0]), halves(b[1], b[2]), halves(c[0], c[1]), halves(c[2], 0.0f)};
}

}  // namespace

// Numbers the points from which faces turn away, in ascending order; other points do not store a normal. Returns their number.
std::int32_t PathHeights::State::number_normals() {
    normal_numbers.assign(lines.size(), -1);
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
    for (const CurvePoint& point : lines.points) {
        const auto words = packed(point, units);
        next = std::copy(words.begin(), words.end(), next);
    }
    const float weight_scale = weight_steps * (edge_length / units.unit) * (edge_length / units.unit);
    next = std::transform(lines.points.begin(), lines.points.end(), next,
                          [&](const CurvePoint& point) { return halves(weight_scale * point.weight, point.slope); });
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (normal_numbers[i] >= 0) {
            const Vector3& normal = lines.points[i].normal;
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
            const float own = lines.points[static_cast<std::size_t>(first)].wrinkle;
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
    Word* of_faces = table + table[SurfaceLayout::faces_word];
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

void PathHeights::State::write_carriers(Word* next) const {
    for (const std::int32_t vertex : reached_vertices) {
        const auto words = packed(carriers[static_cast<std::size_t>(vertex)]);
        next = std::copy(words.begin(), words.end(), next);
    }
}

std::size_t PathHeights::carried_words() const {
    return texel_words * texels_for(carrier_words * state_->reached_vertices.size());
}

std::span<const std::int32_t> PathHeights::reached_vertices() const {
    return state_->reached_vertices;
}

void PathHeights::append_texels(std::vector<Word>& table) const {
    State& s = *state_;
    const std::size_t points = s.lines.size(), first = table.size(), weights = first + texel_words * (1 + points),
                      normals = weights + points;
    assert(points < std::size_t{1} << run_count_bit);
    const LineUnits units(s.lines.points);
    const std::size_t records = texel_words * texels_for(normals + 2 * static_cast<std::size_t>(s.number_normals()));
    const std::size_t lists = records + texel_words * s.reached_vertices.size();
    table.resize(lists);
    table[SurfaceLayout::lines] = static_cast<Word>(first / texel_words);
    table[SurfaceLayout::lines + 1] = word_of(units.unit);
    table[SurfaceLayout::lines + 2] = static_cast<Word>(weights);
    table[SurfaceLayout::share] = word_of(s.share);
    table[SurfaceLayout::later] = static_cast<Word>(s.first_later);
    table[SurfaceLayout::rest] = static_cast<Word>(records / texel_words);
    Word* next = s.write_points(units, table.data() + first);
    std::fill(next, table.data() + records, 0u);
    next = table.data() + records;
    Word* const numbers = table.data() + table[SurfaceLayout::records_word];
    for (std::size_t i = 0; i < s.reached_vertices.size(); ++i) {
        const std::int32_t vertex = s.reached_vertices[i];
        numbers[vertex] = static_cast<Word>(i);
        next = std::copy_n(s.rest_words.begin() + static_cast<std::ptrdiff_t>(texel_words) * vertex, texel_words, next);
    }
    s.write_carriers(table.data() + table[SurfaceLayout::carriers_word]);
    // a run too long for its bits is split in two
    const auto of_faces = table.begin() + table[SurfaceLayout::faces_word];
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

void PathHeights::carry_texels(std::span<const Vector3> positions, std::span<const Vector3> rest, float share,
                               std::span<const std::int32_t> vertices, std::span<Word> table) {
    State& s = *state_;
    std::copy(positions.begin(), positions.end(), s.positions.begin());
    s.take_rest(rest);
    std::fill(s.vertex_numbers.begin(), s.vertex_numbers.end(), -1);
    s.reached_vertices.assign(vertices.begin(), vertices.end());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        s.vertex_numbers[static_cast<std::size_t>(vertices[i])] = static_cast<std::int32_t>(i);
    }
    s.measure_carriers();
    table[SurfaceLayout::share] = word_of(share);
    s.write_carriers(table.data() + table[SurfaceLayout::carriers_word]);
}

}  // namespace ruckle
