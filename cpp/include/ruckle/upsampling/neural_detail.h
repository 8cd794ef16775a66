// neural_detail: a small network that adds detail to upsampled cloth. Its input is strain, bending and motion of the coarse
// cloth. Optional. Both meshes must be grids, and the matrix of the Upsampler must give a smooth base shape.
//
// One step computes 15 features of each coarse vertex, in the frame of that vertex. Two 3 x 3 convolutions of width 32 follow,
// each with the activation x clip(x + 3, 0, 6) / 6. For each coarse cell, a matrix product of the values at its corners gives
// the detail of its fine vertices, in the frames of the base. The weights of a corner fall to 0 at the border of its four
// cells, so that detail has no seams.
//
// Not from the paper. Guarantees: those of the Upsampler. The added detail has the same bits on any instruction set.
//
// Example:
//     ruckle::UpsamplingModel with_detail = model;
//     with_detail.detail = ruckle::DetailModel{};  // fill in the arrays of a network; this one is empty
//     ruckle::Upsampler upsampler(with_detail);
#pragma once

#include <memory>
#include <span>

#include "ruckle/types.h"

namespace ruckle {

class StateReader;
class StateWriter;

inline constexpr int detail_features = 15, detail_width = 32;

// The parameters that `ruckle train --neural` has learnt. Vertices are numbered row by row. A coarse column has `parts` fine
// columns.
struct DetailModel {
    int rows = 0, columns = 0, fine_rows = 0, fine_columns = 0;
    bool closed = false;                    // true if the last column is next to the first, as in a skirt
    std::span<const Vector3> rest{};        // (M) coarse cloth at rest, mesh units
    std::span<const float> feature_mean{};  // (15) mean of each feature, subtracted first
    std::span<const float> feature_size{};  // (15) standard deviation of each feature, > 0: a divisor
    std::span<const float> first{};         // (9 * 15, 32)
    std::span<const float> first_bias{};    // (rows, 32)
    std::span<const float> second{};        // (9 * 32, 32)
    std::span<const float> second_bias{};   // (rows, 32)
    std::span<const float> patches{};       // (fine_rows, 4 * 32, parts * 3) mesh units; corners of cells by row, then column
    std::span<const float> mean{};          // (N, 3) mesh units: constant part of the detail
    std::span<const float> gains{};         // (fine_rows) > 0: factor of the detail at richness 1, where its energy is realistic

    bool given() const { return rows > 0; }
};

class NeuralDetail {
  public:
    // Throws std::invalid_argument with one sentence if the arrays do not match coarse_count (M) and fine_count (N).
    NeuralDetail(const DetailModel& model, int coarse_count, int fine_count);
    ~NeuralDetail();
    NeuralDetail(NeuralDetail&&) noexcept;
    NeuralDetail& operator=(NeuralDetail&&) noexcept;

    // Adds the detail of the next frame to the base shape.
    //
    // coarse    (M) positions of the coarse cloth, mesh units, finite
    // richness  in [0, 1]: 0 gives the smallest error, 1 as much detail as simulated cloth has
    // fine      (N) positions of the base shape, mesh units; the detail is added to them
    void step(std::span<const Vector3> coarse, float dt, float richness, std::span<Vector3> fine) noexcept;

    // Forgets every frame: the next step is the first, and velocities are 0.
    void reset();

    // Writes and reads the part of an Upsampler's state that the next step needs. `load` throws StateError if numbers are
    // invalid; the object then does not change.
    void save(StateWriter& state) const;
    void load(StateReader& state);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
