#include "ruckle/paths/wrinkler.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "constants.h"
#include "field/graph/label_problem.h"
#include "field/stretch_arrays.h"
#include "support/thread_pool.h"

namespace ruckle {

namespace {

// One array per result of a stage.
struct StretchArraysOwned {
    std::vector<float> min, max, compression;
    std::vector<Vector2> axis;
    std::vector<std::uint8_t> degenerate;

    // what labels are made from, and what wrinkles need besides
    void resize_for_labels(std::size_t face_count) {
        max.assign(face_count, 1.0f);
        compression.assign(face_count, 1.0f);
        degenerate.assign(face_count, 0);
    }
    void resize_for_wrinkles(std::size_t face_count) {
        resize_for_labels(face_count);
        min.assign(face_count, 1.0f);
        axis.assign(face_count, Vector2::Zero());
    }
    StretchSpans spans() { return {min, max, compression, axis, degenerate}; }
};

class StageClock {
  public:
    // Milliseconds since construction or the last call.
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double elapsed = std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
        return elapsed;
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// What a wrinkle carries beside its path, one array per property, indexed by slot.
struct WrinkleStates {
    std::vector<std::int64_t> ids;
    std::vector<float> ages;  // s
    std::vector<std::uint8_t> fading, crowded;
    std::vector<WrinkleSize> sizes;
    std::vector<std::array<float, 2>> extents;
    std::vector<float> widths, heights;  // path_stride per slot
    // the previous frame's heights, and the edges that they belong to
    std::vector<std::int32_t> previous_counts, previous_edges;
    std::vector<float> previous_heights;

    void resize(std::size_t slots) {
        ids.assign(slots, -1);
        ages.assign(slots, 0.0f);
        fading.assign(slots, 0);
        crowded.assign(slots, 0);
        sizes.assign(slots, {});
        extents.assign(slots, {});
        widths.assign(slots * path_stride, 0.0f);
        heights.assign(slots * path_stride, 0.0f);
        previous_counts.assign(slots, 0);
        previous_edges.assign(slots * path_stride, -1);
        previous_heights.assign(slots * path_stride, 0.0f);
    }
    template <class Item>
    std::span<Item> part(std::vector<Item>& values, int slot, std::size_t count) {
        return std::span(values).subspan(static_cast<std::size_t>(slot) * path_stride, count);
    }
    WrinkleOutline outline(int slot, float length) {
        const auto before = static_cast<std::size_t>(previous_counts[slot]);
        return {length, sizes[slot].crest, fading[slot] != 0, part(previous_edges, slot, before),
                part(previous_heights, slot, before)};
    }
    void limit(int slot, std::span<const std::int32_t> edges, float most) {
        const auto before = static_cast<std::size_t>(previous_counts[slot]);
        const auto now = part(heights, slot, edges.size());
        limit_heights(part(previous_edges, slot, before), part(previous_heights, slot, before), edges, most, now);
        previous_counts[slot] = static_cast<std::int32_t>(edges.size());
        std::copy(edges.begin(), edges.end(), part(previous_edges, slot, edges.size()).begin());
        std::copy(now.begin(), now.end(), part(previous_heights, slot, edges.size()).begin());
    }
};

// Slots for wrinkles: several times as many as a garment shows (20 to 30 per 700 triangles, 250 of the finest), few enough to
// reserve at once: 6 KB each.
int path_capacity(const Topology& topology, const WrinklerOptions& options) {
    return options.r_min == 0.0f ? 0 : std::clamp(topology.face_count(), 64, 4096);
}

float mean_edge_length(const Topology& topology, std::span<const Vector3> positions) {
    double sum = 0.0;
    for (const auto& [a, b] : topology.edges) {
        sum += static_cast<double>((positions[a] - positions[b]).norm());
    }
    const double mean = sum / static_cast<double>(topology.edges.size());
    return std::isfinite(mean) && mean > 0.0 ? static_cast<float>(mean) : 1.0f;
}

}  // namespace

struct Wrinkler::State {
    State(std::span<const Face> faces, int vertex_count, const WrinklerOptions& given_options)
        : given(given_options), topology(faces, vertex_count), paths(topology, path_capacity(topology, given)) {
        resolve_options({});
        states.resize(static_cast<std::size_t>(paths.capacity()));
        born.reserve(static_cast<std::size_t>(paths.capacity()));
        previous_positions.assign(paths.capacity() > 0 ? static_cast<std::size_t>(vertex_count) : 0, Vector3::Zero());
        const auto face_count = static_cast<std::size_t>(topology.face_count());
        for (auto* matrices : {&previous, &current, &reference}) {
            matrices->assign(face_count, Matrix2::Zero());
        }
        motion.resize_for_labels(face_count);
        field.resize_for_wrinkles(face_count);
        labels.assign(face_count, rest_label);
        previous_labels.assign(face_count, rest_label);
        if (options.threads > 1 && topology.face_count() >= parallel_triangle_count) {
            pool.emplace(options.threads);
        }
        reserve_cuts(workspace, face_count, pool ? pool->thread_count() : 1);
    }

