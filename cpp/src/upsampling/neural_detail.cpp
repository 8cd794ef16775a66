#include "ruckle/upsampling/neural_detail.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "numeric/dispatch.h"
#include "numeric/finite.h"
#include "support/aligned.h"
#include "support/state_bytes.h"
#include "upsampling/network_kernel.h"
#include "upsampling/operator_kernel.h"

namespace ruckle {

namespace {

// Must match python/ruckle/upsampling/grids.py. fastest: clamp of velocities, m/s; velocity_scale and rate_scale:
// factors of velocities, and of the rates of strain and bending; largest_feature: clamp of standardised features, in
// standard deviations.
constexpr float fastest = 6.0f, velocity_scale = 0.3f, rate_scale = 5.0f / 60.0f, largest_feature = 2.0f;

constexpr float least_length = 1e-12f;

constexpr std::size_t width = detail_width, corner_width = 4 * width;

// Returns the number of columns, rounded up to whole SIMD vectors of any width.
std::size_t padded(std::size_t columns) {
    return (columns + dense_columns - 1) / dense_columns * dense_columns;
}

Vector3 unit(const Vector3& vector) {
    return vector / std::max(vector.norm(), least_length);
}

void require_size(const char* name, std::size_t found, std::size_t expected) {
    if (found != expected) {
        throw std::invalid_argument(std::string("detail: expected ") + std::to_string(expected) + " numbers of " + name +
                                    ", got " + std::to_string(found));
    }
}

void require_sound(const DetailModel& m, int coarse_count, int fine_count) {
    const bool grids = m.rows >= 2 && m.columns >= 3 && m.fine_rows >= m.rows && m.fine_columns >= m.columns &&
                       static_cast<long>(m.rows) * m.columns == coarse_count &&
                       static_cast<long>(m.fine_rows) * m.fine_columns == fine_count;
    const int open = m.closed ? 0 : 1;
    if (!grids || (m.fine_columns - open) % (m.columns - open) != 0) {
        throw std::invalid_argument(
            "detail: expected the grids of both meshes, with fine columns that are a multiple of the coarse columns; got " +
            std::to_string(m.rows) + " x " + std::to_string(m.columns) + " and " + std::to_string(m.fine_rows) + " x " +
            std::to_string(m.fine_columns));
    }
    const auto rows = static_cast<std::size_t>(m.rows), fine_rows = static_cast<std::size_t>(m.fine_rows);
    const auto parts = static_cast<std::size_t>((m.fine_columns - open) / (m.columns - open));
    require_size("rest", m.rest.size(), static_cast<std::size_t>(coarse_count));
    require_size("feature_mean", m.feature_mean.size(), detail_features);
    require_size("feature_size", m.feature_size.size(), detail_features);
    require_size("first", m.first.size(), 9 * detail_features * width);
    require_size("first_bias", m.first_bias.size(), rows * width);
    require_size("second", m.second.size(), 9 * width * width);
    require_size("second_bias", m.second_bias.size(), rows * width);
    require_size("patches", m.patches.size(), fine_rows * corner_width * parts * 3);
    require_size("mean", m.mean.size(), 3 * static_cast<std::size_t>(fine_count));
    require_size("gains", m.gains.size(), fine_rows);
    for (const auto& numbers :
         {m.feature_mean, m.feature_size, m.first, m.first_bias, m.second, m.second_bias, m.patches, m.mean, m.gains}) {
        if (!all_finite(numbers)) {
            throw std::invalid_argument("detail: every number must be finite");
        }
    }
    if (!std::ranges::all_of(m.rest, [](const Vector3& p) { return p.allFinite(); }) ||
        !std::ranges::all_of(m.feature_size, [](float size) { return size > 0.0f; })) {
        throw std::invalid_argument("detail: rest must be finite, and feature_size above 0");
    }
}

}  // namespace

struct NeuralDetail::State {
    explicit State(const DetailModel& model)
        : rows(static_cast<std::size_t>(model.rows)),
          columns(static_cast<std::size_t>(model.columns)),
          fine_rows(static_cast<std::size_t>(model.fine_rows)),
          fine_columns(static_cast<std::size_t>(model.fine_columns)),
          parts((fine_columns - !model.closed) / (columns - !model.closed)),
          closed(model.closed),
          first(model.first.begin(), model.first.end()),
          first_bias(model.first_bias.begin(), model.first_bias.end()),
          second(model.second.begin(), model.second.end()),
          second_bias(model.second_bias.begin(), model.second_bias.end()),
          gains(model.gains.begin(), model.gains.end()) {
        std::ranges::copy(model.feature_mean, feature_mean.begin());
        std::ranges::copy(model.feature_size, feature_size.begin());
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
                const auto [u, v] = edges(model.rest, r, c);
                lengths.push_back({std::max(u.norm(), least_length), std::max(v.norm(), least_length)});
            }
        }
        join_patches(model.patches);
        // one array per grid row and axis, because SIMD loads read several columns
        mean.resize(model.mean.size());
        for (std::size_t i = 0; i < model.mean.size(); ++i) {
            mean[(i / (3 * fine_columns) * 3 + i % 3) * fine_columns + i / 3 % fine_columns] = model.mean[i];
        }
        const std::size_t count = rows * columns, ring = (rows + 2) * (columns + 2);
        previous.resize(count, Vector3(0.0f, 0.0f, 0.0f));
        previous_values.resize(count);
        input.resize(ring * detail_features);
        hidden.resize(ring * width);
        around.resize(count * 9 * width);
        between.resize(count * width);
        corners.resize(columns * corner_width);
        const auto largest = std::ranges::max_element(cells, {}, &Cells::stride);
        added.resize(columns * largest->stride);
        detail.resize(3 * columns * parts);
        base.resize(fine_rows * 3 * (fine_columns + 2));
    }

    // The fine rows in one row of coarse cells, and their patches as one matrix (4 * 32, stride). Its columns are, for
    // each fine row, all x, all y, all z.
    struct Cells {
        std::size_t begin, end, stride;
        AlignedVector<float> patches;
    };

    // Fills `cells`: assigns each fine row to the row of coarse cells that contains it (the last fine row to the last
    // row of cells), and joins their patches. Then one matrix product is enough for all fine rows in a row of cells.
    void join_patches(std::span<const float> given) {
        const std::size_t row_size = 3 * parts;
        for (std::size_t k = 0, begin = 0; k + 1 < rows; ++k) {
            std::size_t end = begin;
            while (end < fine_rows && std::min(end * (rows - 1) / (fine_rows - 1), rows - 2) == k) {
                ++end;
            }
            Cells cell{begin, end, padded((end - begin) * row_size), {}};
            cell.patches.resize(corner_width * cell.stride);
            for (std::size_t r = begin; r < end; ++r) {
                for (std::size_t i = 0; i < corner_width * row_size; ++i) {
                    const std::size_t input = i / row_size, part = i % row_size / 3, axis = i % 3;
                    cell.patches[input * cell.stride + (r - begin) * row_size + axis * parts + part] =
                        given[r * corner_width * row_size + i];
                }
            }
            cells.push_back(std::move(cell));
            begin = end;
        }
    }

    // Returns the next (step 1) or previous (-1) column; at an open border, the column itself.
    std::size_t beside(std::size_t column, int step) const {
        const std::size_t last = columns - 1;
        if (step > 0) {
            return column < last ? column + 1 : closed ? 0 : last;
        }
        return column > 0 ? column - 1 : closed ? last : 0;
    }
    const Vector3& at(std::span<const Vector3> x, std::size_t row, std::size_t column) const { return x[row * columns + column]; }

    // Returns the edges from a vertex to the next vertices along u and v. At the end of a row or column, returns the
    // edge from the previous vertex instead.
    std::array<Vector3, 2> edges(std::span<const Vector3> x, std::size_t r, std::size_t c) const {
        const Vector3& here = at(x, r, c);
        const bool ends = !closed && c + 1 == columns;
        const Vector3 u = ends ? Vector3(here - at(x, r, c - 1)) : Vector3(at(x, r, beside(c, 1)) - here);
        const Vector3 v = r + 1 == rows ? Vector3(here - at(x, r - 1, c)) : Vector3(at(x, r + 1, c) - here);
        return {u, v};
    }

    // Returns the features of one vertex before standardisation. Stores its strains and its bending along u, from which
    // the next frame computes rates.
    std::array<float, detail_features> features(std::span<const Vector3> x, std::size_t r, std::size_t c, float per_second) {
        const std::size_t index = r * columns + c, left = beside(c, -1), right = beside(c, 1);
        const std::size_t up = r > 0 ? r - 1 : 0, down = std::min(r + 1, rows - 1);
        const Vector3& here = x[index];
        const auto [length_u, length_v] = lengths[index];
        const auto [u, v] = edges(x, r, c);
        const Vector3 along_u = at(x, r, right) - at(x, r, left), along_v = at(x, down, c) - at(x, up, c);
        const Vector3 axis_u = unit(along_u), normal = unit(along_u.cross(along_v)), axis_v = normal.cross(axis_u);
        const float strain_u = u.norm() / length_u - 1.0f, strain_v = v.norm() / length_v - 1.0f;
        const float bend_u = (at(x, r, right) + at(x, r, left) - 2.0f * here).dot(normal) / length_u;
        const float bend_v = (at(x, down, c) + at(x, up, c) - 2.0f * here).dot(normal) / length_v;
        const Vector3 twist = at(x, down, right) - at(x, down, left) - at(x, up, right) + at(x, up, left);
        // clamped, because games may teleport cloth, unlike the training data
        const Vector3 moved = ((here - previous[index]) * per_second).cwiseMax(-fastest).cwiseMin(fastest) * velocity_scale;
        const std::array<float, 3> values{strain_u, strain_v, bend_u};
        std::array<float, 3> rates;
        for (std::size_t i = 0; i < 3; ++i) {
            rates[i] = rate_scale * (values[i] - previous_values[index][i]) * per_second;
        }
        previous_values[index] = values;
        // order of features as in python/ruckle/upsampling/grids.py; axes of the local frame are represented by their
        // vertical components, because gravity is vertical
        return {strain_u,
                strain_v,
                u.dot(v) / (length_u * length_v),
                bend_u,
                bend_v,
                twist.dot(normal) / (4.0f * length_u),
                -axis_u[1],
                -axis_v[1],
                -normal[1],
                moved.dot(axis_u),
                moved.dot(axis_v),
                moved.dot(normal),
                rates[0],
                rates[1],
                rates[2]};
    }

    // Writes the features of all coarse vertices to `input`: standardised by feature_mean and feature_size, and clamped
    // to largest_feature standard deviations.
    void read(std::span<const Vector3> x, float dt) {
        // velocities and rates are 0 in the first frame
        const float per_second = frame_count > 0 ? 1.0f / dt : 0.0f;
        if (frame_count == 0) {
            std::ranges::copy(x, previous.begin());
        }
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
                const auto found = features(x, r, c, per_second);
                float* to = input.data() + ((r + 1) * (columns + 2) + c + 1) * detail_features;
                for (std::size_t i = 0; i < detail_features; ++i) {
                    to[i] = std::clamp((found[i] - feature_mean[i]) / feature_size[i], -largest_feature, largest_feature);
                }
            }
        }
        std::ranges::copy(x, previous.begin());
    }

    // Computes one convolution and its activation into `between`, as a matrix product: the 3 x 3 neighbourhoods of the
    // padded grid `ringed` (rows + 2, columns + 2, depth), times the weights, plus the bias of the grid row. Also fills
    // the side columns of `ringed` if the grid is closed.
    void convolve(std::vector<float>& ringed, std::size_t depth, const AlignedVector<float>& weights,
                  const AlignedVector<float>& bias) {
        const std::size_t pitch = (columns + 2) * depth;
        // the columns of a closed grid are periodic; other cells of the ring remain 0, as in training
        for (std::size_t r = 1; closed && r <= rows; ++r) {
            float* row = ringed.data() + r * pitch;
            std::copy_n(row + columns * depth, depth, row);
            std::copy_n(row + depth, depth, row + (columns + 1) * depth);
        }
        for (std::size_t i = 0; i < rows * columns; ++i) {
            const float* from = ringed.data() + i / columns * pitch + i % columns * depth;
            for (std::size_t k = 0; k < 3; ++k) {
                std::copy_n(from + k * pitch, 3 * depth, around.data() + i * 9 * depth + k * 3 * depth);
            }
        }
        // one product per grid row, because each row has its own bias: a waistband differs from a hem
        for (std::size_t r = 0; r < rows; ++r) {
            kernels<NetworkKernels>().multiply_dense({around.data() + r * columns * 9 * depth, weights.data(),
                                                      bias.data() + r * width, between.data() + r * columns * width,
                                                      static_cast<std::int64_t>(columns), static_cast<std::int64_t>(9 * depth),
                                                      width});
        }
        // activation x clip(x + 3, 0, 6) / 6: smooth, and computed without an exponential
        for (float& value : between) {
            value = value * std::min(std::max(value + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f);
        }
    }

    float* hidden_at(std::size_t row, std::size_t column) {
        return hidden.data() + ((row + 1) * (columns + 2) + column + 1) * width;
    }

    // Runs two 3 x 3 convolutions over the coarse grid, from `input` to `hidden`: h = f(first * features), hidden = h +
    // f(second * h), with the activation f(x) = x clip(x + 3, 0, 6) / 6 and a bias per grid row and channel. Outside
    // the grid, features and h are 0; the columns of a closed grid are periodic.
    void compute_hidden() {
        convolve(input, detail_features, first, first_bias);
        for (std::size_t i = 0; i < rows * columns; ++i) {
            std::copy_n(between.data() + i * width, width, hidden_at(i / columns, i % columns));
        }
        convolve(hidden, width, second, second_bias);
        for (std::size_t i = 0; i < rows * columns; ++i) {
            float* own = hidden_at(i / columns, i % columns);
            for (std::size_t k = 0; k < width; ++k) {
                own[k] += between[i * width + k];
            }
        }
    }

    // Copies the base shape to `base`, one array per grid row and axis, with an extra column at both ends.
    void split(std::span<const Vector3> fine) {
        const std::size_t pitch = fine_columns + 2;
        for (std::size_t r = 0; r < fine_rows; ++r) {
            float* row = base.data() + r * 3 * pitch;
            for (std::size_t c = 0; c < fine_columns; ++c) {
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    row[axis * pitch + c + 1] = fine[r * fine_columns + c][static_cast<int>(axis)];
                }
            }
            for (std::size_t axis = 0; axis < 3; ++axis) {
                float* values = row + axis * pitch;
                // at an open border, repeats the last column, so that differences are one-sided there
                values[0] = closed ? values[fine_columns] : values[1];
                values[fine_columns + 1] = closed ? values[1] : values[fine_columns];
            }
        }
    }

    // Adds the detail to the fine rows of one row of coarse cells, whose upper grid row is `number`. The factor of a
    // fine row is 1 at richness 0 and gains[row] at richness 1.
    void add(const Cells& cell, std::size_t number, float richness, std::span<Vector3> fine) {
        for (std::size_t c = 0; c < columns; ++c) {
            float* to = corners.data() + c * corner_width;
            const std::size_t next = beside(c, 1);
            const float* from[4] = {hidden_at(number, c), hidden_at(number, next), hidden_at(number + 1, c),
                                    hidden_at(number + 1, next)};
            for (std::size_t k = 0; k < 4; ++k) {
                std::copy_n(from[k], width, to + k * width);
            }
        }
        kernels<NetworkKernels>().multiply_dense({corners.data(), cell.patches.data(), nullptr, added.data(),
                                                  static_cast<std::int64_t>(columns), corner_width,
                                                  static_cast<std::int64_t>(cell.stride)});
        const std::size_t pitch = fine_columns + 2, whole = columns * parts;
        for (std::size_t r = cell.begin; r < cell.end; ++r) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                for (std::size_t c = 0; c < columns; ++c) {
                    const float* from = added.data() + c * cell.stride + (3 * (r - cell.begin) + axis) * parts;
                    std::copy_n(from, parts, detail.data() + axis * whole + c * parts);
                }
            }
            const std::size_t above = r > 0 ? r - 1 : 0, below = std::min(r + 1, fine_rows - 1);
            kernels<NetworkKernels>().add_detail(
                {base.data() + r * 3 * pitch, base.data() + above * 3 * pitch, base.data() + below * 3 * pitch, detail.data(),
                 mean.data() + r * 3 * fine_columns, 1.0f + richness * (gains[r] - 1.0f), static_cast<std::int64_t>(fine_columns),
                 static_cast<std::int64_t>(whole), fine[r * fine_columns].data()});
        }
    }

    std::size_t rows, columns, fine_rows, fine_columns, parts;
    bool closed;
    std::array<float, detail_features> feature_mean, feature_size;
    AlignedVector<float> first, first_bias, second, second_bias;
    std::vector<float> gains;
    std::vector<std::array<float, 2>> lengths;  // (M) lengths of edges at rest, along u and v
    std::vector<Cells> cells;
    std::vector<float> mean;        // (fine_rows, 3, fine_columns) constant part of the detail
    std::vector<Vector3> previous;  // (M) coarse positions of the last frame
    std::vector<std::array<float, 3>> previous_values;
    std::vector<float> input, hidden;      // inputs of both layers: (rows + 2, columns + 2, depth), ring of zeros
    AlignedVector<float> around, between;  // neighbourhoods (M, 9 * depth), output of a layer (M, 32)
    // buffers for one row of cells: hidden values at corners (columns, 4 * 32), product (columns, stride), detail of a
    // fine row (3, columns * parts)
    AlignedVector<float> corners, added, detail;
    std::vector<float> base;  // (fine_rows, 3, fine_columns + 2) base shape
    int frame_count = 0;
};

