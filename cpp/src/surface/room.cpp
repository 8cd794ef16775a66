#include "surface/room.h"

#include <algorithm>
#include <numeric>

#include "constants.h"
#include "numeric/closest_point.h"

namespace ruckle {

namespace {

constexpr std::int32_t leaf_faces = 4;
// Faces in one thread's share of a search.
constexpr int searched_faces = 256;

// Points inside an open edge that meet other layers, as shares of the edge.
constexpr std::array hem_points{0.25f, 0.5f, 0.75f};

// Deepest nesting of boxes: each level halves the faces, of which there are less than 2^31.
constexpr int most_nesting = 40;

float smooth_share(float cosine) {
    return std::clamp((cosine - widest_room_cosine) / (full_room_cosine - widest_room_cosine), 0.0f, 1.0f);
}

}  // namespace

struct Room::Query {
    std::array<Point4, 3> corners;
    Point4 normal;  // unit
    Point4 low, high;
    HeightRange range;

    // Raises the crowding by a pair of points: one on this face, one on a face of another layer with this normal.
    void meet(const Point4& own, const Point4& other, const Point4& other_normal, Crowding& found) const {
        const Point4 way = other - own;
        const float along = dot(normal, way), distance = std::sqrt(dot(way, way));
        const float height = along > 0.0f ? range.outside : range.inside;
        if (!(distance > 0.0f && height > 0.0f)) {
            return;
        }
        const float facing = smooth_share(std::abs(along) / distance);
        // the other layer's heights need some of the gap if they may come closer
        const float share = range.inside > 0.0f ? common_gap_share : own_gap_share(dot(normal, other_normal));
        const float crowding = facing / (share * distance) - 0.5f / height;
        float& kept = along > 0.0f ? found.outside : found.inside;
        kept = std::max(kept, crowding);
    }