    // Runs a stage over all triangles, shared among the threads when there are enough.
    template <class Stage>
    void for_faces(Stage stage) {
        for_chunks(threads(), topology.face_count(), parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
            stage(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        });
    }
    ThreadPool* threads() { return pool ? &*pool : nullptr; }

    void resolve_options(std::span<const Vector3> first_frame);
    void measure_stretch(std::span<const Vector3> positions);
    void assign_labels(float dt);
    void follow_reference(float dt);
    Cloth cloth(std::span<const Vector3> positions) { return {topology, positions, current, field.spans()}; }
    void begin_paths(std::span<const Vector3> positions);
    void persist_paths(std::span<const Vector3> positions);
    void trace_new_paths(std::span<const Vector3> positions);
    void shape_wrinkles(std::span<const Vector3> positions, float dt);
    void count();

    WrinklerOptions given, options;  // options: with what was not set filled in
    LabelOptions label_options;
    float r_min = 0.0f;  // 0 until it is known
    Topology topology;
    int frame_count = 0;
    std::vector<Matrix2> previous, current, reference;
    StretchArraysOwned motion, field;
    std::vector<std::uint8_t> labels, previous_labels;
    LabelWorkspace workspace;
    std::optional<ThreadPool> pool;

    TraceOptions trace_options;
    PersistOptions persist_options;
    ShapeOptions shape_options;
    PathPool paths;
    SeedSet seeds;
    PersistWorkspace persist_workspace;
    WrinkleStates states;
    std::vector<std::int32_t> born;
    std::vector<Vector3> previous_positions;
    std::int64_t next_id = 0;

