#include "ruckle/patterns/modulator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "constants.h"
#include "field/stretch_arrays.h"
#include "mesh/height.h"
#include "numeric/dispatch.h"
#include "numeric/finite.h"
#include "numeric/functions.h"
#include "patterns/modulation_kernel.h"
#include "patterns/modulation_stages.h"
#include "ruckle/field/parameters.h"
#include "support/saved_state.h"
#include "support/stage_clock.h"
#include "support/thread_pool.h"

namespace ruckle {

namespace {

// Returns the options; r_min is derived from the cloth at rest if it is not set.
ModulatorOptions resolved(ModulatorOptions options, std::span<const Vector3> rest) {
    if (!options.r_min) {
        options.r_min = static_cast<float>(modulated_radius_percent / 100.0 * height_of(rest));
    }
    return options;
}

int pattern_count_of(const PatternGrid& grid, std::span<const float> heights) {
    const auto nodes = static_cast<std::size_t>(grid.node_count());
    const std::size_t count = heights.size() / nodes;
    if (heights.size() % nodes != 0 || count < 1 || count > most_patterns) {
        throw std::invalid_argument("heights: expected 1 to " + std::to_string(most_patterns) + " patterns of " +
                                    std::to_string(nodes) + " nodes each, got " + std::to_string(heights.size()) + " heights");
    }
    return static_cast<int>(count);
}

// Largest allowed height of a pattern, before and after scaling. The squares of slopes in a cell would overflow for
// larger heights.
constexpr float most_height = 1e15f;

// Returns the patterns scaled to root mean square slope 1 over the garment, so that their unit has no effect. A flat
// pattern becomes 0. Throws if a height is too large.
std::vector<float> scaled(std::span<const float> heights, const Moments& moments) {
    std::vector<float> result(heights.begin(), heights.end());
    const std::size_t nodes = heights.size() / static_cast<std::size_t>(moments.pattern_count);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const float square = moments.mean_square[i / nodes];
        result[i] *= square > 0.0f ? 1.0f / std::sqrt(square) : 0.0f;
        if (!(std::isfinite(square) && std::abs(heights[i]) <= most_height && std::abs(result[i]) <= most_height)) {
            throw std::invalid_argument(
                "heights: expected at most 1e15, before and after scaling to a root mean square slope of 1, got more in "
                "pattern " +
                std::to_string(i / nodes));
        }
    }
    return result;
}

// Largest height of folds, in units of the pattern's typical height at the slope `steepest`. With a larger value,
// plateaus of a pattern image (high, but without slope) move far from the cloth. With a smaller value, long folds
// become lower.
constexpr float most_fold_heights = 2.0f;

// Smallest slope, and smallest height in mesh units, by which limits are divided, to avoid a division by 0.
constexpr float least_slope_of_limits = 1e-9f;

// Largest factor; the product of a factor and a height must be finite.
constexpr float largest_factor = 1e15f;

constexpr StateKind modulator_state{"a Modulator", {'r', 'u', 'c', 'k', 'l', 'M', '\x1a', '\n'}, 1};

template <class Items>
std::uint64_t hash_of(const Items& items) {
    return hash_bytes(std::as_bytes(std::span(items)));
}

// The results of a step. The factors are also the start of the next step.
struct Found {
    int frame_count = 0;
    ModulatorStats stats;
    std::vector<float> factors;           // (V, 4) factors of the patterns, then zeros
    std::vector<float> weights, targets;  // (K, T) weights of the patterns; (T) twice the wanted areas

    // Writes the contents to a StateWriter, or reads them from a StateReader. Reading throws StateError if a count is impossible
    // or a factor is not in [0, most_factor]. Counts that the constructor computes are not stored.
    template <class Self, class State>
    static void exchange(Self& found, std::size_t pattern_count, float most_factor, State& state) {
        state.number(found.frame_count, 0, most_saved_frames, "the number of frames");
        const int vertices = static_cast<int>(found.factors.size() / 4);
        state.number(found.stats.limited, 0, vertices, "a count");
        state.number(found.stats.hurried, 0, vertices, "a count");
        for (std::size_t at = 0; at < found.factors.size(); at += 4) {
            // entries after the last pattern are always 0
            state.numbers(std::span(found.factors).subspan(at, pattern_count), 0.0f, most_factor, "a factor");
        }
        // these arrays are results only: later steps do not read them
        state.numbers(found.weights);
        state.numbers(found.targets);
    }
};

}  // namespace

