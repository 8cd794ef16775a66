// Data of wrinkle waves that depend only on the rest pose and the options: tangent bases, half edges, a vertex
// colouring, and noise. They are computed once and shared by all garments of the same kind.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/waves/parameters.h"
#include "ruckle/waves/wave_field.h"
#include "waves/wave_kernels.h"
#include "waves/wave_limits.h"

namespace ruckle {

// Returns S²: mean square slope of the profile / mean square slope of a cosine. The squares of the harmonics add up.
inline float profile_slope_square(const WaveOptions& o) {
    const float fine = o.detail * fine_ratio;
    return 1.0f + 4.0f * o.sharpness * o.sharpness + 4.0f * o.sag * o.sag + fine * fine;
}

struct WaveRest {
    // Throws std::invalid_argument or MeshError with one sentence if an argument is invalid.
    WaveRest(std::shared_ptr<const Topology> mesh, std::span<const Vector3> rest_positions, std::span<const float> painted,
             const WaveOptions& given);

    // Returns the waves of vertex v, with the covector in space.
    WaveVertex vertex(const WaveColumns& columns, std::size_t v) const {
        const float x = columns.covector[0][v], y = columns.covector[1][v];
        return {x * across[v] + y * upward[v], columns.phase[v], columns.fine_phase[v], columns.amplitude[v]};
    }

    std::shared_ptr<const Topology> topology;
    WaveOptions options;             // options, with r_min and wavelength set
    std::vector<Vector3> positions;  // (V) positions at rest, mesh units
    std::vector<float> paint;        // (V) factor of amplitudes in [0, 1], or empty
    // (V) unit basis of the tangent plane: a level vector, and the perpendicular vector that points up
    std::vector<Vector3> across, upward;
    std::vector<std::int32_t> color_offsets;  // (C + 1) first slot of each of C colours, then the number of slots
    // tree_order: (V) vertices, each after its parent. tree_halves: (V) half edge of each vertex to its parent as 8 row
    // + lane, -1 for roots
    std::vector<std::int32_t> tree_order, tree_halves;
    int degenerate_count = 0;  // number of faces that are degenerate at rest
    std::uint64_t hash;        // hash of positions and paint
    WaveMesh mesh{};           // pointers to the arrays below

  private:
    struct Half {
        std::int32_t end;
        std::array<float, 2> turn, own, other, slope;  // as in the rows
        std::int32_t place;                            // 8 row + lane
    };

    void measure_faces();
    void list_halves();
    void solve_slopes();
    std::vector<int> color_vertices() const;
    void fill_slots(const std::vector<int>& colors);
    void fill_rows(std::size_t first_slot);
    void grow_trees();
    std::array<float, 2> sleeve_pull(std::size_t v, std::span<const float> distances) const;
    void measure_vertices(std::span<const float> painted);

    std::vector<float> inverse_edges_[3];
    std::vector<std::array<Vector3, 2>> face_bases_;  // (T) tangent basis of each face
    std::vector<float> areas_;                        // (T) twice the area of each face; 0 if degenerate
    std::vector<std::vector<Half>> halves_;           // (V) half edges that start at each vertex
    std::vector<std::int32_t> slots_, group_rows_;
    std::vector<WaveFaces> row_faces_;
    std::vector<WaveEnds> row_ends_;
    std::vector<WaveEdges> row_edges_;
    std::vector<WaveSlopes> row_slopes_;
    std::vector<float> keeps_, spreads_, wave_numbers_, gains_, limits_, drapes_[2], bends_[2], reaches_;
};

}  // namespace ruckle
