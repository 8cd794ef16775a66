// modulator: the stateful object. Patterns are fixed to the cloth; their factors follow it from frame to frame.
//
// One step: gram, fold (weights, targets and demands of all triangles), modulate (factors of all vertices), follow (limits, user's
// control, filter in time).
//
// In time, which is not in the paper: factors move to their targets by 1 - exp(-dt / smoothing), and by no more than
// constants.h: most_height_change least radii of height per 1/30 s. The filter is on factors, never on weights, which can flip
// within a frame.
//
// Guarantees: step allocates nothing and never throws; a refused frame leaves the state as it was; the same frames give the same
// bits on any thread count and instruction set.
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
    // heights  (K, N) of the patterns at the grid's nodes, mesh units; scaled to root mean square slope 1 over the garment; given and
    //          scaled in [-1e15, 1e15]
    // paint    (V) in [0, 1]: multiplies factors and limits; empty: 1
    // Throws std::invalid_argument, in one sentence.
    Modulator(const PatternGrid& grid, std::span<const float> heights, std::span<const float> paint = {},
              const ModulatorOptions& options = {});
    ~Modulator();
    Modulator(Modulator&&) noexcept;
    Modulator& operator=(Modulator&&) noexcept;

    // positions    (V) mesh units
    // dt           seconds since the previous frame, > 0; not used on the first one
    // reference    (T) reference triangles in place of the cloth at rest, or empty
    // remaining    (T) in (0, 1]: flat area over raised area of each triangle, from other layers; or empty
    StepStatus step(std::span<const Vector3> positions, float dt = reference_frame_time, std::span<const Matrix2> reference = {},
                    std::span<const float> remaining = {}) noexcept;

    // Forgets every frame: the next step is the first.
    void reset();

    // The state as bytes, which a Modulator of the same grid, patterns, paint and options restores to go on with the same bits, on
    // any number of threads; as of a Wrinkler (paths/wrinkler.h). It holds the factors, and the other results of the last step.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;  // the same in every frame but before the first
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    const PatternGrid& grid() const;
    const Moments& moments() const;           // of the scaled patterns
    const ModulatorOptions& options() const;  // with r_min filled in
    std::span<const float> heights() const;   // (K, N) scaled
    int frame_count() const;

    // Results of the last step; valid until the next one.
    std::span<const float> factors() const;  // (V, 4) rows of one factor per pattern, 0 beyond the last: a texel
    std::span<const float> weights() const;  // (K, T)
    std::span<const float> targets() const;  // (T) twice the wanted area, mesh units²
    const ModulatorTimings& timings() const;
    const ModulatorStats& stats() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
