#include "ruckle/waves/wave_field.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "constants.h"
#include "numeric/dispatch.h"
#include "numeric/finite.h"
#include "numeric/functions.h"
#include "ruckle/field/parameters.h"
#include "support/aligned.h"
#include "support/saved_state.h"
#include "support/stage_clock.h"
#include "support/thread_pool.h"
#include "waves/wave_limits.h"
#include "waves/wave_rest.h"

namespace ruckle {

namespace {

constexpr StateKind wave_state{"a WaveField", {'r', 'u', 'c', 'k', 'l', 'V', '\x1a', '\n'}, 1};

constexpr std::size_t column_count = 10;  // number of arrays in WaveColumns
// Number of vertices, slots or faces per task. A colour has about a quarter of all slots. Larger: the last task of a
// colour leaves threads idle (two threads are 1.5 times as fast as one with 4096, 1.8 times with 1024, on 100,352
// triangles). Smaller: scheduling costs more than it gains (1.5 times with 256).
constexpr std::int64_t wave_chunk = 1024;
static_assert(wave_chunk % wave_group == 0, "threads share whole groups");
// Largest number in a valid state: its square is finite in float32. Waves with the shortest wavelength or the largest
// r_min have smaller numbers.
constexpr float most_value = 1e18f;

// Memory for the arrays of a step. Each thread has one such object, which serves all garments that it steps.
struct ScratchRoom {
    AlignedVector<float> floats;
    std::size_t used = 0;

    float* take(std::size_t count) {
        // each array is padded to cache lines, because kernels may write past its last number
        float* const begin = floats.data() + used;
        used += (count + 31) / 16 * 16;
        return begin;
    }
};

ScratchRoom& scratch_room(std::size_t size) {
    thread_local ScratchRoom room;
    if (room.floats.size() < size) {
        room.floats.resize(size);
    }
    room.used = 0;
    return room;
}

WaveScratch make_scratch(const WaveMesh& mesh, std::span<const Vector3> positions, std::span<const float> remaining) {
    const auto v = static_cast<std::size_t>(mesh.vertex_count), t = static_cast<std::size_t>(mesh.face_count),
               slots = static_cast<std::size_t>(mesh.slot_count), rows = static_cast<std::size_t>(mesh.row_count);
    constexpr std::size_t turn_size = sizeof(WaveTurns) / sizeof(float);
    ScratchRoom& room = scratch_room(4 * (t + 1) + 24 * (v + 1) + v + 2 * slots + turn_size * rows + 11 * 32);
    WaveScratch scratch{};
    scratch.remaining = remaining.empty() ? nullptr : remaining.data();
    scratch.positions = positions.data()->data();
    // the last row is 0, because padding in rows and slots refers to it
    const auto take_rows = [&room](std::size_t count) {
        float* const begin = room.take(4 * (count + 1));
        std::fill_n(begin + 4 * count, 4, 0.0f);
        return begin;
    };
    scratch.face_tensors = take_rows(t);
    for (float** array :
         {&scratch.sources, &scratch.tensors, &scratch.aims, &scratch.waves, &scratch.next_waves, &scratch.gradients}) {
        *array = take_rows(v);
    }
    scratch.targets = room.take(v), scratch.weights = room.take(slots), scratch.totals = room.take(slots);
    scratch.turns = reinterpret_cast<WaveTurns*>(room.take(turn_size * rows));
    return scratch;
}

WaveNumbers numbers_of(const WaveOptions& o, bool first, float dt) {
    const bool slack = o.slack > 0.0f;
    const float slides = slack ? 1.0f : 0.0f;
    return {.r_min = *o.r_min,
            .slack = o.slack,
            .slid_share = slides * slid_share,
            .resting_share = slides * resting_share,
            .taut_share = slides * taut_share,
            .steepest = o.steepest,
            .sharpness = o.sharpness,
            .detail = o.detail,
            .ratio = fine_ratio,
            .sag = o.sag,
            .lift = o.lift,
            .profile_slope = std::sqrt(profile_slope_square(o)),
            .coherence = o.coherence,
            .tensor_share = first ? 1.0f : 1.0f - exponential(-dt / direction_time),
            .amplitude_share = first ? 1.0f : 1.0f - exponential(-dt / (slack ? amplitude_time : trembling_time)),
            .bound = o.calm * *o.r_min * (dt / reference_frame_time) / covector_excess,
            .first = first};
}

}  // namespace

WaveOptions simulated_waves() {
    WaveOptions options;
    options.gain = 2.0f, options.slack = 0.0f, options.steepest = 1.3f, options.coherence = 0.5f;
    options.detail = 0.5f, options.hang = 1.5f, options.hem = 1.0f, options.calm = 0.3f;
    return options;
}

struct WaveField::State {
    explicit State(std::shared_ptr<const WaveRest> shared)
        : rest(std::move(shared)), values(column_count * rest->positions.size(), 0.0f) {
        // on small meshes, starting a second thread takes longer than the work
        if (rest->options.threads > 1 && rest->mesh.face_count >= parallel_triangle_count) {
            pool = std::make_unique<ThreadPool>(rest->options.threads);
        }
        stats.degenerate = rest->degenerate_count;
    }

