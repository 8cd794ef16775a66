// The curved base under the wrinkles: how far each coarse edge bulges off its chord, and into how many parts it is divided.
//
// On the edge from a to b Phong tessellation is a parabola, x (1 - x) w off the chord at the share x of the way, with the bulge
//     w = 3/4 (s_b (e·N_b) N_b - s_a (e·N_a) N_a),   e = b - a,
// and inside a triangle the edges' bulges add up: q = p + Σ b_i b_j w_ij. The chord of one of n equal parts lies |w| / 4 n² off.
//
// That removes facets, and not the kinks of folds that run over the edges: these come from strains that jump from triangle to triangle,
// too. Around vertices with a smoothing σ_v (heights.h) an edge leaves its ends as a smooth map from rest would let it:
//     w = d_a - d_b,   d_v = s_v [(1 - σ_v) 3/4 u_v + σ_v/2 (G_v ē - e)'],   u_v = -(e·N_v) N_v
// with ē the edge at rest, G_v the mean of the maps from rest around the vertex, and ' what lies within its tangent plane less e, no
// longer than most_turning |e|. 1/2 is what makes the parabola leave along the tangent.
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

    // roundness  (V) in [0, 1]
    // sources    of heights, of which one may ask for smoothness
    void measure(std::span<const Vector3> positions, std::span<const Vector3> normals, std::span<const float> roundness,
                 std::span<const HeightSource> sources, const SurfaceOptions& options);

    std::span<const Vector3> bulges() const { return bulges_; }       // (E) w, mesh units; the same in both directions
    std::span<const std::int32_t> levels() const { return levels_; }  // (E) parts in which an edge is drawn, >= 1

  private:
    void measure_facings(std::span<const Vector3> positions, std::span<const Vector3> normals, const Vector3& eye);
    float outline_share(std::size_t edge) const;

    const Topology& topology_;
    Smoothing smoothing_;
    std::vector<Vector3> bulges_;
    std::vector<std::int32_t> levels_;
    std::vector<float> vertex_facings_;  // (V) cosine between a vertex's normal and its direction to the eye
    std::vector<float> face_facings_;    // (T) the least over a face, without sign; 0 where the outline runs through it
};

}  // namespace ruckle
