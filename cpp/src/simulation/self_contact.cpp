#include "simulation/self_contact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "numeric/finite.h"
#include "numeric/kernels.h"
#include "simulation/closest_point.h"
#include "simulation/limits.h"
#include "simulation/rows.h"
#include "simulation/sweeps.h"

namespace ruckle {

namespace {

// A face then meets two or three cells per axis.
float cell_size(const Topology& topology, std::span<const Vector3> rest, float reach) {
    double edges = 0.0;
    for (const auto& [a, b] : topology.edges) {
        edges += static_cast<double>((rest[a] - rest[b]).norm());
    }
    return reach + static_cast<float>(edges) / static_cast<float>(topology.edge_count());
}

float longest_edge(const Topology& topology, std::span<const Vector3> rest) {
    float longest = 0.0f;
    for (const auto& [a, b] : topology.edges) {
        longest = std::max(longest, (rest[a] - rest[b]).norm());
    }
    return longest;
}

bool comes_before(const SelfPair& s, const SelfPair& t) {
    return s.face != t.face ? s.face < t.face : s.vertex < t.vertex;
}

}  // namespace

SelfContact::SelfContact(const Topology& topology, std::span<const Vector3> rest, std::size_t row_count, float distance,
                         float friction)
    : topology_(topology),
      faces_(topology.faces),
      kernels_(*kernels().contact),
      distance_(distance),
      reach_(self_reach * distance),
      corner_reach_(farthest_corner * longest_edge(topology, rest)),
      friction_(friction),
      gathered_points_(4 * row_count),
      gathered_velocities_(4 * row_count),
      expected_(4 * row_count),
      grid_(rest.size(), cell_size(topology, rest, reach_)),
      all_(rest.size()),
      stray_vertices_(row_count),
      is_stray_(rest.size()),
      is_stray_face_(topology.faces.size()),
      columns_(pairs_per_vertex * rest.size()),
      candidate_columns_(topology.faces.size() + rest.size() + candidate_chunk),
      chosen_(topology.faces.size() + rest.size() + candidate_chunk),
      touching_(pair_chunk),
      taken_rounds_(rest.size() + 1),
      rounds_(pair_chunk),
      blocks_(sweep_block * pair_chunk) {
    for (std::vector<std::int32_t>& column : columns_.corners) {
        // behind all vertices lies a row that nothing can move
        column.back() = static_cast<std::int32_t>(rest.size());
    }
    std::iota(all_.begin(), all_.end(), 0);
    // once: gatherings drop, and count, what does not fit, but they do not allocate
    pairs_.reserve(pairs_per_vertex * rest.size());
    older_.reserve(pairs_per_vertex * rest.size());
    found_.reserve(pairs_per_vertex * rest.size());
    candidates_.reserve(topology.faces.size() + rest.size() + candidate_chunk);
    stray_faces_.reserve(topology.faces.size());
    find_neighbors(rest);
    forget();
}

SelfContact::Columns::Columns(std::size_t capacity) : sides(capacity + sweep_block) {
    for (std::vector<std::int32_t>& column : corners) {
        column.resize(capacity + sweep_block);
    }
}

void SelfContact::Columns::put(std::size_t index, const SelfPair& pair, const Face& face) {
    corners[0][index] = pair.vertex;
    for (std::size_t q = 0; q < 3; ++q) {
        corners[q + 1][index] = face[static_cast<Eigen::Index>(q)];
    }
    sides[index] = static_cast<float>(pair.side);
}

PairColumns SelfContact::Columns::arrays() const {
    return {{corners[0].data(), corners[1].data(), corners[2].data(), corners[3].data()}, sides.data()};
}

// Once, so that the search during simulation meets only what has come near since then.
void SelfContact::find_neighbors(std::span<const Vector3> rest) {
    for (std::size_t v = 0; v < rest.size(); ++v) {
        std::copy_n(rest[v].data(), 3, &expected_[4 * v]);
    }
    // nothing moves yet, and none are known to be neighbors
    lay_grid();
    neighbor_starts_.assign(faces_.size() + 1, 0);
    std::vector<SelfPair> near;
    gather_all({{self_rest * distance_, 0.0f, 0.0f}, near, near.max_size()});
    for (const SelfPair& pair : near) {
        neighbors_.push_back(pair.vertex);
        neighbor_starts_[static_cast<std::size_t>(pair.face) + 1] = static_cast<std::int32_t>(neighbors_.size());
    }
    // faces without any
    for (std::size_t f = 0; f < faces_.size(); ++f) {
        neighbor_starts_[f + 1] = std::max(neighbor_starts_[f], neighbor_starts_[f + 1]);
    }
}

bool SelfContact::are_neighbors(std::int32_t vertex, std::int32_t face) const {
    const auto f = static_cast<std::size_t>(face);
    const auto begin = neighbors_.begin();
    return std::binary_search(begin + neighbor_starts_[f], begin + neighbor_starts_[f + 1], vertex);
}

// All vertices are so far from where they were expected that they have strayed.
void SelfContact::lose_all() {
    std::fill_n(gathered_points_.begin(), 4 * is_stray_.size(), std::numeric_limits<float>::max());
}

void SelfContact::forget() {
    pairs_.clear();
    lose_all();
    std::fill(gathered_velocities_.begin(), gathered_velocities_.end(), 0.0f);
}

void SelfContact::save(SelfMemory& memory) const {
    memory.pairs.assign(pairs_.begin(), pairs_.end());
    memory.points.assign(gathered_points_.begin(), gathered_points_.end());
}

void SelfContact::restore(const SelfMemory& memory) {
    pairs_.assign(memory.pairs.begin(), memory.pairs.end());
    put_in_columns(0);
    stray_count_ = 0;
    std::copy(memory.points.begin(), memory.points.end(), gathered_points_.begin());
    std::fill(gathered_velocities_.begin(), gathered_velocities_.end(), 0.0f);
}

// Strays of the last gathering stay where they were expected to come.
void SelfContact::stop_strays(float since) {
    for (std::size_t k = 0; k < stray_count_; ++k) {
        const std::size_t row = 4 * static_cast<std::size_t>(stray_vertices_[k]);
        for (std::size_t i = row; i < row + 3; ++i) {
            gathered_points_[i] += gathered_velocities_[i] * since;
            gathered_velocities_[i] = 0.0f;
        }
    }
    stray_count_ = 0;
}

void SelfContact::end_frame(float time) {
    take_sides();
    stray_count_ = 0;
    go_on(time, gathered_points_);
    std::fill(gathered_velocities_.begin(), gathered_velocities_.end(), 0.0f);
    if (dropped_count_ > 0) {
        lose_all();
    }
}

void SelfContact::shift(const Vector3& by) {
    for (std::size_t i = 0; i < 4 * is_stray_.size(); i += 4) {
        Eigen::Map<Vector3>(&gathered_points_[i]) -= by;
    }
}

// Where all come in a time after the frame's start.
void SelfContact::go_on(float time, std::span<float> points) const {
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i] = gathered_points_[i] + gathered_velocities_[i] * time;
    }
}

