#include "simulation/impact_zones.h"

#include <algorithm>

#include "numeric/dispatch.h"
#include "numeric/finite.h"
#include "simulation/contact_kernels.h"
#include "simulation/limits.h"

namespace ruckle {

namespace {

Eigen::Map<Vector3> vector_at(std::span<float> rows, std::size_t row) {
    return Eigen::Map<Vector3>(&rows[row]);
}

float mean_edge(const Topology& topology, std::span<const Vector3> rest) {
    double sum = 0.0;
    for (const auto& [a, b] : topology.edges) {
        sum += static_cast<double>((rest[static_cast<std::size_t>(a)] - rest[static_cast<std::size_t>(b)]).norm());
    }
    return static_cast<float>(sum / static_cast<double>(topology.edge_count()));
}

}  // namespace

ImpactZones::ImpactZones(const Topology& topology, ClothBlocks& blocks, std::span<const Vector3> rest, std::size_t row_count,
                         float distance, float friction)
    : topology_(topology),
      search_(topology, blocks),
      edge_contact_(topology, rest, distance, friction),
      way_(zone_way * mean_edge(topology, rest)),
      pull_(zone_pull * mean_edge(topology, rest)),
      start_(4 * row_count),
      tangled_(rest.size()),
      member_of_(rest.size(), -1) {
    // reserve memory once, because searches must not allocate; crossings that do not fit are dropped
    found_.reserve(topology.edges.size());
    tangles_.reserve(topology.edges.size());
    members_.reserve(rest.size());
    motions_.reserve(rest.size());
    zone_vertices_.reserve(rest.size());
}

void ImpactZones::place(std::span<const float> points) {
    search_.find(points, tangles_);
    edge_contact_.restore({});
}

void ImpactZones::begin(std::span<const float> points) {
    std::copy(points.begin(), points.end(), start_.begin());
    edge_contact_.update_pairs(points);
}

bool ImpactZones::is_due(std::span<const float> points) const {
    return kernels<ContactKernels>().farthest_way(points.data(), start_.data(), static_cast<std::int64_t>(tangled_.size())) >
           way_;
}

void ImpactZones::restore(std::span<const Crossing> tangles, std::span<const Crossing> pairs) {
    tangles_.assign(tangles.begin(), tangles.end());
    edge_contact_.restore(pairs);
}

void ImpactZones::mark_tangles(std::uint8_t mark) {
    for (const Crossing& tangle : tangles_) {
        for (const std::int32_t v : corners_of(tangle, topology_)) {
            tangled_[static_cast<std::size_t>(v)] = mark;
        }
    }
}

bool ImpactZones::is_tangled(const Crossing& crossing) const {
    const std::array<std::int32_t, 5> corners = corners_of(crossing, topology_);
    return std::any_of(corners.begin(), corners.end(), [&](std::int32_t v) { return tangled_[static_cast<std::size_t>(v)]; });
}

std::size_t ImpactZones::root(std::size_t member) {
    while (static_cast<std::size_t>(members_[member].parent) != member) {
        // path halving: on the way, every second member is linked to its grandparent
        std::int32_t& parent = members_[member].parent;
        parent = members_[static_cast<std::size_t>(parent)].parent;
        member = static_cast<std::size_t>(parent);
    }
    return member;
}

std::size_t ImpactZones::member_of(std::int32_t vertex, std::span<const float> points, std::span<const float> velocities) {
    std::int32_t& member = member_of_[static_cast<std::size_t>(vertex)];
    if (member < 0) {
        member = static_cast<std::int32_t>(members_.size());
        const std::size_t row = 4 * static_cast<std::size_t>(vertex);
        members_.push_back(
            {vertex, member, Eigen::Map<const Vector3>(&points[row]), Eigen::Map<const Vector3>(&velocities[row]), 1.0f, -1});
        zone_vertices_.push_back(vertex);
    }
    return static_cast<std::size_t>(member);
}

// Removes crossings with a vertex of a tangle from found_. Adds the vertices of the others to zones, merges zones that
// they join, reduces the shares of these vertices once per round, and adds the pairs to edge_contact_. Returns false if
// no crossing remains.
bool ImpactZones::grow_zones(int round, std::span<const float> points, std::span<const float> velocities) {
    std::erase_if(found_, [&](const Crossing& crossing) { return is_tangled(crossing); });
    for (const Crossing& crossing : found_) {
        const std::array<std::int32_t, 5> corners = corners_of(crossing, topology_);
        const std::size_t zone = root(member_of(corners[0], points, velocities));
        for (const std::int32_t v : std::span(corners).subspan(1)) {
            const std::size_t other = root(member_of(v, points, velocities));
            members_[other].parent = static_cast<std::int32_t>(zone);
        }
        edge_contact_.hold(crossing);
    }
    for (const Crossing& crossing : found_) {
        for (const std::int32_t v : corners_of(crossing, topology_)) {
            Member& member = members_[static_cast<std::size_t>(member_of_[static_cast<std::size_t>(v)])];
            if (member.round != round) {
                member.round = round;
                // an edge that has just passed a face is moved back by half its motion relative to the zone, about to
                // the point of contact; shares up to least_zone_share become 0
                member.share = member.share > least_zone_share ? 0.5f * member.share : 0.0f;
            }
        }
    }
    return !found_.empty();
}

void ImpactZones::lessen_shares() {
    for (Member& member : members_) {
        member.share *= 0.5f;
    }
}

// Moves each vertex of a zone to its safe position plus the zone's mean motion plus `share` of its own motion relative
// to that, and sets its velocity to the zone's mean velocity. Means are weighted by mass. Pinned vertices do not move.
void ImpactZones::move_zones(std::span<float> points, std::span<float> velocities) {
    const auto start_of = [&](std::int32_t v) { return Eigen::Map<const Vector3>(&start_[4 * static_cast<std::size_t>(v)]); };
    motions_.assign(members_.size(), {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), 0.0});
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const Member& member = members_[i];
        // the large mass of fixed vertices makes the whole zone move with them
        const float inverse = points[4 * static_cast<std::size_t>(member.vertex) + 3];
        const double mass = inverse > 0.0f ? 1.0 / static_cast<double>(inverse) : pinned_zone_mass;
        Motion& zone = motions_[root(i)];
        zone.way += mass * (member.point - start_of(member.vertex)).cast<double>();
        zone.velocity += mass * member.velocity.cast<double>();
        zone.mass += mass;
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const Member& member = members_[i];
        const std::size_t zone = root(i), row = 4 * static_cast<std::size_t>(member.vertex);
        if (points[row + 3] == 0.0f) {
            continue;
        }
        const Vector3 start = start_of(member.vertex), way = (motions_[zone].way / motions_[zone].mass).cast<float>();
        vector_at(points, row) = start + way + member.share * (member.point - start - way);
        vector_at(velocities, row) = (motions_[zone].velocity / motions_[zone].mass).cast<float>();
    }
}

