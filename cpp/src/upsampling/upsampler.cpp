#include "ruckle/upsampling/upsampler.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "constants.h"
#include "field/stretch_arrays.h"
#include "numeric/dispatch.h"
#include "numeric/finite.h"
#include "numeric/functions.h"
#include "ruckle/field/parameters.h"
#include "ruckle/mesh/topology.h"
#include "support/aligned.h"
#include "support/saved_state.h"
#include "support/stage_clock.h"
#include "support/thread_pool.h"
#include "upsampling/operator_kernel.h"

namespace ruckle {

namespace {

// Largest number in half precision, as used in files and on graphics cards.
constexpr float largest_half = 65504.0f;

// Largest number of columns in half precision. With more columns, rounding errors of the entries (half a unit each)
// could exceed half of largest_row_sum.
constexpr std::size_t most_half_columns = 65536;

// Rounds to the nearest integer, ties to even; for |value| < 2^22.
int to_nearest(float value) {
    // the addition rounds, because floats of this size do not have fractional bits; faster than a function call
    constexpr float shift = 0x1.8p23f;
    return static_cast<int>(value + shift - shift);
}

std::invalid_argument refusal(const std::string& name, std::size_t row, const std::string& expected, float got) {
    return std::invalid_argument(name + ": expected " + expected + ", got " + std::to_string(got) + " at " + std::to_string(row));
}

// Throws std::invalid_argument if the matrix is empty, has an entry that is not finite or too large, or has a row whose
// sum is not 1. Returns the number of rows, N.
std::size_t require_sound_rows(const UpsamplingModel& model, Precision precision) {
    const auto columns = static_cast<std::size_t>(std::max(model.coarse_vertex_count, 0));
    if (precision == Precision::half && columns > most_half_columns) {
        throw std::invalid_argument("coarse_vertex_count: expected at most " + std::to_string(most_half_columns) +
                                    " for an operator in half precision, got " + std::to_string(columns));
    }
    if (columns == 0 || model.rows.empty() || model.rows.size() % columns != 0 || model.rows.size() / columns > most_vertices) {
        throw std::invalid_argument("rows: expected rows of " + std::to_string(columns) +
                                    " numbers, one for each coarse vertex, got " + std::to_string(model.rows.size()) +
                                    " numbers");
    }
    if (!all_finite(model.rows)) {
        throw std::invalid_argument("rows: every number must be finite");
    }
    const std::size_t count = model.rows.size() / columns;
    for (std::size_t row = 0; row < count; ++row) {
        const auto entries = model.rows.subspan(row * columns, columns);
        // the tolerance for the sum of a row is relative to the sum of absolute entries, which may be far larger
        double sum = 0.0, size = 0.0;
        for (const float entry : entries) {
            sum += entry;
            size += std::abs(entry);
            if (precision == Precision::half && std::abs(entry) > largest_half) {
                throw refusal("rows", row, "numbers of half precision, at most 65504", entry);
            }
        }
        if (!(std::abs(sum - 1.0) <= row_sum_tolerance * std::max(size, 1.0))) {
            throw refusal("rows", row, "rows of sum 1", static_cast<float>(sum));
        }
    }
    return count;
}

// Throws std::invalid_argument if an array of the model has a wrong size or an invalid value; the message names the
// array.
void require_sound(const UpsamplingModel& model, Precision precision) {
    const std::size_t count = require_sound_rows(model, precision);
    if (!model.attachment.empty() && model.attachment.size() != count) {
        throw std::invalid_argument("attachment: expected a share for each of " + std::to_string(count) + " fine vertices, got " +
                                    std::to_string(model.attachment.size()));
    }
    for (std::size_t i = 0; i < model.attachment.size(); ++i) {
        if (!(model.attachment[i] >= 0.0f && model.attachment[i] <= 1.0f)) {
            throw refusal("attachment", i, "shares in [0, 1]", model.attachment[i]);
        }
    }
    if (model.oscillations.size() != 2 * model.frequencies.size() * count || !all_finite(model.oscillations)) {
        throw std::invalid_argument("oscillations: expected two finite shapes of " + std::to_string(count) +
                                    " fine vertices for each of " + std::to_string(model.frequencies.size()) + " frequencies");
    }
    for (std::size_t i = 0; i < model.frequencies.size(); ++i) {
        if (!(model.frequencies[i] > 0.0f && std::isfinite(model.frequencies[i]))) {
            throw refusal("frequencies", i, "finite numbers above 0", model.frequencies[i]);
        }
    }
}

// Returns the matrix arranged in blocks of rows, for the kernel. Entry (row k of a block, column c) has the index c *
// block + k within the block; rows after the last are 0.
AlignedVector<float> in_blocks(std::span<const float> rows, std::size_t columns, std::size_t block) {
    const std::size_t count = rows.size() / columns;
    AlignedVector<float> entries((count + block - 1) / block * block * columns);
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            entries[(row / block * columns + column) * block + row % block] = rows[row * columns + column];
        }
    }
    return entries;
}

