#include "paths/wrinkle_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "constants.h"
#include "paths/line_samples.h"

namespace ruckle {

namespace {

// Returns the unit of length ℓ of (5.2): the mean edge length, or 1 if this mean is 0 or not finite.
float mean_edge_length(const Topology& topology, std::span<const Vector3> positions) {
    // sum in double precision, because a float32 sum over the edges of a fine mesh loses digits
    double sum = 0.0;
    for (const auto& [a, b] : topology.edges) {
        sum += static_cast<double>((positions[a] - positions[b]).norm());
    }
    const double mean = sum / static_cast<double>(topology.edges.size());
    // lengths in the energy are divided by this mean, so it must not be 0 or NaN
    return std::isfinite(mean) && mean > 0.0 ? static_cast<float>(mean) : 1.0f;
}

}  // namespace

WrinkleSet::WrinkleSet(const Topology& topology, int capacity)
    : topology_(&topology),
      paths_(topology, capacity),
      carried_(static_cast<std::size_t>(capacity)),
      samples_(static_cast<std::size_t>(capacity) * most_curve_samples) {
    // allocate everything here: wrinkles appear and disappear in every frame, and frames must not allocate
    const auto slots = static_cast<std::size_t>(capacity);
    fading_.assign(slots, 0);
}

void WrinkleSet::begin(const WrinkleSetOptions& options, const Cloth& first) {
    options_ = options;
    // the unit of length is computed only in the first frame, so that the weights of the energy do not depend on the
    // pose
    options_.persist.length_unit = mean_edge_length(*topology_, first.positions);
    set_rest(first.positions);
    seeds_.choose(first.current, options.trace.r_min, options.trace.seed);
}

void WrinkleSet::change_options(const WrinkleSetOptions& options, std::span<const Matrix2> reference) {
    const TraceOptions before = options_.trace;
    const float length_unit = options_.persist.length_unit;
    options_ = options;
    options_.persist.length_unit = length_unit;
    if (before.r_min != options.trace.r_min || before.seed != options.trace.seed) {
        seeds_.choose(reference, options.trace.r_min, options.trace.seed);
    }
}

// Sets the rest pose. Does nothing if its positions have not changed.
void WrinkleSet::set_rest(std::span<const Vector3> positions) {
    if (!rest_ || !rest_->is_of(*topology_, positions)) {
        rest_ = shared_rest(*topology_, positions);
    }
}

// Decides if a wrinkle fades, and then moves both of its ends. A wrinkle fades if its largest compression is at most
// grow_tau, if it is shorter than lasting_share × least_aspect full widths, or if it is crowded. The ends of
// a fading wrinkle move inward.
void WrinkleSet::update_ends(const Cloth& cloth, int slot, float share, PersistStats& stats) {
    const Extent extent = wrinkle_extent(cloth, paths_, slot);
    const float full_width = 2.0f * wrinkle_radius(options_.trace.r_min, carried_[slot].size.kappa);
    const bool stub = extent.length < lasting_share * options_.trace.least_aspect * full_width;
    fading_[slot] = carried_[slot].crowded || stub || !(extent.compression > options_.trace.grow_tau);
    const WrinkleOutline outline{.length = extent.length, .crest = carried_[slot].size.crest, .fading = fading_[slot] != 0};
    update_length(cloth, options_.trace, share, outline, slot, paths_, stats);
}

// Updates the flag `crowded` of a wrinkle: true if the wrinkle is too close to an older wrinkle, and must therefore
// fade. Once true, the flag becomes false only at a larger distance: with one threshold the wrinkle would flicker.
void WrinkleSet::notice_crowding(int slot) {
    std::uint8_t& crowded = carried_[slot].crowded;
    crowded = paths_.crowded(slot, crowded ? uncrowding_reach : crowding_reach, fading_);
    fading_[slot] |= crowded;
}

PersistStats WrinkleSet::persist(const Cloth& cloth, std::span<const Vector3> before, int frame, float dt,
                                 PersistWorkspace& workspace) {
    set_time(dt);
    PersistStats stats;
    if (!options_.coherent) {
        // choose new random points in each frame
        seeds_.scatter(options_.trace.seed, static_cast<std::uint64_t>(frame));
        paths_.clear();
        paths_.measure_all(cloth.positions);
        return stats;
    }
    stats = adapt_paths(cloth, before, options_.persist, workspace, paths_);
    for (const std::int32_t slot : paths_.slots()) {
        // use the width of the full-grown wrinkle, even if the wrinkle is still narrow, so that no other path starts in
        // the space that it will occupy
        paths_.set_half_width(slot, wrinkle_radius(options_.trace.r_min, carried_[slot].size.kappa));
    }
    // measure all paths first, because the growth of an end depends on the positions and widths of all other paths
    paths_.measure_all(cloth.positions);
    const float share = end_share(options_.persist);
    for (const std::int32_t slot : paths_.slots()) {
        update_ends(cloth, slot, share, stats);
    }
    for (const std::int32_t slot : paths_.slots()) {
        // the loop starts with the oldest wrinkle: a wrinkle that begins to fade in this loop does not make younger
        // wrinkles fade
        notice_crowding(slot);
    }
    return stats;
}

// Initialises the properties of a new wrinkle in a slot.
void WrinkleSet::reset_wrinkle(int slot) {
    fading_[slot] = 0;
    carried_[slot] = {.id = -1, .age = 0.0f, .size = {}, .extent = {}, .curve_first = 0, .curve_count = 0, .crowded = 0};
}

TraceStats WrinkleSet::trace(const Cloth& cloth, float dt) {
    set_time(dt);
    const std::size_t before = paths_.slots().size();
    const TraceStats stats = seed_paths(cloth, options_.trace, seeds_, paths_);
    // new paths are the last ones in the order of birth
    for (const std::int32_t slot : paths_.slots().subspan(before)) {
        reset_wrinkle(slot);
        carried_[slot].id = next_id_++;
        carried_[slot].age = -dt;  // shape adds dt, so the age is 0 after this frame
    }
    return stats;
}

// Changes the size of a wrinkle by `share` of the difference to its target; if settled, sets it to the target.
void WrinkleSet::update_size(const Cloth& cloth, int slot, bool settled, float share) {
    const Extent extent = wrinkle_extent(cloth, paths_, slot);
    const SizeTarget target{.compression = extent.compression, .length = extent.length, .fading = fading_[slot] != 0};
    WrinkleSize& size = carried_[slot].size;
    if (settled) {
        size = settled_size(target, options_.shape);
    } else {
        ruckle::update_size(target, options_.shape, share, size);
    }
}

// Appends a drawn line to samples_ as the line of the wrinkle in this slot.
void WrinkleSet::append_curve(int slot, const CurveLine& line) {
    carried_[slot].curve_first = static_cast<std::int32_t>(sample_count_);
    carried_[slot].curve_count = line.count;
    std::copy_n(as_lanes(line.samples.data()), line.count, as_lanes(samples_.begin()) + sample_count_);
    sample_count_ += static_cast<std::size_t>(line.count);
}

// Moves the drawn line of a wrinkle toward its path, or draws it on the path if settled. Appends its samples to
// `drawn`.
void WrinkleSet::draw_wrinkle(const Cloth& cloth, int slot, bool settled, const WrinkleProfile& profile,
                              std::vector<LineSample>& drawn) {
    const CurveGoal goal{.edges = std::as_const(paths_).edges(slot),
                         .t = std::as_const(paths_).t(slot),
                         .faces = std::as_const(paths_).faces(slot),
                         .lengths = paths_.lengths(slot),
                         .cuts = paths_.cuts(slot),
                         .profile = profile};
    CurveLine line;
    if (settled) {
        draw_curve(cloth, *rest_, goal, line);
    } else {
        follow_path(cloth, *rest_, goal, {.r_min = options_.shape.r_min, .dt = options_.shape.dt}, curve(slot), line);
    }
    carried_[slot].curve_first = static_cast<std::int32_t>(drawn.size());
    carried_[slot].curve_count = line.count;
    const LineSample* samples = as_lanes(line.samples.data());
    drawn.insert(drawn.end(), samples, samples + line.count);
}

void WrinkleSet::clear() {
    paths_.clear();
    sample_count_ = 0;
    next_id_ = 0;
    died_count_ = 0;
}

// Removes wrinkles that have faded completely, and counts them.
void WrinkleSet::remove_faded() {
    died_count_ = 0;
    // iterate from the last to the first wrinkle, because a removal moves all later entries of slots()
    for (std::size_t i = paths_.slots().size(); i-- > 0;) {
        const std::int32_t slot = paths_.slots()[i];
        // a wrinkle is removed only after its height and its drawn line have faded
        const Carried& wrinkle = carried_[slot];
        if (fading_[slot] && wrinkle.size.fade == 0.0f && wrinkle.curve_count == 0) {
            paths_.remove(slot);
            ++died_count_;
        }
    }
}

void WrinkleSet::shape(const Cloth& cloth, float dt, bool settled, std::vector<LineSample>& drawn) {
    set_time(dt);
    settled |= !options_.coherent;
    drawn.clear();
    const float share = size_share(options_.shape);
    for (const std::int32_t slot : paths_.slots()) {
        carried_[slot].age += dt;
        update_size(cloth, slot, settled, share);
        const WrinkleProfile profile = profile_of(slot);
        wrinkle_shape(paths_.lengths(slot), paths_.cuts(slot), profile, paths_.widths(slot), paths_.heights(slot),
                      carried_[slot].extent);
        draw_wrinkle(cloth, slot, settled, profile, drawn);
    }
    // all lines are written again in every frame, so there are no gaps between them
    std::copy(drawn.begin(), drawn.end(), as_lanes(samples_.begin()));
    sample_count_ = drawn.size();
    remove_faded();
}

int WrinkleSet::fading_count() const {
    return static_cast<int>(
        std::count_if(paths_.slots().begin(), paths_.slots().end(), [&](std::int32_t slot) { return fading_[slot] != 0; }));
}

Wrinkle WrinkleSet::wrinkle(int i) const {
    const std::int32_t slot = paths_.slots()[i];
    const Carried& carried = carried_[slot];
    const float r_min = options_.shape.r_min;
    const WrinkleProfile profile(carried.size, r_min);
    return {.id = carried.id,
            .age = carried.age,
            .fading = fading_[slot] != 0,
            .size = carried.size,
            .width = profile.width,
            .perimeter = profile.perimeter,
            .full_width = 2.0f * wrinkle_radius(r_min, carried.size.kappa),
            .cuts = paths_.cuts(slot),
            .extent = carried.extent,
            .edges = paths_.edges(slot),
            .t = paths_.t(slot),
            .faces = paths_.faces(slot),
            .points = paths_.points(slot),
            .widths = paths_.widths(slot),
            .heights = paths_.heights(slot),
            .curve = curve(slot)};
}

}  // namespace ruckle
