// path_heights: the heights of drawn wrinkles over the coarse cloth, as a source for surfaces (thesis 7).
//
// Every wrinkle is a line of samples on the cloth (curve.h). Distances are measured between rest positions: p and the samples m_k are
// taken there, and stay what they are whatever the cloth does. With r half widths, h heights, d unit directions, h' slopes dh/ds, and ℓ
// half of the way between the samples before and after, past those that are flat beside them:
//     φ_k = smoothstep(1 + 2 n_p·n_k): 1 where the cloth at p has turned less than 90° from that at m_k, 0 from 120° on; the means n of
//         vertex normals stay means, short on sharp edges, where unit ones would turn at once as a sample passes
//     ν_k = (1 - |p - m_k|² / (ρ r_k)²) min(1, g_k / min(ν, φ_k)), ν the first factor, 0 beyond      ρ = averaging_reach
//     ω_k = φ_k h_k ℓ_k ν_k³
//     o, t, R, H, H', n = the ω-means of p - m_k, d_k, r_k, h_k, h'_k, ν_k
//     a = o·t, within ±0.3 R        c = H + a H', within [0.8, 1.25] H
//     u² = max(|o - a t|² / R², 0.81 (ρ² (1 - 9/8 n) - 1/4))
//     height = φ c B(u),   B: ruckle::cross_section,   φ the ω-mean of φ_k
//     gradient = φ (c B'(u) / R (o - a t) / |o - a t| + H' B(u) t)
// so that p is compared with the line through the mean point along the mean direction: smooth where the closest point of a
// polyline jumps, and where it bends. Between two branches of one line the offsets cancel, and p would seem to lie on it: beside a
// straight line ρ² (1 - 9/8 n) is the square of the distance, and u is never much less than that. Through a fold of the rest
// positions a wrinkle does not show on the layer below, and where the cloth winds between p and m_k, the way over it has an opening g_k
// in [0, 1], the least min(ν, φ) along the widest way (paths/reach.h): what lies near but far along the cloth comes and goes from 0.
// Where it does not wind, g_k = 1. A sample without height weighs nothing: it comes and goes unseen. With ℓ the means are integrals over
// the line: where samples crowd, one of them goes unseen, too.
//
// Wrinkles that overlap blend, and leave a valley between their crests. With h_w the height of wrinkle w, n_w the unit direction away
// from its crest, v_w = h_w smoothstep(u_w / 0.6) n_w:
//     h = (Σ h_w⁴)^(1/4) - γ D        D = max(0, Σ |v_w|² - |Σ v_w|²) / Σ h_w        γ = valley_depth
// The first part alone loses length where sections overlap, a third of what they take up where crests are one half width apart, and
// a row becomes a plateau. D counts pairs that lean away from each other, and is 0 on crests, on one wrinkle alone and where two meet
// end to end. With it a row of equal wrinkles takes up n (P - 2r) within 10 %, from one half width between crests on; P and r: shape.h.
//
// Gradients are carried from rest to the cloth as it is now, by the means around each vertex of what does so on its triangles.
//
// Guarantees: heights and gradients are continuous functions of p; both triangles of an edge give the same bits on it; the same
// bits for any thread count and instruction set; once buffers have grown to an animation's needs, nothing is allocated.
//
// Departs from the paper: means instead of the projection between joint planes, which folds over itself in sharp bends and jumps
// when a path is rebuilt; distances at rest, because those between points of the moving cloth change with every fold; overlaps
// blend smoothly instead of by the maximum, and keep their length.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/paths/wrinkler.h"
#include "ruckle/surface/heights.h"
#include "ruckle/surface/texels.h"
#include "ruckle/types.h"

namespace ruckle {

// A sample that has height, made ready.
struct CurvePoint {
    Vector3 position;            // at rest, mesh units
    float inverse_reach_square;  // 1 / (ρ r)²
    Vector3 direction;           // forward along the wrinkle: unit, shorter where nothing lies around
    float weight;                // h ℓ over the square of the edge length: > 0
    float half_width;            // r at rest, mesh units
    float height;                // h, mesh units
    float slope;                 // h'
    float wrinkle;               // its number in the list of wrinkles
    Vector3 normal;              // of the cloth at rest: mean of the vertices' unit normals
    float unused;
};

// The points that reach face f are points[offsets[f] .. offsets[f + 1]), ascending.
struct FaceLists {
    std::vector<std::int32_t> offsets, points;  // (T + 1); (P)
    std::vector<float> openings;                // (P) g_k there, or 1 where that is not below ν_k and φ_k
};

class PathHeights {
  public:
    // threads >= 1. Keeps a reference to the topology.
    explicit PathHeights(const Topology& topology, int threads = 1);
    ~PathHeights();
    PathHeights(PathHeights&&) noexcept;
    PathHeights& operator=(PathHeights&&) noexcept;

    // Takes a frame: of the wrinkles their drawn lines (Wrinkle::curve), which are copied and must name faces of the topology.
    //
    // positions    (V) mesh units, finite
    // rest         (V) positions in which the lines are measured (Wrinkler::rest), finite
    // edge_length  mesh units, > 0 where there are wrinkles: length of fine edges, of which R_min / 2 shows every wrinkle; as
    //              little as half of it where wrinkles are so tight that the chords of their section would show as teeth
    void update(std::span<const Vector3> positions, std::span<const Vector3> rest, std::span<const Wrinkle> wrinkles,
                float edge_length);

    // The last update; valid until the next one.
    std::span<const CurvePoint> curve_points() const;  // wrinkle after wrinkle

    // Put together for each call.
    FaceLists face_lists() const;

    // As a height source.
    void add_heights(const HeightBlock& block) const;
    std::span<const float> bends() const;
    float edge_length() const;

    // Wrinkles ask for a smooth base around them: σ_v = smoothstep(max_k b_kv h_k / (r_k smooth_slope)), with b_kv the weight of vertex v
    // at sample k. Where samples walk from face to face it is continuous.
    std::span<const float> smoothing() const;  // (V)
    std::span<const Vector3> rest() const;     // (V) mesh units

    // By what share of its flat area the wrinkles enlarge each coarse face: over the samples that lie in it, each for the length ℓ of
    // its part of the line,
    //     Σ ℓ 2r (L(η) - 1) / area,   L(η) = ½ [√(1 + 4η²) + asinh(2η) / (2η)],  η = height / half width now
    // with L the length of the cross-section over its width (shape.h). What lies beside a wrinkle's own faces counts as theirs.
    //
    // gains  (T) result, >= 0; 0 for faces that have collapsed
    void measure_gains(std::span<float> gains) const;

    // For shaders, behind what the surface has written (texels.h), in whole texels: the curve points; what the vertices of faces that
    // they reach say of rest; runs of points that follow each other (common/wrinkles.glsl). Into the surface's own texels go where
    // these stand: of all faces their first run, of vertices their record.
    void append_texels(std::vector<Word>& table) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};
static_assert(HeightFunction<PathHeights>);

}  // namespace ruckle
