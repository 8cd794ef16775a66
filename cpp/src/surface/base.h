// The curved base under the wrinkles: the bulge of each coarse edge, and the number of parts into which it is divided.
//
// On the edge from a to b Phong tessellation is a parabola, x (1 - x) w off the chord at parameter x, with the bulge
//     w = 3/4 (s_b (e·N_b) N_b - s_a (e·N_a) N_a),   e = b - a,
// and inside a triangle the edges' bulges add up: q = p + Σ b_i b_j w_ij. The chord of one of n equal parts is |w| / 4 n² off.
//
// This removes facets, but not the kinks of folds that cross the edges: these come from strains that jump between triangles.
// Around vertices with a smoothing σ_v (heights.h) an edge leaves its ends as a smooth map from rest would do:
//     w = d_a - d_b,   d_v = s_v [(1 - σ_v) 3/4 u_v + σ_v/2 (G_v ē - e)'],   u_v = -(e·N_v) N_v
// with ē the edge at rest, G_v the mean of the maps from rest around the vertex, and ' the part that turns the edge: the
// tangential part minus e, bounded by most_turning |e|. The factor 1/2 makes the parabola leave along the tangent.
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
    // sources    height sources; one of them may need a smooth base
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
    std::vector<float> face_facings_;    // (T) minimum over a face, unsigned; 0 if the outline passes through it
};

}  // namespace ruckle