// The matrix as integers, in multiples of a unit per row. Sums of products must fit into 32 bits, so the unit is
// proportional to the row's sum of absolute entries. Half a unit, the largest rounding error, is about 0.00001 of that
// sum.
struct HalfRows {
    AlignedVector<std::int16_t> entries;  // two columns interleaved; otherwise as in_blocks
    std::vector<float> units;
};

HalfRows in_half(std::span<const float> rows, std::size_t columns, std::size_t block) {
    const std::size_t count = rows.size() / columns, blocks = (count + block - 1) / block, pairs = (columns + 1) / 2;
    HalfRows half{AlignedVector<std::int16_t>(blocks * pairs * block * 2), std::vector<float>(blocks * block)};
    for (std::size_t row = 0; row < count; ++row) {
        const auto entries = rows.subspan(row * columns, columns);
        double sum = 0.0, largest = 0.0;
        for (const float entry : entries) {
            sum += std::abs(entry);
            largest = std::max(largest, static_cast<double>(std::abs(entry)));
        }
        // largest sum of entries before rounding, which changes each entry by at most half a unit
        const double most = largest_row_sum - 0.5 * static_cast<double>(columns);
        const float unit = static_cast<float>(std::max(sum / most, largest / (largest_step - 1)) * (1.0 + 1e-6));
        half.units[row] = unit;
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t at = (row / block * pairs + column / 2) * block + row % block;
            half.entries[2 * at + column % 2] = static_cast<std::int16_t>(to_nearest(entries[column] / unit));
        }
    }
    return half;
}

constexpr StateKind upsampler_state{"an Upsampler", {'r', 'u', 'c', 'k', 'l', 'U', '\x1a', '\n'}, 1};
constexpr double most_phase = 2.0 * std::numbers::pi;  // largest phase in a state, radians

}  // namespace

// State of an Upsampler and all memory of a step, allocated at construction, because a step must not allocate.
struct Upsampler::State {
    State(const UpsamplingModel& model, const UpsamplerOptions& given)
        : options(given),
          coarse_count(static_cast<std::size_t>(model.coarse_vertex_count)),
          fine_count(model.rows.size() / coarse_count),
          attachment(model.attachment.begin(), model.attachment.end()),
          shapes(model.oscillations.begin(), model.oscillations.end()),
          frequencies(model.frequencies.begin(), model.frequencies.end()),
          fine(model.fine_faces, static_cast<int>(fine_count)) {
        const OperatorKernels& kernels = ruckle::kernels<OperatorKernels>();
        if (options.precision == Precision::half) {
            block = static_cast<std::size_t>(kernels.half_rows);
            halves = in_half(model.rows, coarse_count, block);
            whole.resize(3 * (coarse_count + coarse_count % 2));
        } else {
            block = static_cast<std::size_t>(kernels.single_rows);
            singles = in_blocks(model.rows, coarse_count, block);
        }
        relative.resize(3 * coarse_count);
        phases.assign(frequencies.size(), 0.0);
        // the hash of the matrix identifies the model in saved states
        model_hash = hash_bytes(std::as_bytes(model.rows));
        // positions are 0 at first, because callers may read them before the first step
        positions.resize(block_count() * block, Vector3(0.0f, 0.0f, 0.0f));
        across.resize(fine.faces.size());
        if (model.detail.given()) {
            neural.emplace(model.detail, model.coarse_vertex_count, static_cast<int>(fine_count));
        }
        if (options.threads > 1) {
            pool.emplace(options.threads);
        }
    }

