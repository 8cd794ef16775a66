// neural_detail: detail from a small network for cloth whose two meshes are grids, from the strain, bending and motion of the
// coarse cloth. An option of learned upsampling: the matrix is then that of a smooth base.
//
// One step: 15 features of every coarse vertex, in its own frame; two 3 x 3 convolutions of width 32 (with x clip(x + 3, 0, 6) /
// 6 after each); for every cell of the coarse grid a matrix product of its corners' values gives the contributions to its fine
// vertices, in the frames of the base. Weights fade to 0 at the border of the cells around a corner, so that seams do not occur.
//
// Not from the paper. Guarantees: as the Upsampler's; the added detail has the same bits on any instruction set.
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

// The learnt parameters from `ruckle train --neural`. Vertices are numbered row by row; parts are the fine columns of a coarse
// one.
struct DetailModel {
    int rows = 0, columns = 0, fine_rows = 0, fine_columns = 0;
    bool closed = false;                    // the last column meets the first
    std::span<const Vector3> rest{};        // (M) of the coarse cloth
    std::span<const float> feature_mean{};  // (15), and sizes, > 0: features are standardised
    std::span<const float> feature_size{};
    std::span<const float> first{};        // (9 * 15, 32)
    std::span<const float> first_bias{};   // (rows, 32)
    std::span<const float> second{};       // (9 * 32, 32)
    std::span<const float> second_bias{};  // (rows, 32)
    std::span<const float> patches{};      // (fine_rows, 4 * 32, parts * 3) mesh units; corners of cells by row, then column
    std::span<const float> mean{};         // (N, 3) mesh units: constant detail
    std::span<const float> gains{};        // (fine_rows) > 0: of full richness, which has the energy of the truth

    bool given() const { return rows > 0; }
};

class NeuralDetail {
  public:
    // Throws std::invalid_argument, in one sentence, for a model that does not fit N fine vertices over M coarse ones.
    NeuralDetail(const DetailModel& model, int coarse_count, int fine_count);
    ~NeuralDetail();
    NeuralDetail(NeuralDetail&&) noexcept;
    NeuralDetail& operator=(NeuralDetail&&) noexcept;

    // Adds the detail of the next frame to positions of the base.
    //
    // coarse    (M) finite
    // richness  in [0, 1]: from the least error to the energy of the truth
    // fine      (N)
    void step(std::span<const Vector3> coarse, float dt, float richness, std::span<Vector3> fine) noexcept;

    // Forgets every frame: the next step is the first, without velocities.
    void reset();

    // The start of the next step, as a part of an Upsampler's state. Throws StateError for invalid numbers, and is then
    // unchanged.
    void save(StateWriter& state) const;
    void load(StateReader& state);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
