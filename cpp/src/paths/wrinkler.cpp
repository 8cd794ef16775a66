#include "ruckle/paths/wrinkler.h"

#include <cassert>
#include <stdexcept>
#include <string>
#include <utility>

#include "numeric/finite.h"
#include "paths/step_scratch.h"
#include "paths/wrinkler_parts.h"
#include "support/stage_clock.h"

namespace ruckle {

Wrinkler::Parts::Parts(std::shared_ptr<const Topology> mesh, const WrinklerOptions& given_options, bool keeps_field)
    : given(given_options),
      shared_topology(std::move(mesh)),
      topology(*shared_topology),
      state_mesh(state_mesh_of(topology)),
      field(topology, given.threads, keeps_field),
      // r_min = 0 requests the wrinkling field only: memory for paths is not allocated
      wrinkles(topology, given.r_min == 0.0f ? 0 : path_capacity(topology)) {
    // r_min may still be unknown: its default depends on the first frame
    set_options(resolved(given));
}

void Wrinkler::Parts::set_options(const WrinklerOptions& resolved) {
    // only this function converts options of the Wrinkler to options of the stages
    options = resolved;
    r_min = options.r_min.value_or(0.0f);
    field_options = {
        .costs = shared_label_cost_options(options), .labels = shared_label_options(options), .relaxation = options.relaxation};
    wrinkle_options = {.trace = {.r_min = r_min,
                                 .tau = options.tau,
                                 .grow_tau = *options.grow_tau,
                                 .least_aspect = options.least_aspect,
                                 .seed = options.seed},
                       // the option that rotates single segments toward the field also rotates whole paths
                       .persist = {.alpha = options.path_alpha,
                                   .straightness = options.straightness,
                                   .turning = options.path_alpha,
                                   .length_change = options.length_change},
                       .shape = {.r_min = r_min,
                                 .amplitude = options.amplitude,
                                 .grow_tau = *options.grow_tau,
                                 .aspect = options.aspect,
                                 .fade_in = options.fade_in,
                                 .fade_out = options.fade_out},
                       .coherent = options.coherent};
}

Wrinkler::Wrinkler(std::span<const Face> faces, int vertex_count, const WrinklerOptions& options) {
    // validate the options before the mesh is sorted and tables are built
    require_sound(options);
    parts_ = std::make_unique<Parts>(std::make_shared<Topology>(faces, vertex_count), options);
}
Wrinkler::Wrinkler(std::shared_ptr<const Topology> topology, const WrinklerOptions& options, bool keeps_field) {
    require_sound(options);
    parts_ = std::make_unique<Parts>(std::move(topology), options, keeps_field);
}
Wrinkler::~Wrinkler() = default;
Wrinkler::Wrinkler(Wrinkler&&) noexcept = default;
Wrinkler& Wrinkler::operator=(Wrinkler&&) noexcept = default;

// Processes the rest pose like a frame before the first frame, without motion and without new wrinkles.
void Wrinkler::Parts::begin_at_rest(FieldScratch& scratch) {
    field.measure(rest->positions(), true, scratch);
    field.label(field_options, true, reference_frame_time, scratch);
    field.update(field_options, true, reference_frame_time, scratch);
    if (r_min > 0.0f) {
        wrinkles.begin(wrinkle_options, cloth(rest->positions(), scratch));
    }
}

StepStatus Wrinkler::step(std::span<const Vector3> given, float dt, std::span<const float> remaining,
                          std::span<const std::uint8_t> labels) {
    try {
        return parts_->step(given, dt, remaining, labels);
    } catch (...) {
        // the first step allocates and may run out of memory: return to the state before the first frame
        parts_->forget();
        throw;
    }
}

StepStatus Wrinkler::Parts::step(std::span<const Vector3> given, float dt, std::span<const float> remaining,
                                 std::span<const std::uint8_t> given_labels) {
    Parts& p = *this;
    // reject a frame before any change of the state
    if (given.size() != static_cast<std::size_t>(p.topology.vertex_count)) {
        return StepStatus::wrong_vertex_count;
    }
    if (!frame_time_parameter.range.contains(static_cast<double>(dt))) {
        return StepStatus::wrong_time;
    }
    assert(remaining.empty() || remaining.size() == p.topology.faces.size());
    assert(given_labels.empty() || given_labels.size() == p.topology.faces.size());
    StageClock clock;
    // check the copy, because another thread may write to the input
    StepScratch& scratch = step_scratch();
    scratch.positions.assign(given.begin(), given.end());
    scratch.drawn.reserve(p.wrinkles.most_samples());
    const std::span<const Vector3> positions = scratch.positions;
    if (!all_finite(positions)) {
        return StepStatus::not_finite;
    }
    const bool begins = p.frame_count == 0, from_rest = begins && p.rest, first = begins && !from_rest;
    StageTimings& ms = p.timings;
    if (begins) {
        // if r_min is not set, it is derived from the height of the mesh in this frame
        p.set_options(resolved(p.given, positions));
    }
    if (from_rest) {
        p.begin_at_rest(scratch.field);
        dt = reference_frame_time;
    }
    p.field.measure(positions, first, scratch.field);
    ms.stretch = clock.lap();
    // labels describe the motion since the last frame. They determine how the reference triangles change, and thus the
    // wrinkling field
    if (given_labels.empty()) {
        p.field.label(p.field_options, first, dt, scratch.field);
    } else {
        p.field.take_labels(given_labels, scratch.field);
    }
    ms.label = clock.lap();
    p.field.update(p.field_options, first, dt, scratch.field);
    p.field.reduce_compression(remaining, scratch.field);
    ms.reference = clock.lap();

    // the times are 0 if only the field was requested
    ms.persist = ms.trace = ms.shape = 0.0;
    if (p.r_min > 0.0f) {
        const Cloth cloth = p.cloth(positions, scratch.field);
        if (first) {
            p.wrinkles.begin(p.wrinkle_options, cloth);
        }
        // move existing wrinkles first, because new wrinkles must start at a distance from them
        p.stats.persist = p.wrinkles.persist(cloth, scratch.field.previous_positions, p.frame_count, dt, scratch.persist);
        ms.persist = clock.lap();
        p.stats.trace = p.wrinkles.trace(cloth, dt);
        ms.trace = clock.lap();
        // wrinkles of the first frame are full-grown if the user has set a rest pose
        p.wrinkles.shape(cloth, dt, from_rest, scratch.drawn);
        ms.shape = clock.lap();
        // paths do not cross. The test depends on edges and t only, so that motion cannot violate it (path.h)
        assert(p.wrinkles.paths().is_sound());
    }
    ms.total = ms.stretch + ms.label + ms.reference + ms.persist + ms.trace + ms.shape;
    p.count(scratch.field);
    ++p.frame_count;
    return StepStatus::done;
}

// Fills in the statistics of the frame.
void Wrinkler::Parts::count(FieldScratch& scratch) {
    const FieldCounts counts = field.count(scratch);
    // persist and trace have already written their counts to stats
    stats.label_counts = counts.labels;
    stats.label_changes = counts.label_changes;
    stats.degenerate_count = counts.degenerate;
    stats.wrinkle_count = wrinkles.count();
    stats.fading_count = wrinkles.fading_count();
    stats.died = wrinkles.died_count();
}

// Keeps the mesh and the options, and resets everything else. The next frame is a first frame.
void Wrinkler::Parts::forget() {
    frame_count = 0;
    field.forget();
    wrinkles.clear();
    timings = {};
    stats = {};
}

StepStatus Wrinkler::set_rest(std::span<const Vector3> given) {
    Parts& p = *parts_;
    if (!given.empty() && given.size() != static_cast<std::size_t>(p.topology.vertex_count)) {
        return StepStatus::wrong_vertex_count;
    }
    // check the copy, because another thread may write to the input
    std::vector<Vector3>& rest = step_scratch().positions;
    rest.assign(given.begin(), given.end());
    if (!all_finite(rest)) {
        return StepStatus::not_finite;
    }
    p.rest = rest.empty() ? nullptr : shared_rest(p.topology, rest);
    p.forget();
    return StepStatus::done;
}

void Wrinkler::set_options(const WrinklerOptions& options) {
    require_sound(options);
    Parts& p = *parts_;
    require_kept(wrinkler_parameters, p.given, options, {"threads"});
    // r_min = 0 requests the wrinkling field only: memory for paths is not allocated
    if ((p.given.r_min == 0.0f) != (options.r_min == 0.0f)) {
        throw std::invalid_argument(std::string("r_min: expected ") + (options.r_min == 0.0f ? "a length above 0" : "0") +
                                    ", as at construction");
    }
    WrinklerOptions known = options;
    if (p.frame_count > 0 && !known.r_min) {
        known.r_min = p.r_min;
    }
    const float old_r_min = p.r_min;
    p.given = options;
    p.set_options(resolved(known));
    if (p.frame_count > 0 && p.r_min > 0.0f && old_r_min > 0.0f) {
        p.wrinkles.change_options(p.wrinkle_options, p.field.reference());
    }
}

void Wrinkler::reset() {
    parts_->forget();
}

const Topology& Wrinkler::topology() const {
    return parts_->topology;
}
const std::shared_ptr<const Topology>& Wrinkler::shared_topology() const {
    return parts_->shared_topology;
}
const WrinklerOptions& Wrinkler::options() const {
    return parts_->options;
}
int Wrinkler::frame_count() const {
    return parts_->frame_count;
}
std::span<const std::uint8_t> Wrinkler::labels() const {
    return parts_->field.labels();
}
std::span<const Matrix2> Wrinkler::current() const {
    const FieldResults* results = parts_->field.kept_results();
    return results ? results->current : std::span<const Matrix2>();
}
std::span<const Matrix2> Wrinkler::reference() const {
    return parts_->field.reference();
}
StretchSpans Wrinkler::motion() const {
    FieldResults* results = parts_->field.kept_results();
    return results ? results->motion.spans() : StretchSpans{};
}
StretchSpans Wrinkler::field() const {
    FieldResults* results = parts_->field.kept_results();
    return results ? results->field.spans() : StretchSpans{};
}
const PathPool& Wrinkler::paths() const {
    return parts_->wrinkles.paths();
}
std::span<const Vector3> Wrinkler::rest() const {
    return parts_->wrinkles.rest();
}
int Wrinkler::wrinkle_count() const {
    return parts_->wrinkles.count();
}
Wrinkle Wrinkler::wrinkle(int i) const {
    return parts_->wrinkles.wrinkle(i);
}
const StageTimings& Wrinkler::timings() const {
    return parts_->timings;
}
const FrameStats& Wrinkler::stats() const {
    return parts_->stats;
}

}  // namespace ruckle