// All data of a Modulator. The constructor allocates all memory, so that a step does not allocate.
struct Modulator::State {
    State(const PatternGrid& pattern_grid, std::span<const float> given, std::span<const float> painted,
          const ModulatorOptions& o)
        : grid(pattern_grid),
          options(resolved(o, pattern_grid.rest)),
          pattern_count(pattern_count_of(pattern_grid, given)),
          // moments are computed twice: of the given patterns for their scale, and of the scaled patterns for the steps
          heights(scaled(given, pattern_moments(pattern_grid, given, pattern_count))),
          moments(pattern_moments(pattern_grid, heights, pattern_count)),
          blocks(triangle_blocks(moments)),
          paint(painted.begin(), painted.end()) {
        const auto vertices = static_cast<std::size_t>(grid.topology.vertex_count);
        const auto faces = static_cast<std::size_t>(grid.topology.face_count()), count = static_cast<std::size_t>(pattern_count);
        // without paint, every vertex has paint 1
        paint.resize(vertices, 1.0f);
        rest.resize(faces);
        current.resize(faces);
        found.targets.resize(faces);
        found.weights.resize(count * faces);
        found.factors.assign(4 * vertices, 0.0f);
        highest.resize(4 * vertices);
        compare_with(moments.rest, moments, blocks);
        // kernels load rows of four numbers
        pad_limits(moments.highest, static_cast<int>(vertices), pattern_count, highest);
        workspace.resize(static_cast<int>(faces), static_cast<int>(vertices), pattern_count);
        const std::vector<float> most = limits();
        pad_limits(most, static_cast<int>(vertices), pattern_count, workspace.largest);
        for (const float limit : most) {
            // allow twice the limit because of rounding
            most_factor = std::max(most_factor, 2.0f * limit);
        }
        // on small meshes, starting a second thread takes longer than the work
        if (options.threads > 1 && static_cast<int>(faces) >= parallel_triangle_count) {
            pool.emplace(options.threads);
        }
        hashes = {hash_of(grid.rest), hash_of(heights), hash_of(paint)};
        found.stats.flat_patterns = moments.flat_count;
        for (const Vector3& m : moments.rest) {
            // the comparison is negated, so that NaN is counted as collapsed
            found.stats.degenerate += !(m[0] * m[2] - m[1] * m[1] > collapsed_gram_ratio * m[0] * m[2]);
        }
    }

    ThreadPool* threads() { return pool ? &*pool : nullptr; }

    // Returns the limits (V, K): the factor of each pattern at which it reaches the largest allowed slope or height
    // around the vertex.
    std::vector<float> limits() const {
        std::vector<float> largest(moments.steepness.size());
        const auto count = static_cast<std::size_t>(pattern_count);
        for (std::size_t k = 0; k < count; ++k) {
            // a pattern that is flat everywhere cannot add area: its limit is 0
            const bool flat = !(moments.mean_square[k] > 0.0f);
            const float high = std::min(options.highest.value_or(std::numeric_limits<float>::max()),
                                        most_fold_heights * options.steepest * height_per_slope(k));
            for (std::size_t i = k; i < largest.size(); i += count) {
                // use the steepness of whole folds: if the slope of the steepest cell were used, all other folds would
                // be a third lower
                const float steep = options.steepest / std::max(moments.steepness[i], least_slope_of_limits);
                largest[i] =
                    flat ? 0.0f : std::min({steep, high / std::max(moments.highest[i], least_slope_of_limits), largest_factor});
            }
        }
        return largest;
    }

    // Returns the median of (height / steepness) of a pattern over all vertices with folds, mesh units; 0 if no vertex
    // has folds.
    float height_per_slope(std::size_t pattern) const {
        std::vector<float> ratios;
        for (std::size_t i = pattern; i < moments.steepness.size(); i += static_cast<std::size_t>(pattern_count)) {
            // the threshold is relative to the root mean square slope, which is 1
            if (moments.steepness[i] > presence_slope) {
                ratios.push_back(moments.highest[i] / moments.steepness[i]);
            }
        }
        const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
        std::nth_element(ratios.begin(), middle, ratios.end());
        return ratios.empty() ? 0.0f : *middle;
    }