void ImpactZones::end_zones() {
    for (const Member& member : members_) {
        member_of_[static_cast<std::size_t>(member.vertex)] = -1;
    }
    members_.clear();
    zone_vertices_.clear();
}

// Returns true if a rollback moved a vertex so far that edges around zones are stretched.
bool ImpactZones::pulls_far(std::span<const float> points) const {
    return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
        const Vector3 now = Eigen::Map<const Vector3>(&points[4 * static_cast<std::size_t>(member.vertex)]);
        return (now - member.point).norm() > pull_;
    });
}

bool ImpactZones::roll_back_crossings(std::span<float> points, std::span<float> velocities) {
    end_zones();
    // points that are not finite: the cloth has exploded, and measure() will reject this frame
    if (!all_finite(points)) {
        return false;
    }
    search_.find(points, found_);
    mark_tangles(1);
    const bool has_tangles = !tangles_.empty();
    bool is_clear = true;
    for (int round = 0; round < most_zone_rounds; ++round) {
        const bool crosses = grow_zones(round, points, velocities);
        if (!crosses && is_clear) {
            break;
        }
        if (!crosses) {
            // nothing crosses now: reduce all shares once more, because otherwise the separated layers would touch
            lessen_shares();
        }
        is_clear = !crosses;
        move_zones(points, velocities);
        search_.find_around(zone_vertices_, points, found_);
    }
    mark_tangles(0);
    if (has_tangles) {
        // find_around() has searched only near zones, but tangles may be elsewhere, so search everything again
        search_.find(points, tangles_);
    } else {
        tangles_.swap(found_);
    }
    return pulls_far(points);
}

}  // namespace ruckle
