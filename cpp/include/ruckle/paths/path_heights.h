// path_heights: heights of drawn wrinkles over the coarse cloth, as a source for surfaces (thesis 7).
//
// Each wrinkle is a line of samples on the cloth (curve.h). Distances are measured between rest positions: p and the samples m_k
// are points of the rest shape, so that deformation does not change them. With r half widths, h heights, d unit directions, h'
// slopes dh/ds, and ℓ half of the distance between the previous and the next sample that is not flat:
//     φ_k = smoothstep(1 + 2 n_p·n_k): 1 if the cloth at p is within 90° of that at m_k, 0 from 120° on. The means n of
//         vertex normals are not normalised: they are short on sharp edges, and unit normals would turn abruptly
//     ν_k = (1 - |p - m_k|² / (ρ r_k)²) min(1, g_k / min(ν, φ_k)), ν the first factor, 0 beyond      ρ = averaging_reach
//     ω_k = φ_k h_k ℓ_k ν_k³
//     o, t, R, H, H', n = the ω-means of p - m_k, d_k, r_k, h_k, h'_k, ν_k
//     a = o·t, within ±0.3 R        c = H + a H', within [0.8, 1.25] H
//     u² = max(|o - a t|² / R², 0.81 (ρ² (1 - 9/8 n) - 1/4))
//     height = φ c B(u),   B: ruckle::cross_section,   φ the ω-mean of φ_k
//     gradient = φ (c B'(u) / R (o - a t) / |o - a t| + H' B(u) t)
// So p is compared with the line through the mean point along the mean direction. This is smooth even if the closest point of the
// polyline jumps or the line bends. Between two branches of a line the offsets cancel, and p would seem to be on the line. The
// second bound of u prevents this: near a straight line ρ² (1 - 9/8 n) is the squared distance, and u is never much smaller.
//
// Through a fold of the rest shape a wrinkle does not show on the layer below. If the cloth winds between p and m_k, the sample
// has an opening g_k in [0, 1]: the minimum of min(ν, φ) along the widest path over the cloth (paths/reach.h). So samples that
// are near in space but far along the cloth appear and disappear continuously. Without winding g_k = 1. Samples of height 0 have
// weight 0 and appear unnoticed. The factor ℓ makes the means integrals over the line, so that a sample may also vanish from a
// dense group unnoticed.
//
// Between two steps of a slower wrinkler, h and its gradient are (1 - s) times those of the earlier lines plus s times those of the
// later ones.
//
// Wrinkles that overlap blend, with a valley between their crests. With h_w the height of wrinkle w, n_w the unit direction away
// from its crest, v_w = h_w smoothstep(u_w / 0.6) n_w:
//     h = (Σ h_w⁴)^(1/4) - γ D        D = max(0, Σ |v_w|² - |Σ v_w|²) / Σ h_w        γ = valley_depth
// The first term alone loses length in overlaps: a third of the absorbed length if crests are one half width apart, and a row of
// wrinkles becomes a plateau. D counts pairs that lean away from each other. It is 0 on crests, on a single wrinkle, and if two
// wrinkles meet end to end. With D, a row of equal wrinkles absorbs n (P - 2r) within 10 %, from one half width between crests
// on; P and r: shape.h.
//
// Gradients are carried from rest to the current shape by per-vertex means of the matrices of the triangles.
//
// Guarantees: heights and gradients are continuous functions of p. Both triangles of an edge give the same bits on it. Results
// are the same bits for any thread count and instruction set. Nothing allocates once buffers have grown to an animation's needs.
//
// Departs from the paper: means instead of the projection between joint planes, which folds over itself in sharp bends and jumps
// if a path is rebuilt; rest distances, because distances on the moving cloth change with every fold; overlaps blend smoothly
// instead of by the maximum, and keep their length.
//
// Example:
//     std::vector<ruckle::Wrinkle> wrinkles;
//     for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
//         wrinkles.push_back(wrinkler.wrinkle(i));
//     }
//     ruckle::PathHeights heights(wrinkler.topology());
//     heights.update(positions, wrinkler.rest(), wrinkles, 0.5f * *wrinkler.options().r_min);
//     surface.update(positions, std::array{ruckle::source_of(heights)}, {.curved = true});
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/paths/kept_reach.h"
#include "ruckle/paths/packed_lines.h"
#include "ruckle/paths/wrinkler.h"
#include "ruckle/surface/heights.h"
#include "ruckle/surface/texels.h"
#include "ruckle/types.h"