NeuralDetail::NeuralDetail(const DetailModel& model, int coarse_count, int fine_count) {
    require_sound(model, coarse_count, fine_count);
    state_ = std::make_unique<State>(model);
}
NeuralDetail::~NeuralDetail() = default;
NeuralDetail::NeuralDetail(NeuralDetail&&) noexcept = default;
NeuralDetail& NeuralDetail::operator=(NeuralDetail&&) noexcept = default;

void NeuralDetail::step(std::span<const Vector3> coarse, float dt, float richness, std::span<Vector3> fine) noexcept {
    State& s = *state_;
    s.read(coarse, dt);
    s.compute_hidden();
    s.split(fine);
    for (std::size_t k = 0; k < s.cells.size(); ++k) {
        s.add(s.cells[k], k, richness, fine);
    }
    ++s.frame_count;
}

void NeuralDetail::reset() {
    state_->frame_count = 0;
}

void NeuralDetail::save(StateWriter& state) const {
    state.number(state_->frame_count);
    state.numbers(state_->previous);
    for (const auto& values : state_->previous_values) {
        state.numbers(values);
    }
}

void NeuralDetail::load(StateReader& state) {
    int frame_count = 0;
    state.number(frame_count, 0, most_saved_frames, "the number of frames");
    auto previous = state_->previous;
    auto values = state_->previous_values;
    state.numbers(previous, -largest_float, largest_float, "a position");
    for (auto& row : values) {
        state.numbers(row, -largest_float, largest_float, "a strain");
    }
    require_state(state.empty(), "the length");
    state_->frame_count = frame_count;
    std::swap(state_->previous, previous);
    std::swap(state_->previous_values, values);
}

}  // namespace ruckle
