// path_heights: computes heights and gradients of drawn wrinkles at any surface point (thesis 7).
//
// Each wrinkle is drawn as a line of samples on the cloth (curve.h). The evaluated point p and the samples m_k are
// points of the cloth at rest, so that deformation does not change distances. With r half widths, h heights, d unit
// directions, h' slopes dh/ds, and ℓ half of the distance between the previous and the next sample that is not flat:
//     φ_k = smoothstep(1 + 2 n_p·n_k): 1 if the angle between the normals at p and m_k is at most 90°, 0 from 120° on.
//     n_p and n_k are interpolated vertex normals without normalisation. They are short at sharp edges, where unit
//     normals would turn abruptly
//     ν_k = (1 - |p - m_k|² / (ρ r_k)²) min(1, g_k / min(ν, φ_k)), ν: the first factor, at least 0      ρ = averaging_reach
//     ω_k = φ_k h_k ℓ_k ν_k³
//     o, t, R, H, H', n = the ω-means of p - m_k, d_k, r_k, h_k, h'_k, ν_k
//     a = o·t, within ±0.3 R        c = H + a H', within [0.8, 1.25] H
//     u² = max(|o - a t|² / R², 0.81 (ρ² (1 - 9/8 n) - 1/4))
//     height = φ c B(u),   B: ruckle::cross_section,   φ the ω-mean of φ_k
//     gradient = φ (c B'(u) / R (o - a t) / |o - a t| + H' B(u) t)
// u is the distance of p from the line through the mean point along the mean direction. This distance is smooth even if
// the closest point of the polyline jumps or the line bends. Between two branches of a line the offsets o cancel, and p
// would seem to be on the line. The second argument of max prevents this error: near a straight line ρ² (1 - 9/8 n) is
// about the squared distance.
//
// A wrinkle must not appear on another layer of cloth below it. If the cloth between p and m_k is curved or folded, the
// sample has an opening g_k in [0, 1]. For each route over the cloth from m_k to p, take the minimum of min(ν, φ) over
// its points; g_k is the maximum of these minima over all routes (cpp/src/paths/reach.h). So a sample that is near in
// space but far along the cloth appears and disappears continuously. Otherwise g_k = 1. A sample of height 0 has weight
// 0, so that it can be added without a visible change. The factor ℓ turns the means into integrals over the line, so
// that a sample of a dense group can be removed without a visible change.
//
// If a WrinkleClock blends an earlier and a later step, the height is (1 - s) times the height of the earlier lines
// plus s times the height of the later lines. The same formula gives the gradient.
//
// Wrinkles that overlap blend, with a valley between their crests. With h_w the height of wrinkle w, n_w the unit direction away
// from its crest, u_w the distance from its crest in half widths, v_w = h_w smoothstep(u_w / valley_lean) n_w:
//     h = (Σ h_w⁴)^(1/4) - γ D        D = max(0, Σ |v_w|² - |Σ v_w|²) / Σ h_w        γ = valley_depth
// The first term alone loses length in overlaps: a third of the absorbed length if crests are one half width apart, and
// a row of wrinkles becomes a plateau. D is large between crests, where the directions n_w are opposite. D is 0 on
// crests, on a single wrinkle, and if two wrinkles touch with their ends. With D, a row of equal wrinkles absorbs the
// length n (P - 2r) within 10 %, if crests are at least one half width apart; P and r: shape.h.
//
// Gradients are converted from the cloth at rest to the current cloth by a matrix ("carrier") per vertex, the mean of
// the matrices of its triangles.
//
// Guarantees: heights and gradients are continuous functions of p. Both triangles of an edge give the same bits on the
// edge. Results have the same bits for any thread count and instruction set. Nothing allocates once the buffers are
// large enough for an animation.
//
// Departs from the paper: the paper projects p between planes at the joints of the polyline. These planes overlap in
// sharp bends, and jump if a path is rebuilt; here weighted means are used. Distances are measured at rest, because
// distances on the moving cloth change with every fold. Overlapping wrinkles blend smoothly and absorb the right length
// of cloth; the paper uses the maximum of their heights.
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

// Curve point: a sample of positive height, with precomputed terms of the formula.
struct CurvePoint {
    Vector3 position;            // position at rest, mesh units
    float inverse_reach_square;  // 1 / (ρ r)²
    Vector3 direction;           // direction of the wrinkle: unit, or shorter for an isolated sample
    float weight;                // h ℓ / e² > 0; ℓ: length of line that the sample represents; e: edge_length of update
    float half_width;            // half width r at rest, mesh units
    float height;                // height h, mesh units
    float slope;                 // slope h' of the height along the line
    float wrinkle;               // number of the wrinkle in the list of wrinkles
    Vector3 normal;              // normal of the cloth at rest: mean of the vertices' unit normals
    float unused;
};

// For each face, the curve points that reach (affect) it. Face f has points[offsets[f] .. offsets[f + 1]), ascending.
struct FaceLists {
    std::vector<std::int32_t> offsets, points;  // (T + 1) offsets; (P) indices of curve points
    // (P) opening g_k of each point at the face; 1 if g_k is not below ν_k and φ_k
    std::vector<float> openings;
};

