// Writes drawn lines into GPU tables (layout: shaders/common/wrinkles.glsl).
#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "constants.h"
#include "numeric/packing.h"
#include "paths/path_heights_state.h"

namespace ruckle {

namespace {

// Number of words of a packed gradient matrix.
constexpr std::size_t carrier_words = 5;

// Largest integers of a packed curve point: position in its box, sizes (half width, height), and directions from -1 to
// 1.
constexpr float most_cell = 1048575.0f, most_size = 65535.0f, most_direction = 4094.0f;

// Number of words of a packed normal.
constexpr std::size_t normal_words = 2;

// Packing rounds a position to a grid and so moves it by up to 0.87 = √3/2 cells. A point affects the cloth within
// averaging_reach half widths. The packed half width is therefore reduced by 0.87 / averaging_reach cells, so that the
// moved point does not affect further faces.
constexpr float cell_reach = 0.87f / averaging_reach;

// A run is one word: 20 bits for its first point, 10 bits for the count, and two flags. run_begins: the first run of a
// wrinkle. run_turns: two words follow, the opening and the number of the first normal (PathRun::turns).
constexpr int run_count_bit = 20;
constexpr std::int32_t most_run_points = 1023;
constexpr Word run_begins = 1u << 30, run_turns = 1u << 31;

// Factor of packed weights; only ratios of weights affect heights. With this factor, normal 16-bit floats represent
// weights from 1.5e-8 to 16 squared size units.
constexpr float weight_steps = 4096.0f;

}  // namespace

LineBox::LineBox(std::span<const Vector3> rest) {
    Vector3 high = low = rest.empty() ? Vector3::Zero() : rest.front();
    for (const Vector3& position : rest) {
        low = low.cwiseMin(position), high = high.cwiseMax(position);
    }
    const float extent = (high - low).maxCoeff();
    cell = extent / most_cell;
    inverse_extent = extent > 0.0f ? 1.0f / extent : 0.0f;
}

namespace {

// Returns the smallest power of two above a size, clamped to the range of normal float32 numbers.
float unit_above(float size) {
    constexpr float least = std::numeric_limits<float>::min();
    return size < least ? least : std::ldexp(1.0f, std::min(std::ilogb(size) + 1, std::numeric_limits<float>::max_exponent - 1));
}

// Packs position, half width, height and direction of a curve point into one texel of four words.
std::array<Word, texel_words> packed(const CurvePoint& point, const LineBox& box, float inverse_unit) {
    const auto cell = [&](int k) { return whole_share((point.position[k] - box.low[k]) * box.inverse_extent, most_cell); };
    const auto direction = [&](int k) { return whole_share(0.5f * point.direction[k] + 0.5f, most_direction); };
    const Word y = cell(1), along = direction(2);
    // reduce the half width, because the packed point must not affect faces that do not list the point (see cell_reach)
    const float width = point.half_width - cell_reach * box.cell;
    return {cell(0) | y << 20, y >> 12 | cell(2) << 8 | along >> 8 << 28,
            least_share(width * inverse_unit, most_size) | whole_share(point.height * inverse_unit, most_size) << 16,
            direction(0) | direction(1) << 12 | along << 24};
}

// Packs the gradient matrix of a vertex.
std::array<Word, carrier_words> packed(const Carrier& carrier) {
    const auto& [a, b, c] = carrier.rows;
    return {halves(a[0], a[1]), halves(a[2], b[0]), halves(b[1], b[2]), halves(c[0], c[1]), halves(c[2], 0.0f)};
}

}  // namespace

// Replaces `result` by the packed points [begin, end) with their runs, normals and unit of size.
void PathHeights::State::pack(std::int32_t begin, std::int32_t end, PackedLines& result) {
    result.clear();
    for (std::int32_t i = begin; i < end; ++i) {
        const CurvePoint& point = lines.points[static_cast<std::size_t>(i)];
        result.highest = std::max(result.highest, point.height);
        result.largest = std::max({result.largest, point.half_width, point.height});
    }
    result.unit = unit_above(std::max(result.largest, given ? given->largest : 0.0f));
    pack_runs(begin, end, result);
    pack_points(begin, end, result);
}

// Appends the words of the points [begin, end), in the unit result.unit.
void PathHeights::State::pack_points(std::int32_t begin, std::int32_t end, PackedLines& result) const {
    const std::span<const CurvePoint> points =
        std::span(lines.points).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const float inverse_unit = 1.0f / result.unit, edges = edge_length * inverse_unit,
                weight_scale = weight_steps * edges * edges;
    result.points.resize(texel_words * points.size());
    result.weights.resize(points.size());
    Word* next = result.points.data();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto words = packed(points[i], box, inverse_unit);
        next = std::copy(words.begin(), words.end(), next);
        result.weights[i] = halves(weight_scale * points[i].weight, points[i].slope);
    }
}