    // Returns the number of row blocks. Kernels write whole blocks, so `positions` has memory for the padding of the
    // last block.
    std::size_t block_count() const { return (fine_count + block - 1) / block; }
    ThreadPool* threads() { return pool ? &*pool : nullptr; }

    // Writes the fine positions: the matrix times the coarse positions relative to their mean, plus the mean.
    void multiply(std::span<const Vector3> coarse) {
        // sums positions in double, because a float32 sum of many positions far from the origin loses too many digits
        Eigen::Vector3d sum = Eigen::Vector3d::Zero();
        for (const Vector3& position : coarse) {
            sum += position.cast<double>();
        }
        // the mean is added again after the product, because rows sum to 1
        const Eigen::Vector3f mean = (sum / static_cast<double>(coarse_count)).cast<float>();
        for (std::size_t i = 0; i < coarse_count; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                relative[static_cast<std::size_t>(axis) * coarse_count + i] = coarse[i][axis] - mean[axis];
            }
        }
        const OperatorProduct product{static_cast<std::int64_t>(coarse_count),
                                      singles.empty() ? nullptr : singles.data(),
                                      relative.data(),
                                      halves.entries.data(),
                                      halves.units.data(),
                                      whole.data(),
                                      singles.empty() ? count_steps() : 0.0f,
                                      {mean[0], mean[1], mean[2]},
                                      positions.data()->data()};
        for_chunks(threads(), static_cast<std::int64_t>(block_count()), operator_rows_per_share / static_cast<int>(block),
                   [&](std::int64_t begin, std::int64_t end, int) { kernels<OperatorKernels>().multiply(product, begin, end); });
    }

    // Writes positions relative to their mean to `whole`, as integer multiples of a step. Returns the step, about 0.02
    // mm: the largest distance from the mean along an axis, divided by 32767. Writes zeros if the cloth has collapsed
    // to a point or exceeds the range of float32; in the second case, the step is infinite, and the product is NaN.
    float count_steps() {
        float largest = 0.0f;
        for (const float value : relative) {
            largest = std::max(largest, std::abs(value));
        }
        // one step for all axes, so that rounding does not depend on the orientation of the cloth
        const float per_unit = static_cast<float>(largest_step) / largest;
        // false if the cloth has collapsed to one point or exceeds the range of float32
        const bool countable = std::isfinite(per_unit) && per_unit > 0.0f;
        const std::size_t pitch = whole.size() / 3;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t i = 0; i < coarse_count; ++i) {
                const int steps = countable ? to_nearest(relative[axis * coarse_count + i] * per_unit) : 0;
                whole[axis * pitch + i] = static_cast<std::int16_t>(std::clamp(steps, -largest_step, largest_step));
            }
        }
        return largest / static_cast<float>(largest_step);
    }

    // Writes face normals to `across`, with the length of twice the area, so that sums of normals are weighted by area.
    void measure_normals() {
        for_chunks(threads(), fine.face_count(), normals_per_share, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t face = begin; face < end; ++face) {
                const Face& corners = fine.faces[static_cast<std::size_t>(face)];
                const Vector3& origin = positions[corners[0]];
                across[face] = (positions[corners[1]] - origin).cross(positions[corners[2]] - origin);
            }
        });
    }

    // Adds all pairs of oscillating shapes to the positions, along the normals before the oscillation.
    void oscillate(float gain) {
        for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
            const SineAndCosine at = sine_and_cosine(phases[pair]);
            const float sine = gain * at.sine, cosine = gain * at.cosine;
            const float *with_sine = shapes.data() + 2 * pair * fine_count, *with_cosine = with_sine + fine_count;
            for_chunks(threads(), static_cast<std::int64_t>(fine_count), normals_per_share,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           for (std::int64_t vertex = begin; vertex < end; ++vertex) {
                               positions[vertex] += normal(vertex) * (sine * with_sine[vertex] + cosine * with_cosine[vertex]);
                           }
                       });
        }
    }

    // Returns the unit vertex normal, or zero if all faces of the vertex are degenerate.
    Vector3 normal(std::int64_t vertex) const {
        Vector3 sum(0.0f, 0.0f, 0.0f);
        for (std::int32_t i = fine.vertex_offsets[vertex]; i < fine.vertex_offsets[vertex + 1]; ++i) {
            sum += across[fine.vertex_faces[i]];
        }
        const float length = sum.norm();
        return length > 0.0f ? Vector3(sum / length) : Vector3(0.0f, 0.0f, 0.0f);
    }

    // Moves attached vertices towards their pins by their attachment, so that a waistband does not show errors of the
    // matrix.
    void attach(std::span<const Vector3> pins) {
        for (std::size_t i = 0; i < attachment.size(); ++i) {
            if (attachment[i] > 0.0f) {
                positions[i] += attachment[i] * (pins[i] - positions[i]);
            }
        }
    }

    void advance_phases(float dt) {
        constexpr double turn = 2.0 * std::numbers::pi;
        for (std::size_t pair = 0; pair < phases.size(); ++pair) {
            // reduced to one period, so that phases remain precise in long games
            const double phase = phases[pair] + turn * static_cast<double>(frequencies[pair] * options.rate) * dt;
            // a phase does not change if its extreme frequency overflows
            phases[pair] = std::isfinite(phase) ? std::fmod(phase, turn) : phases[pair];
        }
    }

    // Calls visit(name, number) for all values that must be equal in a saved state and in the Upsampler that restores
    // it, except the fine mesh.
    void show_identity(const auto& visit) const {
        show_options(upsampler_parameters, options, visit);
        visit("model", model_hash);
    }

    // Writes the state after its header and mesh.
    void write(StateWriter& state) const {
        show_identity([&](const char*, std::uint64_t number) { state.number(number); });
        state.number(frame_count);
        state.numbers(phases);
        if (neural) {
            neural->save(state);
        }
    }

    UpsamplerOptions options;
    std::size_t coarse_count, fine_count;
    std::size_t block = 0;         // number of rows per block
    AlignedVector<float> singles;  // the matrix, in one of these two arrays
    HalfRows halves;
    std::vector<float> attachment, shapes, frequencies;
    Topology fine;
    std::vector<float> relative;      // (3, M) coarse positions relative to their mean
    std::vector<std::int16_t> whole;  // `relative` in steps; (3, M), padded to an even M
    std::vector<double> phases;       // (P) phases of the oscillations, radians
    std::vector<Vector3> positions;   // (N) fine positions, padded to whole blocks
    std::vector<Vector3> across;      // (F) face normals with the length of twice the area
    std::optional<NeuralDetail> neural;
    std::optional<ThreadPool> pool;
    StateMesh state_mesh = state_mesh_of(fine);
    std::uint64_t model_hash;
    std::vector<double> restored;  // phases of a state that is not yet completely validated
    UpsamplerTimings timings;
    int frame_count = 0;
};

