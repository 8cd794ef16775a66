// wave_field: the stateful class of wrinkle waves. Each coarse vertex has a covector (wave vector), two phases and an
// amplitude.
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
    float phase, fine_phase;  // radians in [-π, π]
    float amplitude;          // mesh units
};
static_assert(sizeof(WaveVertex) == 24);

struct WaveRest;

class WaveField {
  public:
    // rest   (V) mesh units: pose of the undeformed cloth, such as a bind pose or the first frame
    // paint  (V) in [0, 1]: multiplies amplitudes; empty: 1
    // Throws std::invalid_argument or MeshError with one sentence if an argument is invalid.
    WaveField(std::shared_ptr<const Topology> topology, std::span<const Vector3> rest, const WaveOptions& options = {},
              std::span<const float> paint = {});
    // Creates another garment of the same kind. It shares all data of the rest pose and copies the state.
    WaveField(const WaveField& other);
    WaveField& operator=(const WaveField&) = delete;
    ~WaveField();
    WaveField(WaveField&&) noexcept;

    // Computes the waves of the next frame.
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
    std::size_t state_size() const;  // constant for all frames
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    const Topology& topology() const;
    const std::shared_ptr<const WaveRest>& rest() const;
    std::span<const Vector3> rest_positions() const;
    const WaveOptions& options() const;  // with derived lengths filled in
    int frame_count() const;

    // Results of the last step; valid until the next step.
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
