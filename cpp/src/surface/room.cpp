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

// Points inside an open edge that are compared with other layers, as shares of the edge.
constexpr std::array hem_points{0.25f, 0.5f, 0.75f};

// Deepest nesting of boxes: each level halves the faces, of which there are less than 2^31.
constexpr int most_nesting = 40;

// The crowding is 0 if the largest height is at most this share of the free distance.
constexpr float free_use = 0.625f;

// Distance of a triangle's farthest corner from a point.
float farthest(const std::array<Point4, 3>& corners, const Point4& from) {
    float most = 0.0f;
    for (const Point4& corner : corners) {
        const Point4 way = corner - from;
        most = std::max(most, dot(way, way));
    }
    return rounding_margin * std::sqrt(most);
}

float smooth_share(float cosine) {
    return std::clamp((cosine - widest_room_cosine) / (full_room_cosine - widest_room_cosine), 0.0f, 1.0f);
}

}  // namespace

struct Room::Query {
    std::array<Point4, 3> corners;
    Point4 normal{};  // unit
    Point4 middle{};
    HeightRange range{};
    float radius = 0.0f;  // of the face around its middle
    Point4 low{}, high{};
    Crowding found{};

    // Distances above and below the face beyond which no point increases the crowding.
    float reach_outside() const { return reach(range.outside, found.outside); }
    float reach_inside() const { return reach(range.inside, found.inside); }

    // Computes a bounding box of all points that may increase the crowding: cones of 60° above and below the face.
    void bound() {
        const Point4 across = (Point4(1.0f, 1.0f, 1.0f, 0.0f) - normal.cwiseProduct(normal)).cwiseMax(0.0f).cwiseSqrt();
        // farthest extent of a cone along an axis, and against it
        const auto extent = [&](const Point4& along) {
            const Point4 rim = widest_room_cosine * along + widest_room_sine * across;
            return Point4((along.array() >= widest_room_cosine).select(Point4::Ones(), rim.cwiseMax(0.0f)));
        };
        const Point4 with = extent(normal), against = extent(-normal);
        const float outside = rounding_margin * reach_outside(), inside = rounding_margin * reach_inside();
        high = corners[0].cwiseMax(corners[1]).cwiseMax(corners[2]) + (outside * with).cwiseMax(inside * against);
        low = corners[0].cwiseMin(corners[1]).cwiseMin(corners[2]) - (outside * against).cwiseMax(inside * with);
    }

    // Increases the crowding for a pair of points: `own` on this face, `other` on a face of another layer with normal
    // other_normal. Returns true if the crowding has changed.
    bool meet(const Point4& own, const Point4& other, const Point4& other_normal) {
        const Point4 way = other - own;
        const float along = dot(normal, way), distance = std::sqrt(dot(way, way));
        const float height = along > 0.0f ? range.outside : range.inside;
        if (!(distance > 0.0f && height > 0.0f)) {
            return false;
        }
        const float facing = smooth_share(std::abs(along) / distance);
        // the other layer needs a part of the gap if its heights reduce the gap
        const float share = range.inside > 0.0f ? common_gap_share : own_gap_share(dot(normal, other_normal));
        const float crowding = facing / (share * distance) - free_use / height;
        float& kept = along > 0.0f ? found.outside : found.inside;
        const bool raises = crowding > kept;
        kept = raises ? crowding : kept;
        return raises;
    }

  private:
    static float reach(float height, float crowding) {
        return height > 0.0f ? 1.0f / (common_gap_share * (crowding + free_use / height)) : 0.0f;
    }
    // Share of the gap for this layer if heights are outward only: the other layer's heights reduce the gap only if it faces this
    // one.
    static float own_gap_share(float agreement) { return common_gap_share * (1.5f + 0.5f * std::clamp(agreement, -1.0f, 1.0f)); }
};

Room::Room(const Topology& topology, ThreadPool* pool) : topology_(topology), pool_(pool) {
    find_layers();
    if (is_shared()) {
        points_.resize(static_cast<std::size_t>(topology.vertex_count));
        of_faces_.resize(topology.faces.size());
        partners_.assign(topology.faces.size(), -1);
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
            // faces with a common vertex belong to the same layer
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

// Divides the faces into two halves along the longest axis. The tree affects only the time of a search, not its result.
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

// Computes all boxes in one pass from the last one, because children are stored after their parents.
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

Crowding Room::crowding_of(std::int32_t face, const HeightRange& range) {
    const Face& corners = topology_.faces[face];
    Query query{.corners = {points_[corners[0]], points_[corners[1]], points_[corners[2]]}, .range = range};
    const auto& [first, second, third] = query.corners;
    const Point4 normal = cross(second - first, third - first);
    const float size = std::sqrt(dot(normal, normal));
    if (!(size > 0.0f)) {
        return {};
    }
    query.normal = normal / size;
    query.middle = (first + second + third) / 3.0f;
    query.radius = farthest(query.corners, query.middle);
    const std::int32_t partner = partners_[face];
    partners_[face] = -1;
    // test the face first that limited this one in the last frame
    if (partner >= 0 && meet(query, partner)) {
        partners_[face] = partner;
    }
    query.bound();
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
            if (layers_[tree_faces_[i]] != layers_[face] && meet(query, tree_faces_[i])) {
                partners_[face] = tree_faces_[i];
                query.bound();
            }
        }
    }
    return query.found;
}

// Compares the points of two faces. Returns true if the other face increases the crowding.
bool Room::meet(Query& query, std::int32_t face) const {
    const Face& corners = topology_.faces[face];
    const std::array<Point4, 3> others{points_[corners[0]], points_[corners[1]], points_[corners[2]]};
    const Point4 middle = (others[0] + others[1] + others[2]) / 3.0f, way = middle - query.middle;
    const float radius = query.radius + farthest(others, middle), square = dot(way, way), along = dot(query.normal, way);
    // most pairs end here: too far, or not above or below the face
    const bool below = along + radius <= 0.0f, above = along - radius >= 0.0f;
    const float reach = below   ? query.reach_inside()
                        : above ? query.reach_outside()
                                : std::max(query.reach_outside(), query.reach_inside());
    if (square > (reach + radius) * (reach + radius)) {
        return false;
    }
    const float beside = std::sqrt(std::max(square - along * along, 0.0f)) - radius;
    if (beside > widest_room_slope * (std::abs(along) + radius)) {
        return false;
    }
    const Point4 normal = cross(others[1] - others[0], others[2] - others[0]);
    const float size = std::sqrt(dot(normal, normal));
    if (!(size > 0.0f)) {
        return false;
    }
    const Point4 unit = normal / size;
    const auto at = [](const std::array<Point4, 3>& triangle, const Point4& point) -> Point4 {
        const auto [a, b, c] = closest_point(point, triangle[0], triangle[1], triangle[2]).weights;
        return a * triangle[0] + b * triangle[1] + c * triangle[2];
    };
    bool raises = query.meet(query.middle, at(others, query.middle), unit);
    const auto meet_point = [&](const Point4& point) { raises |= query.meet(at(query.corners, point), point, unit); };
    for (int k = 0; k < 3; ++k) {
        raises |= query.meet(query.corners[k], at(others, query.corners[k]), unit);
        meet_point(others[k]);
        if (topology_.face_neighbors[face][k] < 0) {
            for (const float share : hem_points) {
                meet_point(others[k] + share * (others[(k + 1) % 3] - others[k]));
            }
        }
    }
    return raises;
}

}  // namespace ruckle
