// Computes the crowding of layers of cloth; room.h explains layers, pairs, crowding and clusters. A face is "raised" if
// it has heights.
#include "surface/room.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "constants.h"
#include "numeric/dispatch.h"

namespace ruckle {

namespace {

// Number of faces per cluster. Smaller: more columns of the SIMD blocks are empty. Larger: more distant faces are
// tested.
constexpr std::size_t cluster_faces = 16;
// Clusters per group. The search skips a whole group if its box is far away.
constexpr std::size_t group_clusters = 8;

// Crowding is 0 if the largest height is at most this share (5/8, see room.h) of the gap that one layer may use.
constexpr float free_use = 0.625f;

// Gaps smaller than this share of the largest height are ignored, so that the two sides of a lining or of doubled cloth
// keep their folds. Larger: folds remain high along the line where two layers cross. Smaller: rounding errors of
// doubled cloth limit its heights.
constexpr float least_room_gap = 1e-4f;

// The lateral distance of a point from a face is measured to planes through the face's sides and corners. The true
// distance in the face's plane is at most 1.42 times as large, because the planes meet in corners.
constexpr float beyond_corners = 1.42f;

// Returns the parameters of a frame from its largest heights. free_outside and free_inside are infinite on a side
// without heights.
RoomLimits limits_of(const HeightRange& range) {
    const float highest = std::max(range.outside, range.inside);
    // If all heights are outward and both normals agree, only one of the two layers grows into the gap. Its share of
    // the gap therefore grows with the agreement of the normals.
    const float by_agreement = range.inside > 0.0f ? 0.0f : 0.5f * common_gap_share;
    return {.least_gap = least_room_gap * highest,
            .reach = highest / (common_gap_share * free_use),
            .widest = widest_room_gap * highest,
            .free_outside = free_use / range.outside,
            .free_inside = free_use / range.inside,
            .share = common_gap_share + by_agreement,
            .by_agreement = by_agreement};
}

void raise(Crowding& kept, float outside, float inside) {
    kept.outside = std::max(kept.outside, outside), kept.inside = std::max(kept.inside, inside);
}

}  // namespace

void Room::Box::add(const Box& box) {
    low = low.cwiseMin(box.low), high = high.cwiseMax(box.high);
    layer = layer == box.layer ? layer : -1;
}

bool Room::Box::is_near(const Box& other, float distance) const {
    return ((low - other.high).cwiseMax(other.low - high).array() <= distance).all();
}

Room::Room(const Topology& topology) : topology_(topology) {
    find_layers();
    if (is_shared()) {
        const auto count = static_cast<std::size_t>(topology.vertex_count);
        positions_.resize(count), raised_vertices_.resize(count), of_vertices_.resize(count);
    }
}

// Numbers the layers: connected components, in the order of their first faces.
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
            // layers are connected over vertices and not only over edges, because faces that share a vertex move
            // together
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

// Creates the clusters from the positions of the first frame with heights. Clusters affect only the duration of
// searches, and not the results.
void Room::build(std::span<const Vector3> positions) {
    std::vector<Vector3> centers;
    for (const Face& corners : topology_.faces) {
        const Vector3 center = positions[corners[0]] + positions[corners[1]] + positions[corners[2]];
        // centers that are not finite are replaced, because NaN cannot be sorted
        centers.push_back(center.allFinite() ? center : Vector3(0.0f, 0.0f, 0.0f));
    }
    std::vector<std::size_t> sizes(static_cast<std::size_t>(layer_count_));
    for (const std::int32_t layer : layers_) {
        ++sizes[layer];
    }
    // Clusters contain faces of one layer, because pairs of clusters of one layer are skipped. Layers with fewer faces
    // than a cluster, such as buttons, share clusters.
    const auto group = [&](std::int32_t face) { return sizes[layers_[face]] < cluster_faces ? layer_count_ : layers_[face]; };
    std::vector<std::int32_t> faces(topology_.faces.size());
    std::iota(faces.begin(), faces.end(), 0);
    std::stable_sort(faces.begin(), faces.end(), [&](std::int32_t a, std::int32_t b) { return group(a) < group(b); });
    for (auto begin = faces.begin(); begin != faces.end();) {
        const auto end = std::find_if(begin, faces.end(), [&](std::int32_t face) { return group(face) != group(*begin); });
        halve(std::span(&*begin, static_cast<std::size_t>(end - begin)), centers);
        begin = end;
    }
    add_points();
    group_boxes_.resize((clusters_.size() + group_clusters - 1) / group_clusters);
}

// Divides the faces into clusters, by halving them along the longest axis of their box.
void Room::halve(std::span<std::int32_t> faces, std::span<const Vector3> centers) {
    if (faces.size() <= cluster_faces) {
        add_cluster(faces);
        return;
    }
    Vector3 low = centers[faces[0]], high = low;
    for (const std::int32_t face : faces) {
        low = low.cwiseMin(centers[face]), high = high.cwiseMax(centers[face]);
    }
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    // the first half has a multiple of the cluster size, so that most blocks are full
    const std::size_t middle = (faces.size() / cluster_faces + 1) / 2 * cluster_faces;
    std::nth_element(faces.begin(), faces.begin() + static_cast<std::ptrdiff_t>(middle), faces.end(),
                     [&](std::int32_t a, std::int32_t b) {
                         return centers[a][axis] < centers[b][axis] || (centers[a][axis] == centers[b][axis] && a < b);
                     });
    halve(faces.first(middle), centers);
    halve(faces.subspan(middle), centers);
}

// Appends a cluster of at most cluster_faces faces: its blocks, its vertices without duplicates, and its box, of which
// only the layer is set.
void Room::add_cluster(std::span<const std::int32_t> faces) {
    constexpr std::size_t width = RoomBlock::width;
    Cluster& cluster = clusters_.emplace_back();
    cluster.blocks = {blocks_.size(), (faces.size() + width - 1) / width};
    cluster.corners.first = corners_.size();
    Box& box = boxes_.emplace_back();
    box.layer = layers_[faces[0]];
    for (std::size_t i = 0; i < cluster.blocks.count * width; ++i) {
        const std::int32_t face = i < faces.size() ? faces[i] : -1;
        // empty columns contain a degenerate face, whose corners are one vertex
        const Face corners = face >= 0 ? topology_.faces[face] : Face::Constant(topology_.faces[faces[0]][0]);
        if (i % width == 0) {
            blocks_.emplace_back();
        }
        for (int k = 0; k < 3; ++k) {
            blocks_.back().corners[k][i % width] = corners[k];
            corners_.push_back(corners[k]);
        }
        const std::int32_t layer = layers_[face >= 0 ? face : faces[0]];
        blocks_.back().layers[i % width] = layer;
        block_faces_.push_back(face);
        box.layer = box.layer == layer ? layer : -1;
    }
    const auto first = corners_.begin() + static_cast<std::ptrdiff_t>(cluster.corners.first);
    std::sort(first, corners_.end());
    corners_.erase(std::unique(first, corners_.end()), corners_.end());
    cluster.corners.count = corners_.size() - cluster.corners.first;
}

// Fills points_: assigns each vertex to the first cluster with a face at it, and the midpoint of each boundary edge to
// the cluster of its face.
void Room::add_points() {
    std::vector<bool> is_taken(positions_.size());
    for (Cluster& cluster : clusters_) {
        cluster.points.first = points_.size();
        const auto add = [&](std::int32_t start, std::int32_t end, std::int32_t layer) {
            point_ends_.push_back({start, end});
            points_.emplace_back().layer = layer;
        };
        for (std::size_t i = RoomBlock::width * cluster.blocks.first; i < RoomBlock::width * cluster.blocks.end(); ++i) {
            const std::int32_t face = block_faces_[i];
            for (int k = 0; k < 3 && face >= 0; ++k) {
                const std::int32_t vertex = topology_.faces[face][k], next = topology_.faces[face][(k + 1) % 3];
                if (!is_taken[vertex]) {
                    add(vertex, vertex, layers_[face]);
                }
                is_taken[vertex] = true;
                if (topology_.face_neighbors[face][k] < 0) {
                    add(vertex, next, layers_[face]);
                }
            }
        }
        cluster.points.count = points_.size() - cluster.points.first;
    }
}

void Room::measure(std::span<const Vector3> positions, std::span<const Vector3> normals, const HeightRange& range,
                   std::span<const std::uint8_t> raised) {
    if (!is_shared()) {
        return;
    }
    std::fill(of_vertices_.begin(), of_vertices_.end(), Crowding{});
    if (!(std::max(range.outside, range.inside) > 0.0f)) {
        return;
    }
    if (clusters_.empty()) {
        build(positions);
    }
    std::transform(positions.begin(), positions.end(), positions_.begin(), point4);
    limits_ = limits_of(range);
    mark_raised(raised);
    fit();
    // the search radius is slightly enlarged, so that rounding does not exclude a relevant pair
    const float beside = beyond_corners * widest_room_slope * limits_.widest;
    const float reach = rounding_margin * std::sqrt(limits_.reach * limits_.reach + beside * beside);
    for (std::size_t own = 0; own < clusters_.size(); ++own) {
        for (std::size_t group = 0; group < group_boxes_.size(); ++group) {
            if (boxes_[own].is_layer_of(group_boxes_[group]) || !boxes_[own].is_near(group_boxes_[group], reach)) {
                continue;
            }
            const std::size_t end = std::min(clusters_.size(), (group + 1) * group_clusters);
            for (std::size_t other = group * group_clusters; other < end; ++other) {
                const bool counts = clusters_[own].has_raised_points || clusters_[other].has_raised_faces;
                if (counts && !boxes_[own].is_layer_of(boxes_[other]) && boxes_[own].is_near(boxes_[other], reach)) {
                    meet(own, other, normals, reach);
                }
            }
        }
    }
    gather(raised);
}

// Marks the vertices of raised faces, and sets the flags of all clusters for this frame.
void Room::mark_raised(std::span<const std::uint8_t> raised) {
    std::fill(raised_vertices_.begin(), raised_vertices_.end(), std::uint8_t{0});
    for (std::int32_t face = 0; face < topology_.face_count(); ++face) {
        for (int k = 0; k < 3 && raised[face] != 0; ++k) {
            raised_vertices_[topology_.faces[face][k]] = 1;
        }
    }
    for (Cluster& cluster : clusters_) {
        cluster.is_measured = cluster.is_placed = cluster.has_raised_points = cluster.has_raised_faces = false;
        for (std::size_t i = RoomBlock::width * cluster.blocks.first; i < RoomBlock::width * cluster.blocks.end(); ++i) {
            cluster.has_raised_faces |= block_faces_[i] >= 0 && raised[block_faces_[i]] != 0;
        }
        for (std::size_t i = cluster.points.first; i < cluster.points.end(); ++i) {
            cluster.has_raised_points |= raised_vertices_[point_ends_[i][0]] != 0;
        }
    }
}

// Computes the boxes of clusters and groups from the positions of the frame.
void Room::fit() {
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
        const auto corners = std::span(corners_).subspan(clusters_[i].corners.first, clusters_[i].corners.count);
        Box& box = boxes_[i];
        box.low = box.high = positions_[corners[0]];
        for (const std::int32_t vertex : corners) {
            box.low = box.low.cwiseMin(positions_[vertex]), box.high = box.high.cwiseMax(positions_[vertex]);
        }
        Box& group = group_boxes_[i / group_clusters];
        if (i % group_clusters == 0) {
            group = box;
        }
        group.add(box);
    }
}

