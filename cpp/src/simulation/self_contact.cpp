#include "simulation/self_contact.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/finite.h"
#include "numeric/kernels.h"
#include "simulation/closest_point.h"
#include "simulation/limits.h"
#include "simulation/rows.h"

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

bool comes_before(const SelfPair& s, const SelfPair& t) {
    return s.face != t.face ? s.face < t.face : s.vertex < t.vertex;
}

}  // namespace

SelfContact::SelfContact(const Topology& topology, std::span<const Vector3> rest, std::size_t row_count, float distance,
                         float friction)
    : faces_(topology.faces),
      kernels_(*kernels().contact),
      distance_(distance),
      reach_(self_reach * distance),
      friction_(friction),
      gathered_points_(4 * row_count),
      gathered_velocities_(4 * row_count),
      grid_(rest.size(), cell_size(topology, rest, reach_)),
      all_(rest.size()),
      strays_(rest.size() / stray_share + 1, 0.0f),
      stray_vertices_(row_count),
      is_stray_(rest.size()),
      columns_(pairs_per_vertex * rest.size()),
      candidate_columns_(rest.size() + candidate_chunk),
      chosen_(rest.size() + candidate_chunk),
      touching_(pair_chunk) {
    std::iota(all_.begin(), all_.end(), 0);
    // once: gatherings drop, and count, what does not fit, but they do not allocate
    pairs_.reserve(pairs_per_vertex * rest.size());
    older_.reserve(pairs_per_vertex * rest.size());
    candidates_.reserve(rest.size() + candidate_chunk);
    find_neighbors(rest);
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
    Rows rows(rest.size());
    for (std::size_t v = 0; v < rest.size(); ++v) {
        rows.vector(v) = rest[v];
    }
    // nothing moves yet, and none are known to be neighbors
    lay_grid(rows.values());
    neighbor_starts_.assign(faces_.size() + 1, 0);
    std::vector<SelfPair> near;
    gather_all({rows.values(), {self_rest * distance_, 0.0f, 0.0f}, near, near.max_size()});
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

void SelfContact::restore(std::span<const SelfPair> pairs) {
    pairs_.assign(pairs.begin(), pairs.end());
    put_in_columns(0);
}

// Around a face that goes on as it did at the last gathering.
MovingBox SelfContact::box_of(std::int32_t face, const Search& search) const {
    const Face& f = faces_[static_cast<std::size_t>(face)];
    const auto at = [&](std::span<const float> rows, int q) { return row_point(&rows[4 * static_cast<std::size_t>(f[q])]); };
    const Point4 a = at(search.points, 0), b = at(search.points, 1), c = at(search.points, 2);
    const Point4 low = a.cwiseMin(b).cwiseMin(c).array() - search.approach.reach;
    const Point4 high = a.cwiseMax(b).cwiseMax(c).array() + search.approach.reach;
    const Point4 velocity = (at(gathered_velocities_, 0) + at(gathered_velocities_, 1) + at(gathered_velocities_, 2)) / 3.0f;
    return {{low[0], low[1], low[2]},
            {high[0], high[1], high[2]},
            {velocity[0], velocity[1], velocity[2]},
            search.approach.time,
            search.approach.farthest};
}

// Collects what is in a face's box, without its neighbors, in order of vertices: that does not depend on the cells.
void SelfContact::meet(std::int32_t face, std::span<const std::int32_t> slots, const VertexList& vertices, const Search& search) {
    if (slots.empty()) {
        return;
    }
    const std::size_t begin = candidates_.size();
    for (const std::int32_t slot : slots) {
        if (const std::int32_t vertex = vertices[slot]; !are_neighbors(vertex, face)) {
            candidates_.push_back({vertex, face, 0});
        }
    }
    std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(begin), candidates_.end(), comes_before);
    for (std::size_t i = begin; i < candidates_.size(); ++i) {
        candidate_columns_.put(i, candidates_[i], faces_[static_cast<std::size_t>(face)]);
    }
    if (candidates_.size() >= candidate_chunk) {
        choose(search);
    }
}

