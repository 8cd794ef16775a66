#include "ruckle/wrinkler.h"

#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "constants.h"
#include "graph/label_problem.h"
#include "numeric/stretch_arrays.h"
#include "support/thread_pool.h"

namespace ruckle {

namespace {

void require(bool allowed, const char* name, float value, const char* range) {
    if (!allowed) {
        throw std::invalid_argument(std::string(name) + ": expected " + range + ", got " + std::to_string(value));
    }
}

void require_sound(const WrinklerOptions& options) {
    require(std::isfinite(options.sigma) && options.sigma > 0.0f, "sigma", options.sigma, "a finite number above 0");
    require(std::isfinite(options.alpha) && options.alpha >= 0.0f, "alpha", options.alpha, "a finite number of at least 0");
    require(std::isfinite(options.beta) && options.beta >= 0.0f, "beta", options.beta, "a finite number of at least 0");
    require(options.relaxation >= 0.0f && options.relaxation <= 1.0f, "relaxation", options.relaxation, "a number in [0, 1]");
    if (options.threads < 1 || options.threads > 256) {
        throw std::invalid_argument("threads: expected an integer in [1, 256], got " + std::to_string(options.threads));
    }
    require_solvable(options.label);
}

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

}  // namespace

struct Wrinkler::State {
    State(std::span<const Face> faces, int vertex_count, const WrinklerOptions& given)
        : options(given), topology(faces, vertex_count) {
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

    void measure_stretch(std::span<const Vector3> positions);
    void assign_labels(float dt);
    void follow_reference(float dt);
    void count();

    WrinklerOptions options;
    Topology topology;
    int frame_count = 0;
    std::vector<Matrix2> previous, current, reference;
    StretchArraysOwned motion, field;
    std::vector<std::uint8_t> labels, previous_labels;
    LabelWorkspace workspace;
    std::optional<ThreadPool> pool;
    StageTimings timings;
    FrameStats stats;
};

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
    const LabelCostOptions cost_options{options.sigma, options.alpha, options.beta, first ? reference_frame_time : dt};
    const std::span<const std::uint8_t> fixed = first ? std::span<const std::uint8_t>{} : previous_labels;
    label_stretch(motion.compression, motion.max, motion.degenerate, cost_options, topology, fixed, options.label, workspace,
                  labels, threads());
}

void Wrinkler::State::follow_reference(float dt) {
    const bool first = frame_count == 0;
    const ReferenceOptions reference_options{options.relaxation, dt};
    for_faces([&](std::size_t begin, std::size_t count) {
        const auto part = [&](auto& values) { return std::span(values).subspan(begin, count); };
        update_reference(part(first ? current : reference), part(current), part(labels), reference_options, part(reference),
                         field.spans().part(begin, count));
    });
}

void Wrinkler::State::count() {
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
    std::swap(s.previous, s.current);
    std::swap(s.previous_labels, s.labels);

    s.measure_stretch(positions);
    s.timings.stretch = clock.lap();
    s.assign_labels(dt);
    s.timings.label = clock.lap();
    s.follow_reference(dt);
    s.timings.reference = clock.lap();

    s.timings.total = s.timings.stretch + s.timings.label + s.timings.reference;
    s.count();
    ++s.frame_count;
    return StepStatus::done;
}

void Wrinkler::reset() {
    state_->frame_count = 0;
    std::fill(state_->labels.begin(), state_->labels.end(), rest_label);
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
const StageTimings& Wrinkler::timings() const {
    return state_->timings;
}
const FrameStats& Wrinkler::stats() const {
    return state_->stats;
}

}  // namespace ruckle
