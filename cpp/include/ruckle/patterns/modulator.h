// modulator: the stateful class of patterns. Patterns are fixed to the cloth; a step computes their factors for the next frame.
//
// A step has four stages. "gram": first fundamental forms. "fold": weights, wanted areas and demands (modulation.h) of
// all triangles. "modulate": factors of all vertices. "follow": limits, the options `scale` and `bias`, and a filter in
// time.
//
// The filter is not in the paper. In a step, factors change by the share 1 - exp(-dt / smoothing) of the difference to
// their targets. Heights change by at most most_height_change × r_min per 1/30 s (constants.h). Weights are not
// filtered, because they can change completely within a frame.
//
// Guarantees: step does not allocate and never throws. A rejected frame does not change the state. The same frames give
// the same bits for any thread count and instruction set.
//
// Example:
//     ruckle::Modulator modulator(grid, node_heights);
//     modulator.step(positions, 1.0f / 60.0f);
//     draw(modulator.factors());
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ruckle/patterns/grid.h"
#include "ruckle/patterns/modulation.h"
#include "ruckle/patterns/moments.h"
#include "ruckle/patterns/parameters.h"
#include "ruckle/types.h"

namespace ruckle {

class Modulator {
  public:
    // heights  (K, N) heights of the patterns at the grid's nodes, mesh units. The Modulator uses a copy that is scaled
    //          to root mean square slope 1 over the garment. Given and scaled heights must be in [-1e15, 1e15]
    // paint    (V) in [0, 1]: multiplies factors and limits at each vertex; empty: 1 everywhere
    // Throws std::invalid_argument with one sentence if an argument is invalid.
    Modulator(const PatternGrid& grid, std::span<const float> heights, std::span<const float> paint = {},
              const ModulatorOptions& options = {});
    ~Modulator();
    Modulator(Modulator&&) noexcept;
    Modulator& operator=(Modulator&&) noexcept;

    // Computes the factors for the next frame. Returns `done`, or the reason why the frame was rejected; then nothing
    // changes.
    //
    // positions    (V) vertex positions, mesh units, finite
    // dt           seconds since the previous frame, > 0; ignored in the first frame
    // reference    (T) edge matrices of reference triangles that replace the cloth at rest, or empty
    // remaining    (T) in (0, 1]: (flat area) / (area with the heights of other layers) of each triangle; or empty
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time, std::span<const Matrix2> reference = {},
                    std::span<const float> remaining = {}) noexcept;

    // Returns to the state before the first frame.
    void reset();

    // Returns the state as bytes: the factors and the other results of the last step. A Modulator of the same grid,
    // patterns, paint and options can restore the state and then continues with the same bits, with any number of
    // threads. Wrinkler (paths/wrinkler.h) describes these functions.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;  // number of bytes that `save` writes, equal for every frame
    void save(std::span<std::byte> state) const;
    // Throws StateError if the bytes are not a valid state of an equal Modulator; then nothing changes.
    void restore(std::span<const std::byte> state);

    const PatternGrid& grid() const;
    const Moments& moments() const;           // moments of the scaled patterns
    const ModulatorOptions& options() const;  // the given options, with r_min derived if it was not set
    std::span<const float> heights() const;   // (K, N) heights of the scaled patterns, mesh units
    // number of steps since construction or the last reset
    int frame_count() const;

    // Results of the last step; valid until the next step.
    std::span<const float> factors() const;  // (V, 4) one factor per pattern, then zeros; a row is one texel
    std::span<const float> weights() const;  // (K, T) weight of each pattern in each triangle, in [0, 1]
    std::span<const float> targets() const;  // (T) twice the wanted area, mesh units²
    const ModulatorTimings& timings() const;
    const ModulatorStats& stats() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