Upsampler::Upsampler(const UpsamplingModel& model, const UpsamplerOptions& options) {
    require_in_range(upsampler_parameters, options);
    require_sound(model, options.precision);
    state_ = std::make_unique<State>(model, options);
}
Upsampler::~Upsampler() = default;
Upsampler::Upsampler(Upsampler&&) noexcept = default;
Upsampler& Upsampler::operator=(Upsampler&&) noexcept = default;

StepStatus Upsampler::step(std::span<const Vector3> positions, float dt, float gain, std::span<const Vector3> pins) noexcept {
    State& s = *state_;
    // rejects a frame before changing anything
    if (positions.size() != s.coarse_count || (!pins.empty() && pins.size() != s.fine_count)) {
        return StepStatus::wrong_vertex_count;
    }
    if (!frame_time_parameter.range.contains(static_cast<double>(dt))) {
        return StepStatus::wrong_time;
    }
    const auto attached_finite = [&](std::size_t i) { return !(s.attachment[i] > 0.0f) || pins[i].allFinite(); };
    bool sound = all_finite(positions) && std::isfinite(gain);
    for (std::size_t i = 0; sound && !pins.empty() && i < s.attachment.size(); ++i) {
        sound = attached_finite(i);
    }
    if (!sound) {
        return StepStatus::not_finite;
    }
    StageClock clock;
    s.timings = {};
    s.multiply(positions);
    s.timings.multiply = clock.lap();
    if (s.neural) {
        s.neural->step(positions, dt, s.options.richness, {s.positions.data(), s.fine_count});
        s.timings.detail = clock.lap();
    }
    if (s.frame_count > 0) {
        s.advance_phases(dt);
    }
    if (!s.frequencies.empty() && gain != 0.0f) {
        s.measure_normals();
        s.timings.normals = clock.lap();
        s.oscillate(gain);
        s.timings.oscillate = clock.lap();
    }
    if (!pins.empty()) {
        s.attach(pins);
        s.timings.attach = clock.lap();
    }
    s.timings.total = s.timings.multiply + s.timings.detail + s.timings.normals + s.timings.oscillate + s.timings.attach;
    ++s.frame_count;
    return StepStatus::done;
}

