// Computes the number of parts of each edge: enough for the heights of all sources, or for the base on edges without
// heights; with a viewpoint, always enough for the base. Levels are per edge and not per face, so that both faces of an
// edge have the same points on it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/surface/surface.h"

namespace ruckle {

class Levels {
  public:
    // Keeps references. refinement: null if the surface's mesh is the coarse mesh.
    Levels(const Topology& topology, const Refinement* refinement);

    // Computes the levels of a frame, or takes them from options.edge_levels. Also finds the faces with heights.
    //
    // base_levels  (E) number of parts of each edge for the base without heights
    void choose(std::span<const Vector3> positions, std::span<const std::int32_t> base_levels,
                std::span<const HeightSource> sources, const SurfaceOptions& options);

    std::span<const std::int32_t> of_edges() const { return edges_; }  // (E) number of parts of each edge
    std::span<const FaceLevels> of_faces() const { return faces_; }    // (T) levels of each face
    // Returns true if a source has heights in the face.
    bool is_raised(std::int32_t face) const { return raised_[face] != 0; }

  private:
    void find_raised(std::span<const HeightSource> sources);
    void lower_masked(std::span<const float> mask);
    float bend(const HeightSource& source, std::int32_t face) const;
    float parts_for_heights(std::size_t edge, float length, std::span<const HeightSource> sources) const;

    const Topology& topology_;
    const Refinement* refinement_;
    std::vector<std::int32_t> edges_;
    std::vector<FaceLevels> faces_;
    std::vector<std::uint8_t> raised_;  // (T) 1 if a source has heights in the face
};

}  // namespace ruckle