// Around a face that goes on as it did at the last gathering.
MovingBox SelfContact::box_of(std::int32_t face, const Approach& approach) const {
    const Face& f = faces_[static_cast<std::size_t>(face)];
    const auto at = [&](std::span<const float> rows, int q) { return row_point(&rows[4 * static_cast<std::size_t>(f[q])]); };
    const Point4 a = at(expected_, 0), b = at(expected_, 1), c = at(expected_, 2);
    const Point4 low = a.cwiseMin(b).cwiseMin(c).array() - approach.reach;
    const Point4 high = a.cwiseMax(b).cwiseMax(c).array() + approach.reach;
    const Point4 velocity = (at(gathered_velocities_, 0) + at(gathered_velocities_, 1) + at(gathered_velocities_, 2)) / 3.0f;
    return {{low[0], low[1], low[2]},
            {high[0], high[1], high[2]},
            {velocity[0], velocity[1], velocity[2]},
            approach.time,
            approach.farthest};
}

// Around a vertex, so wide that some corner of every face within reach is in it.
MovingBox SelfContact::box_around(std::int32_t vertex, const Approach& approach) const {
    const float* p = &expected_[4 * static_cast<std::size_t>(vertex)];
    const float* v = &gathered_velocities_[4 * static_cast<std::size_t>(vertex)];
    const float wide = approach.reach + corner_reach_;
    return {{p[0] - wide, p[1] - wide, p[2] - wide},
            {p[0] + wide, p[1] + wide, p[2] + wide},
            {v[0], v[1], v[2]},
            approach.time,
            approach.farthest};
}