    WaveColumns columns() {
        const auto at = [&](std::size_t i) { return values.data() + i * rest->positions.size(); };
        return {{at(0), at(1)}, at(2), at(3), at(4), {at(5), at(6), at(7)}, {at(8), at(9)}};
    }

    // Runs a stage on [begin, end), or on parts of it in several threads if the range is long enough.
    void share(std::int64_t begin, std::int64_t end, WaveStage stage, const WaveStep& step) {
        for_chunks(pool.get(), end - begin, wave_chunk,
                   [&](std::int64_t from, std::int64_t to, int) { stage(step, begin + from, begin + to); });
    }
    void over_vertices(WaveStage stage, const WaveStep& step) { share(0, step.mesh.vertex_count, stage, step); }
    // Runs a stage on all slots, one colour after the other. Only the last group of a colour has empty slots, so that
    // two threads never write row V, which represents empty slots.
    void sweep(WaveStage stage, const WaveStep& step) {
        for (std::size_t c = 0; c + 1 < rest->color_offsets.size(); ++c) {
            share(rest->color_offsets[c], rest->color_offsets[c + 1], stage, step);
        }
    }

    void measure(const WaveStep& step) { share(0, step.mesh.face_count, waves.measure_faces, step); }
    void direct(const WaveStep& step) {
        sweep(waves.gather_tensors, step);
        over_vertices(waves.start_tensors, step);
        for (int i = 0; i < (step.numbers.first ? birth_tensor_sweeps : 1); ++i) {
            sweep(waves.smooth_tensors, step);
        }
        over_vertices(waves.aim, step);
    }
    void turn(const WaveStep& step) { share(0, step.mesh.slot_count, waves.turn, step); }
    void find_phases(WaveStep& step) {
        step.scratch.next_waves = step.scratch.waves;
        over_vertices(waves.start_waves, step);
        turn(step);
        sweep(waves.sweep_phases, step);
    }
    void pull(const WaveStep& step) {
        sweep(waves.compare_phases, step);
        over_vertices(waves.pull_covectors, step);
    }
    void give_birth(WaveStep& step);
    void move(const WaveStep& step) {
        std::atomic<std::int64_t> limited = 0;
        for_chunks(pool.get(), step.mesh.vertex_count, wave_chunk,
                   [&](std::int64_t begin, std::int64_t end, int) { limited += waves.move(step, begin, end); });
        stats.limited = static_cast<int>(limited);
    }

    // Writes or reads the state after its header and identity. Self is a const State for a writer, and a State for a
    // reader.
    template <class Self, class Stream>
    static void exchange(Self& self, Stream& stream) {
        stream.number(self.frame_count, 0, most_saved_frames, "the number of frames");
        stream.numbers(self.values, -most_value, most_value, "a wave");
    }
    void show_identity(const auto& visit) const {
        show_options(wave_parameters, rest->options, visit);
        visit("rest pose or paint", rest->hash);
    }
    void write(StateWriter& writer) const {
        show_identity([&](const char*, std::uint64_t number) { writer.number(number); });
        exchange(*this, writer);
    }

