#include "ruckle/ruckle_c.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "c_call.h"
#include "c_wrinkler.h"

namespace {

using namespace ruckle::c;

ruckle::WrinklerOptions to_core(const ruckle_options& given) {
    ruckle::PairwiseCosts pairwise;
    for (std::size_t i = 0; i < 9; ++i) {
        pairwise[i / 3][i % 3] = given.pairwise[i];
    }
    return {.r_min = set(given.r_min),
            .amplitude = given.amplitude,
            .tau = given.tau,
            .grow_tau = set(given.grow_tau),
            .least_aspect = given.least_aspect,
            .aspect = given.aspect,
            .seed = given.seed,
            .path_alpha = given.path_alpha,
            .straightness = given.straightness,
            .length_change = given.length_change,
            .fade_in = given.fade_in,
            .fade_out = given.fade_out,
            .coherent = given.coherent != 0,
            .sigma = given.sigma,
            .alpha = given.alpha,
            .beta = given.beta,
            .pairwise = pairwise,
            .method = static_cast<ruckle::LabelMethod>(given.method),
            .relaxation = given.relaxation,
            .threads = given.threads};
}

// enumerators are cast, so that both lists must count alike
static_assert(RUCKLE_EXACT == static_cast<int>(ruckle::LabelMethod::exact));
static_assert(RUCKLE_EXPANSION == static_cast<int>(ruckle::LabelMethod::expansion));
static_assert(RUCKLE_SWAP == static_cast<int>(ruckle::LabelMethod::swap));
static_assert(RUCKLE_INDEPENDENT == static_cast<int>(ruckle::LabelMethod::independent));

// Copies into an array of the caller's from an index on, unless the array was left out.
template <class Item>
void copy_to(Item* array, std::int32_t index, std::span<const std::type_identity_t<Item>> items) {
    if (array) {
        std::copy(items.begin(), items.end(), array + index);
    }
}

// The options that a caller gave, or the defaults.
ruckle_status choose(const ruckle_options* given, ruckle_options& chosen) {
    ruckle_default_options(&chosen);
    chosen = given ? *given : chosen;
    // before the cast: an enumeration of the core has no value beyond its own
    if (chosen.method < RUCKLE_EXACT || chosen.method > RUCKLE_INDEPENDENT) {
        return fail(RUCKLE_BAD_OPTION, "method: expected a ruckle_method, 0 to 3, got %d", chosen.method);
    }
    return RUCKLE_OK;
}

}  // namespace

const char* ruckle_error_message(void) {
    return last_sentence();
}

const char* ruckle_version(void) {
    return RUCKLE_VERSION;
}

void ruckle_default_options(ruckle_options* options) {
    if (!options) {
        return;
    }
    // all by name, so that an option that the core gains cannot be forgotten here
    const auto [r_min, amplitude, tau, grow_tau, least_aspect, aspect, seed, path_alpha, straightness, length_change, fade_in,
                fade_out, coherent, sigma, alpha, beta, pairwise, method, relaxation, threads] = ruckle::WrinklerOptions{};
    *options = {.r_min = r_min.value_or(RUCKLE_UNSET),
                .amplitude = amplitude,
                .tau = tau,
                .grow_tau = grow_tau.value_or(RUCKLE_UNSET),
                .least_aspect = least_aspect,
                .aspect = aspect,
                .seed = seed,
                .path_alpha = path_alpha,
                .straightness = straightness,
                .length_change = length_change,
                .fade_in = fade_in,
                .fade_out = fade_out,
                .coherent = coherent,
                .sigma = sigma,
                .alpha = alpha,
                .beta = beta,
                .pairwise = {},
                .method = static_cast<std::int32_t>(method),
                .relaxation = relaxation,
                .threads = threads};
    for (std::size_t i = 0; i < 9; ++i) {
        options->pairwise[i] = pairwise[i / 3][i % 3];
    }
}

int32_t ruckle_parameter_count(void) {
    return static_cast<std::int32_t>(std::size(ruckle::wrinkler_parameters));
}

ruckle_status ruckle_get_parameter(int32_t index, ruckle_parameter* parameter) {
    return describe(ruckle::wrinkler_parameters, index, parameter);
}

