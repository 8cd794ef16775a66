// upsampler: the stateful class of learned upsampling. A constant matrix, learnt from pairs of simulations, computes a
// fine mesh from coarse cloth (Kavan, Gerszewski, Bargteil, Sloan, Physics-Inspired Upsampling for Cloth Simulation in
// Games, 2011).
//
// Order of a step, with the coarse positions p_c, the fine positions p_f and the fine normals n: multiply (p_f = U
// p_c), neural detail (if the model has a network; not from the paper), normals, oscillate (p_f += n gain Σ E_1 sin φ +
// E_2 cos φ), attach (p_f = (1 - w) p_f + w pin, with the attachment w).
//
// Rows of U sum to 1, so U can be multiplied by positions relative to their mean. This is precise even far from the
// origin. In half precision, the entries of a row are integer multiples of a unit of this row, and the coordinates are
// integer multiples of a unit of this frame, so that sums are exact.
//
// Departs from the paper: the phase φ of an oscillation is stored, φ += 2π frequency rate dt, so that the shape does
// not jump if `rate` changes. The caller sets the gain, for example from the wind.
//
// Guarantees: step does not allocate and never throws. A rejected frame does not change the state. Equal inputs give
// identical bits on any number of threads. In half precision, this is also true for any instruction set. In single
// precision, the last bits depend on the processor, because fused multiply-add is used if available.
//
// Example:
//     ruckle::Upsampler upsampler(model);
//     upsampler.step(positions, 1.0f / 60.0f);
//     draw(upsampler.positions(), upsampler.faces());
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/types.h"
#include "ruckle/upsampling/neural_detail.h"
#include "ruckle/upsampling/parameters.h"

namespace ruckle {

// The learnt model. The Upsampler copies all arrays.
struct UpsamplingModel {
    int coarse_vertex_count = 0;    // M, number of coarse vertices
    std::span<const float> rows{};  // (N, M) the matrix U; every row sums to 1
    // (F) faces of the fine mesh, which must be manifold, with or without boundary
    std::span<const Face> fine_faces{};
    std::span<const float> attachment{};  // (N) in [0, 1]: weight of each vertex's pin; empty: 0
    // (2P, N) mesh units along the normal: oscillating shapes, the factors of sin φ and cos φ, alternating; may be
    // empty
    std::span<const float> oscillations{};
    std::span<const float> frequencies{};  // (P) Hz, > 0: frequencies of the oscillations
    DetailModel detail{};                  // network that adds detail after the matrix product; may be empty
};

class Upsampler {
  public:
    // Throws std::invalid_argument or MeshError with one sentence if the model or an option is invalid.
    explicit Upsampler(const UpsamplingModel& model, const UpsamplerOptions& options = {});
    ~Upsampler();
    Upsampler(Upsampler&&) noexcept;
    Upsampler& operator=(Upsampler&&) noexcept;

    // Computes the fine mesh of the next frame. Returns `done`, or the reason for which the frame was rejected; the
    // state then does not change.
    //
    // positions  (M) of the coarse cloth, mesh units
    // dt         seconds since the previous frame, > 0; ignored in the first frame
    // gain       factor of the oscillations
    // pins       (N) targets of attached vertices, mesh units; other rows are ignored. Empty: no vertex is attached
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time, float gain = 1.0f,
                    std::span<const Vector3> pins = {}) noexcept;

    // Forgets all frames: the next step is treated as the first, and oscillations restart at phase 0.
    void reset();

    // Returns the state as bytes, without the results of the last step. An Upsampler with the same model and options
    // can restore it, and then computes identical results. Wrinkler (paths/wrinkler.h) describes these functions.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    int coarse_vertex_count() const;
    int fine_vertex_count() const;
    int oscillation_count() const;
    int frame_count() const;
    std::size_t operator_bytes() const;  // bytes that the matrix uses in memory
    const UpsamplerOptions& options() const;

    // (F) faces of the fine mesh, in the order of the model.
    std::span<const Face> faces() const;
    // (N) positions of the fine mesh after the last step, mesh units; valid until the next step.
    std::span<const Vector3> positions() const;
    // Writes the (N) vertex normals of the fine mesh after the last step: unit vectors, or zero if all faces of a
    // vertex are degenerate.
    void write_normals(std::span<Vector3> normals);
    const UpsamplerTimings& timings() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