    // Computes the first fundamental forms of the frame, and writes the constants of the reference into the blocks
    // (compare_with).
    void measure(std::span<const Vector3> positions, std::span<const Matrix2> reference) {
        // constants of a moving reference are written in every frame. Those of the cloth at rest are written at
        // construction, and again after a moving reference
        if (!reference.empty()) {
            gram(reference, rest);
            compare_with(rest, moments, blocks);
        } else if (is_moving) {
            compare_with(moments.rest, moments, blocks);
        }
        is_moving = !reference.empty();
        const auto* corners = reinterpret_cast<const std::int32_t*>(grid.topology.faces.data());
        for_chunks(threads(), grid.topology.face_count(), parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
            kernels<ModulationKernels>().gram(floats(positions), corners, begin, end, reinterpret_cast<float*>(current.data()));
        });
    }

    // Computes weights, targets, demands and energies of all triangles.
    void fold(std::span<const float> remaining) {
        // compute weights, targets and demands of a triangle in one pass, because all of them depend on its first
        // fundamental form
        ModulatedTriangles triangles = modulated_triangles(blocks, current, moments);
        triangles.sharpness = options.sharpness;
        triangles.target = target_numbers({options.rest_slope, options.conserve == Conserve::length, options.slack});
        // without other layers, patterns supply the whole missing area
        triangles.remaining = remaining.empty() ? nullptr : remaining.data();
        triangles.weights = found.weights.data();
        triangles.targets = found.targets.data();
        triangles.demands = workspace.demands.data();
        triangles.energies = options.corrections > 0 ? workspace.energies.data() : nullptr;
        for_chunks(threads(), triangles.face_count, parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
            kernels<ModulationKernels>().modulate(triangles, begin, end);
        });
    }

    // Moves the factors toward the wanted factors by the filter in time, and counts limited and hurried vertices (see
    // ModulatorStats).
    void follow(float dt) {
        const bool first = found.frame_count == 0;
        // the filter does not depend on the frame rate: two steps of dt / 2 with constant targets equal one step of dt
        const float share = first || options.smoothing == 0.0f ? 1.0f : 1.0f - exponential(-dt / options.smoothing);
        const float most = first || *options.r_min == 0.0f ? std::numeric_limits<float>::max()
                                                           : most_height_change * *options.r_min * dt / reference_frame_time;
        std::int64_t limited = 0, hurried = 0;
        kernels<ModulationKernels>().follow_factors(
            {workspace.factors.data(), workspace.weights.data(), workspace.limits.data(), highest.data(), paint.data(),
             options.scale, options.bias, share, most, found.factors.data(), &limited, &hurried},
            0, static_cast<std::int64_t>(paint.size()));
        found.stats.limited = static_cast<int>(limited);
        found.stats.hurried = static_cast<int>(hurried);
    }

    // Calls visit(name, number) for the values that must be equal to restore a state, in addition to the mesh.
    void show_identity(const auto& visit) const {
        show_options(modulator_parameters, options, visit);
        visit("rest pose", hashes[0]);
        visit("set of patterns", hashes[1]);
        visit("paint", hashes[2]);
    }

    // Writes a state without its header and mesh.
    void write(StateWriter& state) const {
        show_identity([&](const char*, std::uint64_t number) { state.number(number); });
        Found::exchange(found, static_cast<std::size_t>(pattern_count), most_factor, state);
    }

    float most_factor = 0.0f;  // largest factor that a step can produce
    PatternGrid grid;
    ModulatorOptions options;
    int pattern_count;
    std::vector<float> heights;  // (K, N) scaled heights
    Moments moments;
    std::vector<float> blocks;  // constants of triangles for the kernel (modulation_kernel.h)
    bool is_moving = false;     // true if the blocks contain a moving reference
    std::vector<float> paint;   // (V) paint of each vertex, in [0, 1]
    StateMesh state_mesh = state_mesh_of(grid.topology);
    std::array<std::uint64_t, 3> hashes;  // hashes of rest pose, patterns and paint
    std::vector<Vector3> rest, current;   // (T) first fundamental forms; `rest` is used only for a moving reference
    std::vector<float> highest;           // (V, 4) largest height of each pattern around each vertex, mesh units
    Found found, restored;                // `restored` contains a state that is being read and validated
    ModulationWorkspace workspace;
    std::optional<ThreadPool> pool;
    ModulatorTimings timings;
};

