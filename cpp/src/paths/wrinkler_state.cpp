// Saves a Wrinkler as bytes, and restores it.
//
// Every class has one function `exchange` for its members: it writes them to a StateWriter or reads them from a
// StateReader. The state does not contain timings, caches (blockers, workspaces), derived values (points, widths, ends)
// or slots. Wrinkles are written in order of birth, and no result depends on the slot of a path.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "constants.h"
#include "paths/step_scratch.h"
#include "paths/wrinkler_parts.h"
#include "support/saved_state.h"

namespace ruckle {

namespace {

// Largest number of births in a state. No animation has so many, and further births do not overflow.
constexpr std::int64_t most_births = std::int64_t{1} << 62;

// Largest half width and height in a state, mesh units. Wrinkles at the largest r_min are smaller, and sums of such
// lengths do not overflow.
constexpr float most_saved_length = 1e18f;

// Largest (height) / (half width) in a state. No amplitude causes a larger ratio; above it, gradients of heights
// overflow.
constexpr float most_slope = 1e9f;

constexpr double largest_time = std::numeric_limits<double>::max();

// Returns a view of FrameStats as an array of integers.
template <class Stats>
auto counts_of(Stats& stats) {
    static_assert(std::has_unique_object_representations_v<FrameStats> && sizeof(FrameStats) % sizeof(int) == 0);
    using Count = std::conditional_t<std::is_const_v<Stats>, const int, int>;
    return std::span(reinterpret_cast<Count*>(&stats), sizeof(FrameStats) / sizeof(int));
}

// Writes or reads the pauses of seed points.
template <class Seeds, class State>
void exchange_pauses(Seeds& seeds, State& state) {
    auto count = static_cast<std::int32_t>(seeds.pauses.size());
    state.number(count, 0, seeds.count(), "the number of seeds that rest");
    for (std::int32_t i = 0, next = 0; i < count; ++i) {
        SeedSet::Pause pause{};
        if constexpr (!State::loads) {
            // write the pauses sorted by point, because results do not depend on their order
            while (!seeds.pause_of(next)) {
                ++next;
            }
            pause = *seeds.pause_of(next++);
        }
        state.number(pause.point, 0, seeds.count() - 1, "a seed that rests");
        state.number(pause.until, 0.0, largest_time, "the time until which a seed rests");
        state.number(pause.compression, 0.0f, largest_float, "the compression at a seed");
        if constexpr (State::loads) {
            seeds.add_pause(pause);
        }
    }
}

// Writes or reads the seed points. Their positions are computed from their numbers and the seed.
template <class Seeds, class State>
void exchange_seeds(Seeds& seeds, const Topology& topology, std::uint64_t seed, State& state) {
    if constexpr (State::loads) {
        seeds.counts.resize(topology.faces.size());
    }
    state.numbers(seeds.counts, 1, most_seeds_per_face, "the number of seeds");
    if constexpr (State::loads) {
        seeds.begin(seed);
    }
    state.number(seeds.clock, 0.0, largest_time, "the time of the seeds");
    exchange_pauses(seeds, state);
}

// Writes or reads the samples of a drawn line.
template <class Line, class State>
void exchange_curve(const Topology& topology, Line& line, State& state) {
    state.number(line.count, 0, most_curve_samples, "the number of samples of a drawn line");
    for (auto& [face, weights, half_width, height] : std::span(line.samples).first(static_cast<std::size_t>(line.count))) {
        state.number(face, 0, topology.face_count() - 1, "the triangle of a sample");
        state.numbers(std::span(weights.data(), 3), 0.0f, rounding_margin, "the weights of a sample");
        if constexpr (State::loads) {
            require_state(std::abs(weights.sum() - 1.0f) <= weight_tolerance, "the weights of a sample");
        }
        state.number(half_width, 0.0f, most_saved_length, "the half width of a sample");
        state.number(height, 0.0f, most_saved_length, "the height of a sample");
        if constexpr (State::loads) {
            require_state(height <= most_slope * half_width, "the height of a sample");
        }
    }
}

}  // namespace

// Writes path i, or reads a path and adds it to the pool with default properties. Returns its slot.
template <class Set, class State>
int WrinkleSet::exchange_path(Set& set, int i, State& state) {
    Path path;
    if constexpr (!State::loads) {
        set.paths_.load(set.paths_.slots()[i], path);
    }
    state.number(path.count, 2, most_path_vertices, "the number of a path's vertices");
    const auto count = static_cast<std::size_t>(path.count);
    state.numbers(std::span(path.edges).first(count));
    state.numbers(std::span(path.t).first(count));
    state.numbers(std::span(path.faces).first(count - 1));
    if constexpr (State::loads) {
        require_state(is_valid(*set.topology_, path), "a path");
        // the pool was empty, so the path gets position i in the order of birth
        set.reset_wrinkle(set.paths_.insert(path));
    }
    return set.paths_.slots()[i];
}

// Writes wrinkle i (its path, properties and drawn line), or reads a wrinkle and adds it to the set.
template <class Set, class State>
void WrinkleSet::exchange_wrinkle(Set& set, int i, State& state) {
    const int slot = exchange_path(set, i, state);
    const auto count = static_cast<std::size_t>(set.paths_.vertex_count(slot));
    // rounding may make shares slightly larger than 1
    state.numbers(set.paths_.cuts(slot), 0.0f, rounding_margin, "a cut");
    state.numbers(set.paths_.stuck(slot), 0, 1, "whether an end is stuck");
    float half_width = set.paths_.half_width(slot);
    state.number(half_width, 0.0f, most_saved_length, "the half width of a wrinkle");
    if constexpr (State::loads) {
        set.paths_.set_half_width(slot, half_width);
        // if the path has a single segment, both cuts are shares of this segment
        require_state(count > 2 || set.paths_.cuts(slot)[0] + set.paths_.cuts(slot)[1] <= rounding_margin,
                      "the cuts of a segment");
    }
    // ids are strictly ascending in order of birth
    const std::int64_t least_id = i == 0 ? 0 : set.carried_[set.paths_.slots()[i - 1]].id + 1;
    auto& carried = set.carried_[slot];
    state.number(carried.id, least_id, set.next_id_ - 1, "the number of a wrinkle");
    state.number(carried.age, 0.0f, INFINITY, "the age of a wrinkle");
    state.number(set.fading_[slot], 0, 1, "whether a wrinkle fades");
    state.number(carried.crowded, 0, 1, "whether a wrinkle gives way");
    auto& [kappa, size, fade, crest] = carried.size;
    state.number(kappa, 0.0f, rounding_margin * largest_share_lost, "what the cloth has lost across a wrinkle");
    state.number(size, 0.0f, rounding_margin, "the size of a wrinkle");
    state.number(fade, 0.0f, rounding_margin, "the fade of a wrinkle");
    state.number(crest, 0.0f, most_saved_length, "the crest of a wrinkle");
    CurveLine line;
    if constexpr (!State::loads) {
        const auto samples = set.curve(slot);
        std::copy(samples.begin(), samples.end(), line.samples.begin());
        line.count = static_cast<int>(samples.size());
    }
    exchange_curve(*set.topology_, line, state);
    if constexpr (State::loads) {
        set.append_curve(slot, line);
    }
}

// Computes the values that are not part of the state: points, lengths, widths, heights and ends. Throws if paths cross.
void WrinkleSet::complete(std::span<const Vector3> positions) {
    paths_.measure_all(positions);
    require_state(paths_.is_sound(), "paths that cross");
    for (const std::int32_t slot : paths_.slots()) {
        wrinkle_shape(paths_.lengths(slot), paths_.cuts(slot), profile_of(slot), paths_.widths(slot), paths_.heights(slot),
                      carried_[slot].extent);
    }
}

template <class Set, class State>
void WrinkleSet::exchange(Set& set, std::span<const Vector3> positions, State& state) {
    state.number(set.options_.persist.length_unit, std::numeric_limits<float>::denorm_min(), largest_float, "the unit of length");
    if constexpr (State::loads) {
        std::vector<Vector3>& rest = step_scratch().positions;
        rest.resize(positions.size());
        state.numbers(rest, -largest_float, largest_float, "a position of the first frame");
        set.set_rest(rest);
    } else {
        state.numbers(set.rest_->positions());
    }
    exchange_seeds(set.seeds_, *set.topology_, set.options_.trace.seed, state);
    state.number(set.next_id_, 0, most_births, "the number of births");
    int count = set.count();
    state.number(count, 0, set.paths_.capacity(), "the number of wrinkles");
    for (int i = 0; i < count; ++i) {
        exchange_wrinkle(set, i, state);
    }
    if constexpr (State::loads) {
        set.complete(positions);
    }
}

template <class Self, class State>
void Wrinkler::Parts::exchange(Self& parts, State& state) {
    state.number(parts.frame_count, 0, most_saved_frames, "the number of frames");
    // before the first frame, only the options are part of the state
    if (parts.frame_count == 0) {
        return;
    }
    state.number(parts.r_min, 0.0f, static_cast<float>(largest_length), "r_min");
    if constexpr (State::loads) {
        parts.resume(parts.r_min);
    }
    state.numbers(counts_of(parts.stats), 0, std::numeric_limits<int>::max(), "a count");
    ClothField::exchange(parts.field, state);
    if (parts.r_min > 0.0f) {
        WrinkleSet::exchange(parts.wrinkles, parts.field.positions(), state);
    }
}

// Sets r_min from the saved state if the options do not set it, and derives the other lengths. A step would compute
// r_min from the first frame, which is not available here.
void Wrinkler::Parts::resume(float found_r_min) {
    require_state(resolved(given).r_min.value_or(found_r_min) == found_r_min, "r_min");
    WrinklerOptions known = given;
    known.r_min = found_r_min;
    set_options(resolved(known));
    wrinkles.set_options(wrinkle_options);
}

void Wrinkler::Parts::load(StateReader& state) {
    forget();
    // use the options from before the first frame; resume() then derives the other options from the saved r_min
    set_options(resolved(given));
    exchange(*this, state);
    require_state(state.empty(), "the length");
    // callers allocate memory for this number of wrinkles
    require_state(stats.wrinkle_count == wrinkles.count(), "the number of wrinkles");
}

// Writes the state without its header and mesh.
void Wrinkler::Parts::write(StateWriter& state) const {
    show_options(wrinkler_parameters, given, [&](const char*, std::uint64_t number) { state.number(number); });
    exchange(*this, state);
}

std::size_t Wrinkler::state_size() const {
    return size_of_state(parts_->state_mesh, [&](StateWriter& state) { parts_->write(state); });
}

void Wrinkler::save(std::span<std::byte> state) const {
    save_state(wrinkler_state, parts_->state_mesh, state, [&](StateWriter& writer) { parts_->write(writer); });
}

std::vector<std::byte> Wrinkler::state() const {
    std::vector<std::byte> bytes(state_size());
    save(bytes);
    return bytes;
}

void Wrinkler::restore(std::span<const std::byte> state) {
    Parts& p = *parts_;
    StateReader reader = open_state(wrinkler_state, p.state_mesh, state);
    show_options(wrinkler_parameters, p.given,
                 [&](const char* name, std::uint64_t number) { require_same(wrinkler_state, name, number, reader); });
    // only loading can validate the bytes, so save the old state first
    StateWriter measured;
    Parts::exchange(std::as_const(p), measured);
    p.backup.resize(measured.size());
    StateWriter backup(p.backup);
    Parts::exchange(std::as_const(p), backup);
    const std::shared_ptr<const RestCloth> rest = p.wrinkles.shared_rest_cloth();
    try {
        p.load(reader);
    } catch (...) {
        // restore the old state. This does not allocate: all arrays have room for it, and `rest` still exists
        p.wrinkles.keep_rest(rest);
        StateReader before(p.backup);
        p.load(before);
        throw;
    }
}

}  // namespace ruckle