// Assigns ascending numbers to the points in [begin, end) whose runs have the flag `turns`, and appends their packed
// normals. Other points do not store a normal.
void PathHeights::State::number_normals(std::int32_t begin, std::int32_t end, PackedLines& result) {
    normal_numbers.assign(lines.size(), -1);
    for (const PathRun& run : reach.runs()) {
        if (run.turns && run.first >= begin && run.first < end) {
            std::fill_n(normal_numbers.begin() + run.first, run.count, 0);
        }
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (normal_numbers[i] >= 0) {
            normal_numbers[i] = static_cast<std::int32_t>(result.normals.size() / normal_words);
            const Vector3& normal = lines.points[i].normal;
            result.normals.insert(result.normals.end(), {shares(normal[0], normal[1]), shares(normal[2], 0.0f)});
        }
    }
}

// Appends to `result`, for the points [begin, end): the faces that they reach, the largest bend of all points on each of
// these faces, the packed runs, and the packed normals.
void PathHeights::State::pack_runs(std::int32_t begin, std::int32_t end, PackedLines& result) {
    number_normals(begin, end, result);
    for (std::size_t i = 0; i < reach.faces().size(); ++i) {
        const std::size_t before = result.runs.size();
        float wrinkle = -1.0f;
        for (const PathRun& run : reach.runs(reach.faces()[i])) {
            const bool is_inside = run.first >= begin && run.first < end;
            for (std::int32_t first = run.first, last = first + (is_inside ? run.count : 0), count = 0; first < last;
                 first += count) {
                // split a run whose count would not fit into its bits
                count = std::min(last - first, most_run_points);
                const float own = lines.points[static_cast<std::size_t>(first)].wrinkle;
                const Word flags = (own == wrinkle ? 0u : run_begins) | (run.turns ? run_turns : 0u);
                wrinkle = own;
                result.runs.push_back(static_cast<Word>(first - begin) | static_cast<Word>(count) << run_count_bit | flags);
                if (run.turns) {
                    result.runs.insert(result.runs.end(), {word_of(run.opening),
                                                           static_cast<Word>(normal_numbers[static_cast<std::size_t>(first)])});
                }
            }
        }
        if (result.runs.size() > before) {
            result.faces.push_back(reach.faces()[i]);
            result.bends.push_back(run_bends[i]);
            result.ends.push_back(static_cast<std::int32_t>(result.runs.size()));
        }
    }
}

namespace {

// Writes packed runs into a table, face by face.
struct RunWriter {
    RunWriter(const PackedLines& packed, std::size_t first_point, std::size_t first_normal)
        : lines(packed), point(static_cast<Word>(first_point)), normal(static_cast<Word>(first_normal)) {}

    // Writes the runs of a face at `next` if the lines reach this face. Returns the next free word. Calls must be in
    // ascending order of faces.
    Word* write(std::int32_t face, Word* next) {
        if (index == lines.faces.size() || lines.faces[index] != face) {
            return next;
        }
        const Word* const end = lines.runs.data() + lines.ends[index++];
        while (at != end) {
            const Word run = *at++;
            *next++ = run + point;
            if ((run & run_turns) != 0) {
                *next++ = *at++;
                *next++ = normal + static_cast<Word>(normal_words) * *at++;
            }
        }
        return next;
    }