std::span<const std::int32_t> SelfContact::faces_of(std::int32_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    const auto begin = static_cast<std::size_t>(topology_.vertex_offsets[v]);
    return std::span(topology_.vertex_faces).subspan(begin, static_cast<std::size_t>(topology_.vertex_offsets[v + 1]) - begin);
}

// Collects what is in a face's box, without its neighbors, in order of vertices: that does not depend on the cells.
void SelfContact::meet_vertices(std::int32_t face, const Search& search) {
    const std::span<const std::int32_t> slots = grid_.find(kernels_, box_of(face, search.approach));
    if (slots.empty()) {
        return;
    }
    const std::size_t begin = candidates_.size();
    for (const std::int32_t slot : slots) {
        if (const std::int32_t vertex = grid_.vertices()[slot]; !are_neighbors(vertex, face)) {
            candidates_.push_back({vertex, face, 0});
        }
    }
    std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(begin), candidates_.end(), comes_before);
    put_candidates(begin, search);
}

// Collects the faces around the vertices that are near, but for those that have met all vertices.
void SelfContact::meet_faces(std::int32_t vertex, const Search& search) {
    const std::size_t begin = candidates_.size();
    for (const std::int32_t slot : grid_.find(kernels_, box_around(vertex, search.approach))) {
        for (const std::int32_t face : faces_of(grid_.vertices()[slot])) {
            if (!std::exchange(is_stray_face_[static_cast<std::size_t>(face)], 1)) {
                candidates_.push_back({vertex, face, 0});
            }
        }
    }
    for (std::size_t i = begin; i < candidates_.size(); ++i) {
        is_stray_face_[static_cast<std::size_t>(candidates_[i].face)] = 0;
    }
    const auto is_neighbor = [&](const SelfPair& pair) { return are_neighbors(pair.vertex, pair.face); };
    candidates_.erase(std::remove_if(candidates_.begin() + static_cast<std::ptrdiff_t>(begin), candidates_.end(), is_neighbor),
                      candidates_.end());
    put_candidates(begin, search);
}

void SelfContact::put_candidates(std::size_t begin, const Search& search) {
    for (std::size_t i = begin; i < candidates_.size(); ++i) {
        candidate_columns_.put(i, candidates_[i], faces_[static_cast<std::size_t>(candidates_[i].face)]);
    }
    if (candidates_.size() >= candidate_chunk) {
        choose(search);
    }
}

// Of the candidates those that are near enough.
void SelfContact::choose(const Search& search) {
    const std::int64_t count =
        kernels_.find_near(candidate_columns_.arrays(), expected_.data(), gathered_velocities_.data(), search.approach, 0,
                           static_cast<std::int64_t>(candidates_.size()), chosen_.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        SelfPair pair = candidates_[static_cast<std::size_t>(chosen_[i].pair)];
        pair.side = chosen_[i].side;
        if (search.found.size() < search.most) {
            search.found.push_back(pair);
        } else {
            ++dropped_count_;
        }
    }
    candidates_.clear();
}

void SelfContact::gather_all(const Search& search) {
    for (std::int32_t face = 0; face < static_cast<std::int32_t>(faces_.size()); ++face) {
        meet_vertices(face, search);
    }
    choose(search);
}

