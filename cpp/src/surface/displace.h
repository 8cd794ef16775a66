// Tessellates a surface: numbers the vertices and faces of the fine mesh, and lists the fine vertices of each coarse
// face.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/surface/surface.h"
#include "surface/patch_kernel.h"
#include "surface/tessellation.h"

namespace ruckle {

// Number of columns of PatchPoints: barycentric coordinates, height, gradient, position and normal.
inline constexpr int patch_columns = 13;

// Divides memory into columns for `room` points each, in one buffer, so that the columns of a face with few points
// share cache lines.
inline PatchPoints points_in(float* memory, std::int64_t room) {
    const auto at = [=](int column) { return memory + column * room; };
    return {{at(0), at(1), at(2)}, at(3), {at(4), at(5), at(6)}, {at(7), at(8), at(9)}, {at(10), at(11), at(12)}};
}

// Sets heights and gradients to 0 before sources add to them. These columns are contiguous.
inline void clear_heights(const PatchPoints& points) {
    std::fill(points.height, points.position[0], 0.0f);
}

// The fine vertices that are computed in one coarse face, with memory for the results of the kernels. Vertices on an
// edge or at a corner are computed in the face with the smallest number only.
class Batch {
  public:
    Batch();
    // Removes all vertices, and divides the memory into columns for at most this many vertices.
    void begin(int most);
    void append(float b0, float b1, float b2, std::int32_t vertex);

    int count() const { return count_; }
    const PatchPoints& points() const { return points_; }
    std::span<const std::int32_t> vertices() const { return std::span(vertices_).first(static_cast<std::size_t>(count_)); }

  private:
    int count_ = 0;
    std::vector<float> memory_;
    std::vector<std::int32_t> vertices_;  // vertex numbers in the fine mesh
    PatchPoints points_{};
};

class Tessellator {
  public:
    Tessellator(const Topology& topology, int threads);

    // Numbers the fine vertices and faces for these levels, and resizes the arrays of the mesh.
    void plan(std::span<const std::int32_t> edge_levels, FineMesh& fine);

    // Returns the fine vertices that are computed in a coarse face, with their barycentric coordinates. The batch is
    // valid until the thread's next call.
    Batch& gather(std::int32_t face, int thread);

    // Sets FineMesh::face_coarse_faces of all fine faces in `face`, a face of the surface's mesh, to coarse_face.
    void set_coarse_face(std::int32_t face, std::int32_t coarse_face, FineMesh& fine) const;

    // Writes the coarse face and the barycentric coordinates of the batch's vertices, and the fine faces in `face`.
    // Calls for different faces write different entries.
    void write_layout(std::int32_t face, const Batch& batch, FineMesh& fine) const;

  private:
    void append_inside(std::int32_t face, Batch& batch) const;
    void append_side(std::int32_t face, int side, Batch& batch) const;
    Side outer_side(std::int32_t face, int k) const;
    void write_faces(std::int32_t face, FineMesh& fine) const;
    int inner_level(std::int32_t face) const;

    const Topology& topology_;
    std::span<const std::int32_t> levels_;                       // (E) number of parts of each edge
    std::array<InnerPattern, most_surface_level + 1> patterns_;  // pattern of each inner level, built at first use
    // first vertex inside each edge, first vertex inside each face, first fine face of each face
    std::vector<std::int32_t> edge_vertices_, face_vertices_, face_offsets_;
    std::vector<Batch> batches_;  // one batch per thread
};

// Writes positions, normals and heights of a batch into the fine mesh.
void write_points(const Batch& batch, FineMesh& fine);

}  // namespace ruckle
