// Data of wrinkle waves that depend only on the rest pose and the options: tangent bases, half edges, a vertex colouring, and the
// irregularity. Computed once, and shared by all garments of the same kind.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/waves/parameters.h"
#include "waves/wave_kernels.h"
#include "waves/wave_limits.h"

namespace ruckle {

// Returns S²: (mean square slope of the profile) / (mean square slope of a cosine). The squares of its parts are added.
inline float profile_slope_square(const WaveOptions& o) {
    const float fine = o.detail * fine_ratio;
    return 1.0f + 4.0f * o.sharpness * o.sharpness + 4.0f * o.sag * o.sag + fine * fine;
}

struct WaveRest {
    // Throws std::invalid_argument or MeshError, in one sentence.
    WaveRest(std::shared_ptr<const Topology> mesh, std::span<const Vector3> rest_positions, std::span<const float> painted,
             const WaveOptions& given);

    // Converts a vector of the tangent plane of vertex v to space.
    Vector3 in_space(std::size_t v, float x, float y) const { return x * across[v] + y * upward[v]; }

    std::shared_ptr<const Topology> topology;
    WaveOptions options;                      // with derived lengths filled in
    std::vector<Vector3> positions;           // (V) mesh units
    std::vector<float> paint;                 // (V) in [0, 1], or empty
    std::vector<Vector3> across, upward;      // (V) unit: level, and up, in the tangent plane
    std::vector<std::int32_t> color_offsets;  // (C + 1) vertices of a color: order[color_offsets[c] .. color_offsets[c + 1])
    // (V) vertices, each after its parent; half edge to the parent, -1 for the first vertex of a component
    std::vector<std::int32_t> tree_order, tree_halves;
    int degenerate_count = 0;  // faces that have collapsed at rest
    std::uint64_t hash;        // of positions and paint
    WaveMesh mesh{};           // views of the arrays below

  private:
    void make_bases();
    void measure_faces();
    void list_halves();
    void measure_halves();
    void color_vertices();
    void grow_trees();
    std::array<float, 2> sleeve_pull(std::size_t v, std::span<const float> distances) const;
    void measure_vertices(std::span<const float> painted);

    std::vector<float> inverse_edges_[3], corner_turns_, half_turns_, half_slopes_, edge_vectors_[2][2], edge_turns_[2];
    std::vector<std::int32_t> half_offsets_, half_ends_, edge_halves_, order_;
    std::vector<float> areas_;  // (T)
    std::vector<float> wave_numbers_, gains_, limits_, drapes_[2], bends_[2], keeps_, spreads_, reaches_;
};

}  // namespace ruckle