// Of the candidates those that are near enough.
void SelfContact::choose(const Search& search) {
    const std::int64_t count =
        kernels_.find_near(candidate_columns_.arrays(), search.points.data(), gathered_velocities_.data(), search.approach, 0,
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
        meet(face, grid_.find(kernels_, box_of(face, search)), grid_.vertices(), search);
    }
    choose(search);
}

// A face that has strayed itself meets all vertices anew, any other one the strays.
void SelfContact::gather_around_strays(const Search& search) {
    for (std::int32_t face = 0; face < static_cast<std::int32_t>(faces_.size()); ++face) {
        const Face& f = faces_[static_cast<std::size_t>(face)];
        const auto strayed = [&](int k) { return is_stray_[static_cast<std::size_t>(f[k])]; };
        VertexGrid& grid = strayed(0) || strayed(1) || strayed(2) ? grid_ : strays_;
        meet(face, grid.find(kernels_, box_of(face, search)), grid.vertices(), search);
    }
    choose(search);
}

// False for an exploded cloth, which fits into no cells; its frame will be refused.
bool SelfContact::lay_grid(std::span<const float> points) {
    if (!all_finite(points) || !grid_.lay(points, gathered_velocities_, all_.size())) {
        return false;
    }
    grid_.sort(all_, points, gathered_velocities_);
    return true;
}

// Notes how strays, or all, go on from here, as if they had come from the frame's start like that.
void SelfContact::expect(std::size_t vertex, std::span<const float> points, std::span<const float> velocities, float since) {
    for (std::size_t i = 4 * vertex; i < 4 * vertex + 3; ++i) {
        gathered_velocities_[i] = velocities[i];
        gathered_points_[i] = points[i] - velocities[i] * since;
    }
}

