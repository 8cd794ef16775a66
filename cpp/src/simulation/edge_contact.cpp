#include "simulation/edge_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/closest_point.h"
#include "simulation/limits.h"

namespace ruckle {

namespace {

// Closest points of an edge and a face.
struct ClosestPair {
    // weights of five points: the two ends of the edge, then the three corners of the face with negative sign; Σ share · point
    // is `away`
    std::array<float, 5> shares;
    Vector3 away;  // m, from the point on the face to the point on the edge
    float square;  // m², squared length of `away`
};

Point4 padded(const Vector3& point) {
    return {point[0], point[1], point[2], 0.0f};
}

ClosestPair weighted(const std::array<Vector3, 5>& x, const std::array<float, 5>& shares) {
    Vector3 away = Vector3::Zero();
    for (std::size_t q = 0; q < 5; ++q) {
        away += x[q] * shares[q];
    }
    return {shares, away, away.squaredNorm()};
}

// Returns the positions of the closest points on the edges pq and ab, in this order, each in [0, 1] (Ericson 2005,
// 5.1.9). Positions may be NaN if an edge has length 0; closest_pair() ignores such a result.
std::array<float, 2> closest_on_edges(const Vector3& p, const Vector3& q, const Vector3& a, const Vector3& b) {
    const Vector3 first = q - p, second = b - a, from = p - a;
    const float ff = first.squaredNorm(), ss = second.squaredNorm(), fs = first.dot(second);
    const float f = first.dot(from), s = second.dot(from), determinant = ff * ss - fs * fs;
    // for (nearly) parallel edges, uses the middle of the first edge
    const float along = determinant > 1e-6f * ff * ss ? std::clamp((fs * s - f * ss) / determinant, 0.0f, 1.0f) : 0.5f;
    const float other = (fs * along + s) / ss;
    if (other < 0.0f) {
        return {std::clamp(-f / ff, 0.0f, 1.0f), 0.0f};
    }
    if (other > 1.0f) {
        return {std::clamp((fs - f) / ff, 0.0f, 1.0f), 1.0f};
    }
    return {along, other};
}

// Returns the closest points of an edge and a face that do not cross: an end and the face, or the edge and a side of
// the face.
ClosestPair closest_pair(const std::array<Vector3, 5>& x) {
    ClosestPair best{{}, Vector3::Zero(), std::numeric_limits<float>::max()};
    const auto take = [&](const std::array<float, 5>& shares) {
        if (const ClosestPair pair = weighted(x, shares); pair.square < best.square) {
            best = pair;
        }
    };
    for (std::size_t end = 0; end < 2; ++end) {
        const auto [a, b, c] = closest_point(padded(x[end]), padded(x[2]), padded(x[3]), padded(x[4])).weights;
        take({end == 0 ? 1.0f : 0.0f, end == 1 ? 1.0f : 0.0f, -a, -b, -c});
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t next = (k + 1) % 3;
        const auto [along, other] = closest_on_edges(x[0], x[1], x[2 + k], x[2 + next]);
        std::array<float, 5> shares = {1.0f - along, along, 0.0f, 0.0f, 0.0f};
        shares[2 + k] = other - 1.0f;
        shares[2 + next] = -other;
        take(shares);
    }
    return best;
}

}  // namespace

std::array<std::int32_t, 5> corners_of(const Crossing& pair, const Topology& topology) {
    const auto& [first, second] = topology.edges[static_cast<std::size_t>(pair.edge)];
    const Face& face = topology.faces[static_cast<std::size_t>(pair.face)];
    return {first, second, face[0], face[1], face[2]};
}

EdgeContact::EdgeContact(const Topology& topology, std::span<const Vector3> rest, float distance, float friction)
    : topology_(topology), rest_(rest.begin(), rest.end()), distance_(distance), friction_(friction) {
    pairs_.reserve(rest.size());
    partings_.reserve(rest.size());
}

void EdgeContact::hold(const Crossing& pair) {
    const auto place = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
    // if the list is full, the pair is dropped; if its edge crosses the face again, impact zones roll it back again
    if ((place == pairs_.end() || *place != pair) && pairs_.size() < pairs_.capacity()) {
        pairs_.insert(place, pair);
    }
}

EdgeContact::Parting EdgeContact::parting_of(const Crossing& pair) const {
    Parting parting{corners_of(pair, topology_), {}, Vector3::Zero(), 0.0f, 0.0f};
    std::array<Vector3, 5> rest;
    for (std::size_t q = 0; q < 5; ++q) {
        rest[q] = rest_[static_cast<std::size_t>(parting.vertices[q])];
    }
    parting.distance = std::min(edge_share * distance_, edge_rest * std::sqrt(closest_pair(rest).square));
    return parting;
}

void EdgeContact::measure(std::span<const float> points, Parting& parting) {
    std::array<Vector3, 5> now;
    for (std::size_t q = 0; q < 5; ++q) {
        now[q] = Eigen::Map<const Vector3>(&points[4 * static_cast<std::size_t>(parting.vertices[q])]);
    }
    const ClosestPair closest = closest_pair(now);
    parting.apart = std::sqrt(closest.square);
    if (parting.apart > least_edge_distance && closest.away.dot(parting.direction) >= 0.0f) {
        parting.shares = closest.shares;
        parting.direction = closest.away / parting.apart;
    }
}

void EdgeContact::update_pairs(std::span<const float> points) {
    partings_.clear();
    std::erase_if(pairs_, [&](const Crossing& pair) {
        Parting parting = parting_of(pair);
        measure(points, parting);
        const bool is_over = parting.apart > self_reach * distance_ || parting.apart <= least_edge_distance;
        if (!is_over) {
            partings_.push_back(parting);
        }
        return is_over;
    });
}

void EdgeContact::follow(std::span<const float> points) {
    for (Parting& parting : partings_) {
        measure(points, parting);
    }
}

// Uses the same formulas as contact_kernel.cpp for vertices and faces.
void EdgeContact::solve(std::span<const float> predicted, std::span<const float> velocities, float step,
                        std::span<float> points) const {
    using Row = Eigen::Map<const Vector3>;
    for (const auto& [vertices, shares, direction, distance, apart] : partings_) {
        Vector3 away = Vector3::Zero(), slip = Vector3::Zero();
        float weight = 0.0f;
        for (std::size_t q = 0; q < 5; ++q) {
            const std::size_t row = 4 * static_cast<std::size_t>(vertices[q]);
            const Vector3 now = Row(&points[row]), from = Row(&predicted[row]) - Row(&velocities[row]) * step;
            away += shares[q] * now;
            slip += shares[q] * (now - from);
            weight += shares[q] * shares[q] * points[row + 3];
        }
        const float missing = distance - away.dot(direction);
        // skips pairs that are far enough apart, and pairs whose vertices are all pinned (weight 0)
        if (missing <= 0.0f || weight == 0.0f) {
            continue;
        }
        slip -= direction * slip.dot(direction);
        const float held = std::min(1.0f, friction_ * missing / std::max(slip.norm(), 1e-12f));
        const Vector3 move = direction * std::min(self_push * missing, 0.5f * distance_) - held * slip;
        for (std::size_t q = 0; q < 5; ++q) {
            const std::size_t row = 4 * static_cast<std::size_t>(vertices[q]);
            Eigen::Map<Vector3>(&points[row]) += move * (shares[q] * points[row + 3] / weight);
        }
    }
}

}  // namespace ruckle
