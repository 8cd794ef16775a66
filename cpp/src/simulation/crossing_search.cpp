#include "simulation/crossing_search.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "simulation/limits.h"
#include "simulation/rows.h"

namespace ruckle {

namespace {

// Returns true if the edge passes through the face or touches it; false for an edge parallel to the face's plane, and for
// a face without area. An edge and a face with a common corner may count as touching. `points`: rows of four floats. Uses
// double precision, in which products of float32 numbers are almost exact, so that rounding rarely changes the answer.
bool crosses(const float* points, const std::array<std::int32_t, 2>& edge, const Face& face) {
    const auto at = [&](std::int32_t v) -> Eigen::Vector3d {
        return Eigen::Map<const Vector3>(points + 4 * static_cast<std::size_t>(v)).cast<double>();
    };
    const Eigen::Vector3d start = at(edge[0]), along = at(edge[1]) - start, corner = at(face[0]);
    const Eigen::Vector3d first = at(face[1]) - corner, second = at(face[2]) - corner, from = start - corner;
    // method of Möller and Trumbore 1997 without division: u, v (barycentric coordinates) and t (position on the edge)
    // are scaled by the determinant
    const Eigen::Vector3d across = along.cross(second), turned = from.cross(first);
    const double determinant = first.dot(across), sign = determinant < 0.0 ? -1.0 : 1.0, whole = sign * determinant;
    const double u = sign * from.dot(across), v = sign * along.dot(turned), t = sign * second.dot(turned);
    return whole > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= whole && t >= 0.0 && t <= whole;
}

Sweep no_sweep(std::span<const float> points) {
    return {points.data(), nullptr, {}, 0.0f, 0.0f, 0.0f};
}

}  // namespace

CrossingSearch::CrossingSearch(const Topology& topology, ClothBlocks& blocks) : topology_(topology), blocks_(blocks) {}

void CrossingSearch::meet(std::size_t edges_of, std::size_t faces_of, const Sweep& here, std::vector<Crossing>& found) {
    for (const auto& [element, number, side] : blocks_.find_edges(edges_of, faces_of, here)) {
        const std::int32_t edge = blocks_.edge_at(element), face = blocks_.face_at(number);
        if (edge < 0 || face < 0) {
            continue;
        }
        const std::array<std::int32_t, 2>& ends = topology_.edges[static_cast<std::size_t>(edge)];
        if (crosses(here.points, ends, topology_.faces[static_cast<std::size_t>(face)]) && found.size() < found.capacity()) {
            found.push_back({edge, face});
        }
    }
}

void CrossingSearch::meet_both(std::size_t block, std::size_t other, const Sweep& here, std::vector<Crossing>& found) {
    meet(block, other, here, found);
    if (other != block) {
        meet(other, block, here, found);
    }
}

void CrossingSearch::find(std::span<const float> points, std::vector<Crossing>& found) {
    found.clear();
    const Sweep here = no_sweep(points);
    blocks_.bound(here);
    blocks_.for_meeting(flat_cosine, [&](std::size_t block, std::size_t other) { meet_both(block, other, here, found); });
    std::sort(found.begin(), found.end());
}

void CrossingSearch::find_around(std::span<const std::int32_t> moved, std::span<const float> points,
                                 std::vector<Crossing>& found) {
    found.clear();
    const Sweep here = no_sweep(points);
    blocks_.move(moved);
    blocks_.bound_moved(here);
    blocks_.for_moved(flat_cosine, [&](std::size_t block, std::size_t other) { meet_both(block, other, here, found); });
    std::sort(found.begin(), found.end());
}

std::vector<Crossing> find_crossings(std::span<const Vector3> positions, const Topology& topology) {
    Rows rows(positions.size());
    for (std::size_t v = 0; v < positions.size(); ++v) {
        rows.vector(v) = positions[v];
    }
    ClothBlocks blocks(topology);
    CrossingSearch search(topology, blocks);
    std::vector<Crossing> found;
    do {
        found.reserve(2 * found.capacity() + topology.edges.size());
        search.find(rows.values(), found);
    } while (found.size() == found.capacity());
    return found;
}

}  // namespace ruckle
