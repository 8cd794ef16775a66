// heights: wrinkle waves over the coarse cloth, as a source for surfaces.
//
//     h = Σ_v w_v a_v f(θ_v),  w_v = b_v² / Σ b_j²,  θ_v = φ_v + Σ_j b_j W_v·(P_j - P_v),  θ₂ = φ₂ + ρ (θ - φ)
//     f = cos θ + q (cos 2θ + 1) + d sin 2θ + o cos θ₂ + lift (1 - 2q + o),  d = -sag Ŵ·up
// with P the rest pose and b the barycentric coordinates. Gradients are those on the face as it is now.
//
// Guarantees: heights are continuous, and both faces of an edge give a point on it the same bits, because only the vertices of the edge
// have a weight there. With b² in the weights normals kink by 1° in the median at coarse edges; b gives 2.5°, b³ 1.1°.
#pragma once

#include <span>
#include <vector>

#include "ruckle/surface/heights.h"
#include "ruckle/surface/texels.h"
#include "ruckle/types.h"
#include "ruckle/waves/wave_field.h"

namespace ruckle {

struct WavePatch;

class WaveHeights {
  public:
    // Takes rest pose and profile of the field, and shares them. Heights are 0 until the first update.
    explicit WaveHeights(const WaveField& field);
    bool shares_rest(const WaveHeights& other) const { return rest_ == other.rest_; }

    // Takes a frame.
    //
    // positions  (V) mesh units, finite
    // vertices   (V) as WaveField::write_vertices
    void update(std::span<const Vector3> positions, std::span<const WaveVertex> vertices);

    // gains  (T) result: by what share of its flat area each coarse face grows, near √(1 + mean square slope) - 1
    void measure_gains(std::span<float> gains) const;

    // As a height source.
    void add_heights(const HeightBlock& block) const;
    std::span<const float> bends() const { return bends_; }
    float edge_length() const;  // six to a wave of the finer kind

    int face_count() const;
    std::span<const WaveVertex> vertices() const { return vertices_; }

    // For shaders, of each frame: one texel per vertex (shaders/common/waves.glsl).
    void append_texels(std::vector<Word>& table) const;

  private:
    WavePatch patch_of(std::int32_t face) const;

    std::shared_ptr<const WaveRest> rest_;
    std::vector<Vector3> positions_;
    std::vector<WaveVertex> vertices_;
    std::vector<float> bends_;  // (T)
};
static_assert(HeightLayer<WaveHeights>);

}  // namespace ruckle
