// neural_detail: a small network that adds detail to upsampled cloth (optional). Its inputs are strain, bending and
// motion of the coarse cloth. Both meshes must be grids, and the matrix of the Upsampler must compute a smooth base
// shape.
//
// A step computes 15 features of each coarse vertex in the local frame of the vertex. Two 3 x 3 convolutions with 32
// channels follow, each with the activation x clip(x + 3, 0, 6) / 6. For each coarse grid cell, a matrix product with
// the values at its four corners computes the detail of the fine vertices inside, in the local frames of the base
// shape. A coarse vertex affects the four cells around it. Its weights fall to 0 at the border of these cells, so that
// detail is continuous across cells.
//
// This layer is not from the paper. Guarantees: a step does not allocate and never throws. The detail is bit-identical
// on any instruction set.
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

// Parameters from `ruckle train --neural`. Vertices are numbered row by row. There are `parts` fine columns per coarse
// column.
struct DetailModel {
    int rows = 0, columns = 0, fine_rows = 0, fine_columns = 0;
    bool closed = false;                    // true if the last column is next to the first, as in a skirt
    std::span<const Vector3> rest{};        // (M) coarse cloth at rest, mesh units
    std::span<const float> feature_mean{};  // (15) mean of each feature, which is subtracted
    std::span<const float> feature_size{};  // (15) standard deviation of each feature, > 0, by which it is divided
    // (9 * 15, 32) weights of the first convolution: 3 x 3 vertices times 15 features
    std::span<const float> first{};
    std::span<const float> first_bias{};   // (rows, 32) a bias per grid row
    std::span<const float> second{};       // (9 * 32, 32) weights of the second convolution
    std::span<const float> second_bias{};  // (rows, 32) a bias per grid row
    // (fine_rows, 4 * 32, parts * 3) mesh units: matrix of each fine row; its inputs are the channels of the four
    // corners of a cell, row by row
    std::span<const float> patches{};
    std::span<const float> mean{};  // (N, 3) mesh units: constant part of the detail
    // (fine_rows) > 0: factor of the detail at richness 1, with which it has the energy of the training data
    std::span<const float> gains{};

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
    // richness  in [0, 1]. 0: smallest error. 1: the amount of detail is that of simulated cloth
    // fine      (N) positions of the base shape, mesh units; the detail is added in place
    void step(std::span<const Vector3> coarse, float dt, float richness, std::span<Vector3> fine) noexcept;

    // Forgets all frames: the next step is the first, with velocities of 0.
    void reset();

    // Save and load the network's part of an Upsampler's state. `load` throws StateError if numbers are invalid; then
    // the object does not change.
    void save(StateWriter& state) const;
    void load(StateReader& state);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
