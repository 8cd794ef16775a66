#include "simulation/self_contact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "numeric/dispatch.h"
#include "numeric/finite.h"
#include "simulation/rows.h"

namespace ruckle {

namespace {

// Predicted position of a vertex that the next search must include: no vertex is ever near it, so find_strays() always
// finds the vertex.
constexpr float impossible_position = std::numeric_limits<float>::max();

bool comes_before(const SelfPair& s, const SelfPair& t) {
    return s.face != t.face ? s.face < t.face : s.vertex < t.vertex;
}

}  // namespace

SelfContact::SelfContact(const Topology& topology, ClothBlocks& blocks, std::span<const Vector3> rest, std::size_t row_count,
                         float distance, float friction)
    : faces_(topology.faces),
      blocks_(blocks),
      kernels_(kernels<ContactKernels>()),
      vertex_count_(rest.size()),
      most_pairs_(pairs_per_vertex * rest.size()),
      distance_(distance),
      friction_(friction),
      columns_(most_pairs_),
      gathered_points_(4 * row_count),
      gathered_velocities_(4 * row_count),
      strays_(row_count),
      face_ends_(topology.faces.size() + 1),
      touching_(pair_chunk),
      taken_rounds_(rest.size() + 1),
      rounds_(pair_chunk),
      blocked_(sweep_block * pair_chunk) {
    for (std::vector<std::int32_t>& column : columns_.corners) {
        // the empty pair for padding consists of a spare vertex, which cannot move
        column.back() = static_cast<std::int32_t>(rest.size());
    }
    find_neighbors(rest);
    // reserve memory once, because searches must not allocate; pairs that do not fit are dropped and counted
    for (std::vector<SelfPair>* pairs : {&pairs_, &older_, &unsorted_}) {
        *pairs = {};
        pairs->reserve(most_pairs_);
    }
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

// Stores the vertices whose distance from each face at rest is at most self_rest times the layer distance in neighbors_,
// sorted by vertex, without the face's corners; later searches ignore these pairs. Called once, by the constructor.
void SelfContact::find_neighbors(std::span<const Vector3> rest) {
    Rows rows(rest.size()), speeds(rest.size());
    for (std::size_t v = 0; v < rest.size(); ++v) {
        rows.vector(v) = rest[v];
    }
    const float reach = self_rest * distance_;
    neighbor_starts_.assign(faces_.size() + 1, 0);
    // removes the limit on the number of pairs during this search
    const std::size_t most = std::exchange(most_pairs_, unsorted_.max_size());
    search({rows.data(), speeds.data(), {}, 0.0f, 0.0f, 0.5f * reach}, never_flat, {reach, 0.0f, 0.0f});
    sort_pairs();
    most_pairs_ = most;
    for (const SelfPair& pair : pairs_) {
        neighbors_.push_back(pair.vertex);
        neighbor_starts_[static_cast<std::size_t>(pair.face) + 1] = static_cast<std::int32_t>(neighbors_.size());
    }
    // faces without neighbors get empty ranges
    for (std::size_t f = 0; f < faces_.size(); ++f) {
        neighbor_starts_[f + 1] = std::max(neighbor_starts_[f], neighbor_starts_[f + 1]);
    }
}

bool SelfContact::are_neighbors(const SelfPair& pair) const {
    const auto f = static_cast<std::size_t>(pair.face);
    const auto begin = neighbors_.begin();
    return std::binary_search(begin + neighbor_starts_[f], begin + neighbor_starts_[f + 1], pair.vertex);
}

// Returns a pair with its current side, which the solver may have found after the search.
SelfPair SelfContact::pair(std::size_t index) const {
    return {pairs_[index].vertex, pairs_[index].face, static_cast<std::int32_t>(columns_.sides[index])};
}

void SelfContact::restore(std::span<const SelfPair> pairs, std::span<const float> gathered_points) {
    pairs_.assign(pairs.begin(), pairs.end());
    put_in_columns();
    std::copy(gathered_points.begin(), gathered_points.end(), gathered_points_.begin());
    std::fill(gathered_velocities_.begin(), gathered_velocities_.end(), 0.0f);
}

// Removes all pairs, so that the next search covers all vertices.
void SelfContact::forget() {
    pairs_.clear();
    std::fill_n(gathered_points_.begin(), 4 * vertex_count_, impossible_position);
    std::fill(gathered_velocities_.begin(), gathered_velocities_.end(), 0.0f);
}

void SelfContact::shift(const Vector3& by) {
    for (std::size_t v = 0; v < vertex_count_; ++v) {
        Eigen::Map<Vector3>(&gathered_points_[4 * v]) -= by;
    }
}

std::size_t SelfContact::find_strays(std::span<const float> points, float since, float distance) {
    return static_cast<std::size_t>(kernels_.find_strays(points.data(), gathered_points_.data(), gathered_velocities_.data(),
                                                         since, distance, static_cast<std::int64_t>(vertex_count_),
                                                         strays_.data()));
}

bool SelfContact::is_due(std::span<const float> points, float since) {
    return find_strays(points, since, self_way * distance_) > 0;
}

// Stores the predicted motion of a vertex: its velocity, and its position extrapolated back to the start of the frame.
void SelfContact::expect(std::size_t vertex, std::span<const float> points, std::span<const float> velocities, float since) {
    for (std::size_t i = 4 * vertex; i < 4 * vertex + 3; ++i) {
        gathered_velocities_[i] = velocities[i];
        gathered_points_[i] = points[i] - velocities[i] * since;
    }
}

void SelfContact::end_frame(float time) {
    for (std::size_t i = 0; i < gathered_points_.size(); ++i) {
        const float expected = gathered_points_[i] + gathered_velocities_[i] * time;
        // the expected position overflows if the velocity at the search was extremely large
        gathered_points_[i] = std::isfinite(expected) ? expected : impossible_position;
        gathered_velocities_[i] = 0.0f;
    }
}

void SelfContact::search_pairs(std::span<const float> points, std::span<const float> velocities, float since, float left) {
    // points that are not finite: the cloth has exploded, and this frame will be rejected
    if (!all_finite(points) || !all_finite(velocities)) {
        return;
    }
    const Approach approach{self_reach * distance_, left, self_approach * distance_};
    // two points at a distance above `reach` do not touch if each deviates from its path by at most (reach - distance)
    // / 2
    const std::size_t count = find_strays(points, since, 0.5f * (approach.reach - distance_));
    if (count == 0) {
        return;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        pairs_[i] = pair(i);
    }
    std::swap(pairs_, older_);
    unsorted_.clear();
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (std::size_t v = 0; v < vertex_count_; ++v) {
        mean += Eigen::Map<const Vector3>(&velocities[4 * v]).cast<double>();
    }
    // subtracts the mean velocity, because cloth that moves as a whole does not approach itself
    const Vector3 common = (mean / static_cast<double>(vertex_count_)).cast<float>();
    const Sweep sweep{points.data(), velocities.data(), {common[0], common[1], common[2]},
                      left,          approach.farthest, 0.5f * approach.reach};
    if (count > vertex_count_ / stray_share || dropped_count_ > 0) {
        for (std::size_t v = 0; v < vertex_count_; ++v) {
            expect(v, points, velocities, since);
        }
        search(sweep, flat_cosine, approach);
    } else {
        const std::span<const std::int32_t> strays = std::span(strays_).first(count);
        for (const std::int32_t v : strays) {
            expect(static_cast<std::size_t>(v), points, velocities, since);
        }
        search_around(strays, sweep, approach);
    }
    sort_pairs();
    keep_sides();
    put_in_columns();
}

void SelfContact::search(const Sweep& sweep, float flatness, const Approach& approach) {
    dropped_count_ = 0;
    blocks_.bound(sweep);
    blocks_.for_meeting(flatness, [&](std::size_t block, std::size_t other) { meet_both(block, other, sweep, approach); });
}

// Searches for pairs again in all blocks with strayed vertices; copies the old pairs between other blocks.
void SelfContact::search_around(std::span<const std::int32_t> strays, const Sweep& sweep, const Approach& approach) {
    blocks_.move(strays);
    for (const SelfPair& pair : older_) {
        if (!blocks_.has_moved(blocks_.owner_of(pair.vertex)) && !blocks_.has_moved(blocks_.block_of(pair.face))) {
            unsorted_.push_back(pair);
        }
    }
    blocks_.bound(sweep);
    blocks_.for_moved(flat_cosine, [&](std::size_t block, std::size_t other) { meet_both(block, other, sweep, approach); });
}

void SelfContact::meet_both(std::size_t block, std::size_t other, const Sweep& sweep, const Approach& approach) {
    meet(block, other, sweep, approach);
    if (other != block) {
        meet(other, block, sweep, approach);
    }
}

// Appends to unsorted_ the pairs of a vertex of one block and a near face of another that are not close at rest. Pairs
// that do not fit are dropped and counted.
void SelfContact::meet(std::size_t vertices_of, std::size_t faces_of, const Sweep& sweep, const Approach& approach) {
    for (const auto& [element, number, side] : blocks_.find_vertices(vertices_of, faces_of, sweep, approach)) {
        const SelfPair pair{blocks_.vertex_at(element), blocks_.face_at(number), side};
        if (pair.vertex < 0 || pair.face < 0 || are_neighbors(pair)) {
            continue;
        }
        if (unsorted_.size() < most_pairs_) {
            unsorted_.push_back(pair);
        } else {
            ++dropped_count_;
        }
    }
}

// Writes the pairs of unsorted_ to pairs_, sorted by face (counting sort), then by vertex.
void SelfContact::sort_pairs() {
    std::fill(face_ends_.begin(), face_ends_.end(), 0);
    for (const SelfPair& pair : unsorted_) {
        ++face_ends_[static_cast<std::size_t>(pair.face) + 1];
    }
    for (std::size_t f = 1; f < face_ends_.size(); ++f) {
        face_ends_[f] += face_ends_[f - 1];
    }
    pairs_.resize(unsorted_.size());
    for (const SelfPair& pair : unsorted_) {
        // face_ends_[f] starts as the start of face f and is advanced by each insertion, so that it ends as the end of
        // face f
        pairs_[static_cast<std::size_t>(face_ends_[static_cast<std::size_t>(pair.face)]++)] = pair;
    }
    std::int32_t begin = 0;
    for (const std::int32_t end : std::span(face_ends_).first(faces_.size())) {
        std::sort(pairs_.begin() + begin, pairs_.begin() + end, comes_before);
        begin = end;
    }
}

// Copies known sides (not 0) from older_ to equal pairs in pairs_. Both lists are sorted.
void SelfContact::keep_sides() {
    auto older = older_.begin();
    for (SelfPair& pair : pairs_) {
        while (older != older_.end() && comes_before(*older, pair)) {
            ++older;
        }
        if (older != older_.end() && !comes_before(pair, *older) && older->side != 0) {
            pair.side = older->side;
        }
    }
}

void SelfContact::put_in_columns() {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
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
        // only touching pairs are solved, because most pairs do not touch
        const std::int64_t count = kernels_.find_touching(columns, points.data(), distance_, depth, begin,
                                                          std::min(begin + pair_chunk, pair_count), touching_.data());
        const std::span<const std::int32_t> blocks = arrange(std::span(touching_).first(static_cast<std::size_t>(count)));
        kernels_.part_pairs(columns, columns_.sides.data(), factors, predicted.data(), velocities.data(), points.data(),
                            blocks.data(), static_cast<std::int64_t>(blocks.size()));
    }
}

// Returns the pairs sorted by rounds. Each pair is assigned to the first of most_rounds rounds in which its vertices
// are free, or to a round of its own, so that pairs of a round do not share vertices. Rounds are padded to whole blocks
// with an empty pair.
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
        // if a vertex of the pair is used in all 64 rounds, the pair gets a new round
        const std::size_t round = free != 0 ? static_cast<std::size_t>(std::countr_zero(free)) : round_count++;
        rounds_[i] = static_cast<std::int32_t>(round);
        ++round_ends_[round];
    }
    std::size_t begin = 0;
    const auto nothing = static_cast<std::int32_t>(columns_.sides.size() - 1);
    for (std::size_t r = 0; r < round_count; ++r) {
        const std::size_t end = begin + static_cast<std::size_t>(round_ends_[r]), whole = whole_blocks(end);
        std::fill(blocked_.begin() + static_cast<std::ptrdiff_t>(end), blocked_.begin() + static_cast<std::ptrdiff_t>(whole),
                  nothing);
        round_ends_[r] = static_cast<std::int32_t>(std::exchange(begin, whole));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        blocked_[static_cast<std::size_t>(round_ends_[static_cast<std::size_t>(rounds_[i])]++)] = pairs[i];
    }
    return std::span(blocked_).first(begin);
}

}  // namespace ruckle
