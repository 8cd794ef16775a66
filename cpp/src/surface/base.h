// Computes the curved base under the wrinkles: the bulge of each coarse edge, and the number of parts into which it is
// divided.
//
// On the edge from a to b, Phong tessellation is a parabola. At parameter x, its offset from the chord is x (1 - x) w
// with the bulge
//     w = 3/4 (s_b (e·N_b) N_b - s_a (e·N_a) N_a),   e = b - a.
// Inside a triangle the bulges of its edges are added: q = p + Σ b_i b_j w_ij. With n equal parts, the largest distance
// between the parabola and its chords is |w| / (4 n²).
//
// This parabola removes facets, but a fold across a coarse edge has a kink because the strains of the two triangles
// differ. Around vertices with a smoothing σ_v (heights.h), the tangents at both ends are therefore blended with those
// of a smooth map from the rest shape:
//     w = d_a - d_b,   d_v = s_v [(1 - σ_v) 3/4 u_v + σ_v/2 (G_v ē - e)'],   u_v = -(e·N_v) N_v
// ē is the edge at rest and G_v the mean deformation gradient around the vertex. (G_v ē - e)' stands for the tangential
// part of G_v ē, minus e, clamped to the length most_turning |e|. With the factor 1/2, the end of a symmetric parabola
// has the direction of this tangential part.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ruckle/surface/surface.h"
#include "surface/smoothing.h"

namespace ruckle {

class Base {
  public:
    explicit Base(const Topology& topology);

    // Computes bulges and levels of a frame.
    //
    // roundness  (V) in [0, 1]: s_v of the formula
    // sources    height sources; some may need a smooth base
    void measure(std::span<const Vector3> positions, std::span<const Vector3> normals, std::span<const float> roundness,
                 std::span<const HeightSource> sources, const SurfaceOptions& options);

    // (E) bulge w of each edge, mesh units; equal for both directions of the edge
    std::span<const Vector3> bulges() const { return bulges_; }
    std::span<const std::int32_t> levels() const { return levels_; }  // (E) number of parts of an edge, >= 1

  private:
    void measure_facings(std::span<const Vector3> positions, std::span<const Vector3> normals, const Vector3& eye);
    float outline_share(std::size_t edge) const;

    const Topology& topology_;
    Smoothing smoothing_;
    std::vector<Vector3> bulges_;
    std::vector<std::int32_t> levels_;
    std::vector<float> vertex_facings_;  // (V) cosine between a vertex's normal and its direction to the eye
    // (T) smallest absolute vertex facing at the corners; 0 if the outline passes through the face
    std::vector<float> face_facings_;
};

}  // namespace ruckle