// The drawn lines of a displayed frame: the lines of one step (`later`), or of two steps that are blended
// (wrinkle_clock.h).
struct DrawnLines {
    std::span<const Wrinkle> earlier{}, later{};
    float share = 1.0f;  // weight of the later step, in [0, 1]: h = (1 - share) h_earlier + share h_later
    // Cache of the character, filled by the previous update. The update reads the cache and replaces its contents by
    // the later lines. Null: the faces of every line are searched.
    KeptReach* kept = nullptr;
    // The later lines of the previous table, to be used instead of `earlier`; null: `earlier` is used. Allowed only if
    // the caller then requests a table and no heights, and if the base surface is flat (SurfaceOptions::curved is
    // false). The object must exist until the next update.
    const PackedLines* packed = nullptr;
};

class PathHeights {
  public:
    // threads: number of threads, >= 1. The topology must outlive this object.
    explicit PathHeights(const Topology& topology, int threads = 1);
    ~PathHeights();
    PathHeights(PathHeights&&) noexcept;
    PathHeights& operator=(PathHeights&&) noexcept;

    // Computes the state of one frame. Copies the drawn lines of the wrinkles (Wrinkle::curve). Their samples must be
    // on faces of the topology.
    //
    // positions    (V) current vertex positions, mesh units, finite
    // rest         (V) rest positions (Wrinkler::rest), finite
    // edge_length  length of fine edges, mesh units, > 0 if there are wrinkles. R_min / 2 resolves every wrinkle.
    //              Narrow wrinkles get edges down to half of this length, so that their cross-sections do not look
    //              serrated
    void update(std::span<const Vector3> positions, std::span<const Vector3> rest, std::span<const Wrinkle> wrinkles,
                float edge_length);

    // Computes the state of one frame from the lines of one step, or of two steps that are blended. Other arguments:
    // see above.
    void update(std::span<const Vector3> positions, std::span<const Vector3> rest, const DrawnLines& lines, float edge_length);

    // Computes the state of a frame between two steps: the lines of the last update, on cloth that has moved. Only
    // `share` (see DrawnLines), the smoothing of the base and the gradient matrices change, because the lines do not
    // move over the cloth at rest. Tessellation levels do not change.
    void carry(std::span<const Vector3> positions, float share);

    // Results of the last update; valid until the next update.
    //
    // Returns the curve points, sorted by wrinkle: first the lines of the earlier step, then of the later step.
    std::span<const CurvePoint> curve_points() const;

    // Returns the curve points that reach each face. Each call computes the lists again.
    FaceLists face_lists() const;

    // Functions of a height source (surface/heights.h).
    void add_heights(const HeightBlock& block) const;
    std::span<const float> bends() const;
    float edge_length() const;
    HeightRange range() const;

    // Weight of the smooth base surface at each vertex: σ_v = smoothstep(max_k b_kv h_k / (r_k smooth_slope)), with
    // b_kv the barycentric weight of vertex v at sample k. Wrinkles look smooth only on a smooth base. The weight
    // changes continuously if samples move from face to face.
    std::span<const float> smoothing() const;  // (V) weight σ_v of each vertex, in [0, 1]
    std::span<const Vector3> rest() const;     // (V) rest positions of the last update, mesh units

    // Computes the relative increase of the area of each coarse face by wrinkles. The sum is over the samples in the
    // face; ℓ is the length of the line that a sample represents:
    //     Σ ℓ 2r (L(η) - 1) / area,   L(η) = ½ [√(1 + 4η²) + asinh(2η) / (2η)],  η = height / half width now
    // L is (length of the cross-section) / width (shape.h). The increase is added to the face that contains the sample,
    // even if the wrinkle is wider than the face. If two steps are blended, terms of the earlier lines are multiplied
    // by 1 - share, and those of the later lines by share.
    //
    // gains  (T) result: relative increase of area, >= 0; 0 for faces that have collapsed
    void measure_gains(std::span<float> gains) const;

    // Appends the data of the shaders to a GPU table, as whole texels after the texels of the surface (texels.h): the
    // curve points; the rest positions and normals of the vertices of reached faces; runs of consecutive points
    // (common/wrinkles.glsl). Offsets and gradient matrices are written into texels of the surface, which reserves
    // carried_words() for them.
    void append_texels(std::vector<Word>& table) const;
    void keep_later(PackedLines& result) const;  // copies the lines of the later step from the last table into `result`
    // number of words that the table needs for gradient matrices
    std::size_t carried_words() const;
    // vertices of the faces that curve points reach, in the order of their gradient matrices in the table
    std::span<const std::int32_t> reached_vertices() const;

    // Rewrites the share and the gradient matrices in a table, for the same lines on cloth that has moved. This
    // destroys the state of the last update: call update() before any other function except carry_texels.
    //
    // rest      (V) rest positions that were used for the table
    // vertices  reached_vertices() of the update that was used for the table
    // table     the table, or its first part up to SurfaceLayout::edges
    void carry_texels(std::span<const Vector3> positions, std::span<const Vector3> rest, float share,
                      std::span<const std::int32_t> vertices, std::span<Word> table);

  private:
    struct State;
    std::unique_ptr<State> state_;
};
static_assert(HeightFunction<PathHeights>);

}  // namespace ruckle