// False for an exploded cloth, which fits into no cells; its frame will be refused.
bool SelfContact::lay_grid() {
    if (!all_finite(expected_) || !grid_.lay(expected_, gathered_velocities_, all_.size())) {
        return false;
    }
    grid_.sort(all_, expected_, gathered_velocities_);
    return true;
}

// Notes how strays, or all, go on from here, as if they had come from the frame's start like that.
void SelfContact::expect(std::size_t vertex, std::span<const float> points, std::span<const float> velocities, float since) {
    for (std::size_t i = 4 * vertex; i < 4 * vertex + 3; ++i) {
        gathered_velocities_[i] = velocities[i];
        gathered_points_[i] = points[i] - velocities[i] * since;
    }
}

void SelfContact::gather(std::span<const float> points, std::span<const float> velocities, const GatherTimes& times) {
    stop_strays(times.since);
    // two that were farther apart than the reach may each have come nearer by half of what that is over the distance
    const auto count = static_cast<std::size_t>(kernels_.find_strays(
        points.data(), gathered_points_.data(), gathered_velocities_.data(), times.since, 0.5f * (reach_ - distance_), 0,
        static_cast<std::int64_t>(points.size() / 4), stray_vertices_.data()));
    if (count == 0) {
        return;
    }
    const bool are_many = count > is_stray_.size() / stray_share;
    const std::span<const std::int32_t> strays = are_many ? all_ : std::span(stray_vertices_).first(count);
    for (const std::int32_t v : strays) {
        expect(static_cast<std::size_t>(v), points, velocities, times.since);
    }
    go_on(times.since, expected_);
    // the last gathering's, which know the sides
    take_sides();
    std::swap(pairs_, older_);
    pairs_.clear();
    // strays are erratic, and expected to go on no farther than until the next call
    stray_count_ = are_many ? 0 : count;
    const Approach approach{reach_, are_many ? times.to_end : times.to_next, self_approach * distance_};
    if (!lay_grid()) {
        put_in_columns(0);
        return;
    }
    if (are_many) {
        dropped_count_ = 0;
        gather_all({approach, pairs_, pairs_.capacity()});
        keep_sides();
    } else {
        gather_around(strays, approach);
    }
    put_in_columns(0);
}

// Faces that have strayed meet all vertices, and vertices the other faces.
void SelfContact::gather_around(std::span<const std::int32_t> strays, const Approach& approach) {
    stray_faces_.clear();
    for (const std::int32_t v : strays) {
        is_stray_[static_cast<std::size_t>(v)] = 1;
        for (const std::int32_t face : faces_of(v)) {
            if (!std::exchange(is_stray_face_[static_cast<std::size_t>(face)], 1)) {
                stray_faces_.push_back(face);
            }
        }
    }
    found_.clear();
    const Search search{approach, found_, found_.capacity()};
    for (const std::int32_t face : stray_faces_) {
        meet_vertices(face, search);
    }
    for (const std::int32_t v : strays) {
        meet_faces(v, search);
    }
    choose(search);
    std::sort(found_.begin(), found_.end(), comes_before);
    join();
    for (const std::int32_t v : strays) {
        is_stray_[static_cast<std::size_t>(v)] = 0;
    }
    for (const std::int32_t face : stray_faces_) {
        is_stray_face_[static_cast<std::size_t>(face)] = 0;
    }
}

// Both lists are in order of faces, then of vertices.
void SelfContact::keep_sides() {
    std::size_t k = 0;
    for (SelfPair& pair : pairs_) {
        while (k < older_.size() && comes_before(older_[k], pair)) {
            ++k;
        }
        if (k < older_.size() && !comes_before(pair, older_[k]) && older_[k].side != 0) {
            pair.side = older_[k].side;
        }
    }
}

