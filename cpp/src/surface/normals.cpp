#include "surface/normals.h"

#include "constants.h"
#include "numeric/dispatch.h"
#include "surface/normal_kernel.h"

namespace ruckle {

Normals::Normals(const Topology& topology, ThreadPool* pool)
    : topology_(topology),
      pool_(pool),
      vertex_corners_(topology.vertex_faces.size()),
      of_faces_(topology.faces.size()),
      of_corners_(topology.faces.size()),
      of_vertices_(static_cast<std::size_t>(topology.vertex_count)),
      roundness_(of_vertices_.size()) {
    for (std::int32_t vertex = 0; vertex < topology.vertex_count; ++vertex) {
        for (std::int32_t i = topology.vertex_offsets[vertex]; i < topology.vertex_offsets[vertex + 1]; ++i) {
            const std::int32_t face = topology.vertex_faces[i];
            const Face& corners = topology.faces[face];
            vertex_corners_[i] = 3 * face + (corners[0] == vertex ? 0 : corners[1] == vertex ? 1 : 2);
        }
    }
}

NormalArrays Normals::arrays(std::span<const Vector3> positions) {
    static_assert(sizeof(FaceNormal) == 4 * sizeof(float) && sizeof(CornerNormal) == sizeof(FaceNormal));
    return {.positions = positions.data()->data(),
            .faces = topology_.faces.data()->data(),
            .vertex_offsets = topology_.vertex_offsets.data(),
            .vertex_corners = vertex_corners_.data(),
            .of_faces = of_faces_.data()->direction.data(),
            .of_corners = of_corners_.data()->data()->weighted.data(),
            .vertices = of_vertices_.data()->data(),
            .roundness = roundness_.data()};
}

void Normals::measure(std::span<const Vector3> positions) {
    if (topology_.faces.empty()) {
        return;
    }
    // two passes: the second pass reads the finished corner normals around each vertex, so that two threads never add
    // to one sum
    const NormalArrays all = arrays(positions);
    for_chunks(pool_, topology_.face_count(), normals_per_share,
               [&](std::int64_t begin, std::int64_t end, int) { kernels<NormalKernels>().weigh_normals(all, begin, end); });
    for_chunks(pool_, topology_.vertex_count, normals_per_share,
               [&](std::int64_t begin, std::int64_t end, int) { kernels<NormalKernels>().gather_normals(all, begin, end); });
}

}  // namespace ruckle
