#include "surface/reach.h"

#include <algorithm>

#include "constants.h"
#include "surface/distance.h"

namespace ruckle {

Reach::Reach(const Topology& topology)
    : topology_(topology),
      offsets_(static_cast<std::size_t>(topology.face_count()) + 1, 0),
      visited_(static_cast<std::size_t>(topology.face_count()), 0) {}

void Reach::visit(std::int32_t face) {
    if (visited_[face] != round_) {
        visited_[face] = round_;
        waiting_.push_back(face);
    }
}

// From the faces of the segment's vertices over edges and around vertices as long as faces are within reach. A point within reach lies in all
// faces of its edge or vertex, so that these list the segment all or none.
void Reach::grow(std::span<const Vector3> positions, std::span<const CurveVertex> vertices,
                 std::span<const std::int32_t> vertex_faces, std::int32_t segment) {
    const CurveVertex &first = vertices[segment], &second = vertices[segment + 1];
    const Vector3 along = second.position - first.position;
    const float reach = reach_margin * std::max(first.half_width, second.half_width), reach_squared = reach * reach;
    ++round_;
    waiting_.clear();
    visit(vertex_faces[segment]);
    visit(vertex_faces[segment + 1]);
    for (std::size_t next = 0; next < waiting_.size(); ++next) {
        const std::int32_t face = waiting_[next];
        const Face& corners = topology_.faces[face];
        const DistanceTriangle triangle(positions[corners[0]], positions[corners[1]], positions[corners[2]]);
        if (!(triangle.apart_squared(first.position, along) < reach_squared)) {
            continue;
        }
        reached_segments_.push_back(segment);
        reached_faces_.push_back(face);
        for (int k = 0; k < 3; ++k) {
            if (const std::int32_t neighbor = topology_.face_neighbors[face][k]; neighbor >= 0) {
                visit(neighbor);
            }
            // faces that share no more than this vertex
            const std::int32_t vertex = corners[k];
            if (segments_apart(first.position, along, positions[vertex], Vector3(0.0f, 0.0f, 0.0f)) < reach_squared) {
                for (std::int32_t i = topology_.vertex_offsets[vertex]; i < topology_.vertex_offsets[vertex + 1]; ++i) {
                    visit(topology_.vertex_faces[i]);
                }
            }
        }
    }
}

void Reach::collect(std::span<const Vector3> positions, std::span<const CurveVertex> vertices,
                    std::span<const std::int32_t> vertex_faces) {
    reached_segments_.clear();
    reached_faces_.clear();
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        if (vertices[i].last == 0.0f) {
            grow(positions, vertices, vertex_faces, static_cast<std::int32_t>(i));
        }
    }
    // pairs come by segment; counted and dealt out by face they stay so within each
    std::fill(offsets_.begin(), offsets_.end(), 0);
    for (const std::int32_t face : reached_faces_) {
        ++offsets_[face + 1];
    }
    for (std::size_t face = 1; face < offsets_.size(); ++face) {
        offsets_[face] += offsets_[face - 1];
    }
    segments_.resize(reached_faces_.size());
    for (std::size_t i = reached_faces_.size(); i-- > 0;) {
        segments_[--offsets_[reached_faces_[i] + 1]] = reached_segments_[i];
    }
    // each end has become its face's beginning, one place too far
    std::copy(offsets_.begin() + 1, offsets_.end(), offsets_.begin());
    offsets_.back() = static_cast<std::int32_t>(segments_.size());
}

}  // namespace ruckle
