#include "ruckle/pose_space/binding.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "constants.h"
#include "numeric/dispatch.h"
#include "pose_space/detail_kernel.h"

namespace ruckle {

namespace {

// Normalises a vector. Returns false if its length is 0 or NaN; the vector does not change then.
bool normalize(Vector3& v) {
    const float length = v.norm();
    if (!(length > 0.0f)) {
        return false;
    }
    v /= length;
    return true;
}

std::vector<Face> corners_of(const Topology& coarse, std::span<const std::int32_t> coarse_faces) {
    std::vector<Face> corners;
    corners.reserve(coarse_faces.size());
    for (const std::int32_t face : coarse_faces) {
        if (face < 0 || face >= coarse.face_count()) {
            throw std::invalid_argument("coarse_faces: vertex " + std::to_string(corners.size()) + " names face " +
                                        std::to_string(face) + ", allowed are 0 to " + std::to_string(coarse.face_count() - 1));
        }
        corners.push_back(coarse.faces[face]);
    }
    return corners;
}

}  // namespace

BindingScratch::BindingScratch(const Topology& coarse)
    : positions(static_cast<std::size_t>(coarse.vertex_count)),
      face_normals(coarse.faces.size()),
      normals(positions.size()),
      turns(positions.size()),
      others(positions.size()) {}

Binding::Binding(const Topology& topology, std::span<const Vector3> rest, std::span<const std::int32_t> coarse_faces,
                 std::span<const Vector3> weights)
    : coarse(topology), corners(corners_of(topology, coarse_faces)), barycentric(weights.begin(), weights.end()) {
    const auto count = static_cast<std::size_t>(coarse.vertex_count);
    if (rest.size() != count || weights.size() != coarse_faces.size()) {
        throw std::invalid_argument("rest, barycentric: expected " + std::to_string(count) + " and " +
                                    std::to_string(coarse_faces.size()) + " rows, got " + std::to_string(rest.size()) + " and " +
                                    std::to_string(weights.size()));
    }
    tangent_ends_.assign(count, -1);
    neighbor_offsets_.assign(count + 1, 0);
    for (const auto& [a, b] : coarse.edges) {
        ++neighbor_offsets_[a + 1];
        ++neighbor_offsets_[b + 1];
        // the tangent is along the edge to the neighbour with the smallest index, because edges are sorted
        tangent_ends_[a] = tangent_ends_[a] < 0 ? b : tangent_ends_[a];
        tangent_ends_[b] = tangent_ends_[b] < 0 ? a : tangent_ends_[b];
    }
    // neighbours of all vertices in one array: the loop above counts, this loop sums to offsets, the next loop fills
    for (std::size_t c = 0; c < count; ++c) {
        neighbor_offsets_[c + 1] += neighbor_offsets_[c];
    }
    neighbors_.resize(2 * coarse.edges.size());
    std::vector<std::int32_t> next(neighbor_offsets_.begin(), neighbor_offsets_.end() - 1);
    for (const auto& [a, b] : coarse.edges) {
        neighbors_[next[a]++] = b;
        neighbors_[next[b]++] = a;
    }
    rest_frames_.resize(count);
    BindingScratch scratch(coarse);
    find_normals(rest, scratch);
    for (std::size_t c = 0; c < count; ++c) {
        // a vertex without a frame at rest gets a zero matrix, so that measure() also computes a zero rotation
        if (!frame(rest, static_cast<std::int32_t>(c), scratch.normals[c], rest_frames_[c])) {
            rest_frames_[c].setZero();
        }
    }
}

void Binding::find_normals(std::span<const Vector3> positions, BindingScratch& scratch) const {
    // rows of four floats, because the kernel loads them as vectors
    for (std::size_t c = 0; c < positions.size(); ++c) {
        scratch.positions[c] = {positions[c][0], positions[c][1], positions[c][2], 0.0f};
    }
    kernels<DetailKernels>().area_normals(
        reinterpret_cast<const float*>(scratch.positions.data()), reinterpret_cast<const std::int32_t*>(coarse.faces.data()),
        coarse.face_count(), coarse.vertex_offsets.data(), coarse.vertex_faces.data(), coarse.vertex_count,
        reinterpret_cast<float*>(scratch.face_normals.data()), reinterpret_cast<float*>(scratch.normals.data()));
}

bool Binding::frame(std::span<const Vector3> positions, std::int32_t vertex, const Vector3& normal, Frame& result) const {
    if (tangent_ends_[vertex] < 0 || normal.isZero(0.0f)) {
        return false;
    }
    Vector3 tangent = positions[tangent_ends_[vertex]] - positions[vertex];
    const float length = tangent.norm();
    // Uses the part of the edge that is orthogonal to the normal. If the edge is nearly parallel to the normal, this
    // part is a rounding error, and the vertex does not get a frame.
    tangent -= tangent.dot(normal) * normal;
    if (!(tangent.norm() > least_frame_length * length) || !normalize(tangent)) {
        return false;
    }
    result.col(0) = tangent;
    result.col(1) = normal.cross(tangent);
    result.col(2) = normal;
    return true;
}

int Binding::measure(std::span<const Vector3> positions, std::span<CoarseRow> rows, BindingScratch& scratch) const {
    using Turn = Eigen::Map<Eigen::Array<float, 8, 1>>;
    int collapsed = 0;
    find_normals(positions, scratch);
    for (std::int32_t c = 0; c < coarse.vertex_count; ++c) {
        rows[c] = {};
        rows[c].position = scratch.positions[c];
        scratch.turns[c] = {};
        Frame now;
        if (frame(positions, c, scratch.normals[c], now)) {
            // columns 0 and 2 of the rotation (current frame) (rest frame)ᵀ; column 1 is computed later as their cross
            // product
            const Vector3 tangent = now * rest_frames_[c].row(0).transpose(), normal = now * rest_frames_[c].row(2).transpose();
            std::copy_n(tangent.data(), 3, scratch.turns[c].begin());
            std::copy_n(normal.data(), 3, scratch.turns[c].begin() + 4);
        } else {
            ++collapsed;
        }
    }
    // averages rotations over neighbours; columns of the mean are shorter than 1 if the rotations differ, and are
    // normalised when details are placed
    for (int pass = 0; pass < turn_smoothing_passes; ++pass) {
        for (std::int32_t c = 0; c < coarse.vertex_count; ++c) {
            // writes to another array, because in place the result would depend on the order of the vertices
            Turn sum(scratch.others[c].data());
            sum = Turn(scratch.turns[c].data());
            for (std::int32_t i = neighbor_offsets_[c]; i < neighbor_offsets_[c + 1]; ++i) {
                sum += Turn(scratch.turns[neighbors_[i]].data());
            }
            sum *= 1.0f / static_cast<float>(1 + neighbor_offsets_[c + 1] - neighbor_offsets_[c]);
        }
        std::swap(scratch.turns, scratch.others);
    }
    static_assert(sizeof(CoarseRow) == 12 * sizeof(float));
    for (std::int32_t c = 0; c < coarse.vertex_count; ++c) {
        // tangent and normal are adjacent in memory
        Turn(rows[c].tangent.data()) = Turn(scratch.turns[c].data());
    }
    return collapsed;
}

}  // namespace ruckle
