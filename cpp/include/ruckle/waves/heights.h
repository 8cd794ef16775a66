// heights: wrinkle waves over the coarse cloth, as a source for surfaces. The height h at a point of a face is a mean
// of the waves of its three vertices v:
//     h = Σ_v w_v a_v f(θ_v),  w_v = b_v² / Σ b_j²,  θ_v = φ_v + Σ_j b_j W_v·(P_j - P_v),  θ₂ = φ₂ + ρ (θ - φ)
//     f = cos θ + q (cos 2θ + 1) + d sin 2θ + o cos θ₂ + lift (1 - 2q + o),  d = -sag Ŵ·up
// with the amplitude a, the covector (wave vector) W and the phases φ and φ₂ of a vertex (WaveVertex), the positions P
// of the rest pose, the barycentric coordinates b, Ŵ = W / |W|, and the options q = sharpness, o = detail, sag and
// lift. ρ is the wave number of the finer wave divided by that of the first wave. Gradients are along the current face.
//
// Guarantees: heights are continuous. Both faces of an edge compute the same bits for a point on the edge, because only
// the two vertices of the edge have weights there. With b² in the weights, the median angle between normals on both
// sides of a coarse edge is 1°; with b it is 2.5°, with b³ 1.1°.
//
// Example:
//     ruckle::WaveHeights heights(waves);
//     heights.update(positions, vertices);  // vertices: of WaveField::write_vertices
//     surface.update(positions, std::array{ruckle::source_of(heights)}, {.curved = true});
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/surface/heights.h"
#include "ruckle/surface/texels.h"
#include "ruckle/types.h"
#include "ruckle/waves/wave_field.h"
#include "ruckle/waves/wave_patch.h"

namespace ruckle {

// Returns the texel with the state of a vertex for the GPU.
std::array<Word, texel_words> texel_of(const WaveVertex& vertex);

class WaveHeights {
  public:
    // The new object shares the rest pose and the wave profile with the field. Heights are 0 until the first update.
    explicit WaveHeights(const WaveField& field);
    bool shares_rest(const WaveHeights& other) const { return rest_ == other.rest_; }

    // Sets positions and wave state of one frame, and removes a later state that mix() has set.
    //
    // positions  (V) mesh units, finite
    // vertices   (V) from WaveField::write_vertices
    void update(std::span<const Vector3> positions, std::span<const WaveVertex> vertices);
    // The same with the state of `field`, which has the mesh and options of the constructor's field.
    void update(std::span<const Vector3> positions, const WaveField& field);

    // Writes the relative increase of each coarse face's area by the waves to `gains` (T), about √(1 + mean square
    // slope) - 1.
    void measure_gains(std::span<float> gains) const;

    // Interpolates between the current state and a later state, for waves that step at a lower rate than the display.
    // Phases rotate in the shorter direction.
    //
    // share  in [0, 1]. 0: current state; 1: later state
    void mix(std::span<const WaveVertex> later, float share);
    float share() const { return share_; }

    // Functions of a height source (surface/heights.h).
    void add_heights(const HeightBlock& block) const;
    std::span<const float> bends() const { return bends_; }
    float edge_length() const;  // mesh units: a sixth of the finer wavelength
    HeightRange range() const;

    int face_count() const;
    std::span<const WaveVertex> vertices() const { return vertices_; }

    // Texels for shaders (shaders/common/waves.glsl). Constant texels: one per face, then one per vertex. Texels of a
    // frame: one per vertex, and then one more per vertex if mix() has set a later state.
    std::size_t rest_texel_count() const;
    void write_rest_texels(std::span<std::array<float, 4>> table) const;
    std::array<float, 4> profile() const;  // q, o, sag, and the constant term lift (1 - 2q + o) of f
    void append_texels(std::vector<Word>& table) const;

  private:
    void show(std::span<const Vector3> positions);
    void measure_patches();

    std::shared_ptr<const WaveRest> rest_;
    std::vector<Vector3> positions_;
    std::vector<WavePatch> patches_;  // (T) kernel input of each face
    // (V) interpolated state, and the two states between which it is interpolated
    std::vector<WaveVertex> vertices_, before_, later_;
    float share_ = 0.0f;
    std::vector<float> bends_;  // (T) largest second derivative per face; -1: without visible heights
};
static_assert(HeightFunction<WaveHeights>);

}  // namespace ruckle