Modulator::Modulator(const PatternGrid& grid, std::span<const float> heights, std::span<const float> paint,
                     const ModulatorOptions& options) {
    // check the options first, because the computation of the moments takes long
    require_in_range(modulator_parameters, options);
    if (!all_finite(heights)) {
        throw std::invalid_argument("heights: every number must be finite");
    }
    // these comparisons are also false for NaN
    const bool bounded = std::all_of(paint.begin(), paint.end(), [](float share) { return share >= 0.0f && share <= 1.0f; });
    if (!bounded || (!paint.empty() && paint.size() != static_cast<std::size_t>(grid.topology.vertex_count))) {
        throw std::invalid_argument("paint: expected a number in [0, 1] for each of " +
                                    std::to_string(grid.topology.vertex_count) + " vertices");
    }
    state_ = std::make_unique<State>(grid, heights, paint, options);
}
Modulator::~Modulator() = default;
Modulator::Modulator(Modulator&&) noexcept = default;
Modulator& Modulator::operator=(Modulator&&) noexcept = default;

StepStatus Modulator::step(std::span<const Vector3> positions, float dt, std::span<const Matrix2> reference,
                           std::span<const float> remaining) noexcept {
    State& s = *state_;
    const std::size_t faces = s.current.size();
    // empty spans are valid, because these inputs are optional
    const auto fits = [&](auto span) { return span.empty() || span.size() == faces; };
    // reject a frame before any change of the state
    if (positions.size() != s.paint.size() || !fits(reference) || !fits(remaining)) {
        return StepStatus::wrong_vertex_count;
    }
    if (!frame_time_parameter.range.contains(static_cast<double>(dt))) {
        return StepStatus::wrong_time;
    }
    StageClock clock;
    if (!all_finite(positions) || !all_finite(reference) ||
        !std::ranges::all_of(remaining, [](float share) { return share > 0.0f && share <= 1.0f; })) {
        return StepStatus::not_finite;
    }
    s.measure(positions, reference);
    s.timings.gram = clock.lap();
    s.fold(remaining);
    s.timings.fold = clock.lap();
    gather(s.grid.topology, s.moments, s.options.corrections, s.workspace, s.threads());
    s.timings.modulate = clock.lap();
    s.follow(dt);
    s.timings.follow = clock.lap();
    s.timings.total = s.timings.gram + s.timings.fold + s.timings.modulate + s.timings.follow;
    ++s.found.frame_count;
    return StepStatus::done;
}

void Modulator::reset() {
    // the next frame is then a first frame, in which the factors get the wanted values at once
    state_->found.frame_count = 0;
    std::fill(state_->found.factors.begin(), state_->found.factors.end(), 0.0f);
}

std::size_t Modulator::state_size() const {
    return size_of_state(state_->state_mesh, [&](StateWriter& state) { state_->write(state); });
}

void Modulator::save(std::span<std::byte> state) const {
    save_state(modulator_state, state_->state_mesh, state, [&](StateWriter& writer) { state_->write(writer); });
}

std::vector<std::byte> Modulator::state() const {
    std::vector<std::byte> bytes(state_size());
    save(bytes);
    return bytes;
}

void Modulator::restore(std::span<const std::byte> state) {
    State& s = *state_;
    StateReader reader = open_state(modulator_state, s.state_mesh, state);
    s.show_identity([&](const char* name, std::uint64_t number) { require_same(modulator_state, name, number, reader); });
    s.restored = s.found;
    Found::exchange(s.restored, static_cast<std::size_t>(s.pattern_count), s.most_factor, reader);
    require_state(reader.empty(), "the length");
    std::swap(s.found, s.restored);
}

const PatternGrid& Modulator::grid() const {
    return state_->grid;
}
const Moments& Modulator::moments() const {
    return state_->moments;
}
const ModulatorOptions& Modulator::options() const {
    return state_->options;
}
std::span<const float> Modulator::heights() const {
    return state_->heights;
}
int Modulator::frame_count() const {
    return state_->found.frame_count;
}
std::span<const float> Modulator::factors() const {
    return state_->found.factors;
}
std::span<const float> Modulator::weights() const {
    return state_->found.weights;
}
std::span<const float> Modulator::targets() const {
    return state_->found.targets;
}
const ModulatorTimings& Modulator::timings() const {
    return state_->timings;
}
const ModulatorStats& Modulator::stats() const {
    return state_->found.stats;
}

}  // namespace ruckle