// Measures the crowding between the points of cluster `own` and the faces of cluster `other`. Places the points and
// measures the faces if this was not done in this frame.
void Room::meet(std::size_t own, std::size_t other, std::span<const Vector3> normals, float reach) {
    Cluster &points = clusters_[own], &faces = clusters_[other];
    RoomPoint* first_point = points_.data() + points.points.first;
    RoomBlock* first_block = blocks_.data() + faces.blocks.first;
    for (std::size_t i = points.points.first; i < points.points.end() && !points.is_placed; ++i) {
        const auto [start, end] = point_ends_[i];
        // for a vertex, start and end are equal
        Eigen::Map<Point4>(points_[i].position) = 0.5f * (positions_[start] + positions_[end]);
        Eigen::Map<Point4>(points_[i].normal) = point4(0.5f * (normals[start] + normals[end]));
        points_[i].outside = points_[i].inside = 0.0f;
    }
    points.is_placed = true;
    const auto& kernel = kernels<RoomKernels>();
    if (!faces.is_measured) {
        kernel.measure(positions_[0].data(), first_block, static_cast<std::int64_t>(faces.blocks.count));
        faces.is_measured = true;
    }
    const Point4 around(reach, reach, reach, 0.0f), low = boxes_[other].low - around, high = boxes_[other].high + around;
    kernel.meet(limits_, {low.data(), high.data()}, first_point, static_cast<std::int64_t>(points.points.count), first_block,
                static_cast<std::int64_t>(faces.blocks.count));
}

// Writes the crowding of vertices: the maximum over the vertex itself and the faces around it. Skips vertices and faces
// without heights.
void Room::gather(std::span<const std::uint8_t> raised) {
    for (const Cluster& cluster : clusters_) {
        for (std::size_t i = cluster.points.first; i < cluster.points.end() && cluster.is_placed; ++i) {
            const auto [start, end] = point_ends_[i];
            if (start == end && raised_vertices_[start] != 0) {
                raise(of_vertices_[start], points_[i].outside, points_[i].inside);
            }
        }
        for (std::size_t i = cluster.blocks.first; i < cluster.blocks.end() && cluster.is_measured; ++i) {
            const RoomBlock& block = blocks_[i];
            for (int column = 0; column < RoomBlock::width; ++column) {
                const std::int32_t face = block_faces_[RoomBlock::width * i + static_cast<std::size_t>(column)];
                for (int k = 0; k < 3 && face >= 0 && raised[face] != 0; ++k) {
                    raise(of_vertices_[topology_.faces[face][k]], block.outside[column], block.inside[column]);
                }
            }
        }
    }
}

}  // namespace ruckle
