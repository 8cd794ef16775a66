// heights: modulated patterns over the coarse cloth, as a source for surfaces.
//
//     height = Σ_k m_k f_k,    gradient = J Σ_k m_k ∇f_k + Σ_k f_k ∇m_k
// with f, ∇f linear over the cells of the grid, factors m linear over each coarse face, and J = W₁ (W₁ᵀW₁)⁻¹ W₀ᵀ, which takes
// gradients on the cloth at rest (edges W₀) to gradients on the frame's (edges W₁).
//
// Guarantees: heights and gradients are continuous; both faces of an edge give a point on it the same bits, because an edge has its
// own nodes, and J and ∇m are means over the faces around vertices, interpolated; no tangents or texture coordinates are needed.
// Per face J would leave visible creases, a jump of the slope by 0.25 at coarse edges; the means bend slopes by 0.16 inside.
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
    // heights  (K, N) mesh units. Keeps a reference to the grid. Copies share the patterns, and follow frames of their own.
    PatternHeights(const PatternGrid& grid, std::span<const float> heights);
    bool shares_patterns(const PatternHeights& other) const { return lattices_ == other.lattices_; }

    // Takes a frame.
    //
    // positions  (V) mesh units, finite
    // factors    (V, 4) as Modulator::factors
    void update(std::span<const Vector3> positions, std::span<const float> factors);

    int pattern_count() const { return pattern_count_; }

    // As a height source.
    void add_heights(const HeightBlock& block) const;
    std::span<const float> bends() const { return bends_; }
    float edge_length() const { return edge_length_; }
    HeightRange range() const;

    // For shaders, of each frame: 4 + K texels per vertex (shaders/common/pattern.glsl).
    void append_texels(std::vector<Word>& table) const;

    // For shaders, once: 2 texels per face, then K for each point of the faces' lattices.
    std::size_t pattern_texel_count() const;
    void write_pattern_texels(std::span<PatternTexel> table) const;

  private:
    // Patterns on the faces' lattices, whose rows run towards vertex 1 and follow each other towards vertex 2. Each face stores
    // all its points, also those on its edges, which are duplicates.
    struct Lattices {
        std::vector<std::int32_t> first;  // (T + 1) points of face t: [first[t], first[t + 1])
        std::vector<Point4> values;       // (points, K) gradient at rest, then height, which are read together
        std::vector<HeightRange> ranges;  // (K) of each pattern
    };
    // The values at the vertices of the frame, to be interpolated; in the kernel's format.
    struct VertexState {
        Point4 factors;                             // m
        std::array<Point4, 3> transport;            // columns of J
        std::array<Point4, most_patterns> growths;  // ∇m, 1 / mesh units
    };
    void measure_vertices(std::span<const Vector3> positions);

    const PatternGrid* grid_;
    int pattern_count_;
    float edge_length_;
    std::shared_ptr<const Lattices> lattices_;
    std::vector<VertexState> vertices_;
    std::vector<float> areas_;  // (V)
    std::vector<float> bends_;  // (T)
};
static_assert(HeightFunction<PatternHeights>);

}  // namespace ruckle