    StageTimings timings;
    FrameStats stats;
};

void Wrinkler::State::resolve_options(std::span<const Vector3> first_frame) {
    options = resolved(given, first_frame);
    r_min = options.r_min.value_or(0.0f);
    label_options = {.pairwise = options.pairwise, .method = options.method};
    trace_options = {.r_min = r_min,
                     .tau = options.tau,
                     .grow_tau = *options.grow_tau,
                     .least_length = options.least_length.value_or(0.0f),
                     .seed = options.seed};
    persist_options = {.alpha = options.path_alpha,
                       .straightness = options.straightness,
                       .turning = options.path_alpha,
                       .length_change = options.length_change};
    shape_options = {.r_min = r_min,
                     .tau = *options.grow_tau,
                     .aspect = options.aspect,
                     .fade_in = options.fade_in,
                     .fade_out = options.fade_out};
}

void Wrinkler::State::measure_stretch(std::span<const Vector3> positions) {
    const bool first = frame_count == 0;
    for_faces([&](std::size_t begin, std::size_t count) {
        const auto part = [&](auto& values) { return std::span(values).subspan(begin, count); };
        edge_matrices(positions, part(topology.faces), part(current));
        stretch(part(first ? current : previous), part(current), motion.spans().part(begin, count));
    });
}

void Wrinkler::State::assign_labels(float dt) {
    const bool first = frame_count == 0;
    const LabelCostOptions cost_options{
        .sigma = options.sigma, .alpha = options.alpha, .beta = options.beta, .dt = first ? reference_frame_time : dt};
    const std::span<const std::uint8_t> fixed = first ? std::span<const std::uint8_t>{} : previous_labels;
    label_stretch(motion.compression, motion.max, motion.degenerate, cost_options, topology, fixed, label_options, workspace,
                  labels, threads());
}

void Wrinkler::State::follow_reference(float dt) {
    const bool first = frame_count == 0;
    const ReferenceOptions reference_options{.relaxation = options.relaxation, .dt = dt};
    for_faces([&](std::size_t begin, std::size_t count) {
        const auto part = [&](auto& values) { return std::span(values).subspan(begin, count); };
        update_reference(part(first ? current : reference), part(current), part(labels), reference_options, part(reference),
                         field.spans().part(begin, count));
    });
}

// The first frame fixes the seed points and the unit of length.
void Wrinkler::State::begin_paths(std::span<const Vector3> positions) {
    if (frame_count == 0) {
        seeds.choose(current, r_min, options.seed);
        persist_options.length_unit = mean_edge_length(topology, positions);
    } else if (!options.coherent) {
        seeds.scatter(options.seed, static_cast<std::uint64_t>(frame_count));
    }
}

void Wrinkler::State::persist_paths(std::span<const Vector3> positions) {
    begin_paths(positions);
    stats.persist = {};
    if (!options.coherent) {
        paths.clear();
        paths.measure_all(positions);
        return;
    }
    const Cloth now = cloth(positions);
    stats.persist = adapt_paths(now, previous_positions, persist_options, persist_workspace, paths);
    for (const std::int32_t slot : paths.slots()) {
        paths.set_half_width(slot, wrinkle_radius(r_min, states.sizes[slot].kappa));
    }
    // all of them first: whether an end may grow depends on where all the others are, and how wide
    paths.measure_all(positions);
    for (const std::int32_t slot : paths.slots()) {
        const Extent extent = wrinkle_extent(now, paths, slot);
        states.fading[slot] = states.crowded[slot] || !(extent.compression > trace_options.grow_tau);
        update_length(now, trace_options, persist_options, states.outline(slot, extent.length), slot, paths, stats.persist);
    }
    for (const std::int32_t slot : paths.slots()) {
        const float reach = states.crowded[slot] ? uncrowding_reach : crowding_reach;
        states.crowded[slot] = paths.crowded(slot, reach, states.fading);
        states.fading[slot] |= states.crowded[slot];
    }
}

void Wrinkler::State::trace_new_paths(std::span<const Vector3> positions) {
    born.clear();
    stats.trace = seed_paths(cloth(positions), trace_options, seeds, paths, born);
    for (const std::int32_t slot : born) {
        states.ids[slot] = next_id++;
        states.ages[slot] = -persist_options.dt;  // 0 after this step
        states.fading[slot] = states.crowded[slot] = 0;
        states.sizes[slot] = {};
        states.previous_counts[slot] = 0;
    }
}

void Wrinkler::State::shape_wrinkles(std::span<const Vector3> positions, float dt) {
    const Cloth now = cloth(positions);
    stats.fading_count = stats.died = 0;
    const auto faded_away = [&](std::int32_t slot) { return states.fading[slot] && states.sizes[slot].fade == 0.0f; };
    for (const std::int32_t slot : paths.slots()) {
        const Extent extent = wrinkle_extent(now, paths, slot);
        const SizeTarget target{extent.compression, extent.length, states.fading[slot] != 0};
        if (options.coherent) {
            update_size(target, shape_options, states.sizes[slot]);
        } else {
            states.sizes[slot] = settled_size(target, shape_options);
        }
        states.ages[slot] += dt;
        stats.fading_count += states.fading[slot];
        const auto points = std::as_const(paths).points(slot);
        wrinkle_shape(points, paths.cuts(slot), Profile(states.sizes[slot], r_min),
                      states.part(states.widths, slot, points.size()), states.part(states.heights, slot, points.size()),
                      states.extents[slot]);
        if (options.coherent) {
            states.limit(slot, paths.edges(slot), most_vertex_height_change * r_min * dt / reference_frame_time);
        }
    }
    for (std::size_t i = paths.slots().size(); i-- > 0;) {
        if (const std::int32_t slot = paths.slots()[i]; faded_away(slot)) {
            paths.remove(slot);
            --stats.fading_count;
            ++stats.died;
        }
    }
    std::copy(positions.begin(), positions.end(), previous_positions.begin());
}

void Wrinkler::State::count() {
    stats.wrinkle_count = static_cast<int>(paths.slots().size());
    // sums of comparisons, which vectorise
    int compressing = 0, stretching = 0, changed = 0, degenerate = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        compressing += labels[i] == compression_label;
        stretching += labels[i] == stretch_label;
        changed += labels[i] != previous_labels[i];
        degenerate += field.degenerate[i];
    }
    stats.label_counts = {compressing, topology.face_count() - compressing - stretching, stretching};
    stats.label_changes = changed;
    stats.degenerate_count = degenerate;
}

Wrinkler::Wrinkler(std::span<const Face> faces, int vertex_count, const WrinklerOptions& options) {
    require_sound(options);
    state_ = std::make_unique<State>(faces, vertex_count, options);
}
Wrinkler::~Wrinkler() = default;
Wrinkler::Wrinkler(Wrinkler&&) noexcept = default;
Wrinkler& Wrinkler::operator=(Wrinkler&&) noexcept = default;

StepStatus Wrinkler::step(std::span<const Vector3> positions, float dt) {
    State& s = *state_;
    if (positions.size() != static_cast<std::size_t>(s.topology.vertex_count)) {
        return StepStatus::wrong_vertex_count;
    }
    if (!(std::isfinite(dt) && dt > 0.0f)) {
        return StepStatus::wrong_time;
    }
    StageClock clock;
    if (!kernels().all_finite(floats(positions), 3 * static_cast<std::int64_t>(positions.size()))) {
        return StepStatus::not_finite;
    }
    if (s.frame_count == 0) {
        s.resolve_options(positions);
    }
    std::swap(s.previous, s.current);
    std::swap(s.previous_labels, s.labels);

    s.measure_stretch(positions);
    s.timings.stretch = clock.lap();
    s.assign_labels(dt);
    s.timings.label = clock.lap();
    s.follow_reference(dt);
    s.timings.reference = clock.lap();

    s.timings.persist = s.timings.trace = s.timings.shape = 0.0;
    if (s.r_min > 0.0f) {
        s.persist_options.dt = s.trace_options.dt = s.shape_options.dt = dt;
        s.persist_paths(positions);
        s.timings.persist = clock.lap();
        s.trace_new_paths(positions);
        s.timings.trace = clock.lap();
        s.shape_wrinkles(positions, dt);
        s.timings.shape = clock.lap();
        assert(s.paths.is_sound());
    }

    s.timings.total =
        s.timings.stretch + s.timings.label + s.timings.reference + s.timings.persist + s.timings.trace + s.timings.shape;
    s.count();
    ++s.frame_count;
    return StepStatus::done;
}

void Wrinkler::reset() {
    state_->frame_count = 0;
    std::fill(state_->labels.begin(), state_->labels.end(), rest_label);
    state_->paths.clear();
    state_->next_id = 0;
}

const Topology& Wrinkler::topology() const {
    return state_->topology;
}
const WrinklerOptions& Wrinkler::options() const {
    return state_->options;
}
int Wrinkler::frame_count() const {
    return state_->frame_count;
}
std::span<const std::uint8_t> Wrinkler::labels() const {
    return state_->labels;
}
std::span<const Matrix2> Wrinkler::current() const {
    return state_->current;
}
std::span<const Matrix2> Wrinkler::reference() const {
    return state_->reference;
}
StretchSpans Wrinkler::motion() const {
    return state_->motion.spans();
}
StretchSpans Wrinkler::field() const {
    return state_->field.spans();
}
const PathPool& Wrinkler::paths() const {
    return state_->paths;
}
int Wrinkler::wrinkle_count() const {
    return static_cast<int>(state_->paths.slots().size());
}
Wrinkle Wrinkler::wrinkle(int i) const {
    State& s = *state_;
    const PathPool& paths = s.paths;
    const std::int32_t slot = paths.slots()[i];
    const auto points = paths.points(slot);
    const Profile profile(s.states.sizes[slot], s.r_min);
    return {s.states.ids[slot],
            s.states.ages[slot],
            s.states.fading[slot] != 0,
            s.states.sizes[slot],
            profile.width,
            profile.perimeter,
            2.0f * wrinkle_radius(s.r_min, s.states.sizes[slot].kappa),
            paths.cuts(slot),
            s.states.extents[slot],
            paths.edges(slot),
            paths.t(slot),
            paths.faces(slot),
            points,
            s.states.part(s.states.widths, slot, points.size()),
            s.states.part(s.states.heights, slot, points.size())};
}
const StageTimings& Wrinkler::timings() const {
    return state_->timings;
}
const FrameStats& Wrinkler::stats() const {
    return state_->stats;
}

}  // namespace ruckle