    std::shared_ptr<const WaveRest> rest;
    const WaveKernels& waves = kernels<WaveKernels>();
    AlignedVector<float> values;  // (10, V) state arrays in the order of WaveColumns
    // state before the last restore; its memory remains, so that the next restore does not allocate
    AlignedVector<float> restored{};
    int frame_count = 0;
    WaveTimings timings;
    WaveStats stats;
    std::unique_ptr<ThreadPool> pool;  // null: one thread
};

// Computes the waves (phases), pull and targets of the first frame in `scratch` and the columns. Starts with phases
// that are consistent along a tree, then alternates phase sweeps and the pull. All vertices are updated simultaneously,
// so that the result does not depend on their order.
void WaveField::State::give_birth(WaveStep& step) {
    over_vertices(waves.start_waves, step);
    for (int round = 0; round < birth_rounds; ++round) {
        if (round > 0) {
            over_vertices(waves.aim, step);
        }
        turn(step);
        if (round == 0) {
            waves.follow_tree(step, rest->tree_order.data(), rest->tree_halves.data());
        }
        for (int i = 0; i < (round == 0 ? birth_first_sweeps : birth_sweeps); ++i) {
            sweep(waves.sweep_phases, step);
            std::swap(step.scratch.waves, step.scratch.next_waves);
        }
        pull(step);
    }
}

WaveField::WaveField(std::shared_ptr<const Topology> topology, std::span<const Vector3> rest, const WaveOptions& options,
                     std::span<const float> paint)
    : state_(std::make_unique<State>(std::make_shared<const WaveRest>(std::move(topology), rest, paint, options))) {}
WaveField::WaveField(const WaveField& other) : state_(std::make_unique<State>(other.state_->rest)) {
    state_->values = other.state_->values;
    state_->frame_count = other.state_->frame_count;
}
WaveField::~WaveField() = default;
WaveField::WaveField(WaveField&&) noexcept = default;

StepStatus WaveField::step(std::span<const Vector3> positions, float dt, std::span<const float> remaining) noexcept {
    State& s = *state_;
    // rejects a frame before changing the state
    if (positions.size() != s.rest->positions.size() ||
        (!remaining.empty() && remaining.size() != s.rest->topology->faces.size())) {
        return StepStatus::wrong_vertex_count;
    }
    if (!frame_time_parameter.range.contains(static_cast<double>(dt))) {
        return StepStatus::wrong_time;
    }
    if (!all_finite(positions) || !std::ranges::all_of(remaining, [](float share) { return share > 0.0f && share <= 1.0f; })) {
        return StepStatus::not_finite;
    }
    StageClock clock;
    WaveStep step{s.rest->mesh, numbers_of(s.rest->options, s.frame_count == 0, dt), s.columns(),
                  make_scratch(s.rest->mesh, positions, remaining)};
    s.measure(step);
    s.timings.field = clock.lap();
    s.direct(step);
    s.timings.direction = clock.lap();
    if (step.numbers.first) {
        s.give_birth(step);
        s.timings.phase = clock.lap(), s.timings.pull = 0.0;
    } else {
        s.find_phases(step);
        s.timings.phase = clock.lap();
        s.pull(step);
        s.timings.pull = clock.lap();
    }
    s.move(step);
    s.timings.amplitude = clock.lap();
    s.timings.total = s.timings.field + s.timings.direction + s.timings.phase + s.timings.pull + s.timings.amplitude;
    ++s.frame_count;
    return StepStatus::done;
}

void WaveField::set_options(const WaveOptions& options) {
    State& s = *state_;
    // the profile is not part of the state, so heights would jump if it changed
    require_kept(wave_parameters, s.rest->options, options, {"threads", "sharpness", "detail", "sag", "lift"});
    s.rest = std::make_shared<const WaveRest>(s.rest->topology, s.rest->positions, s.rest->paint, options);
}

void WaveField::set_paint(std::span<const float> paint) {
    State& s = *state_;
    s.rest = std::make_shared<const WaveRest>(s.rest->topology, s.rest->positions, paint, s.rest->options);
}

void WaveField::reset() {
    std::ranges::fill(state_->values, 0.0f);
    state_->frame_count = 0;
}

std::size_t WaveField::state_size() const {
    return size_of_state(state_mesh_of(topology()), [&](StateWriter& writer) { state_->write(writer); });
}
void WaveField::save(std::span<std::byte> state) const {
    save_state(wave_state, state_mesh_of(topology()), state, [&](StateWriter& writer) { state_->write(writer); });
}
std::vector<std::byte> WaveField::state() const {
    std::vector<std::byte> bytes(state_size());
    save(bytes);
    return bytes;
}
void WaveField::restore(std::span<const std::byte> state) {
    State& s = *state_;
    StateReader reader = open_state(wave_state, state_mesh_of(topology()), state);
    s.show_identity([&](const char* name, std::uint64_t number) { require_same(wave_state, name, number, reader); });
    s.restored.resize(s.values.size());
    struct {
        int frame_count;
        AlignedVector<float>& values;
    } found{0, s.restored};
    State::exchange(found, reader);
    require_state(reader.empty(), "the length");
    s.frame_count = found.frame_count;
    std::swap(s.values, s.restored);
}

const Topology& WaveField::topology() const {
    return *state_->rest->topology;
}
const std::shared_ptr<const WaveRest>& WaveField::rest() const {
    return state_->rest;
}
std::span<const Vector3> WaveField::rest_positions() const {
    return state_->rest->positions;
}
const WaveOptions& WaveField::options() const {
    return state_->rest->options;
}
int WaveField::frame_count() const {
    return state_->frame_count;
}
const WaveTimings& WaveField::timings() const {
    return state_->timings;
}
const WaveStats& WaveField::stats() const {
    return state_->stats;
}
WaveVertex WaveField::vertex(std::size_t v) const {
    return state_->rest->vertex(state_->columns(), v);
}
void WaveField::write_rows(float* rows, std::size_t stride) const {
    // local copies, because the compiler would compute them for every vertex
    const WaveColumns columns = state_->columns();
    const WaveRest& rest = *state_->rest;
    for (std::size_t v = 0; v < rest.positions.size(); ++v) {
        const WaveVertex vertex = rest.vertex(columns, v);
        std::memcpy(rows + stride * v, &vertex, sizeof vertex);
    }
}
void WaveField::write_vertices(std::span<WaveVertex> vertices) const {
    write_rows(reinterpret_cast<float*>(vertices.data()), sizeof(WaveVertex) / sizeof(float));
}

}  // namespace ruckle
