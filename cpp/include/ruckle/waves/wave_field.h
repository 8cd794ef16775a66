// wave_field: the stateful class of wrinkle waves. Each coarse vertex has a covector (wave vector), two phases and an amplitude.
//
// One step has these stages. Lengths, areas and directions are those of the rest pose, v is a vertex and j its
// neighbours:
//     field       compression c and its axis d in each face of area A, from rest to the frame; lost length
//                 e = max(c - 1, 0) of the face; lost length ε of a vertex: mean of e over its faces. If slack > 0, e is
//                 multiplied by (1 + n_y / 2) / (1 + 2 (λ - 1)), with n_y the vertical component of the normal and λ the
//                 largest stretch, because cloth rests on shoulders, hangs below arms, and slides toward taut places
//     direction   wanted covector: k times the main axis of Σ A e d dᵀ, smoothed over 4 r_min and 0.3 s, with
//                 k = 2π / wavelength. On torsos and skirts, compression along the horizontal counts more, because
//                 loose cloth hangs in vertical folds. At short sleeves, compression along the arm counts more,
//                 because such sleeves slide up and gather in rings
//     phase       z = e^{iφ} <- unit(z + 0.7 mean of e^{-iω} z_j), ω = ½ (W_v + W_j)·(P_j - P_v): one sweep over all
//                 vertices, one colour of a vertex colouring after the other
//     pull        W moves toward the gradient of its phase, so that folds do not break
//     amplitude   a = slope / (k S), with slope = 2 gain √ε · ε/(ε + slack), smoothly limited to `steepest`, and S
//                 the root mean square slope of the profile divided by that of a cosine. If slack > 0, half of the
//                 length that is lost along a fold is ignored, because the cloth slides. a is lower if the phases of
//                 neighbours disagree, and near loose hems, because cloth slides there instead of folding
//     move        covectors, phases and amplitudes change toward these values, as far as the bound below allows
// Heights (heights.h) are h = Σ w_v a_v f(θ_v), w_v = b_v² / Σ b_j², θ_v = φ_v + W_v·(x - P_v).
//
// The bound: |Δh| <= calm · r_min per 1/30 s, at every point of the cloth.
// Proof. Σ w = 1 and w >= 0, so |Δh| <= Σ w_v |Δ(a f)_v|, and
//     |Δ(a f)_v| <= f_max |Δa| + a (f'_max |Δφ| + o |Δφ₂| + (f'_max + o ρ) |ΔW| |x - P_v| + |Δd|)
// with the amplitude a before the step, f_max = 1 + 2q + sag + o + lift |1 - 2q + o|, f'_max = 1 + 2q + 2 sag, and
// |Δd| <= 2 sag |ΔW| / |W|. A point x with weight b_v is at most (1 - b_v) L from P_v, with L the vertex's longest edge. With ⅔ L
// instead, the sum exceeds its largest term by at most max_b Σ w_v max(1, (1 - b_v) / ⅔) = 1.042 <= 1.05. The bound is divided by
// 1.05.
//
// Guarantees: step never throws, and does not allocate if the thread has processed a mesh of this size before. A rejected frame
// does not change the state. The same frames give the same bits on any thread count and instruction set. A face that has
// collapsed at rest is ignored; the lost length ε of a face that collapses later is limited to 1.5.
//
// Source: Knöppel et al., Stripe Patterns on Surfaces, 2015; Chen et al., Complex Wrinkle Field Evolution, 2023.
//
// Example:
//     ruckle::WaveField waves(shared_topology, rest);
//     std::vector<ruckle::WaveVertex> vertices(rest.size());
//     for (const auto& positions : frames) {
//         waves.step(positions, 1.0f / 60.0f);
//         waves.write_vertices(vertices);
//         draw(vertices);
//     }
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/types.h"
#include "ruckle/waves/parameters.h"

namespace ruckle {

// Returns the default options for simulated coarse cloth, which is compressed less than skinned cloth.
WaveOptions simulated_waves();

// State of the waves at a vertex, from which heights between vertices are computed.
struct WaveVertex {
    Vector3 covector;         // 1 / mesh units, in the tangent plane of the rest pose
    float phase, fine_phase;  // phases of both waves, radians in [-π, π]
    float amplitude;          // amplitude a of the profile (heights.h), mesh units
};
static_assert(sizeof(WaveVertex) == 24);

struct WaveRest;

class WaveField {
  public:
    // rest   (V) mesh units: pose of the undeformed cloth, such as a bind pose or the first frame
    // paint  (V) in [0, 1]: multiplies the amplitude of each vertex; empty: 1 everywhere
    // Throws std::invalid_argument or MeshError with one sentence if an argument is invalid.
    WaveField(std::shared_ptr<const Topology> topology, std::span<const Vector3> rest, const WaveOptions& options = {},
              std::span<const float> paint = {});
    // Creates another garment of the same kind. It shares all data of the rest pose and copies the state.
    WaveField(const WaveField& other);
    WaveField& operator=(const WaveField&) = delete;
    ~WaveField();
    WaveField(WaveField&&) noexcept;

    // Computes the waves of the next frame. Returns `done`, or the reason for which the frame was rejected; the state
    // then does not change.
    //
    // positions  (V) mesh units
    // dt         seconds since the previous frame, > 0; ignored in the first frame
    // remaining  (T) in (0, 1]: flat area / area with the heights of other layers, for each triangle; may be empty
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time,
                    std::span<const float> remaining = {}) noexcept;

    // Change options or paint between two steps. Heights move to their new values at most as fast as `calm` allows.
    // Afterwards the field does not share the rest data with its copies. If r_min or wavelength is not set, it is
    // derived as in the constructor. Both functions throw std::invalid_argument for invalid values; the field then does
    // not change. set_options also throws for another number of threads, or another profile (sharpness, detail, sag,
    // lift), which would make heights jump.
    void set_options(const WaveOptions& options);
    void set_paint(std::span<const float> paint);

    // Forgets all frames: the next step is the first.
    void reset();

    // Returns the state as bytes. A WaveField with the same mesh, rest pose, paint and options can restore it, and then
    // computes identical results.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;  // bytes, equal for all frames
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    const Topology& topology() const;
    const std::shared_ptr<const WaveRest>& rest() const;
    std::span<const Vector3> rest_positions() const;
    const WaveOptions& options() const;  // options, with r_min and wavelength set
    int frame_count() const;

    // Results of the last step; valid until the next step.
    const WaveTimings& timings() const;
    const WaveStats& stats() const;

    WaveVertex vertex(std::size_t v) const;
    void write_vertices(std::span<WaveVertex> vertices) const;  // (V) state of each vertex
    // Writes the six numbers of each vertex to its row. stride: numbers per row, >= 6.
    void write_rows(float* rows, std::size_t stride) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