void Upsampler::reset() {
    state_->frame_count = 0;
    if (state_->neural) {
        state_->neural->reset();
    }
    std::fill(state_->phases.begin(), state_->phases.end(), 0.0);
}

std::size_t Upsampler::state_size() const {
    return size_of_state(state_->state_mesh, [&](StateWriter& state) { state_->write(state); });
}

void Upsampler::save(std::span<std::byte> state) const {
    save_state(upsampler_state, state_->state_mesh, state, [&](StateWriter& writer) { state_->write(writer); });
}

std::vector<std::byte> Upsampler::state() const {
    std::vector<std::byte> bytes(state_size());
    save(bytes);
    return bytes;
}

void Upsampler::restore(std::span<const std::byte> state) {
    State& s = *state_;
    StateReader reader = open_state(upsampler_state, s.state_mesh, state);
    s.show_identity([&](const char* name, std::uint64_t number) { require_same(upsampler_state, name, number, reader); });
    int frames = 0;
    reader.number(frames, 0, most_saved_frames, "the number of frames");
    s.restored.resize(s.phases.size());
    reader.numbers(s.restored, 0.0, most_phase, "a phase");
    if (s.neural) {
        // the network's state is loaded last, so that it changes only if all other parts are valid
        s.neural->load(reader);
    } else {
        require_state(reader.empty(), "the length");
    }
    s.frame_count = frames;
    std::swap(s.phases, s.restored);
}

int Upsampler::coarse_vertex_count() const {
    return static_cast<int>(state_->coarse_count);
}
int Upsampler::fine_vertex_count() const {
    return static_cast<int>(state_->fine_count);
}
int Upsampler::oscillation_count() const {
    return static_cast<int>(state_->frequencies.size());
}
int Upsampler::frame_count() const {
    return state_->frame_count;
}
std::size_t Upsampler::operator_bytes() const {
    return state_->singles.size() * sizeof(float) + state_->halves.entries.size() * sizeof(std::int16_t);
}
const UpsamplerOptions& Upsampler::options() const {
    return state_->options;
}
std::span<const Vector3> Upsampler::positions() const {
    return {state_->positions.data(), state_->fine_count};
}
std::span<const Face> Upsampler::faces() const {
    return state_->fine.faces;
}
void Upsampler::write_normals(std::span<Vector3> normals) {
    State& s = *state_;
    s.measure_normals();
    for_chunks(s.threads(), static_cast<std::int64_t>(s.fine_count), normals_per_share,
               [&](std::int64_t begin, std::int64_t end, int) {
                   for (std::int64_t vertex = begin; vertex < end; ++vertex) {
                       normals[vertex] = s.normal(vertex);
                   }
               });
}
const UpsamplerTimings& Upsampler::timings() const {
    return state_->timings;
}

}  // namespace ruckle
