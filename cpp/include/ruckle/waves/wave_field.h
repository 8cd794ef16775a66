// wave_field: the stateful object. Folds as a field of waves: a covector, two phases and an amplitude at each coarse vertex.
//
// One step, with all geometry of the rest pose:
//     field       compression c and its axis per face, from rest to the frame; lost length ε = mean max(c - 1, 0) around a vertex
//     direction   tensors Σ A (c - 1) d dᵀ, smoothed over 4 r_min and .1 s; W_d = k · main axis, k = 2π / wavelength; on torsos
//                 and skirts the level part counts more, because loose cloth hangs in folds that run down; at short sleeves
//                 the part along the arm, because they slide up it and gather in rings
//     phase       z = e^{iφ} <- unit(z + .7 mean of e^{-iω} z_j), ω = ½ (W_v + W_j)·(P_j - P_v): one sweep over the colours
//     pull        W yields toward the gradient of its phase, so that folds remain whole
//     amplitude   with slack, the length lost along a fold counts half, because cloth slides there; slope 2 gain √ε · ε²/(ε² + slack²),
//                 smoothly limited to the steepest, over k S; lower if phases disagree, and
//                 near loose hems, where cloth slides instead
//     move        covectors, phases and amplitudes change as far as the bound allows
// Heights (heights.h) are h = Σ w_v a_v f(θ_v), w_v = b_v² / Σ b_j², θ_v = φ_v + W_v·(x - P_v).
// Evaluation needs neither lists nor a search.
//
// The bound: |Δh| <= calm · r_min per 1/30 s, at every point of the cloth.
// Proof. Σ w = 1 and w >= 0, so |Δh| <= Σ w_v |Δ(a f)_v|, and
//     |Δ(a f)_v| <= f_max |Δa| + a (f'_max |Δφ| + o |Δφ₂| + (f'_max + o ρ) |ΔW| |x - P_v| + |Δd|)
// with the amplitude a before the step, f_max = 1 + 2q + sag + o + lift |1 - 2q + o|, f'_max = 1 + 2q + 2 sag, and
// |Δd| <= 2 sag |ΔW| / |W|. A point x with weight b_v is at most (1 - b_v) L from P_v, with L the vertex's longest edge. With ⅔ L
// instead, the sum exceeds its largest term by at most max_b Σ w_v max(1, (1 - b_v) / ⅔) = 1.042 <= 1.05. The bound is divided by
// 1.05.
//
// Guarantees: step does not allocate once a thread has processed the mesh, and never throws. A refused frame leaves the state
// unchanged. The same frames give the same bits on any thread count and instruction set. A face that has collapsed at rest is
// ignored; the lost length of a face that collapses later is limited to 1.5.
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

// Defaults for simulated coarse cloth: it keeps more of its length by itself, and folds absorb the rest.
WaveOptions simulated_waves();

// State of a vertex from which heights between vertices are evaluated.
struct WaveVertex {
    Vector3 covector;         // 1 / mesh units, in the tangent plane of the rest pose
    float phase, fine_phase;  // radians in [-π, π]
    float amplitude;          // mesh units
};
static_assert(sizeof(WaveVertex) == 24);

struct WaveRest;

class WaveField {
  public:
    // rest   (V) mesh units: pose of the undeformed cloth, such as a bind pose or the first frame
    // paint  (V) in [0, 1]: multiplies amplitudes; empty: 1
    // Throws std::invalid_argument or MeshError with one sentence.
    WaveField(std::shared_ptr<const Topology> topology, std::span<const Vector3> rest, const WaveOptions& options = {},
              std::span<const float> paint = {});
    // A further garment of the same kind. It shares all data of the rest pose and starts from the same state.
    WaveField(const WaveField& other);
    WaveField& operator=(const WaveField&) = delete;
    ~WaveField();
    WaveField(WaveField&&) noexcept;

    // positions  (V) mesh units
    // dt         seconds since the previous frame, > 0; ignored on the first frame
    // remaining  (T) in (0, 1]: flat area over the area to which other layers raise each triangle; or empty
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time,
                    std::span<const float> remaining = {}) noexcept;

    // Change options or paint between two steps; heights approach the new ones within `calm`. The field then has data of its own
    // for the rest pose, which further copies share. Throw std::invalid_argument, and leave the field unchanged, for invalid values
    // and for another number of threads or another profile (sharpness, detail, sag, lift), which would jump. An r_min or wavelength
    // that is not set is derived as at construction.
    void set_options(const WaveOptions& options);
    void set_paint(std::span<const float> paint);

    // Forgets every frame: the next step is the first.
    void reset();

    // The state as bytes. A WaveField of the same mesh, rest pose, paint and options can restore it and continues with the same
    // bits.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;  // the same in every frame
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    const Topology& topology() const;
    const std::shared_ptr<const WaveRest>& rest() const;
    std::span<const Vector3> rest_positions() const;
    const WaveOptions& options() const;  // with lengths filled in
    int frame_count() const;

    // Results of the last step; valid until the next one.
    std::span<const float> phases() const;       // (V) radians
    std::span<const float> fine_phases() const;  // (V) radians
    std::span<const float> amplitudes() const;   // (V) mesh units
    const WaveTimings& timings() const;
    const WaveStats& stats() const;

    void write_vertices(std::span<WaveVertex> vertices) const;  // (V)

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
