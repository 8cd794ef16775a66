#include "simulation/self_contact.h"

#include <algorithm>
#include <cmath>

#include "simulation/limits.h"

namespace ruckle {

namespace {

Eigen::Array3f array_at(std::span<const float> points, std::size_t vertex) {
    return Eigen::Array3f(points[4 * vertex], points[4 * vertex + 1], points[4 * vertex + 2]);
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
    for (const Vector3& p : rest) {
        rest_.push_back(p.array());
    }
    cell_starts_.resize(most_cells + 2);
    sorted_.resize(rest.size());
    sorted_points_.resize(rest.size());
    // once: gatherings drop, and count, what does not fit, but they do not allocate
    pairs_.reserve(pairs_per_vertex * rest.size());
    older_.reserve(pairs_per_vertex * rest.size());
}

void SelfContact::restore(std::span<const SelfPair> pairs) {
    pairs_.assign(pairs.begin(), pairs.end());
}

Eigen::Array3i SelfContact::Grid::cell_of(const Eigen::Array3f& p) const {
    // boxes of faces reach beyond the vertices' own
    return ((p - low) / cell).cast<int>().max(0).min(count - 1);
}

void SelfContact::sort_vertices(std::span<const float> points) {
    const std::size_t n = sorted_.size();
    Eigen::Array3f low = array_at(points, 0), high = low;
    for (std::size_t v = 1; v < n; ++v) {
        low = low.min(array_at(points, v));
        high = high.max(array_at(points, v));
    }
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
        sorted_points_[slot] = row_point(&points[4 * v]);
    }
}

void SelfContact::gather_face(std::int32_t face, std::span<const float> points) {
    const Face& f = faces_[static_cast<std::size_t>(face)];
    const auto corner = [&](int k) { return row_point(&points[4 * static_cast<std::size_t>(f[k])]); };
    const Point4 a = corner(0), b = corner(1), c = corner(2), inflate(reach_, reach_, reach_, 1.0f);
    const Point4 low = a.cwiseMin(b).cwiseMin(c) - inflate, high = a.cwiseMax(b).cwiseMax(c) + inflate;
    const Eigen::Array3i first = grid_.cell_of(low.head<3>().array()), last = grid_.cell_of(high.head<3>().array());
    const std::size_t begin_pairs = pairs_.size();
    // neighbours at rest never repel: they are nearer than layers may be
    const auto near_at_rest = [&](std::int32_t v, std::int32_t other) {
        return (rest_[static_cast<std::size_t>(v)] - rest_[static_cast<std::size_t>(other)]).matrix().norm() <
               self_rest * distance_;
    };
    const auto consider = [&](std::size_t slot) {
        const Point4& p = sorted_points_[slot];
        const std::int32_t v = sorted_[slot];
        // the cheapest test first; a vertex of the face itself is no other layer
        if (((p.array() < low.array()) || (p.array() > high.array())).any() || v == f[0] || v == f[1] || v == f[2]) {
            return;
        }
        const Point4 normal = cross(b - a, c - a);
        const float square = normal.squaredNorm(), height = normal.dot(p - a);
        // farther from the plane than the reach: without a root, and before the closest point is looked for
        if (height * height > reach_ * reach_ * square) {
            return;
        }
        if (near_at_rest(v, f[0]) || near_at_rest(v, f[1]) || near_at_rest(v, f[2])) {
            return;
        }
        const Closest closest = closest_point(p, a, b, c);
        const Point4 away = p - a * closest.weights[0] - b * closest.weights[1] - c * closest.weights[2];
        if (away.squaredNorm() > reach_ * reach_) {
            return;
        }
        if (pairs_.size() == pairs_.capacity()) {
            ++dropped_count_;
            return;
        }
        // beside the face a sign means nothing: the side is decided when the vertex comes over it
        pairs_.push_back({v, face, closest.feature != 0 ? 0 : height >= 0.0f ? 1 : -1});
    };
    // cells along z follow each other in the list: one run for each x and y
    for (int x = first[0]; x <= last[0]; ++x) {
        for (int y = first[1]; y <= last[1]; ++y) {
            const auto begin = static_cast<std::size_t>(cell_starts_[static_cast<std::size_t>(grid_.index({x, y, first[2]}))]);
            const auto end = static_cast<std::size_t>(cell_starts_[static_cast<std::size_t>(grid_.index({x, y, last[2]})) + 1]);
            for (std::size_t slot = begin; slot < end; ++slot) {
                consider(slot);
            }
        }
    }
    // in order of vertices, which keep_sides counts on, and which does not depend on the cells
    std::sort(pairs_.begin() + static_cast<std::ptrdiff_t>(begin_pairs), pairs_.end(),
              [](const SelfPair& s, const SelfPair& t) { return s.vertex < t.vertex; });
}

void SelfContact::gather(std::span<const float> points) {
    // the last gathering's, which know the sides
    std::swap(pairs_, older_);
    pairs_.clear();
    dropped_count_ = 0;
    // vertices are sorted into cells, faces are not: a face looks into the cells that its box meets
    sort_vertices(points);
    for (std::int32_t face = 0; face < static_cast<std::int32_t>(faces_.size()); ++face) {
        gather_face(face, points);
    }
    keep_sides();
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
    const Closest closest = closest_point(x[0], x[1], x[2], x[3]);
    // weights of the distance vector, and so its gradients: momentum is kept
    const std::array<float, 4> share = {1.0f, -closest.weights[0], -closest.weights[1], -closest.weights[2]};
    const Point4 away = x[0] + x[1] * share[1] + x[2] * share[2] + x[3] * share[3];
    Point4 normal = cross(x[2] - x[1], x[3] - x[1]);
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
