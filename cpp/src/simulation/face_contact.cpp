#include "simulation/face_contact.h"

#include <algorithm>
#include <cmath>

namespace ruckle {

namespace {

// Returns the number of equal intervals into which a length is divided: the smallest number for which an interval is at
// most `spacing` long, or 64 if that number is larger.
int pieces(float length, float spacing) {
    // limits time and memory. If an edge needed more intervals, `spacing` would be far below the size of body parts, so
    // longer intervals suffice
    constexpr float most = 64.0f;
    return static_cast<int>(std::ceil(std::min(length / spacing, most)));
}

}  // namespace

FaceContact::FaceContact(const Topology& topology, const Rows& points, float spacing) {
    const auto length = [&](std::int32_t a, std::int32_t b) {
        return (points.vector(static_cast<std::size_t>(a)) - points.vector(static_cast<std::size_t>(b))).norm();
    };
    for (const auto& edge : topology.edges) {
        const int count = pieces(length(edge[0], edge[1]), spacing);
        for (int k = 1; k < count; ++k) {
            const float share = static_cast<float>(k) / static_cast<float>(count);
            add(points, {edge[0], edge[1], edge[1]}, {1.0f - share, share, 0.0f});
        }
    }
    for (const Face& f : topology.faces) {
        const int count = pieces(std::max({length(f[0], f[1]), length(f[1], f[2]), length(f[2], f[0])}), spacing);
        for (int i = 1; i < count; ++i) {
            for (int j = 1; i + j < count; ++j) {
                const float first = static_cast<float>(i) / static_cast<float>(count);
                const float second = static_cast<float>(j) / static_cast<float>(count);
                add(points, {f[0], f[1], f[2]}, {first, second, 1.0f - first - second});
            }
        }
    }
}

void FaceContact::add(const Rows& points, const std::array<std::int32_t, 3>& corners, const std::array<float, 3>& weights) {
    const bool is_free = std::any_of(corners.begin(), corners.end(),
                                     [&](std::int32_t v) { return points[static_cast<std::size_t>(v)][3] > 0.0f; });
    if (is_free) {
        points_.push_back({corners, weights});
    }
}

Point4 FaceContact::at(std::size_t point, const Rows& rows) const {
    const FacePoint& p = points_[point];
    Point4 sum = Point4::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
        sum += row_point(rows[static_cast<std::size_t>(p.corners[k])]) * p.weights[k];
    }
    return sum;
}

void FaceContact::push_out(const BodyMesh& body, const ContactFactors& factors, const Rows& velocities, Rows& points,
                           Rows& predicted, std::span<NearBody> near) const {
    for (std::size_t i = 0; i < points_.size(); ++i) {
        // skips points that are far from the body, which are most
        if (near[i].faces[0] < 0) {
            continue;
        }
        const Point4 from = at(i, points), from_predicted = at(i, predicted), velocity = at(i, velocities);
        Point4 row = from, row_predicted = from_predicted;
        body.push_out(factors, velocity.data(), row.data(), row_predicted.data(), near[i]);
        const Point4 move = row - from, silent = row_predicted - from_predicted;
        if ((move.array() == 0.0f).all()) {
            continue;
        }
        // each corner moves in proportion to its weight and inverse mass, so that momentum is conserved and the point
        // reaches its pushed position
        const FacePoint& p = points_[i];
        float weight = 0.0f;
        for (std::size_t k = 0; k < 3; ++k) {
            weight += points[static_cast<std::size_t>(p.corners[k])][3] * p.weights[k] * p.weights[k];
        }
        // skips points whose corners are all fixed: pinned, or pinched by the body
        if (weight <= 0.0f) {
            continue;
        }
        for (std::size_t k = 0; k < 3; ++k) {
            const auto v = static_cast<std::size_t>(p.corners[k]);
            const float share = points[v][3] * p.weights[k] / weight;
            points.vector(v) += share * move.head<3>();
            predicted.vector(v) += share * silent.head<3>();
        }
    }
}

}  // namespace ruckle
