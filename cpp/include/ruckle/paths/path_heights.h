// path_heights: the heights of wrinkle paths over the coarse cloth, as a source for surfaces (thesis 7).
//
// Every wrinkle becomes a curve of short segments. Over a point p, segment k between the curve vertices v and w rises as
// follows (figure 7.1): the joint planes through v and w enclose p at the share x of the way from one to the other, measured along
// the segment; c = v + x (w - v) is the point of the crest to which p is projected, and with u = |p - c| / half width
//     height = H B(u),   B: ruckle::cross_section
//     gradient = H B'(u) / half width (p - c) / |p - c| + H' B(u) d       (d: direction of the segment, H' = dH/ds)
// Neighbouring segments share the plane at their joint and agree there, so that the height is continuous where the
// closest point of a polyline is not. Within a wrinkle the highest segment counts; wrinkles that overlap blend as
// h = (Σ h_w⁴)^(1/4).
//
// Guarantees: heights and gradients are continuous functions of p; both triangles of an edge give the same bits on it; the same
// bits for any thread count and instruction set; once buffers have grown to an animation's needs, nothing is allocated.
//
// Departs from the paper: joint planes that would cross within a wrinkle's reach are turned apart, and where that is not
// enough the wrinkle is narrowed (the paper's projection folds over itself in sharp bends); overlaps blend smoothly instead of by
// the maximum.
#pragma once

#include <memory>
#include <span>

#include "ruckle/mesh/topology.h"
#include "ruckle/paths/wrinkler.h"
#include "ruckle/surface/heights.h"
#include "ruckle/surface/texels.h"
#include "ruckle/types.h"

namespace ruckle {

// One vertex of a wrinkle's curve, as three texels. Segment k joins vertices k and k + 1.
struct CurveVertex {
    Vector3 position{0.0f, 0.0f, 0.0f};
    float half_width = 0.0f;           // mesh units
    Vector3 normal{0.0f, 0.0f, 0.0f};  // unit normal of the joint plane, forward along the wrinkle
    float height = 0.0f;               // mesh units; 0 at both ends of a wrinkle
    float slope = 0.0f;                // dH/ds
    float wrinkle = 0.0f;              // its number in the list of wrinkles
    float last = 0.0f;                 // 1 at the wrinkle's last vertex, where no segment begins, else 0
    float unused = 0.0f;
};
static_assert(sizeof(CurveVertex) == 3 * sizeof(Texel));

class PathHeights {
  public:
    // threads >= 1. Keeps a reference to the topology.
    explicit PathHeights(const Topology& topology, int threads = 1);
    ~PathHeights();
    PathHeights(PathHeights&&) noexcept;
    PathHeights& operator=(PathHeights&&) noexcept;

    // Takes a frame. What wrinkles name is copied; their paths must be valid on the topology.
    //
    // positions    (V) mesh units, finite
    // edge_length  mesh units, > 0 where there are wrinkles: length of fine edges, of which R_min / 2 shows every wrinkle; as
    //              little as half of it where wrinkles are so tight that the chords of their section would show as teeth
    void update(std::span<const Vector3> positions, std::span<const Wrinkle> wrinkles, float edge_length);

    // The last update; valid until the next one.
    std::span<const CurveVertex> curve_vertices() const;  // wrinkle after wrinkle
    std::span<const std::int32_t> face_offsets() const;   // (T + 1): the segments that reach face f are
    std::span<const std::int32_t> face_segments() const;  //   face_segments[face_offsets[f] .. face_offsets[f + 1]), ascending

    // As a height source.
    void add_heights(const HeightBlock& block) const;
    std::span<const float> bends() const;
    float edge_length() const;

    // By what share of its flat area the wrinkles enlarge each coarse face: over the segments of the curves that lie in it
    //     Σ ℓ 2r (L(η) - 1) / area,   L(η) = ½ [√(1 + 4η²) + asinh(2η) / (2η)],  η = height / r
    // with L the length of the cross-section over its width (shape.h). What lies beside a wrinkle's own faces counts as theirs.
    //
    // gains  (T) result, >= 0; 0 for faces that have collapsed
    void measure_gains(std::span<float> gains) const;

    // For shaders, behind the texels of the surface (texels.h): three for each curve vertex, then the runs of segments that follow
    // each other: texel of the first one's first vertex, how many, wrinkle; 0. The two numbers of a face's own texel become the
    // first of its runs' texels and one past the last's.
    std::size_t texel_count() const;
    void write_texels(std::span<Texel> table) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};
static_assert(HeightLayer<PathHeights>);

}  // namespace ruckle
