// types: the types that all stages share.
//
// Arrays are passed as std::span, and the caller owns them. Real numbers are float32: the positions of a garment of
// 2,000 vertices (24 KB) then fit into the first-level cache, and animation data is not more precise.
//
// Example:
//     std::vector<ruckle::Vector3> positions(vertex_count);
//     std::vector<ruckle::Face> faces{{0, 1, 2}, {2, 1, 3}};
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace ruckle {

// Vectors do not have an alignment of their own, because spans of vectors may be views of the caller's arrays of
// floats.
using Vector2 = Eigen::Matrix<float, 2, 1, Eigen::DontAlign>;
using Vector3 = Eigen::Matrix<float, 3, 1, Eigen::DontAlign>;

// A 2 × 2 matrix in row-major order, like a C-contiguous (2, 2) array. The columns of an edge matrix are two edge
// vectors of a triangle.
using Matrix2 = Eigen::Matrix<float, 2, 2, Eigen::RowMajor | Eigen::DontAlign>;

// Vertex indices of a triangle.
using Face = Eigen::Matrix<std::int32_t, 3, 1, Eigen::DontAlign>;

static_assert(sizeof(Vector2) == 8 && sizeof(Vector3) == 12 && sizeof(Matrix2) == 16 && sizeof(Face) == 12);

// Class of the deformation of a triangle between two frames (thesis 4.1.2).
enum Label : std::uint8_t { compression_label = 0, rest_label = 1, stretch_label = 2 };
inline constexpr int label_count = 3;

// Time per frame in the animations of the thesis, s. Constants "per 1/30 s" refer to this time.
inline constexpr float reference_frame_time = 1.0f / 30.0f;

// Result of a step: done, or the reason why the frame was rejected.
enum class StepStatus {
    done,
    wrong_vertex_count,
    not_finite,  // a position is NaN or infinite
    wrong_time,  // dt is not in (0, 1e6] s
};

// Largest number of vertices and of faces of a mesh, so that 32-bit integers suffice for the nodes and arcs of the
// labeling graph.
inline constexpr int most_vertices = (1 << 26) - 1, most_faces = (1 << 26) - 1;

// Thrown if a mesh, or the positions of a frame, cannot be used. The message is one sentence.
class MeshError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Thrown if the given bytes are not a state that can be restored. The message is one sentence.
class StateError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Thrown if bytes are not a file of the expected kind. The message is one sentence.
class FileError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Thrown if the system cannot start a thread. The message is one sentence.
class ResourceError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace ruckle
