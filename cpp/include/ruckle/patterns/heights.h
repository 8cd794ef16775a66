// heights: evaluates modulated patterns over the coarse cloth, as a source of heights for surfaces.
//
//     height = Σ_k m_k f_k,    gradient = J Σ_k m_k ∇f_k + Σ_k f_k ∇m_k
// with f and ∇f linear over the cells of the grid, factors m linear over each coarse face, and J = W₁ (W₁ᵀW₁)⁻¹ W₀ᵀ. J
// converts gradients on the cloth at rest to gradients on the cloth of the frame; the columns of the 3 x 2 matrices W₀
// and W₁ are two edge vectors of a face at rest and in the frame.
//
// Guarantees: heights and gradients are continuous. Both faces of an edge compute the same bits for a point on the
// edge, because an edge has its own nodes, and because J and ∇m are averaged at vertices and interpolated. The
// computation does not require tangents or texture coordinates. With one J per face, slopes would jump by 0.25 at
// coarse edges, which is a visible crease. With averages, they change by 0.16 inside faces.
//
// Example:
//     ruckle::PatternHeights heights(grid, modulator.heights());
//     heights.update(positions, modulator.factors());
//     surface.update(positions, std::array{ruckle::source_of(heights)}, {.curved = true});
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/patterns/grid.h"
#include "ruckle/patterns/moments.h"
#include "ruckle/point4.h"
#include "ruckle/surface/heights.h"
#include "ruckle/surface/texels.h"
#include "ruckle/types.h"

namespace ruckle {

using PatternTexel = std::array<float, 4>;

class PatternHeights {
  public:
    // The object contains a reference to the grid. Copies of the object share the patterns, but each copy has its own
    // state of the frame.
    //
    // heights  (K, N) heights of K patterns at the grid's nodes, mesh units
    PatternHeights(const PatternGrid& grid, std::span<const float> heights);
    // True if one object is a copy of the other.
    bool shares_patterns(const PatternHeights& other) const { return lattices_ == other.lattices_; }

    // Computes the state of one frame.
    //
    // positions  (V) vertex positions, mesh units, finite
    // factors    (V, 4) factors of the patterns, from Modulator::factors
    void update(std::span<const Vector3> positions, std::span<const float> factors);

    int pattern_count() const { return pattern_count_; }

    // Functions of a height source (surface/heights.h).
    void add_heights(const HeightBlock& block) const;
    std::span<const float> bends() const { return bends_; }
    float edge_length() const { return edge_length_; }
    HeightRange range() const;

    // Appends the texels of the frame for shaders: 4 + K per vertex (shaders/common/pattern.glsl).
    void append_texels(std::vector<Word>& table) const;

    // Number of constant texels for shaders: 2 per face, then K for each point of the faces' lattices.
    // write_pattern_texels writes them.
    std::size_t pattern_texel_count() const;
    void write_pattern_texels(std::span<PatternTexel> table) const;

  private:
    // Patterns on the lattice of each face. A row of points runs from vertex 0 toward vertex 1; each following row is
    // closer to vertex 2. Points on edges are stored in both faces.
    struct Lattices {
        std::vector<std::int32_t> first;  // (T + 1) points of face t: [first[t], first[t + 1])
        std::vector<Point4> values;       // (points, K) gradient at rest (three numbers) and height, which are read together
        // (K) largest height of each pattern along the normal of the cloth and against it, at factor 1
        std::vector<HeightRange> ranges;
    };
    // Values of the frame at a vertex, interpolated over faces. The kernel reads this struct.
    struct VertexState {
        Point4 factors;                             // factor m of each pattern
        std::array<Point4, 3> transport;            // columns of J
        std::array<Point4, most_patterns> growths;  // gradients ∇m of the factors, 1 / mesh units
    };
    void measure_vertices(std::span<const Vector3> positions);

    const PatternGrid* grid_;
    int pattern_count_;
    float edge_length_;
    std::shared_ptr<const Lattices> lattices_;
    std::vector<VertexState> vertices_;
    std::vector<float> areas_;  // (V) twice the area of the faces around each vertex
    std::vector<float> bends_;  // (T) bend of each face for the height source: 0, or -1 without heights
};
static_assert(HeightFunction<PatternHeights>);

}  // namespace ruckle