void SelfContact::gather(std::span<const float> points, std::span<const float> velocities, float since, float time) {
    for (std::size_t v = 0; v < is_stray_.size(); ++v) {
        expect(v, points, velocities, since);
    }
    // the last gathering's, which know the sides
    std::swap(pairs_, older_);
    pairs_.clear();
    dropped_count_ = 0;
    if (lay_grid(points)) {
        gather_all({points, {reach_, time, self_approach * distance_}, pairs_, pairs_.capacity()});
        keep_sides();
    }
    put_in_columns(0);
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

void SelfContact::gather_strays(std::span<const float> points, std::span<const float> velocities, float since, float time) {
    // two that were farther apart than the reach may each have come nearer by half of what that is over the distance
    const float spare = reach_ - distance_;
    const auto count = static_cast<std::size_t>(
        kernels_.find_strays(points.data(), gathered_points_.data(), gathered_velocities_.data(), since, 0.5f * spare, 0,
                             static_cast<std::int64_t>(points.size() / 4), stray_vertices_.data()));
    if (count == 0) {
        return;
    }
    if (count > is_stray_.size() / stray_share) {
        gather(points, velocities, since, time);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto v = static_cast<std::size_t>(stray_vertices_[i]);
        expect(v, points, velocities, since);
        is_stray_[v] = true;
    }
    if (lay_grid(points)) {
        strays_.lay_as(grid_);
        strays_.sort({stray_vertices_.data(), count}, points, gathered_velocities_);
        older_.clear();
        // the others are up to half the spare way off already, and may go as far to the other side
        gather_around_strays({points, {reach_ + 0.5f * spare, time, self_approach * distance_}, older_, older_.capacity()});
        join();
    }
    for (std::size_t i = 0; i < count; ++i) {
        is_stray_[static_cast<std::size_t>(stray_vertices_[i])] = false;
    }
}

// Adds what strays have found, in `older_`, and is not among the pairs yet; both are in order. From the back, where there is room.
void SelfContact::join() {
    const auto is_known = [&](const SelfPair& pair) {
        return std::binary_search(pairs_.begin(), pairs_.end(), pair, comes_before);
    };
    older_.erase(std::remove_if(older_.begin(), older_.end(), is_known), older_.end());
    std::size_t added = older_.size();
    const std::size_t room = pairs_.capacity() - pairs_.size(), dropped = added - std::min(added, room);
    dropped_count_ += static_cast<int>(dropped);
    added -= dropped;
    std::size_t last = pairs_.size(), to = last + added;
    pairs_.resize(to);
    while (added > 0) {
        const bool is_old = last > 0 && comes_before(older_[added - 1], pairs_[last - 1]);
        pairs_[--to] = is_old ? pairs_[--last] : older_[--added];
    }
    put_in_columns(to);
}

void SelfContact::put_in_columns(std::size_t first) {
    for (std::size_t i = first; i < pairs_.size(); ++i) {
        columns_.put(i, pairs_[i], faces_[static_cast<std::size_t>(pairs_[i].face)]);
    }
}

void SelfContact::solve(std::span<const float> predicted, std::span<const float> velocities, float step,
                        std::span<float> points) {
    const PairColumns columns = columns_.arrays();
    const auto pair_count = static_cast<std::int64_t>(pairs_.size());
    for (std::int64_t begin = 0; begin < pair_count; begin += pair_chunk) {
        // most do not touch
        const std::int64_t count = kernels_.find_touching(columns, points.data(), distance_, self_depth * distance_, begin,
                                                          std::min(begin + pair_chunk, pair_count), touching_.data());
        for (std::int64_t i = 0; i < count; ++i) {
            solve_pair(static_cast<std::size_t>(touching_[static_cast<std::size_t>(i)]), predicted.data(), velocities.data(),
                       step, points.data());
        }
    }
}

void SelfContact::solve_pair(std::size_t index, const float* predicted, const float* velocities, float step, float* points) {
    SelfPair& pair = pairs_[index];
    std::array<std::size_t, 4> rows;
    std::array<Point4, 4> x;
    for (std::size_t q = 0; q < 4; ++q) {
        rows[q] = 4 * static_cast<std::size_t>(columns_.corners[q][index]);
        x[q] = row_point(points + rows[q]);
    }
    // anew in each substep: the pair is remembered, where they touch is not
    Point4 normal = cross(x[2] - x[1], x[3] - x[1]);
    const Closest closest = closest_point(x[0], x[1], x[2], x[3]);
    // weights of the distance vector, and so its gradients: momentum is kept
    const std::array<float, 4> share = {1.0f, -closest.weights[0], -closest.weights[1], -closest.weights[2]};
    const Point4 away = away_from(closest, x[0], x[1], x[2], x[3]);
    float distance = 0.0f;
    if (closest.feature == 0) {
        normal /= std::max(normal.norm(), 1e-14f);
        const float height = away.dot(normal);
        if (pair.side == 0) {
            if (std::abs(height) >= self_depth * distance_) {
                return;
            }
            pair.side = height >= 0.0f ? 1 : -1;
            columns_.sides[index] = static_cast<float>(pair.side);
        }
        normal *= static_cast<float>(pair.side);
        distance = height * static_cast<float>(pair.side);
        if (distance < -self_depth * distance_) {
            return;
        }
    } else {
        distance = away.norm();
        // beside the face there is no side to bring the vertex back to
        if (distance < 1e-9f || away.dot(normal) * static_cast<float>(pair.side) < 0.0f) {
            return;
        }
        normal = away / distance;
    }
    if (distance >= distance_) {
        return;
    }
    // Σ w |∇C|², and how much the two slip past each other in this substep
    float weight = 0.0f;
    Point4 slip = Point4::Zero();
    for (std::size_t q = 0; q < 4; ++q) {
        weight += points[rows[q] + 3] * share[q] * share[q];
        slip += (x[q] - row_point(predicted + rows[q]) + row_point(velocities + rows[q]) * step) * share[q];
    }
    // all four are pinned
    if (weight == 0.0f) {
        return;
    }
    // half the distance at most, so that what is deep comes out over several substeps and without a bang
    Point4 move = normal * std::min(distance_ - distance, 0.5f * distance_);
    // friction acts along the layers, and up to its share of the depth
    slip -= normal * slip.dot(normal);
    if (const float slipped = slip.norm(); slipped > 1e-12f) {
        move -= slip * std::min(1.0f, friction_ * (distance_ - distance) / slipped);
    }
    for (std::size_t q = 0; q < 4; ++q) {
        // whole rows, whose fourth number stays: what is read next was written so
        Eigen::Map<Point4> row(points + rows[q]);
        row += move * (row[3] * share[q] / weight);
    }
}

}  // namespace ruckle
