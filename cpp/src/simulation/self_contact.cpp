#include "simulation/self_contact.h"

#include <algorithm>
#include <cmath>

#include "numeric/finite.h"
#include "numeric/kernels.h"
#include "simulation/limits.h"
#include "simulation/rows.h"

namespace ruckle {

namespace {

Eigen::Array3f array_at(std::span<const float> rows, std::size_t vertex) {
    return Eigen::Array3f(rows[4 * vertex], rows[4 * vertex + 1], rows[4 * vertex + 2]);
}

}  // namespace

SelfContact::SelfContact(const Topology& topology, std::span<const Vector3> rest, float distance, float friction)
    : faces_(topology.faces), distance_(distance), reach_(self_reach * distance), friction_(friction) {
    double edges = 0.0;
    for (const auto& [a, b] : topology.edges) {
        edges += static_cast<double>((rest[a] - rest[b]).norm());
    }
    // a face then meets two or three cells per axis
    cell_ = reach_ + static_cast<float>(edges) / static_cast<float>(topology.edge_count());
    cell_starts_.resize(most_cells + 2);
    sorted_.resize(rest.size());
    found_.resize(rest.size());
    for (int k = 0; k < 3; ++k) {
        sorted_points_[k].resize(rest.size() + sweep_block);
        sorted_velocities_[k].resize(rest.size() + sweep_block);
    }
    find_neighbors(rest);
    // once: gatherings drop, and count, what does not fit, but they do not allocate
    gathered_points_.reserve(4 * (whole_blocks(rest.size()) + most_parts));
    gathered_velocities_.reserve(4 * (whole_blocks(rest.size()) + most_parts));
    pairs_.reserve(pairs_per_vertex * rest.size());
    older_.reserve(pairs_per_vertex * rest.size());
}

// Once, so that the search during simulation meets only what has come near since then.
void SelfContact::find_neighbors(std::span<const Vector3> rest) {
    Rows rows(rest.size());
    const Rows still(rest.size());
    for (std::size_t v = 0; v < rest.size(); ++v) {
        rows.vector(v) = rest[v];
    }
    sort_vertices(rows.values(), still.values());
    const float apart = self_rest * distance_;
    neighbor_starts_.push_back(0);
    for (std::int32_t face = 0; face < static_cast<std::int32_t>(faces_.size()); ++face) {
        const Face& f = faces_[static_cast<std::size_t>(face)];
        const Point4 a = row_point(rows[f[0]]), b = row_point(rows[f[1]]), c = row_point(rows[f[2]]);
        const auto begin = static_cast<std::ptrdiff_t>(neighbors_.size());
        for (const std::int32_t slot : look_around(*kernels().cloth, face, rows.values(), still.values(), apart, 0.0f)) {
            const std::int32_t v = sorted_[static_cast<std::size_t>(slot)];
            if (away_from(closest_point(row_point(rows[v]), a, b, c), row_point(rows[v]), a, b, c).norm() < apart) {
                neighbors_.push_back(v);
            }
        }
        std::sort(neighbors_.begin() + begin, neighbors_.end());
        neighbor_starts_.push_back(static_cast<std::int32_t>(neighbors_.size()));
    }
}

bool SelfContact::are_neighbors(std::int32_t vertex, std::int32_t face) const {
    const auto f = static_cast<std::size_t>(face);
    const auto begin = neighbors_.begin();
    return std::binary_search(begin + neighbor_starts_[f], begin + neighbor_starts_[f + 1], vertex);
}

void SelfContact::restore(std::span<const SelfPair> pairs) {
    pairs_.assign(pairs.begin(), pairs.end());
}

Eigen::Array3i SelfContact::Grid::cell_of(const Eigen::Array3f& p) const {
    // boxes of faces reach beyond the vertices' own
    return ((p - low) / cell).cast<int>().max(0).min(count - 1);
}

// Vertices are sorted into cells, faces are not: a face looks into the cells that its box meets. False for points that lie
// farther apart than a float can say.
bool SelfContact::sort_vertices(std::span<const float> points, std::span<const float> velocities) {
    const std::size_t n = sorted_.size();
    Eigen::Array3f low = array_at(points, 0), high = low, slowest = array_at(velocities, 0), fastest = slowest;
    for (std::size_t v = 1; v < n; ++v) {
        low = low.min(array_at(points, v));
        high = high.max(array_at(points, v));
        slowest = slowest.min(array_at(velocities, v));
        fastest = fastest.max(array_at(velocities, v));
    }
    if (!(high - low).isFinite().all()) {
        return false;
    }
    fastest_difference_ = fastest - slowest;
    grid_ = {low, cell_, Eigen::Array3i::Ones()};
    // a garment that is spread wide gets larger cells instead of more: there is room for so many
    for (;; grid_.cell *= 1.25f) {
        const Eigen::Array3f counts = (high - low) / grid_.cell + 1.0f;
        if (counts.prod() <= static_cast<float>(most_cells)) {
            grid_.count = counts.cast<int>();
            break;
        }
    }
    const std::size_t cells = static_cast<std::size_t>(grid_.count.prod());
    std::fill_n(cell_starts_.begin(), cells + 2, 0);
    const auto cell = [&](std::size_t v) { return static_cast<std::size_t>(grid_.index(grid_.cell_of(array_at(points, v)))); };
    for (std::size_t v = 0; v < n; ++v) {
        ++cell_starts_[cell(v) + 2];
    }
    for (std::size_t c = 2; c < cells + 2; ++c) {
        cell_starts_[c] += cell_starts_[c - 1];
    }
    // filling advances each start to the next cell's
    for (std::size_t v = 0; v < n; ++v) {
        const auto slot = static_cast<std::size_t>(cell_starts_[cell(v) + 1]++);
        sorted_[slot] = static_cast<std::int32_t>(v);
        // copied beside each other: a face looks at all vertices of some cells
        for (std::size_t k = 0; k < 3; ++k) {
            sorted_points_[k][slot] = points[4 * v + k];
            sorted_velocities_[k][slot] = velocities[4 * v + k];
        }
    }
    return true;
}

// Returns the places in the sorted list of all vertices that are in the face's box, or may come into it within a time.
std::span<const std::int32_t> SelfContact::look_around(const SweepKernels& sweeps, std::int32_t face,
                                                       std::span<const float> points, std::span<const float> velocities,
                                                       float reach, float time) {
    const Face& f = faces_[static_cast<std::size_t>(face)];
    const auto at = [&](std::span<const float> rows, int k) { return array_at(rows, static_cast<std::size_t>(f[k])); };
    const Eigen::Array3f a = at(points, 0), b = at(points, 1), c = at(points, 2);
    const Eigen::Array3f low = a.min(b).min(c), high = a.max(b).max(c), middle = 0.5f * (low + high);
    const Eigen::Array3f half = 0.5f * (high - low) + reach;
    const Eigen::Array3f velocity = (at(velocities, 0) + at(velocities, 1) + at(velocities, 2)) / 3.0f;
    const float farthest = self_approach * distance_;
    MovingBox box{{}, {}, {}, time, farthest};
    Eigen::Map<Eigen::Array3f>(box.middle) = middle;
    Eigen::Map<Eigen::Array3f>(box.half_size) = half;
    Eigen::Map<Eigen::Array3f>(box.velocity) = velocity;
    const SortedPoints sorted{{sorted_points_[0].data(), sorted_points_[1].data(), sorted_points_[2].data()},
                              {sorted_velocities_[0].data(), sorted_velocities_[1].data(), sorted_velocities_[2].data()}};
    // no vertex comes nearer than at the largest difference of speeds
    const Eigen::Array3f wide = half + (fastest_difference_ * time).min(farthest);
    const Eigen::Array3i first = grid_.cell_of(middle - wide), last = grid_.cell_of(middle + wide);
    std::int64_t count = 0;
    // cells along z follow each other in the list: one run for each x and y
    for (int x = first[0]; x <= last[0]; ++x) {
        for (int y = first[1]; y <= last[1]; ++y) {
            const std::int32_t begin = cell_starts_[static_cast<std::size_t>(grid_.index({x, y, first[2]}))];
            const std::int32_t end = cell_starts_[static_cast<std::size_t>(grid_.index({x, y, last[2]})) + 1];
            count += sweeps.find_in_box(sorted, box, begin, end, found_.data() + count);
        }
    }
    return {found_.data(), static_cast<std::size_t>(count)};
}

void SelfContact::gather_face(const SweepKernels& sweeps, std::int32_t face, std::span<const float> points,
                              std::span<const float> velocities, float time) {
    const Face& f = faces_[static_cast<std::size_t>(face)];
    const auto row = [&](std::span<const float> rows, std::int32_t v) {
        return row_point(&rows[4 * static_cast<std::size_t>(v)]);
    };
    const Point4 a = row(points, f[0]), b = row(points, f[1]), c = row(points, f[2]);
    const Point4 velocity = (row(velocities, f[0]) + row(velocities, f[1]) + row(velocities, f[2])) / 3.0f;
    const std::size_t begin_pairs = pairs_.size();
    for (const std::int32_t slot : look_around(sweeps, face, points, velocities, reach_, time)) {
        const std::int32_t v = sorted_[static_cast<std::size_t>(slot)];
        if (are_neighbors(v, face)) {
            continue;
        }
        const Point4 p = row(points, v);
        const float approach = std::min((row(velocities, v) - velocity).norm() * time, self_approach * distance_);
        const Closest closest = closest_point(p, a, b, c);
        if (away_from(closest, p, a, b, c).norm() > reach_ + approach) {
            continue;
        }
        if (pairs_.size() == pairs_.capacity()) {
            ++dropped_count_;
            continue;
        }
        // beside the face a sign means nothing: the side is decided when the vertex comes over it
        const float height = cross(b - a, c - a).dot(p - a);
        pairs_.push_back({v, face, closest.feature != 0 ? 0 : height >= 0.0f ? 1 : -1});
    }
    // in order of vertices, which keep_sides counts on, and which does not depend on the cells
    std::sort(pairs_.begin() + static_cast<std::ptrdiff_t>(begin_pairs), pairs_.end(),
              [](const SelfPair& s, const SelfPair& t) { return s.vertex < t.vertex; });
}

void SelfContact::gather(const SweepKernels& sweeps, std::span<const float> points, std::span<const float> velocities,
                         float time) {
    gathered_points_.assign(points.begin(), points.end());
    gathered_velocities_.assign(velocities.begin(), velocities.end());
    // the last gathering's, which know the sides
    std::swap(pairs_, older_);
    pairs_.clear();
    dropped_count_ = 0;
    // an exploded cloth fits into no cells, and its frame will be refused
    if (!all_finite(points) || !sort_vertices(points, velocities)) {
        return;
    }
    for (std::int32_t face = 0; face < static_cast<std::int32_t>(faces_.size()); ++face) {
        gather_face(sweeps, face, points, velocities, time);
    }
    keep_sides();
}

bool SelfContact::is_outdated(const SweepKernels& sweeps, std::span<const float> points, float time) const {
    // two that were farther apart than the reach may each have come nearer by half of what that is over the distance
    const float most = 0.5f * (reach_ - distance_);
    const auto count = static_cast<std::int64_t>(points.size() / 4);
    return sweeps.largest_deviation(points.data(), gathered_points_.data(), gathered_velocities_.data(), time, 0, count) >
           most * most;
}

// Both lists are in order of faces, then of vertices.
void SelfContact::keep_sides() {
    std::size_t k = 0;
    for (SelfPair& pair : pairs_) {
        const auto before = [&](const SelfPair& old) {
            return old.face != pair.face ? old.face < pair.face : old.vertex < pair.vertex;
        };
        while (k < older_.size() && before(older_[k])) {
            ++k;
        }
        if (k < older_.size() && older_[k].face == pair.face && older_[k].vertex == pair.vertex && older_[k].side != 0) {
            pair.side = older_[k].side;
        }
    }
}

void SelfContact::solve(std::span<const float> predicted, std::span<const float> velocities, float step,
                        std::span<float> points) {
    for (SelfPair& pair : pairs_) {
        solve_pair(pair, predicted.data(), velocities.data(), step, points.data());
    }
}

void SelfContact::solve_pair(SelfPair& pair, const float* predicted, const float* velocities, float step, float* points) const {
    const Face& f = faces_[static_cast<std::size_t>(pair.face)];
    const std::array<std::int32_t, 4> vertices = {pair.vertex, f[0], f[1], f[2]};
    std::array<Point4, 4> x;
    for (std::size_t q = 0; q < 4; ++q) {
        x[q] = row_point(points + 4 * static_cast<std::size_t>(vertices[q]));
    }
    // anew in each substep: the pair is remembered, where they touch is not
    Point4 normal = cross(x[2] - x[1], x[3] - x[1]);
    const float above = normal.dot(x[0] - x[1]) * static_cast<float>(pair.side);
    // most are farther than the distance from the plane, on their side of it, and so from the face
    if (above > 0.0f && above * above > distance_ * distance_ * normal.squaredNorm()) {
        return;
    }
    const Closest closest = closest_point(x[0], x[1], x[2], x[3]);
    // weights of the distance vector, and so its gradients: momentum is kept
    const std::array<float, 4> share = {1.0f, -closest.weights[0], -closest.weights[1], -closest.weights[2]};
    const Point4 away = away_from(closest, x[0], x[1], x[2], x[3]);
    float distance = 0.0f;
    if (closest.feature == 0) {
        normal /= std::max(normal.norm(), 1e-14f);
        const float height = away.dot(normal);
        if (pair.side == 0) {
            pair.side = height >= 0.0f ? 1 : -1;
        }
        normal *= static_cast<float>(pair.side);
        distance = height * static_cast<float>(pair.side);
        if (distance < -reach_) {
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
        const auto v = 4 * static_cast<std::size_t>(vertices[q]);
        weight += points[v + 3] * share[q] * share[q];
        slip += (x[q] - row_point(predicted + v) + row_point(velocities + v) * step) * share[q];
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
        float* row = points + 4 * static_cast<std::size_t>(vertices[q]);
        const float factor = row[3] * share[q] / weight;
        for (int k = 0; k < 3; ++k) {
            row[k] += move[k] * factor;
        }
    }
}

}  // namespace ruckle