// What strays have found takes the place of all that they had; both lists are in order.
void SelfContact::join() {
    const auto put = [&](const SelfPair& pair) {
        if (pairs_.size() < pairs_.capacity()) {
            pairs_.push_back(pair);
        } else {
            ++dropped_count_;
        }
    };
    const auto keep = [&](const SelfPair& pair) {
        if (!is_stray_[static_cast<std::size_t>(pair.vertex)] && !is_stray_face_[static_cast<std::size_t>(pair.face)]) {
            put(pair);
        }
    };
    auto old = older_.begin();
    for (SelfPair& pair : found_) {
        for (; old != older_.end() && comes_before(*old, pair); ++old) {
            keep(*old);
        }
        if (old != older_.end() && !comes_before(pair, *old)) {
            pair.side = old->side != 0 ? old->side : pair.side;
            ++old;
        }
        put(pair);
    }
    for (; old != older_.end(); ++old) {
        keep(*old);
    }
}

void SelfContact::put_in_columns(std::size_t first) {
    for (std::size_t i = first; i < pairs_.size(); ++i) {
        columns_.put(i, pairs_[i], faces_[static_cast<std::size_t>(pairs_[i].face)]);
    }
}

void SelfContact::solve(std::span<const float> predicted, std::span<const float> velocities, float step,
                        std::span<float> points) {
    const PairColumns columns = columns_.arrays();
    const float depth = self_depth * distance_;
    const PairFactors factors{distance_, depth, self_push, friction_, step};
    const auto pair_count = static_cast<std::int64_t>(pairs_.size());
    for (std::int64_t begin = 0; begin < pair_count; begin += pair_chunk) {
        // most do not touch
        const std::int64_t count = kernels_.find_touching(columns, points.data(), distance_, depth, begin,
                                                          std::min(begin + pair_chunk, pair_count), touching_.data());
        const std::span<const std::int32_t> blocks = arrange(std::span(touching_).first(static_cast<std::size_t>(count)));
        kernels_.part_pairs(columns, columns_.sides.data(), factors, predicted.data(), velocities.data(), points.data(),
                            blocks.data(), static_cast<std::int64_t>(blocks.size()));
    }
}

// Pairs in rounds whose pairs share no vertex, each in the first that has none of its own yet. Rounds are filled up to whole blocks
// with a pair of nothing.
std::span<const std::int32_t> SelfContact::arrange(std::span<const std::int32_t> pairs) {
    for (const std::int32_t pair : pairs) {
        for (const std::vector<std::int32_t>& corner : columns_.corners) {
            taken_rounds_[static_cast<std::size_t>(corner[static_cast<std::size_t>(pair)])] = 0;
        }
    }
    round_ends_.fill(0);
    std::size_t round_count = most_rounds;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto pair = static_cast<std::size_t>(pairs[i]);
        const auto taken = [&](int q) -> std::uint64_t& {
            return taken_rounds_[static_cast<std::size_t>(columns_.corners[static_cast<std::size_t>(q)][pair])];
        };
        std::uint64_t &p = taken(0), &a = taken(1), &b = taken(2), &c = taken(3);
        const std::uint64_t free = ~(p | a | b | c), first = free & (~free + 1);
        p |= first, a |= first, b |= first, c |= first;
        // without a free one it gets a round of its own
        const std::size_t round = free != 0 ? static_cast<std::size_t>(std::countr_zero(free)) : round_count++;
        rounds_[i] = static_cast<std::int32_t>(round);
        ++round_ends_[round];
    }
    std::size_t begin = 0;
    const auto nothing = static_cast<std::int32_t>(columns_.sides.size() - 1);
    for (std::size_t r = 0; r < round_count; ++r) {
        const std::size_t end = begin + static_cast<std::size_t>(round_ends_[r]), whole = whole_blocks(end);
        std::fill(blocks_.begin() + static_cast<std::ptrdiff_t>(end), blocks_.begin() + static_cast<std::ptrdiff_t>(whole),
                  nothing);
        round_ends_[r] = static_cast<std::int32_t>(std::exchange(begin, whole));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        blocks_[static_cast<std::size_t>(round_ends_[static_cast<std::size_t>(rounds_[i])]++)] = pairs[i];
    }
    return std::span(blocks_).first(begin);
}

// Rounds find out sides beside the pairs.
void SelfContact::take_sides() {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        pairs_[i].side = static_cast<std::int32_t>(columns_.sides[i]);
    }
}

}  // namespace ruckle
