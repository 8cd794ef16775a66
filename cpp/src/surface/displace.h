// The fine mesh of a surface: where its parts lie in the arrays, and the work of each coarse face.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/surface/surface.h"
#include "support/thread_pool.h"
#include "surface/patch.h"
#include "surface/tessellation.h"

namespace ruckle {

class Tessellator {
  public:
    Tessellator(const Topology& topology, int threads);

    // Numbers the fine vertices and faces for these levels, and sizes the mesh.
    void plan(std::span<const std::int32_t> edge_levels, FineMesh& fine);

    // Writes the fine vertices that a coarse face owns, evaluated on its patch, and its fine faces. Faces write to different places.
    void fill(std::int32_t face, const Patch& patch, int thread, FineMesh& fine);

  private:
    // Points of one face on their way through the kernel.
    struct Batch {
        Batch();
        void append(float b0, float b1, float b2, std::int32_t vertex);
        PatchPoints points();
        void write(std::int32_t face, FineMesh& fine) const;

        int count = 0;
        std::array<std::vector<float>, 10> columns;  // barycentric 3, position 3, normal 3, height
        std::vector<std::int32_t> vertices;          // where in the fine mesh they go
    };

    void append_inside(std::int32_t face, Batch& batch) const;
    void append_side(std::int32_t face, int side, Batch& batch) const;
    Side outer_side(std::int32_t face, int k) const;
    void write_faces(std::int32_t face, FineMesh& fine) const;
    int inner_level(std::int32_t face) const;

    const Topology& topology_;
    std::span<const std::int32_t> levels_;                       // (E)
    std::array<InnerPattern, most_surface_level + 1> patterns_;  // made when first needed
    std::vector<std::int32_t> edge_vertices_, face_vertices_,
        face_offsets_;            // first vertex inside each edge and face, first fine face
    std::vector<Batch> batches_;  // one per thread
};

}  // namespace ruckle