namespace ruckle {

// A sample of positive height, with the derived quantities of the formula.
struct CurvePoint {
    Vector3 position;            // at rest, mesh units
    float inverse_reach_square;  // 1 / (ρ r)²
    Vector3 direction;           // forward along the wrinkle: unit, or shorter for an isolated sample
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
    std::vector<float> openings;                // (P) g_k, or 1 if it is not below ν_k and φ_k
};

// The drawn lines of a picture: those of one step, or of two for a picture in between (wrinkle_clock.h).
struct DrawnLines {
    std::span<const Wrinkle> earlier{}, later{};
    float share = 1.0f;         // in [0, 1]: heights are (1 - share) of the earlier lines plus share of the later ones
    KeptReach* kept = nullptr;  // of the character, up to the earlier lines; the update replaces it. Null: every line is searched
    // The later lines of the table before, in place of the earlier lines, if the caller only asks for a table with a flat base. Must
    // outlive that table.
    const PackedLines* packed = nullptr;
};

class PathHeights {
  public:
    // threads >= 1. Keeps a reference to the topology.
    explicit PathHeights(const Topology& topology, int threads = 1);
    ~PathHeights();
    PathHeights(PathHeights&&) noexcept;
    PathHeights& operator=(PathHeights&&) noexcept;

    // Updates the source to a frame. Copies the drawn lines of the wrinkles (Wrinkle::curve), which must name faces of the
    // topology.
    //
    // positions    (V) mesh units, finite
    // rest         (V) rest positions (Wrinkler::rest), finite
    // edge_length  mesh units, > 0 if there are wrinkles: length of fine edges. R_min / 2 resolves every wrinkle; tight wrinkles
    //              get edges down to half of it, because chords of their section would look serrated
    void update(std::span<const Vector3> positions, std::span<const Vector3> rest, std::span<const Wrinkle> wrinkles,
                float edge_length);

    void update(std::span<const Vector3> positions, std::span<const Vector3> rest, const DrawnLines& lines, float edge_length);

    // The same lines on cloth that has moved. Lines are fixed to the cloth at rest, so that only the carriers of gradients change.
    // Levels remain those of the update.
    void carry(std::span<const Vector3> positions, float share);

    // Results of the last update; valid until the next one.
    std::span<const CurvePoint> curve_points() const;  // wrinkle after wrinkle: earlier lines, then later ones

    // Built by each call.
    FaceLists face_lists() const;

    // Implements a height source.
    void add_heights(const HeightBlock& block) const;
    std::span<const float> bends() const;
    float edge_length() const;
    HeightRange range() const;

    // Wrinkles ask for a smooth base around them: σ_v = smoothstep(max_k b_kv h_k / (r_k smooth_slope)), with b_kv the weight of
    // vertex v at sample k. It is continuous as samples move from face to face.
    std::span<const float> smoothing() const;  // (V)
    std::span<const Vector3> rest() const;     // (V) mesh units

    // Relative growth of the area of each coarse face by wrinkles. The sum runs over the samples in the face; ℓ is the length of a
    // sample's part of the line:
    //     Σ ℓ 2r (L(η) - 1) / area,   L(η) = ½ [√(1 + 4η²) + asinh(2η) / (2η)],  η = height / half width now
    // L is the length of the cross-section over its width (shape.h). Parts of a wrinkle on neighbouring faces count for the
    // sample's face.
    //
    // gains  (T) result, >= 0; 0 for faces that have collapsed
    void measure_gains(std::span<float> gains) const;

    // Table for shaders, in whole texels after those of the surface (texels.h): the curve points; rest data of the vertices of
    // the faces that they reach; runs of consecutive points (common/wrinkles.glsl). The surface's own texels receive the offsets,
    // and the carriers of the vertices: the surface reserves carried_words() for them.
    void append_texels(std::vector<Word>& table) const;
    void keep_later(PackedLines& result) const;  // the later lines of the last table
    std::size_t carried_words() const;
    std::span<const std::int32_t> reached_vertices() const;  // of the faces that points reach, in the order of their carriers

    // Rewrites the share and the carriers in a table, for cloth that has moved under the same lines. Does not read the last update,
    // and leaves an object that needs an update before all other calls.
    //
    // rest      (V) as in the update of the table
    // vertices  reached_vertices() of that update
    // table     at least its first part, up to the edges
    void carry_texels(std::span<const Vector3> positions, std::span<const Vector3> rest, float share,
                      std::span<const std::int32_t> vertices, std::span<Word> table);

  private:
    struct State;
    std::unique_ptr<State> state_;
};
static_assert(HeightFunction<PathHeights>);

}  // namespace ruckle