ruckle_status ruckle_weld(const float* positions, int32_t vertex_count, const int32_t* faces, int32_t face_count,
                          int32_t* welded) {
    if (!positions || !faces || !welded) {
        return fail_null(!positions ? "positions" : !faces ? "faces" : "welded");
    }
    if (vertex_count < 0 || face_count < 0) {
        return fail_count(vertex_count, face_count);
    }
    return guarded([&] {
        const auto given = as_positions(positions, vertex_count);
        const std::vector<ruckle::Vector3> points(given.begin(), given.end());
        if (!std::all_of(points.begin(), points.end(), is_finite)) {
            return fail_not_finite(points);
        }
        const std::vector<ruckle::Face> joined = ruckle::weld(points, as_faces(faces, face_count));
        std::copy(joined.begin(), joined.end(), reinterpret_cast<ruckle::Face*>(welded));
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_create(const int32_t* faces, int32_t face_count, int32_t vertex_count, const ruckle_options* options,
                            ruckle_wrinkler** wrinkler) {
    if (!wrinkler) {
        return fail_null("wrinkler");
    }
    // whatever fails below: a caller who destroys it destroys nothing
    *wrinkler = nullptr;
    if (!faces) {
        return fail_null("faces");
    }
    if (vertex_count < 0 || face_count < 0) {
        return fail_count(vertex_count, face_count);
    }
    ruckle_options chosen;
    if (const ruckle_status status = choose(options, chosen)) {
        return status;
    }
    return guarded([&] {
        *wrinkler = new ruckle_wrinkler{ruckle::Wrinkler(as_faces(faces, face_count), vertex_count, to_core(chosen))};
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_create_topology(const int32_t* faces, int32_t face_count, int32_t vertex_count, ruckle_topology** topology) {
    if (!topology) {
        return fail_null("topology");
    }
    *topology = nullptr;
    if (!faces) {
        return fail_null("faces");
    }
    if (vertex_count < 0 || face_count < 0) {
        return fail_count(vertex_count, face_count);
    }
    return guarded([&] {
        auto core = std::make_shared<const ruckle::Topology>(as_faces(faces, face_count), vertex_count);
        *topology = new ruckle_topology{std::move(core), std::make_shared<Surfaces>()};
        return RUCKLE_OK;
    });
}

void ruckle_destroy_topology(ruckle_topology* topology) {
    delete topology;
}

ruckle_status ruckle_create_shared(const ruckle_topology* topology, const ruckle_options* options, ruckle_wrinkler** wrinkler) {
    if (!wrinkler) {
        return fail_null("wrinkler");
    }
    *wrinkler = nullptr;
    if (!topology) {
        return fail_null("topology");
    }
    ruckle_options chosen;
    if (const ruckle_status status = choose(options, chosen)) {
        return status;
    }
    return guarded([&] {
        *wrinkler = new ruckle_wrinkler{ruckle::Wrinkler(topology->core, to_core(chosen)), topology->surfaces};
        return RUCKLE_OK;
    });
}

void ruckle_destroy(ruckle_wrinkler* wrinkler) {
    // also NULL, as free() allows it
    delete wrinkler;
}

ruckle_status ruckle_step(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count, float dt) {
    if (!wrinkler || !positions) {
        return fail_null(!wrinkler ? "wrinkler" : "positions");
    }
    if (const ruckle_status status = check_vertex_count(wrinkler->core.topology().vertex_count, vertex_count)) {
        return status;
    }
    const auto points = as_positions(positions, vertex_count);
    return guarded([&] {
        switch (wrinkler->core.step(points, dt)) {
            case ruckle::StepStatus::done: return RUCKLE_OK;
            case ruckle::StepStatus::wrong_vertex_count: return RUCKLE_WRONG_VERTEX_COUNT;
            case ruckle::StepStatus::not_finite: return fail_not_finite(points);
            // no default: the compiler names a status that is new
            case ruckle::StepStatus::wrong_time: break;
        }
        return fail(RUCKLE_WRONG_TIME, "dt: expected a number of seconds in (0, 1e6], got %g", static_cast<double>(dt));
    });
}

ruckle_status ruckle_set_rest(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count) {
    if (!wrinkler) {
        return fail_null("wrinkler");
    }
    const int32_t count = positions ? vertex_count : 0, expected = positions ? wrinkler->core.topology().vertex_count : 0;
    if (const ruckle_status status = check_vertex_count(expected, count)) {
        return status;
    }
    const auto points = as_positions(positions, count);
    return guarded([&] {
        // the number of vertices has been checked
        const bool is_taken = wrinkler->core.set_rest(points) == ruckle::StepStatus::done;
        return is_taken ? RUCKLE_OK : fail_not_finite(points);
    });
}

void ruckle_reset(ruckle_wrinkler* wrinkler) {
    if (wrinkler) {
        wrinkler->core.reset();
    }
}

// Questions answer 0 or NULL to a null pointer: there is no status to return, and nothing to dereference.
size_t ruckle_state_size(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.state_size() : 0;
}

ruckle_status ruckle_save_state(const ruckle_wrinkler* wrinkler, void* state, size_t capacity) {
    return save_state("wrinkler", wrinkler, state, capacity);
}

ruckle_status ruckle_restore_state(ruckle_wrinkler* wrinkler, const void* state, size_t size) {
    return restore_state("wrinkler", wrinkler, state, size);
}

int32_t ruckle_vertex_count(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.topology().vertex_count : 0;
}

int32_t ruckle_face_count(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.topology().face_count() : 0;
}

int32_t ruckle_edge_count(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.topology().edge_count() : 0;
}

// Results are views of the core's arrays until the next step: no engine has to copy what it does not keep.
const int32_t* ruckle_edges(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.topology().edges[0].data() : nullptr;
}

const int32_t* ruckle_face_edges(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.topology().face_edges[0].data() : nullptr;
}

int32_t ruckle_frame_count(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.frame_count() : 0;
}

const uint8_t* ruckle_labels(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.labels().data() : nullptr;
}

const float* ruckle_compression(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.field().compression.data() : nullptr;
}

const float* ruckle_axis(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.field().axis.data()->data() : nullptr;
}

const float* ruckle_reference(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.reference().data()->data() : nullptr;
}

int32_t ruckle_wrinkle_count(const ruckle_wrinkler* wrinkler) {
    return wrinkler ? wrinkler->core.wrinkle_count() : 0;
}

int32_t ruckle_point_count(const ruckle_wrinkler* wrinkler) {
    std::int32_t count = 0;
    for (int i = 0; i < ruckle_wrinkle_count(wrinkler); ++i) {
        count += static_cast<std::int32_t>(wrinkler->core.wrinkle(i).t.size());
    }
    return count;
}

ruckle_status ruckle_get_wrinkle(const ruckle_wrinkler* wrinkler, int32_t index, ruckle_wrinkle* wrinkle) {
    if (!wrinkler || !wrinkle) {
        return fail_null(!wrinkler ? "wrinkler" : "wrinkle");
    }
    if (index < 0 || index >= wrinkler->core.wrinkle_count()) {
        return fail(RUCKLE_OUT_OF_RANGE, "index: expected one of %d wrinkles, from 0, got %d", wrinkler->core.wrinkle_count(),
                    index);
    }
    const ruckle::Wrinkle found = wrinkler->core.wrinkle(index);
    // in the order of ruckle_wrinkle
    *wrinkle = {found.id,
                found.age,
                found.fading,
                found.size.kappa,
                found.size.size,
                found.size.fade,
                found.size.crest,
                found.width,
                found.full_width,
                found.perimeter,
                {found.cuts[0], found.cuts[1]},
                {found.extent[0], found.extent[1]},
                static_cast<std::int32_t>(found.t.size()),
                found.edges.data(),
                found.t.data(),
                found.faces.data(),
                found.points[0].data(),
                found.widths.data(),
                found.heights.data()};
    return RUCKLE_OK;
}

ruckle_status ruckle_copy_wrinkles(const ruckle_wrinkler* wrinkler, const ruckle_wrinkle_arrays* arrays) {
    if (!wrinkler || !arrays) {
        return fail_null(!wrinkler ? "wrinkler" : "arrays");
    }
    // counted anew: a caller may have asked for the counts before another step
    const std::int32_t wrinkle_count = wrinkler->core.wrinkle_count(), point_count = ruckle_point_count(wrinkler);
    // both at once, so that a caller grows once, and nothing is written in part
    if (arrays->wrinkle_capacity < wrinkle_count || arrays->point_capacity < point_count) {
        return fail(RUCKLE_TOO_SMALL, "arrays: expected room for %d wrinkles and %d points, got %d and %d", wrinkle_count,
                    point_count, arrays->wrinkle_capacity, arrays->point_capacity);
    }
    std::int32_t first = 0;
    for (std::int32_t i = 0; i < wrinkle_count; ++i) {
        const ruckle::Wrinkle found = wrinkler->core.wrinkle(i);
        copy_to(arrays->ids, i, std::span(&found.id, 1));
        copy_to(arrays->offsets, i, std::span(&first, 1));
        copy_to(arrays->edges, first, found.edges);
        copy_to(arrays->t, first, found.t);
        copy_to(arrays->points, 3 * first, std::span(found.points[0].data(), 3 * found.points.size()));
        copy_to(arrays->widths, first, found.widths);
        copy_to(arrays->heights, first, found.heights);
        first += static_cast<std::int32_t>(found.t.size());
    }
    // one more than wrinkles: the end of the last one
    copy_to(arrays->offsets, wrinkle_count, std::span(&first, 1));
    return RUCKLE_OK;
}

ruckle_status ruckle_get_timings(const ruckle_wrinkler* wrinkler, ruckle_timings* timings) {
    if (!wrinkler || !timings) {
        return fail_null(!wrinkler ? "wrinkler" : "timings");
    }
    const ruckle::StageTimings& found = wrinkler->core.timings();
    *timings = {found.stretch, found.label, found.reference, found.persist, found.trace, found.shape, found.total};
    return RUCKLE_OK;
}

ruckle_status ruckle_get_stats(const ruckle_wrinkler* wrinkler, ruckle_stats* stats) {
    if (!wrinkler || !stats) {
        return fail_null(!wrinkler ? "wrinkler" : "stats");
    }
    const ruckle::FrameStats& found = wrinkler->core.stats();
    const auto& [compression_labels, rest_labels, stretch_labels] = found.label_counts;
    *stats = {compression_labels,  rest_labels,        stretch_labels,   found.label_changes, found.degenerate_count,
              found.wrinkle_count, found.fading_count, found.trace.born, found.died};
    return RUCKLE_OK;
}
