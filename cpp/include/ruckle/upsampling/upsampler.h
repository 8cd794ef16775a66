// upsampler: the stateful object. One constant matrix, learnt from pairs of simulations, gives a fine mesh to coarse cloth (Kavan,
// Gerszewski, Bargteil, Sloan, Physics-Inspired Upsampling for Cloth Simulation in Games, 2011).
//
// One step: multiply (p_f = U p_c), detail (of a network, if the model has one; not from the paper), normals, oscillate (p_f += n
// gain Σ E_1 sin φ + E_2 cos φ), attach (p_f = (1 - w) p_f + w pin).
//
// Rows of U sum to 1, so that positions are multiplied relative to their mean: exact far from the origin, also with entries kept in
// half: then they are whole multiples of a unit of their row, positions of a step of the frame, and sums are exact.
//
// Departs from the paper: the phase φ of an oscillation is state, φ += 2π frequency rate dt, so that a change of rate does not jump,
// and its gain is the game's, which knows the wind.
//
// Guarantees: step allocates nothing and never throws; a refused frame does not change the state; the same frames give the same
// bits on any thread count, and with the operator kept in half on any instruction set. In single precision products are added by
// fused multiply-add if the processor has it: last bits differ between x86-64 with and without.
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

// The learnt model. The Upsampler copies it.
struct UpsamplingModel {
    int coarse_vertex_count = 0;            // M
    std::span<const float> rows{};          // (N, M) the operator; every row sums to 1
    std::span<const Face> fine_faces{};     // (F) of the fine mesh, manifold with boundary
    std::span<const float> attachment{};    // (N) in [0, 1]: how much a vertex follows its pin; empty: none does
    std::span<const float> oscillations{};  // (2P, N) mesh units: along the normal, with sin φ and cos φ in turn; or empty
    std::span<const float> frequencies{};   // (P) Hz, > 0
    DetailModel detail{};                   // detail of a network, added to the product; or empty
};

class Upsampler {
  public:
    // Throws std::invalid_argument or MeshError, in one sentence.
    explicit Upsampler(const UpsamplingModel& model, const UpsamplerOptions& options = {});
    ~Upsampler();
    Upsampler(Upsampler&&) noexcept;
    Upsampler& operator=(Upsampler&&) noexcept;

    // positions  (M) of the coarse cloth, mesh units
    // dt         seconds since the previous frame, > 0; not used on the first one
    // gain       multiplies oscillations
    // pins       (N) targets of attached vertices, mesh units; rows of others are not read. Empty: nothing is attached.
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time, float gain = 1.0f,
                    std::span<const Vector3> pins = {}) noexcept;

    // Forgets every frame: the next step is the first, with oscillations at their beginning.
    void reset();

    // The state as bytes, which an Upsampler of the same model and options restores to go on with the same bits, as of a
    // Wrinkler (paths/wrinkler.h); but without the results of the last step.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    int coarse_vertex_count() const;
    int fine_vertex_count() const;
    int oscillation_count() const;
    int frame_count() const;
    std::size_t operator_bytes() const;  // that a step reads
    const UpsamplerOptions& options() const;

    // (F) of the fine mesh, as given.
    std::span<const Face> faces() const;
    // (N) of the fine mesh after the last step, mesh units; valid until the next one.
    std::span<const Vector3> positions() const;
    // Writes the (N) normals of the fine mesh after the last step: unit, or zero if all faces have collapsed.
    void write_normals(std::span<Vector3> normals);
    const UpsamplerTimings& timings() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
