// The few types that every stage shares.
//
// Arrays travel as std::span; their owner is the caller. All real numbers are float32: a garment frame fits the
// first-level cache that way, and float64 gains nothing that the animation's own precision supports.
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

// Unaligned on purpose: spans of these may view memory that the caller allocated as plain floats.
using Vector2 = Eigen::Matrix<float, 2, 1, Eigen::DontAlign>;
using Vector3 = Eigen::Matrix<float, 3, 1, Eigen::DontAlign>;

// Row major, as a C-contiguous (2, 2) array. An edge matrix holds the two edge vectors of a triangle as its columns.
using Matrix2 = Eigen::Matrix<float, 2, 2, Eigen::RowMajor | Eigen::DontAlign>;

// Vertex indices of a triangle.
using Face = Eigen::Matrix<std::int32_t, 3, 1, Eigen::DontAlign>;

static_assert(sizeof(Vector2) == 8 && sizeof(Vector3) == 12 && sizeof(Matrix2) == 16 && sizeof(Face) == 12);

// State of a triangle's cloth between two frames (thesis 4.1.2).
enum Label : std::uint8_t { compression_label = 0, rest_label = 1, stretch_label = 2 };
inline constexpr int label_count = 3;

// The frame time to which the thesis's constants belong: its data run at 30 frames per second.
inline constexpr float reference_frame_time = 1.0f / 30.0f;

// Result of a frame.
enum class StepStatus {
    done,
    wrong_vertex_count,
    not_finite,  // a position is NaN or infinite
    wrong_time,  // dt is not in (0, 1e6] s
};

// Most vertices and most triangles of a mesh: 32 bits number the nodes and arcs of its labeling.
inline constexpr int most_vertices = (1 << 26) - 1, most_faces = (1 << 26) - 1;

// A mesh, or one frame of positions, that cannot be used. The message is one sentence.
class MeshError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Bytes from which no state can be restored. The message is one sentence.
class StateError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Bytes that are not a file of the expected kind. The message is one sentence.
class FileError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// The system refuses threads. The message is one sentence.
class ResourceError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace ruckle