    const PackedLines& lines;
    Word point, normal;  // number of the first point, and first word of the normals, in the table
    std::size_t index = 0;
    const Word* at = lines.runs.data();
};

// Writes the list of each face: the word offset of its corner normals if it has a crease, then the runs of the earlier
// and of the later lines. Also writes the start of each list into the face table. Returns the end of the last list.
Word* write_lists(std::int32_t face_count, RunWriter earlier, RunWriter later, Word* table, Word* next) {
    Word* of_faces = table + table[SurfaceLayout::faces_word];
    for (std::int32_t face = 0; face < face_count; ++face) {
        const Word parted = of_faces[face];
        of_faces[face] = static_cast<Word>(next - table) | (parted & SurfaceLayout::has_normals);
        if ((parted & SurfaceLayout::has_normals) != 0) {
            *next++ = table[parted & ~SurfaceLayout::has_normals];
        }
        next = later.write(face, earlier.write(face, next));
    }
    of_faces[face_count] = static_cast<Word>(next - table);
    return next;
}

}  // namespace

// Writes the gradient matrices of the reached vertices at `next`.
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
    auto& [earlier, later] = s.sets;
    const auto count = static_cast<std::int32_t>(s.lines.size());
    s.pack(s.first_later, count, later);
    if (s.given) {
        earlier = *s.given;
    } else {
        s.pack(0, s.first_later, earlier);
    }
    const float unit = std::max(unit_above(earlier.largest), later.unit);
    earlier.set_unit(unit), later.set_unit(unit);
    const std::size_t points = earlier.size() + later.size(), first = table.size(), weights = first + texel_words * (1 + points),
                      normals = weights + points, normal_count = earlier.normals.size() + later.normals.size();
    assert(points < std::size_t{1} << run_count_bit);
    const std::size_t records = texel_words * texels_for(normals + normal_count),
                      lists = records + texel_words * s.reached_vertices.size();
    // resize for the longest possible lists: the list of a face with crease normals has one more word
    table.resize(lists + earlier.runs.size() + later.runs.size() + static_cast<std::size_t>(s.topology.face_count()));
    table[SurfaceLayout::lines] = static_cast<Word>(first / texel_words);
    table[SurfaceLayout::lines + 1] = word_of(unit);
    table[SurfaceLayout::lines + 2] = static_cast<Word>(weights);
    table[SurfaceLayout::share] = word_of(s.share);
    table[SurfaceLayout::later] = static_cast<Word>(earlier.size());
    table[SurfaceLayout::rest] = static_cast<Word>(records / texel_words);
    // use an empty box if there are no points: s.box may then be the box of a previous rest pose
    const LineBox box = points > 0 ? s.box : LineBox();
    Word* next = std::transform(box.low.data(), box.low.data() + 3, table.data() + first, word_of);
    *next++ = word_of(box.cell);
    for (const auto part : {&PackedLines::points, &PackedLines::weights, &PackedLines::normals}) {
        for (const PackedLines& each : s.sets) {
            next = std::copy((each.*part).begin(), (each.*part).end(), next);
        }
    }
    std::fill(next, table.data() + records, 0u);
    next = table.data() + records;
    Word* const numbers = table.data() + table[SurfaceLayout::records_word];
    for (std::size_t i = 0; i < s.reached_vertices.size(); ++i) {
        const std::int32_t vertex = s.reached_vertices[i];
        numbers[vertex] = static_cast<Word>(i);
        next = std::copy_n(s.rest_words.begin() + static_cast<std::ptrdiff_t>(texel_words) * vertex, texel_words, next);
    }
    s.write_carriers(table.data() + table[SurfaceLayout::carriers_word]);
    const Word* const end =
        write_lists(s.topology.face_count(), RunWriter(earlier, 0, normals),
                    RunWriter(later, earlier.size(), normals + earlier.normals.size()), table.data(), table.data() + lists);
    table.resize(static_cast<std::size_t>(end - table.data()));
    table.resize(texel_words * texels_for(table.size()));
}

void PathHeights::keep_later(PackedLines& result) const {
    result = state_->sets[1];
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