  private:
    // Heights that only move outward approach a layer that faces them, and no other.
    static float own_gap_share(float agreement) { return common_gap_share * (1.5f + 0.5f * std::clamp(agreement, -1.0f, 1.0f)); }
};

Room::Room(const Topology& topology, ThreadPool* pool) : topology_(topology), pool_(pool) {
    find_layers();
    if (is_shared()) {
        points_.resize(static_cast<std::size_t>(topology.vertex_count));
        of_faces_.resize(topology.faces.size());
        of_vertices_.resize(static_cast<std::size_t>(topology.vertex_count));
    }
}

void Room::find_layers() {
    layers_.assign(topology_.faces.size(), -1);
    std::vector<std::int32_t> open;
    for (std::int32_t seed = 0; seed < topology_.face_count(); ++seed) {
        if (layers_[seed] >= 0) {
            continue;
        }
        layers_[seed] = layer_count_;
        open.assign(1, seed);
        while (!open.empty()) {
            const std::int32_t face = open.back();
            open.pop_back();
            // over vertices and not only over edges: faces that touch in a vertex move together
            for (const std::int32_t vertex : topology_.faces[face]) {
                for (std::int32_t i = topology_.vertex_offsets[vertex]; i < topology_.vertex_offsets[vertex + 1]; ++i) {
                    const std::int32_t next = topology_.vertex_faces[i];
                    if (layers_[next] < 0) {
                        layers_[next] = layer_count_;
                        open.push_back(next);
                    }
                }
            }
        }
        ++layer_count_;
    }
}

void Room::build(std::span<const Vector3> positions) {
    std::vector<Vector3> centers;
    for (const Face& corners : topology_.faces) {
        centers.push_back(positions[corners[0]] + positions[corners[1]] + positions[corners[2]]);
    }
    tree_faces_.resize(topology_.faces.size());
    std::iota(tree_faces_.begin(), tree_faces_.end(), 0);
    build_box(0, topology_.face_count(), centers);
}

// Halves the faces along the longest axis. The tree determines only the time of a search and not its result.
void Room::build_box(std::int32_t begin, std::int32_t end, std::span<const Vector3> centers) {
    const std::size_t box = tree_.size();
    tree_.push_back({Point4::Zero(), Point4::Zero(), begin, end - begin});
    if (end - begin <= leaf_faces) {
        return;
    }
    Vector3 low = centers[tree_faces_[begin]], high = low;
    for (std::int32_t i = begin; i < end; ++i) {
        low = low.cwiseMin(centers[tree_faces_[i]]), high = high.cwiseMax(centers[tree_faces_[i]]);
    }
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const std::int32_t middle = begin + (end - begin) / 2;
    std::nth_element(tree_faces_.begin() + begin, tree_faces_.begin() + middle, tree_faces_.begin() + end,
                     [&](std::int32_t a, std::int32_t b) {
                         return centers[a][axis] < centers[b][axis] || (centers[a][axis] == centers[b][axis] && a < b);
                     });
    build_box(begin, middle, centers);
    tree_[box].first = static_cast<std::int32_t>(tree_.size()), tree_[box].count = 0;
    build_box(middle, end, centers);
}

// Children follow their parents, so that one pass from the last box fits all.
void Room::fit() {
    for (std::size_t number = tree_.size(); number-- > 0;) {
        Box& box = tree_[number];
        if (box.count == 0) {
            const Box &left = tree_[number + 1], &right = tree_[box.first];
            box.low = left.low.cwiseMin(right.low), box.high = left.high.cwiseMax(right.high);
            continue;
        }
        box.low = box.high = points_[topology_.faces[tree_faces_[box.first]][0]];
        for (std::int32_t i = box.first; i < box.first + box.count; ++i) {
            for (const std::int32_t vertex : topology_.faces[tree_faces_[i]]) {
                box.low = box.low.cwiseMin(points_[vertex]), box.high = box.high.cwiseMax(points_[vertex]);
            }
        }
    }
}

void Room::measure(std::span<const Vector3> positions, const HeightRange& range, std::span<const std::uint8_t> raised) {
    if (!is_shared()) {
        return;
    }
    std::fill(of_vertices_.begin(), of_vertices_.end(), Crowding{});
    if (!(std::max(range.outside, range.inside) > 0.0f)) {
        return;
    }
    std::transform(positions.begin(), positions.end(), points_.begin(), point4);
    if (tree_.empty()) {
        build(positions);
    }
    fit();
    for_chunks(pool_, topology_.face_count(), searched_faces, [&](std::int64_t begin, std::int64_t end, int) {
        for (auto face = static_cast<std::int32_t>(begin); face < end; ++face) {
            of_faces_[face] = raised[face] != 0 ? crowding_of(face, range) : Crowding{};
        }
    });
    for (std::int32_t face = 0; face < topology_.face_count(); ++face) {
        for (const std::int32_t vertex : topology_.faces[face]) {
            Crowding& kept = of_vertices_[vertex];
            kept.outside = std::max(kept.outside, of_faces_[face].outside);
            kept.inside = std::max(kept.inside, of_faces_[face].inside);
        }
    }
}

Crowding Room::crowding_of(std::int32_t face, const HeightRange& range) const {
    const Face& corners = topology_.faces[face];
    Query query{.corners = {points_[corners[0]], points_[corners[1]], points_[corners[2]]},
                .normal = {},
                .low = {},
                .high = {},
                .range = range};
    const Point4 normal = cross(query.corners[1] - query.corners[0], query.corners[2] - query.corners[0]);
    const float size = std::sqrt(dot(normal, normal));
    Crowding found;
    if (!(size > 0.0f)) {
        return found;
    }
    query.normal = normal / size;
    // crowding is 0 from here on
    const float reach = 2.0f * std::max(range.outside, range.inside) / common_gap_share;
    const Point4 margin(reach, reach, reach, 0.0f);
    query.low = query.corners[0].cwiseMin(query.corners[1]).cwiseMin(query.corners[2]) - margin;
    query.high = query.corners[0].cwiseMax(query.corners[1]).cwiseMax(query.corners[2]) + margin;
    std::array<std::int32_t, most_nesting> open;
    int count = 0;
    open[count++] = 0;
    while (count > 0) {
        const std::int32_t number = open[--count];
        const Box& box = tree_[number];
        if ((box.low.array() > query.high.array()).any() || (query.low.array() > box.high.array()).any()) {
            continue;
        }
        if (box.count == 0) {
            open[count++] = box.first;
            open[count++] = number + 1;
            continue;
        }
        for (std::int32_t i = box.first; i < box.first + box.count; ++i) {
            if (layers_[tree_faces_[i]] != layers_[face]) {
                meet(query, tree_faces_[i], found);
            }
        }
    }
    return found;
}

void Room::meet(const Query& query, std::int32_t face, Crowding& found) const {
    const Face& corners = topology_.faces[face];
    const std::array<Point4, 3> others{points_[corners[0]], points_[corners[1]], points_[corners[2]]};
    const Point4 low = others[0].cwiseMin(others[1]).cwiseMin(others[2]);
    const Point4 high = others[0].cwiseMax(others[1]).cwiseMax(others[2]);
    if ((low.array() > query.high.array()).any() || (query.low.array() > high.array()).any()) {
        return;
    }
    const auto above = [&](const Point4& point) { return dot(query.normal, point - query.corners[0]); };
    // most pairs end here: the layer below, if heights only move outward
    if (!(query.range.inside > 0.0f) && std::max({above(others[0]), above(others[1]), above(others[2])}) <= 0.0f) {
        return;
    }
    const Point4 normal = cross(others[1] - others[0], others[2] - others[0]);
    const float size = std::sqrt(dot(normal, normal));
    if (!(size > 0.0f)) {
        return;
    }
    const Point4 unit = normal / size;
    const auto at = [](const std::array<Point4, 3>& triangle, const Point4& point) -> Point4 {
        const auto [a, b, c] = closest_point(point, triangle[0], triangle[1], triangle[2]).weights;
        return a * triangle[0] + b * triangle[1] + c * triangle[2];
    };
    const auto meet_point = [&](const Point4& point) { query.meet(at(query.corners, point), point, unit, found); };
    for (int k = 0; k < 3; ++k) {
        query.meet(query.corners[k], at(others, query.corners[k]), unit, found);
        meet_point(others[k]);
        if (topology_.face_neighbors[face][k] < 0) {
            for (const float share : hem_points) {
                meet_point(others[k] + share * (others[(k + 1) % 3] - others[k]));
            }
        }
    }
    const Point4 middle = (query.corners[0] + query.corners[1] + query.corners[2]) / 3.0f;
    query.meet(middle, at(others, middle), unit, found);
}

}  // namespace ruckle
